// SPDX-License-Identifier: Apache-2.0
// Which outputs a run still has when it continues from a time.
#pragma once

#include <string>
#include <vector>

#include "output/deal/definition.hpp"

namespace thalweg {

/// Why the run has not got as far as `step` in its lane, written, dropped or passed over, as a
/// clause; "" = it has. Throws Error(user) on a damaged journal.
std::string why_not_passed(const Definition& definition, int stream, int step);
/// Why outputs of a stream up to `time` are not those of the run, as a clause; "" = they are: it
/// went on without the stream.
std::string why_not_followed(const Definition& definition, int stream, ModelTime time);
/// Was nothing of a file handed over before the checkpoint that the run continues from, or due?
bool is_passed_over(const Definition& definition, int stream, const FileTimes& file);
/// [stream] Up to when the run that continues has all outputs that were due, though the stream may
/// end before that now.
std::vector<ModelTime> kept_until(const Definition& definition);

/// What the files lack of the outputs up to `time`, as the ends of their journals tell, as a
/// clause; "" = nothing. Those up to definition.continues_after, or before the run began, are not
/// missing, nor those that the model had passed over when it wrote a checkpoint of that time
/// (reached.hpp). Throws Error(user) on damaged journals.
std::string missing_output(const Definition& definition, ModelTime time);

/// [lane of a stream that is fragile] Coverage::changes_from.
std::vector<ModelTime> changes_from(const Definition& definition, ModelTime time);

}  // namespace thalweg
