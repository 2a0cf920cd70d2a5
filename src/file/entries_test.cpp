// SPDX-License-Identifier: Apache-2.0
// A link to itself is what nobody can look at, not even root.
#include "file/entries.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

TEST_CASE("what_nobody_can_look_at_does_not_count_as_not_there") {
  const auto folder = fs::temp_directory_path() / ("thalweg_entries_" + std::to_string(getpid()));
  fs::create_directories(folder / "sub");
  std::ofstream(folder / "file") << "text";
  fs::create_symlink("loop", folder / "loop");
  fs::create_symlink("nothing", folder / "dangling");

  CHECK(is_present(folder / "file"));
  CHECK(is_present(folder / "sub"));
  CHECK_FALSE(is_present(folder / "dangling"));
  CHECK_FALSE(is_present(folder / "file" / "below"));
  CHECK_THROWS_WITH_AS(is_present(folder / "loop"), doctest::Contains("cannot look at"), Error);
  CHECK(is_a_directory(folder / "sub"));
  CHECK_FALSE(is_a_directory(folder / "file"));
  CHECK_THROWS_AS(is_a_directory(folder / "loop" / "sub"), Error);

  auto names = names_in(folder);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"dangling", "file", "loop", "sub"});
  CHECK(names_in(folder / "none").empty());
  CHECK_THROWS_WITH_AS(names_in(folder / "loop"), doctest::Contains("cannot list"), Error);
  fs::remove_all(folder);
}

TEST_CASE("what_is_removed_loses_its_name_before_anything_in_it") {
  const auto folder = fs::temp_directory_path() / ("thalweg_removed_" + std::to_string(getpid()));
  const auto store = folder / "store", aside = folder / "store.old";
  fs::create_directories(store);
  std::ofstream(store / "zarr.json") << "{}";
  fs::create_directories(aside / "left");
  fs::create_hard_link(store / "zarr.json", folder / "link");
  remove_whole(store, aside);
  CHECK(names_in(folder) == std::vector<std::string>{"link"});
  CHECK_NOTHROW(remove_whole(store, aside));  // nothing is there
  remove_whole(folder / "link", aside);
  CHECK(names_in(folder).empty());
  fs::remove_all(folder);
}

TEST_CASE("a_path_is_the_one_that_the_system_finds") {
  const auto folder = fs::temp_directory_path() / ("thalweg_whole_" + std::to_string(getpid()));
  fs::create_directories(folder / "far" / "sub");
  fs::create_directory_symlink(folder / "far" / "sub", folder / "link");
  const auto far = whole_path(folder / "far");
  CHECK(whole_path(folder / "link" / "..") == far);  // not `folder`
  CHECK(whole_path(folder / "link" / ".." / "none" / "") == far + "/none");
  CHECK(whole_path(folder / "far" / "sub" / "..") == far);
  CHECK(whole_path(folder / "far" / "") == far);
  CHECK(whole_path(folder / "none" / ".." / "far") == far);
  fs::remove_all(folder);
}
