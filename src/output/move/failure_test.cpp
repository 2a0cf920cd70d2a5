// SPDX-License-Identifier: Apache-2.0
// What fails inside an I/O rank or a spill reaches every compute rank as a sentence, at once.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

#include "all_ranks.hpp"
#include "little_memory.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;

namespace {

void put_large_fields(Output& output) {
  constexpr std::int64_t points = 12'000'000;  // 96 MB as they travel
  const int part = rank_of(output.compute_comm()), parts = ranks_of(output.compute_comm());
  std::vector<std::int64_t> mine;
  for (auto point = points * part / parts; point < points * (part + 1) / parts; ++point) {
    mine.push_back(point);
  }
  const std::vector<OwnedPoints> owned{{Place::cell, points, mine}};
  output.define(owned);
  output.define(FieldInfo{"large", "", "", "1", Place::cell, 1});
  StreamSettings stream;
  stream.interval = 1.0;
  stream.end = 10.0;
  output.define(stream);
  const std::vector<double> values(mine.size(), 1.0);
  for (int step = 0; step <= 10; ++step) {
    output.put("large", {values.data(), 1, 0}, step);
    output.end_time(step);
  }
  output.close();
}

/// From now on they can be written and not be read. They have no name, but are among the open
/// files.
int break_spill_files(const std::string& directory) {
  int broken = 0;
  const int unreadable = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (gone || target.rfind(directory + "/thalweg_", 0) != 0) continue;
    broken += dup2(unreadable, std::stoi(entry.path().filename().string())) >= 0 ? 1 : 0;
  }
  close(unreadable);
  return broken;
}

// `last`: of the steps that are put when the spill cannot be read any more; the others wait there.
void lose_what_one_rank_spilled(Output& output, int io_process, const std::string& directory,
                                int last) {
  const auto comm = output.compute_comm();
  const int rank = rank_of(comm);
  std::vector<std::int64_t> mine;
  for (std::int64_t point = rank; point < 1000; point += ranks_of(comm)) mine.push_back(point);
  const std::vector<OwnedPoints> owned{{Place::cell, 1000, mine}};
  output.define(owned);
  output.define(FieldInfo{"field", "", "", "1", Place::cell, 1});
  StreamSettings stream;
  stream.interval = 1.0;
  stream.end = 30.0;
  output.define(stream);
  const std::vector<double> values(mine.size(), 1.0);
  const auto put = [&](int first, int end) {
    for (int step = first; step < end; ++step) {
      output.put("field", {values.data(), 1, 0}, step);
      output.end_time(step);
    }
  };
  put(0, 1);
  MPI_Barrier(comm);
  {
    std::optional<Stopped> stopped;
    if (rank == 0) stopped.emplace(io_process);
    MPI_Barrier(comm);
    put(1, 10);  // two wait in buffers, the others in the spill file
    if (rank == 1) CHECK(break_spill_files(directory) == 1);
    MPI_Barrier(comm);
  }
  put(10, last + 1);
  output.close();
}

void check_a_lost_spill(int last) {
  const SharedDirectory directory;
  OutputSettings settings;
  settings.mode = "async";
  settings.io_ranks = 1;
  settings.backpressure = "spill";
  settings.directory = settings.spill_directory = directory.path;
  settings.timeout_s = 60.0;
  int io_process = getpid();
  MPI_Bcast(&io_process, 1, MPI_INT, world_size() - 1, MPI_COMM_WORLD);
  auto output = Output::open(MPI_COMM_WORLD, settings);
  if (!output.is_compute_rank()) {
    try {
      output.serve();
    } catch (const Error&) {  // its file lacks steps
    }
    return;
  }
  std::string sentence;
  try {
    lose_what_one_rank_spilled(output, io_process, directory.path, last);
  } catch (const Error& error) {
    sentence = error.what();
  }
  CAPTURE(sentence);
  CHECK(sentence.find("cannot be read") != std::string::npos);
}

}  // namespace

TEST_CASE("memory_that_runs_out_on_an_io_rank_is_said_on_every_compute_rank") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  OutputSettings settings;
  settings.mode = "async";
  settings.io_ranks = 1;
  settings.transport = "two_sided";
  settings.directory = directory.path;
  settings.timeout_s = 60.0;
  auto output = Output::open(MPI_COMM_WORLD, settings);
  std::string sentence;
  try {
    if (output.is_compute_rank()) {
      put_large_fields(output);
    } else {
      const LittleMemory little(12);
      output.serve();
    }
  } catch (const Error& error) {
    sentence = error.what();
    CHECK(error.blame() == Blame::user);
  }
  CAPTURE(sentence);
  CHECK(sentence.find("memory ran out") != std::string::npos);
  if (output.is_compute_rank()) CHECK(sentence.find("I/O rank") == 0);
}

TEST_CASE("a_spill_that_cannot_be_read_fails_on_all_ranks_together") {
  if (world_size() < 3) return;
  check_a_lost_spill(30);
}

TEST_CASE("a_spill_that_cannot_be_read_while_the_output_closes_is_said_on_all_ranks") {
  if (world_size() < 3) return;
  check_a_lost_spill(9);
}

TEST_CASE("a_journal_that_cannot_be_written_is_said_on_all_ranks") {
  for (const char* layout : {"contiguous", "chunked"}) {
    for (const bool later : {false, true}) {
      CAPTURE(layout);
      CAPTURE(later);
      const SharedDirectory directory;
      const std::filesystem::path journals = directory.path + "/journal";
      if (world_rank() == 0 && !later) std::ofstream(journals) << "in the way";
      MPI_Barrier(MPI_COMM_WORLD);
      OutputSettings settings;
      settings.mode = "shared_file";
      settings.directory = directory.path;
      settings.timeout_s = 60.0;
      auto output = Output::open(MPI_COMM_WORLD, settings);
      std::vector<std::int64_t> mine;
      for (std::int64_t point = world_rank(); point < 100; point += world_size())
        mine.push_back(point);
      const std::vector<OwnedPoints> owned{{Place::cell, 100, mine}};
      output.define(owned);
      output.define(FieldInfo{"field", "", "", "1", Place::cell, 4});
      StreamSettings stream;
      stream.interval = 1.0;
      stream.end = 9.0;
      stream.layout = layout;
      output.define(stream);
      const std::vector<double> values(mine.size() * 4, 1.0);
      std::string sentence;
      try {
        for (int step = 0; step < 10; ++step) {
          output.put("field", {values.data(), 4, 1}, step);
          output.end_time(step);
          if (step == 0 && world_rank() == 0 && later) std::filesystem::remove_all(journals);
        }
        output.close();
      } catch (const Error& error) {
        sentence = error.what();
      }
      CHECK(sentence.find("journal") != std::string::npos);
    }
  }
}
