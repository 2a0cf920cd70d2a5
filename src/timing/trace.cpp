// SPDX-License-Identifier: Apache-2.0
// Prints one line for each stop of the value that THALWEG_TRACE asks to follow.
#include "thalweg/trace.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "thalweg/error.hpp"
#include "timing/trace_parse.hpp"

#ifndef THALWEG_SOURCE_DIR
#define THALWEG_SOURCE_DIR ""
#endif

namespace thalweg {

namespace {

template <typename T>
bool read_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The path below the project's root, as it stands in the repository.
std::string_view relative_to_project(std::string_view path) {
  const std::string_view root = THALWEG_SOURCE_DIR "/", up = "../";
  if (path.substr(0, root.size()) == root) return path.substr(root.size());
  while (path.substr(0, up.size()) == up) path.remove_prefix(up.size());  // a compiler cache's
  return path;
}

}  // namespace

int trace_rank() {
  int initialised = 0, rank = 0;
  MPI_Initialized(&initialised);
  if (initialised) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void print_trace(std::string line) {
  // One call and a flush: lines of different ranks must not mix on their way to the terminal.
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

TraceTarget parse_trace_target(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  TraceTarget target;
  target.active = true;
  const bool good = parts.size() == 4 && !parts[0].empty() && read_number(parts[1], target.point) &&
                    read_number(parts[2], target.level) && read_number(parts[3], target.step) &&
                    target.point >= 0 && target.level >= 1 && target.step >= 0;
  if (!good) {
    throw Error(
        Blame::user,
        fmt::format(
            "THALWEG_TRACE is '{}', but must be field:cell:level:step with cell >= 0, level "
            ">= 1 and step >= 0, for example ta:4711:7:3",
            text));
  }
  target.field = parts[0];
  return target;
}

const TraceTarget& trace_target() {
  static const TraceTarget target = [] {
    const char* text = std::getenv("THALWEG_TRACE");
    return text == nullptr || *text == '\0' ? TraceTarget{} : parse_trace_target(text);
  }();
  return target;
}

bool trace_watches(std::string_view field, int step) {
  const TraceTarget& target = trace_target();
  return target.active && field == target.field && (step == -1 || step == target.step);
}

std::string trace_line(std::string_view stop, int rank, std::int64_t local, double value,
                       const std::string& detail, const std::source_location& where) {
  const nlohmann::ordered_json line{{"trace",
                                     {{"stop", stop},
                                      {"file", relative_to_project(where.file_name())},
                                      {"line", where.line()},
                                      {"rank", rank},
                                      {"local", local},
                                      {"value", value},
                                      {"detail", detail}}}};
  return line.dump();
}

void trace_stop(std::string_view stop, std::int64_t local, double value, const std::string& detail,
                std::source_location where) {
  print_trace(trace_line(stop, trace_rank(), local, value, detail, where));
}

}  // namespace thalweg
