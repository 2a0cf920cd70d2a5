// SPDX-License-Identifier: Apache-2.0
// How far a model had come with its output when it wrote its checkpoints: what it had passed over
// by then is in no file and in no journal, and whoever continues must know. Decision 0011.
#pragma once

#include <vector>

#include "output/deal/definition.hpp"

namespace thalweg {

/// Steps before the next one that were not handed over were passed over.
struct Reached {
  std::vector<int> last;  ///< [lane] the last step handed over, -1 = none
  std::vector<int> next;  ///< [stream] the step that comes next, 0 = not known, or the first

  bool has_passed_over(int stream, int lane, int step) const {
    return step < next[stream] && step > last[lane];
  }
};

/// One rank: keeps it beside the journals, with the newest of other times. Throws
/// Error(file_system).
void write_reached(const Definition& definition, ModelTime time, const Reached& reached);
/// One rank, when an output continues or begins: what its streams have of later times goes.
void rewind_reached(const Definition& definition);
/// At the checkpoint of exactly this time. Where it is not known of a stream nothing was passed
/// over.
Reached read_reached(const Definition& definition, ModelTime time);

}  // namespace thalweg
