// SPDX-License-Identifier: Apache-2.0
// The end of a journal says the same as all of it, however long its lines are and wherever it is
// cut.
#include "output/files/journal.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the_end_of_a_journal_is_that_of_the_whole_wherever_a_kill_cut_it") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/journal/out.nc.jsonl";
  CHECK_FALSE(read_journal_end(path));
  Journal journal(path, {"written today", "float64", {}, false});
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
  Journal journal(path, {"written today", "float64", {}, false});
  for (int step = 0; step < 3; ++step) journal.add(line_of(step, 1));
  const auto whole = bytes_of(path);
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() - 30);
  CHECK(read_journal_end(path)->step == 1);
  for (const auto at : {whole.size() - 30, whole.find("\"step\":1")}) {
    CAPTURE(at);
    auto text = whole;
    text[at] ^= 1;
    std::ofstream(path, std::ios::binary) << text;
    CHECK_THROWS_WITH_AS(read_journal(path), doctest::Contains("is damaged"), Error);
    if (at == whole.size() - 30)
      CHECK_THROWS_WITH_AS(read_journal_end(path), doctest::Contains("is damaged"), Error);
  }
}

TEST_CASE("lines_of_a_journal_are_those_that_were_written_one_after_the_other") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/journal/out.nc.jsonl";
  Journal journal(path, {"written today", "float64", {}, false});
  for (int step = 0; step < 2; ++step) journal.add(line_of(step, 1));
  // Begun again over what is there, as whoever continues does.
  Journal again(path, *read_journal(path));
  again.change();
  again.add(line_of(2, 1));
  again.close(true, std::nullopt);
  CHECK(read_journal(path)->lines.size() == 3);
  CHECK(read_journal_end(path)->closed);
  const auto lines = lines_of(path);
  const int count = static_cast<int>(lines.size());
  REQUIRE(count == 6);
  const auto refused = [&](std::vector<std::string> some) {
    std::ofstream file(path, std::ios::binary);
    for (const auto& line : some) file << line << '\n';
    file.close();
    CHECK_THROWS_WITH_AS(read_journal(path), doctest::Contains("is damaged"), Error);
  };
  for (int line = 0; line + 1 < count; ++line) {
    CAPTURE(line);
    auto some = lines;
    some.erase(some.begin() + line);
    refused(some);
    some.insert(some.begin() + line, 2, lines[line]);
    refused(some);
    some = lines;
    std::swap(some[line], some[line + 1]);
    refused(some);
  }
  // The end is looked at alone.
  for (auto some : {std::vector{lines[0], lines[1], lines[2], lines[3], lines[5]},
                    std::vector{lines[0], lines[1], lines[2], lines[3], lines[4], lines[4]}}) {
    refused(some);
    CHECK_THROWS_WITH_AS(read_journal_end(path), doctest::Contains("is damaged"), Error);
  }
}

TEST_CASE("times_of_a_journal_ascend") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/journal/out.nc.jsonl";
  const auto line_at = [](int step, double time_s) {
    return JournalLine{step, ModelTime(time_s), false, JournalJson::object()};
  };
  for (const auto& second : {line_at(3, 20.0), line_at(2, 30.0), line_at(4, 20.0)}) {
    Journal journal(path, {"written today", "float64", {}, false});
    journal.add(line_at(3, 20.0));
    CHECK(read_journal(path)->lines.size() == 1);
    journal.add(second);
    CHECK_THROWS_WITH_AS(read_journal(path), doctest::Contains("line 3 of"), Error);
  }
}

TEST_CASE("the_journal_of_another_file_is_refused") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/journal/out.nc.jsonl";
  const auto other = directory.path + "/journal/out.nc.other.jsonl";
  Journal(path, {"written today", "float64", {}, false}).add(line_of(1, 1));
  fs::rename(path, other);
  const auto* words = "journal of 'out.nc.other'";
  CHECK_THROWS_WITH_AS(read_journal(other), doctest::Contains(words), Error);
  CHECK_THROWS_WITH_AS(read_journal_end(other), doctest::Contains(words), Error);
}
