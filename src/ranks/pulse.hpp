// SPDX-License-Identifier: Apache-2.0
// Ranks that wait for each other hear who of them works, who waits too, and who is silent.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "base/wait_companion.hpp"

namespace thalweg {

/// One on every rank of `comm`, which is private; `tag` is used by nothing else there. Costs
/// nothing but a few messages in a time limit of waits, and those only from ranks that work or wait
/// long.
class Pulse final : public WaitCompanion {
 public:
  /// `name` of a rank of comm, as users know it.
  Pulse(MPI_Comm comm, int tag, std::function<std::string(int rank)> name);

  void listen() override;
  void say_working() override;
  void ask() override;
  std::string silent() const override;

  /// For whoever looks at all messages of the communicator: true if it was one of these, and taken.
  bool take(const MPI_Status& status);

 private:
  void say(int word);
  bool is_asked(int rank) const;

  MPI_Comm comm_;
  int tag_, rank_ = 0;
  double asked_s_ = 0.0;
  std::function<std::string(int)> name_;
  std::vector<double> heard_s_;  // [rank] when something was heard of it
};

}  // namespace thalweg
