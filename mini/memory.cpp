// SPDX-License-Identifier: Apache-2.0
// An estimate from below: what is refused could not have run.
#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "run_settings.hpp"
#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"
#include "thalweg/memory.hpp"

namespace thalweg::mini {

namespace {

constexpr double gigabyte = 1e9;

// Peak resident memory of one rank on R2B4 and R2B5 with 1 and 90 levels, 1 and 10 tracers (n = 1
// each, GCC 12): 965 bytes a cell with one level, 168 more for each level, of which a tracer has
// 16: four copies of the state (Runge-Kutta), half as many vertices as cells. A little below.
constexpr double mesh_bytes = 750.0;        // a cell
constexpr double level_bytes = 140.0;       // a cell and level
constexpr double tracer_bytes = 16.0;       // a cell, level and tracer
constexpr double rank_bytes = 10.0e6;       // a rank, without what ranks of a node share
constexpr double output_time_bytes = 16.0;  // an output time of a stream, on each rank

/// The number in a file of one number, infinite where it has none ("max") or is not there.
double number_in(const std::string& path) {
  double number = 0.0;
  return std::ifstream(path) >> number ? number : std::numeric_limits<double>::infinity();
}

double mem_available() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kilobytes = 0.0;
    if (word == "MemAvailable:" && file >> kilobytes) return 1024.0 * kilobytes;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

MemoryNeed memory_need(const Experiment& experiment, std::span<const FieldInfo> fields, int ranks) {
  const auto grid = Grid::parse(experiment.table("grid").text("name"));
  const SettingTable& model = experiment.table("model");
  const auto cells = static_cast<double>(grid.cells());
  const auto levels = static_cast<double>(model.integer("levels"));
  const auto tracers = static_cast<double>(model.integer("tracers"));
  MemoryNeed need;
  need.ranks = rank_bytes * ranks;
  need.model = cells * (mesh_bytes + levels * (level_bytes + tracers * tracer_bytes));
  const auto settings = mini::output_settings(experiment, ".");
  const auto streams = stream_settings(experiment);
  for (const auto& stream : streams) {
    const double length = static_cast<double>((stream.end - stream.start).ms());
    const double times = std::floor(length / static_cast<double>(stream.interval.ms())) + 1.0;
    need.output += std::max(times, 0.0) * output_time_bytes * ranks;
  }
  need.output +=
      bytes_on_the_way(streams, fields, settings, {grid.cells(), grid.edges(), grid.vertices()});
  return need;
}

double available_memory() {
  const std::string group = "/sys/fs/cgroup/";  // version 2, as a container sees it
  const double limit = number_in(group + "memory.max"), used = number_in(group + "memory.current");
  const double in_group =
      std::isfinite(limit) && std::isfinite(used) ? std::max(limit - used, 0.0) : limit;
  const char* nodes = std::getenv("SLURM_NNODES");
  return std::min(mem_available(), in_group) * std::max(nodes != nullptr ? std::atoi(nodes) : 1, 1);
}

void check_memory(const MemoryNeed& need, double available_bytes) {
  if (need.total() <= available_bytes) return;
  throw Error(Blame::user,
              fmt::format("[model]: this run needs at least {:.1f} GB of memory (model {:.1f} GB, "
                          "output on its way {:.1f} GB, ranks {:.1f} GB), but {:.1f} GB are "
                          "available; choose a smaller grid or [io] budget, fewer levels, tracers, "
                          "ranks or output times, or a larger machine",
                          need.total() / gigabyte, need.model / gigabyte, need.output / gigabyte,
                          need.ranks / gigabyte, available_bytes / gigabyte));
}

}  // namespace thalweg::mini
