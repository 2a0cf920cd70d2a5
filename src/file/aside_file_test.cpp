// SPDX-License-Identifier: Apache-2.0
// Files under their aside name: whole writes, limits, full disks.
#include "file/aside_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/page_bytes.hpp"
#include "own_folder.hpp"
#include "said.hpp"
#include "thalweg/error.hpp"
#include "timing/timing_records.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an_aside_file_gets_its_final_name_with_all_that_was_written") {
  const OwnFolder folder;
  const auto path = folder.file("f");
  const std::string text = "0123456789";
  {
    AsideFile head(path, AsideFile::Open::create);
    AsideFile other(path, AsideFile::Open::existing);
    head.reserve(10);
    CHECK(fs::file_size(path + ".part") == 10);
    other.write(text.data() + 5, 5, 5);
    head.write(text.data(), 5, 0);
    head.reserve(4);  // never shorter
    other.close();
    head.close();
  }
  CHECK_FALSE(fs::exists(path));
  rename_to_final(path);
  CHECK_FALSE(fs::exists(path + ".part"));
  std::string read;
  std::ifstream(path) >> read;
  CHECK(read == text);
}

TEST_CASE("files_that_are_not_there_are_one_sentence") {
  const OwnFolder folder;
  CHECK(contains(sentence_of(Blame::file_system,
                             [&] { AsideFile(folder.file("none/f"), AsideFile::Open::create); }),
                 "none' is not there"));
  CHECK(contains(sentence_of(Blame::file_system,
                             [&] { AsideFile(folder.file("f"), AsideFile::Open::existing); }),
                 "cannot open"));
  CHECK(contains(sentence_of(Blame::file_system, [&] { rename_to_final(folder.file("f")); }),
                 "final name"));
}

TEST_CASE("a_write_beyond_the_limit_of_file_size_is_cut_short_and_then_a_sentence") {
  const OwnFolder folder;
  const std::vector<char> values(100'000, 'x');
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{65'536, before.rlim_max};
  const AsideFile file(folder.file("f"), AsideFile::Open::create);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto written =
      sentence_of(Blame::file_system, [&] { file.write(values.data(), values.size(), 0); });
  const auto reserved = sentence_of(Blame::file_system, [&] { file.reserve(100'000); });
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(contains(written, "ulimit -f"));
  CHECK(contains(reserved, "ulimit -f"));
  CHECK(fs::file_size(folder.file("f.part")) == 65'536);
  file.write(values.data(), values.size(), 0);  // without the limit all of it
  CHECK(fs::file_size(folder.file("f.part")) == 100'000);
}

TEST_CASE("room_behind_the_end_leaves_the_file_as_long_as_it_is") {
  const OwnFolder folder;
  const AsideFile file(folder.file("f"), AsideFile::Open::create);
  const std::vector<char> values(1000, 'x');
  file.write(values.data(), values.size(), 0);
  const bool has_room = file.reserve_behind(1 << 20);
  CHECK(fs::file_size(folder.file("f.part")) == 1000);
  struct stat now {};
  REQUIRE(stat(folder.file("f.part").c_str(), &now) == 0);
  if (has_room) CHECK(now.st_blocks * 512 >= (1 << 20));
  file.give_back_behind();
  REQUIRE(stat(folder.file("f.part").c_str(), &now) == 0);
  CHECK(now.st_size == 1000);
  CHECK(now.st_blocks * 512 < (1 << 20));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{65'536, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto said = sentence_of(Blame::file_system, [&] { file.reserve_behind(1 << 20); });
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(contains(said, "ulimit -f"));
}

TEST_CASE("a_full_disk_is_a_sentence_when_room_is_reserved_and_when_values_are_written") {
  const OwnFolder folder;
  const auto disk = folder.file("disk");
  fs::create_directories(disk);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=2m") != 0) {
    MESSAGE("not tried: this user may not mount a small file system");
    return;
  }
  std::string reserved, written;
  {
    const std::vector<char> values(3U << 20U, 'x');
    const AsideFile file(disk + "/f", AsideFile::Open::create);
    reserved = sentence_of(Blame::file_system, [&] { file.reserve(3 << 20); });
    written = sentence_of(Blame::file_system, [&] { file.write(values.data(), values.size(), 0); });
  }
  umount(disk.c_str());
  CHECK(contains(reserved, "disk' is full"));
  CHECK(contains(written, "disk' is full"));
}

TEST_CASE("large_writes_give_the_same_bytes_through_the_page_cache_and_past_it") {
  const OwnFolder folder;
  PageBytes bytes((std::size_t{5} << 20U) + 123);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i * 31 + i / 977);
  for (const char* rule : {"never", "always", "auto"}) {
    CAPTURE(rule);
    set_page_cache(parse_page_cache(rule));
    const auto path = folder.file(rule);
    const auto past_before = timing_records().past_cache_bytes;
    {
      AsideFile file(path, AsideFile::Open::create);
      file.write(bytes.data(), bytes.size(), 0);  // ends inside a page
      file.write(bytes.data() + 123, 1000, std::int64_t{6} << 20U);
      file.write(bytes.data(), bytes.size(), std::int64_t{8} << 20U);
      file.write(bytes.data(), bytes.size(), (std::int64_t{16} << 20U) + 1);  // not at a page
      file.close();
    }
    const auto past = timing_records().past_cache_bytes - past_before;
    if (std::string(rule) == "always") CHECK(past == 0);
    // Two writes may go past the cache, where the file system can.
    if (std::string(rule) == "never") CHECK((past == 0 || past == 2 * (std::int64_t{5} << 20U)));
    std::ifstream stream(path + ".part", std::ios::binary);
    const std::string found{std::istreambuf_iterator<char>(stream), {}};
    REQUIRE(found.size() == (std::size_t{16} << 20U) + 1 + bytes.size());
    const auto same = [&](std::size_t at, std::size_t from, std::size_t size) {
      return std::memcmp(found.data() + at, bytes.data() + from, size) == 0;
    };
    CHECK(same(0, 0, bytes.size()));
    CHECK(same(std::size_t{6} << 20U, 123, 1000));
    CHECK(same(std::size_t{8} << 20U, 0, bytes.size()));
    CHECK(same((std::size_t{16} << 20U) + 1, 0, bytes.size()));
  }
  set_page_cache(PageCache::choose);
}
