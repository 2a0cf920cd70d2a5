// SPDX-License-Identifier: Apache-2.0
// What a unit test on several ranks needs: which rank this is, and a directory that all ranks see.
#pragma once

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace thalweg {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

inline int world_rank() { return rank_of(MPI_COMM_WORLD); }
inline int world_size() { return ranks_of(MPI_COMM_WORLD); }

/// Made empty by rank 0, removed at the end. All ranks make and end it together.
struct SharedDirectory {
  std::string path;
  explicit SharedDirectory(
      const std::filesystem::path& place = std::filesystem::temp_directory_path()) {
    static int made = 0;  // the same on every rank
    auto process = static_cast<int>(getpid());
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path = (place / fmt::format("thalweg_test_{}_{}", process, made++)).string();
    if (world_rank() == 0) std::filesystem::create_directories(path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~SharedDirectory() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) std::filesystem::remove_all(path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;
};

/// Where many small files are made soon: ext4 passes over the place of each that was removed in
/// the last seconds before it makes another one.
inline std::filesystem::path place_for_many_files() {
  const std::filesystem::path in_memory = "/dev/shm";
  return access(in_memory.c_str(), W_OK) == 0 ? in_memory : std::filesystem::temp_directory_path();
}

/// Another process stands still from the time this is made until the end of its life.
class Stopped {
 public:
  explicit Stopped(int process) : process_(process) {
    kill(process_, SIGSTOP);
    while (state() != 'T') sched_yield();
  }
  ~Stopped() { kill(process_, SIGCONT); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  char state() const {
    std::string text;
    std::getline(std::ifstream(fmt::format("/proc/{}/stat", process_)), text);
    return text[text.rfind(')') + 2];
  }
  int process_;
};

}  // namespace thalweg
