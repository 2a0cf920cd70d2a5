// SPDX-License-Identifier: Apache-2.0
// The life of a dedicated I/O rank.
#pragma once

#include "output/deal/definition.hpp"
#include "ranks/failure_news.hpp"
#include "ranks/ranks.hpp"

namespace thalweg {

/// Takes steps from compute ranks and writes them until every compute rank has closed. A failure is
/// told to all compute ranks at once; from then on steps are taken and dropped, so that nobody
/// waits. It is returned at the end; so is the failure of a compute rank that left.
std::optional<Error> serve_io_rank(const Definition& definition, const Ranks& ranks,
                                   FailureNews& news);

}  // namespace thalweg
