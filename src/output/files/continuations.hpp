// SPDX-License-Identifier: Apache-2.0
// A run by its name, and its continuations: which streams took part in them, and what they left
// out. All of it is one rank's, and is kept in begun.json.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "output/files/begun_file.hpp"

namespace thalweg {

/// `known`, or of a run that begins 16 letters. Outputs of one program in one directory are one
/// run, as long as none of them begins there for a second time.
std::string name_of_run(const Definition& definition, const std::string& known);
/// Of all runs that write into the directory, or have.
std::set<std::string> names_of_runs(const Definition& definition);

/// Whenever the run of this definition went on, with whatever streams, and this time if it does: by
/// name, times in ms. Outputs of one program that continue at the same time do so together.
BegunJson continuations_with(const BegunJson& streams, const Definition& definition);
/// Those that all streams of a run took part in are of no interest any more.
void forget_common_continuations(BegunJson& streams, const std::string& run);
/// The earliest time at which a run went on without a stream of it.
std::optional<ModelTime> missed_from(const BegunJson& streams, const BegunJson& stream);

/// When each stream was to end in the run before, 0 = not known.
std::vector<ModelTime> ends_before(const Definition& definition);
/// Times of a stream, each after the first and up to the second, that were not due when the run
/// came to them: nobody wrote them, and nobody lost them.
struct Gaps {
  std::vector<std::pair<ModelTime, ModelTime>> after_until;
  bool has(ModelTime time) const;
};
BegunJson to_json(const Gaps& gaps);
/// [stream] Up to this time.
std::vector<Gaps> gaps_before(const Definition& definition, ModelTime until);
/// [stream] Up to where the run continues.
std::vector<Gaps> gaps_before(const Definition& definition);
/// When a run continues: tells of outputs that are due now and were not in the run before.
void warn_of_gaps(const Definition& definition);

}  // namespace thalweg
