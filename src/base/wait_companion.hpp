// SPDX-License-Identifier: Apache-2.0
// How waits learn about other ranks, which the base layer does not know.
#pragma once

#include <string>

namespace thalweg {

/// While it lives, waits of this rank hear what other ranks say, and these hear of this rank's
/// work.
class WaitCompanion {
 public:
  WaitCompanion();
  virtual ~WaitCompanion();
  WaitCompanion(const WaitCompanion&) = delete;
  WaitCompanion& operator=(const WaitCompanion&) = delete;

  /// Takes what other ranks have said; calls note_progress() if one of them works. What it throws
  /// ends the wait.
  virtual void listen() = 0;
  virtual void say_working() = 0;
  /// Asks who is there: ranks that wait, or idle, answer.
  virtual void ask() = 0;
  /// Ranks of which nothing was heard since ask(), for a sentence; "" if there is none.
  virtual std::string silent() const = 0;
};

/// Time limit of waits, seconds ([io] timeout).
double wait_timeout_s();

/// Seconds of a steady clock.
double wait_clock_s();

}  // namespace thalweg
