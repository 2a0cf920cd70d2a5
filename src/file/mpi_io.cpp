// SPDX-License-Identifier: Apache-2.0
// Hints between text, maps and MPI.
#include "file/mpi_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::string_view dividers = " \t\n,";

void add_hint(IoHints& hints, std::string_view word) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Blame::user, fmt::format("[io]: the hint '{}' {}; write hints as \"cb_nodes=4 "
                                         "striping_factor=64\"",
                                         word, why));
  };
  const auto sign = word.find('=');
  if (sign == std::string_view::npos) refuse("has no '='");
  const std::string key(word.substr(0, sign)), value(word.substr(sign + 1));
  if (key.empty()) refuse("has no name before '='");
  if (value.empty()) refuse("has no value after '='");
  // MPI allows a key and a value one character less than its buffers.
  if (key.size() >= MPI_MAX_INFO_KEY || value.size() >= MPI_MAX_INFO_VAL) {
    refuse(fmt::format("is longer than MPI allows ({} characters before '=', {} after)",
                       MPI_MAX_INFO_KEY - 1, MPI_MAX_INFO_VAL - 1));
  }
  const auto [known, fresh] = hints.emplace(key, value);
  if (!fresh && known->second != value) {
    refuse(fmt::format("contradicts '{}={}' before it", key, known->second));
  }
}

}  // namespace

IoHints parse_hints(std::string_view text) {
  IoHints hints;
  for (auto begin = text.find_first_not_of(dividers); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(dividers, begin), text.size());
    add_hint(hints, text.substr(begin, end - begin));
    begin = text.find_first_not_of(dividers, end);
  }
  return hints;
}

IoInfo::IoInfo(const IoHints& hints) {
  MPI_Info_create(&info_);
  for (const auto& [key, value] : hints) MPI_Info_set(info_, key.c_str(), value.c_str());
}

IoHints read_hints(MPI_Info info) {
  IoHints hints;
  if (info == MPI_INFO_NULL) return hints;
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = "";
    int length = 0, found = 0;
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get_valuelen(info, key, &length, &found);
    if (found == 0) continue;
    std::vector<char> value(length + 1);
    MPI_Info_get(info, key, length, value.data(), &found);
    if (found != 0) hints[key] = value.data();
  }
  return hints;
}

IoHints reported_hints(MPI_File file) {
  MPI_Info info = MPI_INFO_NULL;
  if (MPI_File_get_info(file, &info) != MPI_SUCCESS) return {};
  auto hints = read_hints(info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return hints;
}

int refused_by_disk() {
  constexpr std::array reasons{EFBIG, ENOSPC, EDQUOT, EIO, EROFS};  // nothing else leaves these
  const int reason = errno;
  return std::find(reasons.begin(), reasons.end(), reason) == reasons.end() ? 0 : reason;
}

}  // namespace thalweg
