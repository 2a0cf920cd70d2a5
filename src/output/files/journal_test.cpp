// SPDX-License-Identifier: Apache-2.0
// The end of a journal says the same as all of it, however long its lines are and wherever it is
// cut.
#include "output/files/journal.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "all_ranks.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

JournalLine line_of(int step, int blocks) {
  JournalLine line{step, ModelTime(step), false, JournalJson::object()};
  std::vector<WrittenBlock> written(blocks, {1, 2, 3});
  line.files["out.nc"]["blocks"]["out.nc"] = blocks_to_json(written);
  return line;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the_end_of_a_journal_is_that_of_the_whole_wherever_a_kill_cut_it") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/journal/out.nc.jsonl";
  CHECK_FALSE(read_journal_end(path));
  const Journal journal(path, {"written today", "float64", {}, false});
  CHECK(read_journal_end(path)->step == -1);
  for (const int blocks : {0, 1, 2000, 3}) journal.add(line_of(blocks + 7, blocks));
  CHECK(read_journal_end(path)->step == 10);
  CHECK_FALSE(read_journal_end(path)->closed);
  journal.close(true, std::nullopt);
  CHECK(read_journal_end(path)->closed);
  const auto whole = bytes_of(path);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 600 ? 1 : 997) {
    CAPTURE(bytes);
    std::ofstream(path, std::ios::binary) << whole.substr(0, bytes);
    const auto content = read_journal(path);
    const auto end = read_journal_end(path);
    CHECK(end->step == (content->lines.empty() ? -1 : content->lines.back().step));
    CHECK_FALSE(end->closed);
  }
}

TEST_CASE("a_journal_that_cannot_be_read_does_not_count_as_not_there") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/out.nc.jsonl";
  CHECK_FALSE(read_journal(path));
  CHECK_FALSE(read_journal_end(path));
  fs::create_directory(path);
  CHECK_THROWS_WITH_AS(read_journal(path), doctest::Contains("Is a directory"), Error);
  CHECK_THROWS_WITH_AS(read_journal_end(path), doctest::Contains("Is a directory"), Error);
}

TEST_CASE("damage_before_the_last_line_of_a_journal_is_no_end") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/journal/out.nc.jsonl";
  const Journal journal(path, {"written today", "float64", {}, false});
  for (int step = 0; step < 3; ++step) journal.add(line_of(step, 1));
  auto text = bytes_of(path);
  text[text.size() - 30] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  CHECK(read_journal_end(path)->step == 1);
  text[text.find("\"step\":1")] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  CHECK_THROWS_WITH_AS(read_journal_end(path), doctest::Contains("is damaged"), Error);
}
