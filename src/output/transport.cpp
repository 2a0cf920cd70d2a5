// SPDX-License-Identifier: Apache-2.0
// Chooses a transport.
#include "output/transport.hpp"

namespace thalweg {

std::unique_ptr<Transport> make_transport(const std::string& wish, const Ranks& ranks,
                                          const Definition& definition, std::vector<SlotMap> maps) {
  if (wish != "two_sided") {
    if (auto windows = make_rma(ranks, maps)) return windows;
    if (wish == "rma") {
      throw Error(Blame::user,
                  "[io]: transport = \"rma\", but MPI cannot create windows of that size here; use "
                  "transport = \"two_sided\" or \"auto\"");
    }
  }
  return make_two_sided(ranks, definition, std::move(maps));
}

}  // namespace thalweg
