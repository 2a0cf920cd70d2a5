// SPDX-License-Identifier: Apache-2.0
// Counts of one process; who changes or reads them is inside the library alone.
#include "output/open_outputs.hpp"

#include <utility>

#include "ranks/one_caller.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

OpenOutputs& open_outputs() {
  static OpenOutputs open;
  return open;
}

void refuse_second_output() {
  throw Error(Blame::user,
              "[io]: an output with I/O or restart ranks must be the only one that is open on its "
              "ranks; close the other one before, or use two [[output]] streams of one output");
}

void require_first_service(bool& served) {
  if (!std::exchange(served, true)) return;
  throw Error(Blame::user,
              "this rank has served already, once and for all; what follows is the close");
}

void require_none_served() {
  const auto alone = enter_alone();
  if (open_outputs().served > 0 || open_outputs().to_serve) refuse_second_output();
}

}  // namespace thalweg
