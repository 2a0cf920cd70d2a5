// SPDX-License-Identifier: Apache-2.0
// Every restart mode Thalweg knows. To add one: write <name>.cpp and add its line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "restart/mode.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr bool no_ranks = false, restart_ranks = true, one_file = false, own_files = true;

// name, meaning, restart ranks, their files, place, make
constexpr std::array all{
    RestartModeEntry{"sync", "rank 0 receives all parts and writes one file", no_ranks, one_file,
                     place_sync, make_sync},
    RestartModeEntry{"async", "restart ranks write one file together while compute ranks go on",
                     restart_ranks, one_file, place_async, make_staged},
    RestartModeEntry{"joint_multifile", "every compute rank writes its own file", no_ranks,
                     own_files, place_joint, make_joint},
    RestartModeEntry{"dedicated_multifile",
                     "every restart rank writes its own file while compute ranks go on",
                     restart_ranks, own_files, place_dedicated, make_staged},
};

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const auto& mode : all) names.emplace_back(mode.name);
  return names;
}

}  // namespace

std::span<const RestartModeEntry> restart_mode_table() { return all; }

const RestartModeEntry& find_restart_mode(const std::string& name) {
  for (const auto& mode : all) {
    if (name == mode.name) return mode;
  }
  throw Error(Blame::user,
              fmt::format("[restart]: mode '{}' does not exist; choose one of: none, {}.{}", name,
                          fmt::join(mode_names(), ", "), did_you_mean(name, mode_names())));
}

std::vector<ModeInfo> restart_modes() {
  std::vector<ModeInfo> list;
  for (const auto& mode : all) {
    const auto* ranks = mode.needs_restart_ranks ? "required" : "none";
    list.push_back({mode.name, mode.meaning, ranks, mode.own_files});
  }
  return list;
}

void check_restart(const RestartSettings& settings, int compute_ranks, int restart_ranks) {
  const auto& mode = find_restart_mode(settings.mode);
  if (settings.keep < 1) {
    throw Error(Blame::user,
                fmt::format("[restart]: keep is {}, but must be at least 1", settings.keep));
  }
  if (!(settings.timeout_s > 0.0)) {
    throw Error(Blame::user,
                fmt::format("[io]: timeout = {} s must be larger than 0", settings.timeout_s));
  }
  if (restart_ranks < 0) {
    throw Error(Blame::user,
                fmt::format("[restart]: ranks = {} must not be negative", restart_ranks));
  }
  if (compute_ranks < 1) {
    throw Error(Blame::user,
                fmt::format("[restart]: ranks = {} leaves no compute rank; ask for fewer or start "
                            "more ranks",
                            restart_ranks));
  }
  if (mode.needs_restart_ranks && restart_ranks < 1) {
    throw Error(Blame::user, fmt::format("[restart]: mode '{}' needs ranks of at least 1, not {}",
                                         settings.mode, restart_ranks));
  }
  if (mode.needs_restart_ranks && restart_ranks > compute_ranks) {
    throw Error(Blame::user,
                fmt::format("[restart]: ranks = {} is more than the {} compute ranks whose parts "
                            "they would write; ask for fewer",
                            restart_ranks, compute_ranks));
  }
  if (restart_ranks > 0 && !mode.needs_restart_ranks) {
    throw Error(Blame::user, fmt::format("[restart]: mode '{}' has no use for {} restart ranks",
                                         settings.mode, restart_ranks));
  }
}

std::vector<PartPlace> place_in_one_file(std::span<const std::int64_t> part_bytes) {
  std::vector<PartPlace> places;
  std::int64_t offset = 0;
  for (const auto bytes : part_bytes) {
    places.push_back({"parts.bin", 0, offset, 0});
    offset += bytes;
  }
  for (auto& place : places) place.file_bytes = offset;
  return places;
}

std::vector<FileEntry> files_of(std::span<const PartPlace> places, std::vector<PartEntry> parts) {
  std::vector<FileEntry> files;
  for (auto& part : parts) {
    const auto& place = places[part.rank];
    if (files.empty() || files.back().name != place.file) {
      files.push_back({place.file, place.file_bytes, {}});
    }
    files.back().parts.push_back(std::move(part));
  }
  return files;
}

void append_words(const PartEntry& part, std::vector<std::int64_t>& words) {
  words.insert(words.end(), {part.rank, part.offset, part.bytes, part.index_bytes,
                             static_cast<std::int64_t>(part.blocks.size())});
  words.insert(words.end(), part.blocks.begin(), part.blocks.end());
}

PartEntry entry_from_words(std::span<const std::int64_t> words, std::size_t& next) {
  PartEntry part{words[next], words[next + 1], words[next + 2], words[next + 3], {}};
  const auto blocks = words[next + 4];
  next += 5;
  for (std::int64_t block = 0; block < blocks; ++block) {
    part.blocks.push_back(static_cast<std::uint32_t>(words[next++]));
  }
  return part;
}

}  // namespace thalweg
