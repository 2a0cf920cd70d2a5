// SPDX-License-Identifier: Apache-2.0
// Every output mode Thalweg knows. To add one: write <name>.cpp and add its line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "format/mpi_io.hpp"
#include "output/mode.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::array all{
    ModeEntry{"serial", "rank 0 gathers and writes", IoRanks::none, divide_serial},
    ModeEntry{"async", "I/O ranks receive, then write while compute ranks go on", IoRanks::required,
              divide_async},
    ModeEntry{"file_parallel", "every writer has its own file with its share of the points",
              IoRanks::optional, divide_file_parallel},
    ModeEntry{"shared_file", "writers share one file in global order", IoRanks::optional,
              divide_shared_file},
    ModeEntry{"auto", "one writer or a shared file, chosen per stream", IoRanks::required,
              divide_auto},
};

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const auto& mode : all) names.emplace_back(mode.name);
  return names;
}

void check_word(const char* key, const std::string& word, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
  throw Error(Blame::user,
              fmt::format("[io]: {} '{}' does not exist; choose one of: {}.{}", key, word,
                          fmt::join(allowed, ", "), did_you_mean(word, allowed)));
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

std::vector<Slice> whole_fields(const Definition& definition, const Stream& stream, int writer) {
  std::vector<Slice> slices;
  for (std::size_t position = 0; position < stream.fields.size(); ++position) {
    const auto& field = definition.fields[static_cast<std::size_t>(stream.fields[position])];
    slices.push_back({static_cast<int>(position), 0,
                      static_cast<int>(definition.levels_of(stream, field).size()), 0,
                      definition.sizes[static_cast<std::size_t>(field.place)], writer});
  }
  return slices;
}

std::vector<int> team_of(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[static_cast<std::size_t>(definition.stream_of(lane))];
  const int partitions = stream.settings.partitions;
  if (partitions > writers) return {lane % writers};
  std::vector<int> team;
  for (int writer = lane - stream.first_lane; writer < writers; writer += partitions) {
    team.push_back(writer);
  }
  return team;
}

void check_output(const OutputSettings& settings, int ranks) {
  const auto& mode = find_mode(settings.mode);
  check_word("transport", settings.transport, {"auto", "shared_memory", "rma", "two_sided"});
  check_word("placement", settings.placement, {"last", "first", "spread", "per_node"});
  check_word("backpressure", settings.backpressure, {"block", "spill", "thin"});
  check_word("way", settings.way, {"direct", "mpiio"});
  check_word("page_cache", settings.page_cache, {"auto", "always", "never"});
  parse_hints(settings.hints);  // throws a sentence
  auto digits = settings.grid_uuid;
  std::erase(digits, '-');
  if (!digits.empty() &&
      (digits.size() != 32 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)) {
    throw Error(Blame::user, fmt::format("grid_uuid '{}' is not a UUID: it needs 32 hexadecimal "
                                         "digits, with or without dashes",
                                         settings.grid_uuid));
  }
  if (mode.io_ranks == IoRanks::none) return;
  if (settings.io_ranks < (mode.io_ranks == IoRanks::required ? 1 : 0)) {
    throw Error(Blame::user, fmt::format("[io]: mode '{}' needs ranks of at least 1, not {}",
                                         settings.mode, settings.io_ranks));
  }
  if (settings.io_ranks + settings.restart_ranks >= ranks) {
    throw Error(
        Blame::user,
        fmt::format("[io]: ranks = {} leaves no compute rank of {} ranks in all; ask for at "
                    "most {} or start more ranks",
                    settings.io_ranks, ranks, ranks - 1 - settings.restart_ranks));
  }
}

}  // namespace thalweg
