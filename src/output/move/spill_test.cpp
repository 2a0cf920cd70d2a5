// SPDX-License-Identifier: Apache-2.0
// Waiting output comes back whole and in order, leaves nothing behind, and says when a disk is
// full.
#include "output/move/spill.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

// A directory of its own for each test and rank.
struct Directory {
  Directory() {
    std::string made = (std::filesystem::temp_directory_path() / "thalweg_spill.XXXXXX").string();
    REQUIRE(mkdtemp(made.data()) != nullptr);
    path = made;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path;
};

std::vector<std::byte> block_of(std::int64_t key, std::size_t bytes) {
  std::vector<std::byte> block(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    block[i] = static_cast<std::byte>((i * 7 + key * 13) & 0xff);
  }
  return block;
}

// On the disk now, of files that this process has open there, with a name or without.
std::int64_t bytes_of_files_in(const std::string& directory) {
  constexpr std::int64_t block_bytes = 512;  // of st_blocks, whatever the file system
  std::int64_t bytes = 0;
  for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // what the loop itself has open
    const auto path = std::filesystem::read_symlink(open.path(), gone).string();
    struct stat state {};
    if (!path.starts_with(directory + "/") || stat(open.path().c_str(), &state) != 0) continue;
    bytes += state.st_blocks * block_bytes;
  }
  return bytes;
}

// No file may grow beyond a limit; the kernel then refuses like a full disk.
struct FileLimit {
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit now{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    handler = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before{};
  void (*handler)(int) = nullptr;
};

}  // namespace

TEST_SUITE_BEGIN("spill");

TEST_CASE("blocks come back whole and in order, whatever the order of pushes and pops") {
  const Directory directory;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    Spill spill(directory.path, "test");
    std::deque<std::vector<std::byte>> model;
    std::int64_t pushed = 0, popped = 0, bytes = 0;
    std::vector<std::byte> into(20000);
    for (int act = 0; act < 300; ++act) {
      if (random() % 100 < (act < 150 ? 60 : 45)) {
        model.push_back(block_of(pushed, random() % 5 == 0 ? 0 : random() % into.size()));
        spill.push(model.back(), pushed++);
        bytes += static_cast<std::int64_t>(model.back().size());
      } else if (!model.empty()) {
        REQUIRE(spill.front().key == popped);
        REQUIRE(spill.front().bytes == static_cast<std::int64_t>(model.front().size()));
        REQUIRE(spill.pop(into) == popped++);
        REQUIRE(std::equal(model.front().begin(), model.front().end(), into.begin()));
        bytes -= static_cast<std::int64_t>(model.front().size());
        model.pop_front();
      }
      REQUIRE(spill.empty() == model.empty());
      REQUIRE(spill.bytes() == bytes);
    }
  }
}

TEST_CASE("the file has no name, and its room comes back") {
  const Directory directory;
  Spill spill(directory.path, "test");
  CHECK(std::filesystem::is_empty(directory.path));
  const auto block = block_of(1, 100000);
  std::vector<std::byte> into(block.size());
  // A queue that is never empty and never long, through 100 times its length.
  for (int i = 0; i < 3; ++i) spill.push(block, i);
  std::int64_t most = 0;
  for (int i = 0; i < 300; ++i) {
    spill.push(block, i);
    spill.pop(into);
    if (i % 10 == 0) most = std::max(most, bytes_of_files_in(directory.path));
  }
  CHECK(spill.bytes() == 300000);
  CHECK(most > 0);
  CHECK(most < 1000000);  // of 30 MB that went through
  CHECK(std::filesystem::is_empty(directory.path));
  while (!spill.empty()) spill.pop(into);
  CHECK(bytes_of_files_in(directory.path) == 0);
}

TEST_CASE("a refusal is one sentence, and the queue stays as it was") {
  const Directory directory;
  Spill spill(directory.path, "test");
  const auto small = block_of(1, 300000), large = block_of(2, 3000000);
  std::vector<std::byte> into(300000);
  {
    const FileLimit limit(1 << 20);
    spill.push(small, 1);
    try {
      spill.push(large, 2);
      FAIL("there is no room");
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::file_system);
      CHECK(std::string(error.what())
                .find("[io]: waiting output in '" + directory.path +
                      "' cannot be written (2 MiB beside 0 MiB: ") == 0);
    }
    CHECK(spill.bytes() == 300000);
    spill.push(small, 3);
  }
  for (const int key : {1, 3}) {
    CHECK(spill.pop(into) == key);
    CHECK(into == small);
  }
  CHECK(spill.empty());
}

TEST_CASE("a directory that does not exist is named; an empty queue has nothing to give") {
  try {
    Spill("/no/such/directory", "test");
    FAIL("there is no such directory");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    CHECK(std::string(error.what()).find("'/no/such/directory'") != std::string::npos);
  }
  Spill spill("", "test");
  std::vector<std::byte> into(10);
  CHECK_THROWS_AS(spill.pop(into), Error);
  spill.push(block_of(1, 20), 1);
  CHECK_THROWS_AS(spill.pop(into), Error);
}

TEST_SUITE_END();
