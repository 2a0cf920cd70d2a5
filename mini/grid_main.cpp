// SPDX-License-Identifier: Apache-2.0
// thalweg_grid: writes a grid file, or prints what a grid name stands for.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"

namespace {

constexpr const char* usage =
    "Usage: thalweg_grid NAME -o FILE.nc   write the grid as a UGRID + CF netCDF file\n"
    "       thalweg_grid NAME --info       print its sizes as one JSON object\n"
    "NAME is RnBk: n root divisions of the icosahedron's edges, k bisections.\n"
    "Example: thalweg_grid R2B4 -o grid.nc\n";

struct Request {
  std::string name, file;
  bool info = false, help = false;
};

[[noreturn]] void refuse(const std::string& why) {
  throw thalweg::Error(thalweg::Blame::user, why + " (thalweg_grid R2B4 -o grid.nc, or --info).");
}

Request read_arguments(int count, char** words) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "-h" || word == "--help") {
      request.help = true;
    } else if (word == "--info") {
      request.info = true;
    } else if (word == "-o" || word == "--output") {
      if (++i == count) refuse(fmt::format("option '{}' needs a file name after it", word));
      request.file = words[i];
    } else if (word.starts_with("-")) {
      refuse(fmt::format("option '{}' does not exist: use -o FILE or --info", word));
    } else if (!request.name.empty()) {
      refuse(fmt::format("'{}' is one grid name too many: give one", word));
    } else {
      request.name = word;
    }
  }
  if (request.help) return request;
  if (request.name.empty()) refuse("no grid was named: give a name and what to do with it");
  if (request.file.empty() && !request.info)
    refuse(fmt::format("nothing to do with grid '{}': say where to write it, or ask for its sizes",
                       request.name));
  return request;
}

void print_info(const thalweg::Grid& grid) {
  const nlohmann::ordered_json info{{"name", grid.name()},
                                    {"n", grid.n},
                                    {"k", grid.k},
                                    {"cells", grid.cells()},
                                    {"edges", grid.edges()},
                                    {"vertices", grid.vertices()},
                                    {"mean_resolution_m", grid.mean_resolution_m()},
                                    {"radius_m", thalweg::earth_radius_m}};
  fmt::print("{}\n", info.dump());
}

/// The exit code.
int run(int count, char** words) {
  try {
    const Request request = read_arguments(count, words);
    if (request.help) {
      fmt::print("{}", usage);
      return 0;
    }
    const thalweg::Grid grid = thalweg::Grid::parse(request.name);
    if (!request.file.empty()) thalweg::write_grid_file(grid, request.file);
    if (request.info) print_info(grid);
    return 0;
  } catch (const thalweg::Error& error) {
    fmt::print(stderr, "thalweg: error: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "thalweg: error: {}\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int count, char** words) {
  const int code = run(count, words);
  std::fflush(nullptr);
  // Without what HDF5 does at the end: a file that could not be closed would be closed once more,
  // which ends in a segmentation fault (1.10.8).
  std::_Exit(code);
}
