// SPDX-License-Identifier: Apache-2.0
// Which outputs of this process are open: one with ranks that serve must be alone.
#pragma once

namespace thalweg {

struct OpenOutputs {
  int ever = 0;           ///< on compute and I/O ranks, since the process began
  int all = 0;            ///< of them, those that are open now
  int served = 0;         ///< of them, those with I/O or restart ranks
  bool to_serve = false;  ///< this is a restart rank of one, and has not begun to serve it
};
OpenOutputs& open_outputs();

/// Throws Error(user) if an output with ranks that serve is open here. To be called before anything
/// that waits for other ranks: an I/O rank serves until its output ends, and would never come.
void require_none_served();
/// What it throws, for those that ask for more.
[[noreturn]] void refuse_second_output();
/// At the begin of serve(): throws Error(user) if it was called before, and notes that it was now.
void require_first_service(bool& served);

}  // namespace thalweg
