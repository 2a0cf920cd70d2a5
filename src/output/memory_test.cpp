// SPDX-License-Identifier: Apache-2.0
// Memory of compute ranks and I/O ranks stays the same however many outputs there are.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "file/checksum_log.hpp"
#include "format/container.hpp"
#include "memory_use.hpp"
#include "thalweg/checksums.hpp"
#include "thalweg/output.hpp"
#include "timing/event_log.hpp"

using namespace thalweg;

namespace {

constexpr std::int64_t points = 16;

std::vector<int> processes() {
  const int mine = getpid();
  std::vector<int> all(world_size());
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

std::vector<std::int64_t> memory_of(const std::vector<int>& processes) {
  std::vector<std::int64_t> bytes;
  for (const int process : processes)
    bytes.push_back(memory_use(std::to_string(process), "RssAnon:"));
  return bytes;
}

/// `most`: by how many bytes the memory of a rank may grow from the first quarter to the end.
void write_many(Output& output, int fields, StreamSettings stream, int steps, std::int64_t most,
                const std::vector<int>& ranks) {
  std::vector<std::int64_t> mine;
  const int part = rank_of(output.compute_comm()), parts = ranks_of(output.compute_comm());
  for (std::int64_t point = part; point < points; point += parts) mine.push_back(point);
  const std::vector<OwnedPoints> owned{{Place::cell, points, mine}};
  output.define(owned);
  for (int field = 0; field < fields; ++field) {
    output.define(FieldInfo{fmt::format("field_{}", field), "", "", "1", Place::cell, 1});
  }
  stream.interval = 1.0;
  stream.end = steps - 1.0;
  output.define(stream);
  const std::vector<double> values(mine.size(), 1.0);
  std::vector<std::int64_t> before;
  for (int step = 0; step < steps; ++step) {
    for (int field = 0; field < fields; ++field) {
      output.put(fmt::format("field_{}", field), {values.data(), 1, 0}, step);
    }
    output.end_time(step);
    if (step == steps / 4) before = memory_of(ranks);
  }
  const auto after = memory_of(ranks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    CAPTURE(rank);
    CHECK(before[rank] > 0);
    CHECK(after[rank] - before[rank] < most);
  }
  output.close();
}

}  // namespace

TEST_CASE("memory_does_not_grow_with_the_number_of_outputs") {
  if (world_size() < 2) return;
  const char* asked = std::getenv("THALWEG_TEST_OUTPUTS");
  const int steps = asked != nullptr ? std::atoi(asked) : 800;
  for (const bool collect : {false, true}) {
    CAPTURE(collect);
    const SharedDirectory directory;
    if (collect) collect_events(directory.path), collect_checksums(directory.path);
    OutputSettings settings;
    settings.mode = "async";
    settings.io_ranks = 1;
    settings.directory = directory.path;
    const auto ranks = processes();
    auto output = Output::open(MPI_COMM_WORLD, settings);
    output.is_compute_rank() ? write_many(output, 100, {}, steps, 2 << 20, ranks) : output.serve();
    event_log().reset();
    take_written();
  }
}

TEST_CASE("memory_does_not_grow_with_the_number_of_files_or_of_times_in_one") {
  if (world_size() != 2) return;
  for (const auto& container : containers()) {
    const bool together = container.way == Way::mpiio;
    const bool chunks = container.name == std::string("netcdf4");
    for (const double file_interval : {0.0, 1.0}) {
      if (!together && file_interval == 0.0) continue;  // it does not open its file for each time
      CAPTURE(container.name);
      CAPTURE(together);
      CAPTURE(file_interval);
      const SharedDirectory directory(place_for_many_files());
      collect_checksums(directory.path);
      OutputSettings settings;
      settings.mode = together ? "shared_file" : "async";
      settings.io_ranks = 1;
      settings.directory = directory.path;
      if (together) settings.way = "mpiio";
      StreamSettings stream;
      stream.container = container.name;
      stream.file_interval = file_interval;
      if (together && chunks) stream.layout = "chunked";
      const auto ranks = processes();
      auto output = Output::open(MPI_COMM_WORLD, settings);
      output.is_compute_rank() ? write_many(output, 4, stream, 400, 256 << 10, ranks)
                               : output.serve();
      take_written();
    }
  }
}
