// SPDX-License-Identifier: Apache-2.0
// Locks beside others that come and go.
#include "file/file_lock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

fs::path folder_of(const char* name) {
  return fs::temp_directory_path() / (name + std::to_string(getpid()));
}

/// Within a process nobody waits for another one.
std::unique_ptr<DirectoryLock> locked_at_last(const fs::path& folder) {
  for (;;) {
    try {
      return std::make_unique<DirectoryLock>(folder, "held");
    } catch (const Error&) {
      std::this_thread::yield();
    }
  }
}

}  // namespace

TEST_CASE("a_directory_that_others_remove_just_now_is_locked_by_one_at_a_time") {
  const auto folder = folder_of("thalweg_lock_");
  std::atomic<int> inside{0}, together{0};
  std::vector<std::thread> all;
  for (int thread = 0; thread < 4; ++thread) {
    all.emplace_back([&] {
      for (int time = 0; time < 300; ++time) {
        const auto lock = locked_at_last(folder);
        if (++inside > 1) ++together;
        --inside;
      }
    });
  }
  for (auto& each : all) each.join();
  CHECK(together == 0);
  fs::remove_all(folder);
}

TEST_CASE("a_lock_leaves_a_directory_that_it_did_not_make_and_a_file_that_is_anothers") {
  const auto folder = folder_of("thalweg_kept_");
  fs::create_directories(folder);
  { const DirectoryLock lock(folder, "held"); }
  CHECK(fs::is_empty(folder));
  {
    const DirectoryLock lock(folder, "held");
    fs::remove(folder / ".lock");  // by somebody
    std::ofstream(folder / ".lock") << "another";
  }
  CHECK(fs::exists(folder / ".lock"));
  fs::remove_all(folder);
}

TEST_CASE("a_process_that_would_wait_for_itself_is_told_at_once") {
  const auto folder = folder_of("thalweg_own_");
  {
    const DirectoryLock lock(folder, "held");
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS_WITH_AS(DirectoryLock(folder, "held"), "held", Error);
    CHECK(std::chrono::steady_clock::now() - begin < lock_patience);
  }
  { const DirectoryLock again(folder, "held"); }
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("a_child_that_was_forked_keeps_no_lock") {
  const auto folder = folder_of("thalweg_forked_");
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  pid_t child = 0;
  {
    const DirectoryLock lock(folder, "held");
    child = fork();
    if (child == 0) {  // until the other end is closed
      close(ends[1]);
      char none = 0;
      [[maybe_unused]] const auto read_bytes = read(ends[0], &none, 1);
      _exit(0);
    }
  }
  { const DirectoryLock again(folder, "held"); }
  close(ends[0]), close(ends[1]);
  waitpid(child, nullptr, 0);
  CHECK_FALSE(fs::exists(folder));
}
