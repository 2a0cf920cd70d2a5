// SPDX-License-Identifier: Apache-2.0
// Reads back what a trial wrote and compares every value with the expected one.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace thalweg::bench {

/// Files of the trial's directory by the date in their names: one step after the other. Collective.
std::vector<std::string> files_of(const Session& session);
double mean_step_bytes(const std::vector<std::string>& files, int steps);

/// Collective; the ranks share the reading. "" or one sentence about the first wrong value.
using Check = std::string (*)(const Session& session, int steps);
/// Nothing was written to a file.
std::string nothing_to_check(const Session&, int);
/// pwrite of each rank's values as they lie.
std::string check_rank_order(const Session& session, int steps);
/// The last bytes of each step's file: fields in order, [level][cell].
std::string check_raw(const Session& session, int steps);
/// netCDF of any kind; a step is one file, or several with consecutive cells each.
std::string check_netcdf(const Session& session, int steps);

}  // namespace thalweg::bench
