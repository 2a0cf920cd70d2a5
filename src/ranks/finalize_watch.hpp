// SPDX-License-Identifier: Apache-2.0
// A program may call MPI_Finalize while others still wait for it: the last moment to tell them.
#pragma once

#include <functional>
#include <list>

namespace thalweg {

/// While it lives, MPI_Finalize begins with `act`. MPI must be initialised.
class FinalizeWatch {
 public:
  explicit FinalizeWatch(std::function<void()> act);
  ~FinalizeWatch();
  FinalizeWatch(const FinalizeWatch&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
};

/// For such an act: says a sentence on stderr and sees to it that a program that would end with
/// status 0 ends with 2.
void say_at_the_end(const char* sentence);

}  // namespace thalweg
