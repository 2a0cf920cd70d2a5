// SPDX-License-Identifier: Apache-2.0
// Comparing files with the values that were put.
#include "reading.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <regex>

namespace thalweg::bench {
namespace {

/// Levels that are read and compared at a time: about a megabyte of R2B5.
constexpr int slab_levels = 4;

/// The lowest rank's sentence reaches all; "" if no rank has one.
std::string agree(const Session& session, std::string sentence) {
  int first = sentence.empty() ? session.ranks : session.rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, session.comm);
  if (first == session.ranks) return {};
  int size = static_cast<int>(sentence.size());
  MPI_Bcast(&size, 1, MPI_INT, first, session.comm);
  sentence.resize(size);
  MPI_Bcast(sentence.data(), size, MPI_CHAR, first, session.comm);
  return sentence;
}

/// Compares `levels` rows of `cells` values; "" or a sentence.
std::string compare_rows(const Session& session, const std::string& path, int step, int field,
                         int first_level, int levels, std::int64_t first_cell, std::int64_t cells,
                         const float* found) {
  for (int level = first_level; level < first_level + levels; ++level, found += cells) {
    const auto at = session.expected.first_difference(field, level, step, first_cell, cells, found);
    if (at < 0) continue;
    return fmt::format("'{}': field f{}, level {}, cell {} is {} and should be {}", path, field,
                       level, first_cell + at, found[at],
                       session.expected.at(field, level, step, first_cell + at));
  }
  return {};
}

std::string read_raw_field(const Session& session, const std::string& path, int step, int field) {
  const auto& work = session.workload;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fmt::format("'{}' cannot be read: {}", path, std::strerror(errno));
  const auto row_bytes = work.cells * static_cast<std::int64_t>(sizeof(float));
  const auto head_bytes = ::lseek(file, 0, SEEK_END) - work.step_bytes();
  std::vector<float> slab(work.cells * slab_levels);
  std::string wrong = head_bytes < 0 ? fmt::format("'{}' is too short", path) : "";
  for (int level = 0; level < work.levels && wrong.empty(); level += slab_levels) {
    const int levels = std::min(slab_levels, work.levels - level);
    const auto offset =
        head_bytes + (static_cast<std::int64_t>(field) * work.levels + level) * row_bytes;
    const auto bytes = row_bytes * levels;
    if (::pread(file, slab.data(), bytes, offset) != bytes) {
      wrong = fmt::format("'{}' cannot be read whole", path);
    } else {
      wrong = compare_rows(session, path, step, field, level, levels, 0, work.cells, slab.data());
    }
  }
  ::close(file);
  return wrong;
}

/// A part of a step: cells [first_cell, first_cell + cells) of all fields.
struct Part {
  std::string path;
  std::int64_t first_cell = 0;
};

std::string netcdf_sentence(const std::string& path, int status) {
  return fmt::format("'{}' cannot be read: {}", path, nc_strerror(status));
}

/// Number of cells of a netCDF file, 0 if it cannot be told.
std::int64_t cells_in(const std::string& path) {
  int file = -1, dimension = -1;
  std::size_t cells = 0;
  if (nc_open(path.c_str(), NC_NOWRITE, &file) != NC_NOERR) return 0;
  if (nc_inq_dimid(file, "cell", &dimension) == NC_NOERR) nc_inq_dimlen(file, dimension, &cells);
  nc_close(file);
  return static_cast<std::int64_t>(cells);
}

std::string read_open_netcdf(const Session& session, const Part& part, int file, int step,
                             int field) {
  int variable = -1, dimensions = 0, ids[NC_MAX_VAR_DIMS];
  int status = nc_inq_varid(file, fmt::format("f{}", field).c_str(), &variable);
  if (status == NC_NOERR) status = nc_inq_varndims(file, variable, &dimensions);
  if (status == NC_NOERR) status = nc_inq_vardimid(file, variable, ids);
  if (status != NC_NOERR) return netcdf_sentence(part.path, status);
  if (dimensions < 2 || dimensions > 3)
    return fmt::format("'{}': f{} has {} dimensions", part.path, field, dimensions);
  std::size_t cells = 0;
  nc_inq_dimlen(file, ids[dimensions - 1], &cells);
  std::vector<float> slab(cells * slab_levels);
  for (int level = 0; level < session.workload.levels; level += slab_levels) {
    const int levels = std::min(slab_levels, session.workload.levels - level);
    std::vector<std::size_t> start(dimensions, 0), count = start;
    count.front() = 1;
    *(start.end() - 2) = level;
    *(count.end() - 2) = levels;
    count.back() = cells;
    status = nc_get_vara_float(file, variable, start.data(), count.data(), slab.data());
    if (status != NC_NOERR) return netcdf_sentence(part.path, status);
    auto wrong = compare_rows(session, part.path, step, field, level, levels, part.first_cell,
                              static_cast<std::int64_t>(cells), slab.data());
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string read_netcdf_field(const Session& session, const Part& part, int step, int field) {
  int file = -1;
  const int status = nc_open(part.path.c_str(), NC_NOWRITE, &file);
  if (status != NC_NOERR) return netcdf_sentence(part.path, status);
  auto wrong = read_open_netcdf(session, part, file, step, field);
  nc_close(file);
  return wrong;
}

using ReadField = std::function<std::string(const Session&, const Part&, int step, int field)>;

/// Fields and steps go round-robin to ranks; every part is read.
std::string check_all(const Session& session, const std::vector<std::vector<Part>>& steps,
                      const ReadField& read) {
  std::string wrong;
  int turn = 0;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const Part& part : steps[step]) {
      for (int field = 0; field < session.workload.fields; ++field) {
        if (turn++ % session.ranks != session.rank || !wrong.empty()) continue;
        wrong = read(session, part, static_cast<int>(step), field);
      }
    }
  }
  return agree(session, wrong);
}

std::string wrong_count(const Session& session, std::size_t files, int steps) {
  return fmt::format("'{}' has {} files after {} steps", session.directory, files, steps);
}

/// The date of a file of ours, "..._20000101T020000Z.nc": partitions are dealt over time. "" =
/// none.
std::string date_in(const std::string& path) {
  static const std::regex pattern("\\d{8}T\\d{6}Z");
  std::smatch found;
  return std::regex_search(path, found, pattern) ? found.str() : std::string();
}

}  // namespace

