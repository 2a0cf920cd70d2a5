// SPDX-License-Identifier: Apache-2.0
// Every output mode Thalweg knows. To add one: write <name>.cpp and add its line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "output/mode.hpp"

namespace thalweg {

namespace {

constexpr std::array all{
    ModeEntry{"serial", "rank 0 gathers and writes", false, make_serial},
    ModeEntry{"async", "I/O ranks receive, then write while compute ranks go on", true, make_async},
};

const std::vector<std::string> transports{"auto", "rma", "two_sided"};

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const auto& mode : all) names.emplace_back(mode.name);
  return names;
}

}  // namespace

std::span<const ModeEntry> modes() { return all; }

const ModeEntry& find_mode(const std::string& name) {
  for (const auto& mode : all) {
    if (name == mode.name) return mode;
  }
  throw Error(Blame::user,
              fmt::format("[io]: mode '{}' does not exist; choose one of: {}.{}", name,
                          fmt::join(mode_names(), ", "), did_you_mean(name, mode_names())));
}

std::vector<ModeInfo> output_modes() {
  std::vector<ModeInfo> list;
  for (const auto& mode : all) list.push_back({mode.name, mode.meaning});
  return list;
}

void check_output(const OutputSettings& settings, int ranks) {
  const auto& mode = find_mode(settings.mode);
  if (std::find(transports.begin(), transports.end(), settings.transport) == transports.end()) {
    throw Error(
        Blame::user,
        fmt::format("[io]: transport '{}' does not exist; choose one of: {}.{}", settings.transport,
                    fmt::join(transports, ", "), did_you_mean(settings.transport, transports)));
  }
  if (!mode.needs_io_ranks) return;
  if (settings.io_ranks < 1) {
    throw Error(Blame::user, fmt::format("[io]: mode '{}' needs ranks of at least 1, not {}",
                                         settings.mode, settings.io_ranks));
  }
  if (settings.io_ranks >= ranks) {
    throw Error(
        Blame::user,
        fmt::format("[io]: ranks = {} leaves no compute rank of {} ranks in all; ask for at "
                    "most {} or start more ranks",
                    settings.io_ranks, ranks, ranks - 1));
  }
}

}  // namespace thalweg
