// SPDX-License-Identifier: Apache-2.0
// The life of a dedicated I/O rank.
#pragma once

#include "output/definition.hpp"
#include "output/ranks.hpp"

namespace thalweg {

/// Takes steps from compute ranks and writes them until every compute rank has closed. A failure is
/// told to all compute ranks at once; from then on steps are taken and dropped, so that nobody
/// waits. It is thrown again at the end.
void serve_io_rank(const Definition& definition, const Ranks& ranks);

}  // namespace thalweg