std::vector<std::string> files_of(const Session& session) {
  MPI_Barrier(session.comm);  // nobody looks before the last rank has closed its files
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(session.directory))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end(), [](const std::string& one, const std::string& other) {
    const auto first = date_in(one), second = date_in(other);
    return first == second ? one < other : first < second;
  });
  return files;
}

double mean_step_bytes(const std::vector<std::string>& files, int steps) {
  double bytes = 0.0;
  for (const auto& file : files) bytes += static_cast<double>(std::filesystem::file_size(file));
  return steps > 0 ? bytes / steps : 0.0;
}

std::string nothing_to_check(const Session&, int) { return {}; }

std::string check_rank_order(const Session& session, int steps) {
  const auto files = files_of(session);
  if (static_cast<int>(files.size()) != steps) return wrong_count(session, files.size(), steps);
  std::string wrong;
  for (int step = session.rank; step < steps && wrong.empty(); step += session.ranks) {
    const auto& path = files[step];
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::int64_t offset = 0;
    for (int rank = 0; rank < session.ranks && wrong.empty(); ++rank) {
      const auto values =
          session.deal.own_cells(rank) * session.workload.levels * session.workload.fields;
      std::vector<float> found(values), expected(found.size());
      const auto bytes = static_cast<std::int64_t>(found.size() * sizeof(float));
      session.expected.fill(session.deal, rank, step, expected.data());
      if (::pread(file, found.data(), bytes, offset) != bytes || found != expected)
        wrong = fmt::format("'{}' does not hold the values of rank {}", path, rank);
      offset += bytes;
    }
    ::close(file);
  }
  return agree(session, wrong);
}

std::string check_raw(const Session& session, int steps) {
  std::vector<std::vector<Part>> parts;
  for (const auto& path : files_of(session)) {
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    if (size >= session.workload.step_bytes()) parts.push_back({{path, 0}});  // not its description
  }
  if (static_cast<int>(parts.size()) != steps) return wrong_count(session, parts.size(), steps);
  return check_all(session, parts, [](const Session& s, const Part& part, int step, int field) {
    return read_raw_field(s, part.path, step, field);
  });
}

std::string check_netcdf(const Session& session, int steps) {
  // A file with all cells is a step of its own; others follow each other within a step by name.
  std::vector<std::vector<Part>> whole, divided;
  std::int64_t next = session.workload.cells;
  for (const auto& path : files_of(session)) {
    if (!path.ends_with(".nc")) continue;
    const auto cells = cells_in(path);
    if (cells == session.workload.cells) {
      whole.push_back({{path, 0}});
      continue;
    }
    if (next >= session.workload.cells) divided.emplace_back(), next = 0;
    divided.back().push_back({path, next});
    next += cells;
  }
  if (next != session.workload.cells)
    return fmt::format("'{}' has parts of {} cells in a step of {}", session.directory, next,
                       session.workload.cells);
  for (const auto* found : {&whole, &divided}) {
    if (found->empty()) continue;
    if (static_cast<int>(found->size()) != steps) return wrong_count(session, found->size(), steps);
    auto wrong = check_all(session, *found, read_netcdf_field);
    if (!wrong.empty()) return wrong;
  }
  return whole.empty() && divided.empty() ? wrong_count(session, 0, steps) : std::string();
}

}  // namespace thalweg::bench
