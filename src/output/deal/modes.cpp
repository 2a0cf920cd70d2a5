// SPDX-License-Identifier: Apache-2.0
// Every output mode Thalweg knows. To add one: write <name>.cpp, declare its function and add its
// line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "file/mpi_io.hpp"
#include "file/page_cache.hpp"
#include "format/container.hpp"
#include "output/deal/mode.hpp"
#include "ranks/roles.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

using Divide = LaneDivision(const Definition&, int lane, int writers);
Divide divide_serial, divide_file_parallel, divide_auto;

namespace {

constexpr bool one_writer = false, teams = true, one_file = false, own_files = true;

// name, meaning, I/O ranks, writers of a stream's step, their files, divide
constexpr std::array all{
    ModeEntry{"serial", "rank 0 gathers and writes", IoRanks::none, one_writer, one_file,
              divide_serial},
    ModeEntry{"async", "I/O ranks receive, then write while compute ranks go on", IoRanks::required,
              one_writer, one_file, divide_async},
    ModeEntry{"file_parallel", "every writer has its own file with its share of the points",
              IoRanks::optional, teams, own_files, divide_file_parallel},
    ModeEntry{"shared_file", "writers share one file in global order", IoRanks::optional, teams,
              one_file, divide_shared_file},
    ModeEntry{"auto", "one writer or a shared file, chosen per stream", IoRanks::required, teams,
              one_file, divide_auto},
};

constexpr const char* words(IoRanks ranks) {
  return ranks == IoRanks::none ? "none" : ranks == IoRanks::optional ? "optional" : "required";
}

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

int dedicated_io_ranks(const OutputSettings& settings) {
  return find_mode(settings.mode).io_ranks == IoRanks::none ? 0 : settings.io_ranks;
}

std::vector<LaneDivision> divide_lanes(const Definition& definition, int writers) {
  const auto& mode = find_mode(definition.settings.mode);
  std::vector<LaneDivision> lanes;
  for (int lane = 0; lane < definition.lanes(); ++lane) {
    lanes.push_back(mode.divide(definition, lane, writers));
    lanes.back().own_files = mode.own_files;
  }
  return lanes;
}

bool may_share_steps(const ModeEntry& mode, int io_ranks, int partitions) {
  return mode.teams && (io_ranks == 0 || io_ranks > partitions);
}

std::vector<ModeInfo> output_modes() {
  std::vector<ModeInfo> list;
  for (const auto& mode : all)
    list.push_back({mode.name, mode.meaning, words(mode.io_ranks), mode.own_files});
  return list;
}

std::vector<ContainerLine> output_containers() {
  std::vector<ContainerLine> list;
  for (const auto& each : containers()) {
    list.push_back(
        {each.name, way_word(each.way), each.suffix, each.reader, each.meaning, each.parts});
  }
  return list;
}

std::vector<Slice> whole_fields(const Definition& definition, const Stream& stream, int writer) {
  std::vector<Slice> slices;
  for (std::size_t position = 0; position < stream.fields.size(); ++position) {
    const auto& field = definition.fields[stream.fields[position]];
    slices.push_back({static_cast<int>(position), 0,
                      static_cast<int>(definition.levels_of(stream, field).size()), 0,
                      definition.sizes[field.place], writer});
  }
  return slices;
}

std::vector<int> team_of(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[definition.stream_of(lane)];
  const int partitions = stream.settings.partitions;
  if (partitions > writers) return {lane % writers};
  std::vector<int> team;
  for (int writer = lane - stream.first_lane; writer < writers; writer += partitions) {
    team.push_back(writer);
  }
  return team;
}

namespace {

// As settings.toml bounds them: a program may set them by itself.
void check_numbers(const OutputSettings& settings) {
  const auto refuse = [](const std::string& what) { throw Error(Blame::user, what); };
  if (settings.io_ranks < 0) {
    refuse(fmt::format("[io]: ranks = {} must not be negative", settings.io_ranks));
  }
  if (settings.restart_ranks < 0) {
    refuse(fmt::format("[restart]: ranks = {} must not be negative", settings.restart_ranks));
  }
  if (settings.budget_bytes < 0) {
    refuse(
        fmt::format("[io]: budget = {} bytes must not be negative; 0 means two steps of its "
                    "streams",
                    settings.budget_bytes));
  }
  if (!(settings.timeout_s > 0.0)) {
    refuse(fmt::format("[io]: timeout = {} s must be larger than 0", settings.timeout_s));
  }
  if (settings.duration < ModelTime()) {
    refuse(fmt::format("[time]: duration = {} s must not be negative; 0 means that it is not known",
                       settings.duration.seconds()));
  }
}

}  // namespace

void check_output(const OutputSettings& settings, int ranks) {
  const auto& mode = find_mode(settings.mode);
  words_of(settings);  // throws a sentence, as what follows
  check_placement(settings.placement);
  parse_way(settings.way);
  parse_page_cache(settings.page_cache);
  parse_hints(settings.hints);
  auto digits = settings.grid_uuid;
  std::erase(digits, '-');
  if (!digits.empty() &&
      (digits.size() != 32 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)) {
    throw Error(Blame::user, fmt::format("grid_uuid '{}' is not a UUID: it needs 32 hexadecimal "
                                         "digits, with or without dashes",
                                         settings.grid_uuid));
  }
  check_numbers(settings);
  if (settings.restart_ranks >= ranks) {
    throw Error(Blame::user,
                fmt::format("[restart]: ranks = {} leaves no compute rank of {} ranks in all; ask "
                            "for at most {} or start more ranks",
                            settings.restart_ranks, ranks, ranks - 1));
  }
  if (mode.io_ranks == IoRanks::none) return;
  if (settings.io_ranks < (mode.io_ranks == IoRanks::required ? 1 : 0)) {
    throw Error(Blame::user, fmt::format("[io]: mode '{}' needs ranks of at least 1, not {}",
                                         settings.mode, settings.io_ranks));
  }
  if (settings.io_ranks + settings.restart_ranks >= ranks) {
    const int most = ranks - 1 - settings.restart_ranks;
    const auto advice =
        mode.io_ranks == IoRanks::required && most < 1
            ? fmt::format("start at least {} or choose a mode without I/O ranks, such as 'serial'",
                          2 + settings.restart_ranks)
            : fmt::format("ask for at most {} or start more ranks", most);
    throw Error(Blame::user,
                fmt::format("[io]: ranks = {} leaves no compute rank of {} rank{} in all; {}",
                            settings.io_ranks, ranks, ranks == 1 ? "" : "s", advice));
  }
}

}  // namespace thalweg
