// SPDX-License-Identifier: Apache-2.0
// How far a model had come with its output when it wrote its checkpoints: what it had passed over
// by then is in no file and in no journal, and whoever continues must know. Decision 0011.
#pragma once

#include <optional>
#include <vector>

#include "output/deal/definition.hpp"

namespace thalweg {

/// Steps before the next one that were not handed over were passed over.
struct Reached {
  std::vector<int> last;  ///< [lane] the last step handed over, -1 = none
  std::vector<int> next;  ///< [stream] the step that comes next
};

/// One rank: keeps it beside the journals, with the newest of other times. Throws
/// Error(file_system).
void write_reached(const Definition& definition, ModelTime time, const Reached& reached);
/// One rank, when a run continues or begins: what is of later times, or of another run, goes.
void rewind_reached(const Definition& definition);
/// At the checkpoint of exactly this time. Nothing where it is not known, or not of every stream.
std::optional<Reached> read_reached(const Definition& definition, ModelTime time);

}  // namespace thalweg
