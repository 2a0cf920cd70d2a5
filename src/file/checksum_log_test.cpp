// SPDX-License-Identifier: Apache-2.0
// Blocks join where they follow each other; those that overlap do not count.
#include "file/checksum_log.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/crc32.hpp"
#include "file/merged_blocks.hpp"
#include "thalweg/checksums.hpp"

using namespace thalweg;

namespace {

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

std::vector<WrittenBlock> without_overlaps(const std::vector<WrittenBlock>& blocks) {
  std::vector<WrittenBlock> left;
  BlocksWithoutOverlaps alone;
  for (const auto& block : blocks)
    if (const auto found = alone.add(block)) left.push_back(*found);
  if (const auto found = alone.last()) left.push_back(*found);
  return left;
}

// Path, offset and bytes of each, in the order in which they come, two at a time.
std::string all_of(BlockSpool* spool) {
  std::string text;
  BlockSource source([spool] { return spool->next_batch(2); });
  for (; !source.at_end(); source.step())
    text += fmt::format("{} {} {}\n", source.path(), source.block().offset, source.block().bytes);
  return text;
}

}  // namespace

TEST_CASE("rows of bytes that follow each other are one block with one checksum") {
  const auto bytes = some_bytes(1000);
  const std::span all(bytes);
  WrittenBlocks written;
  written.add(64, all.first(400));
  written.add(464, all.subspan(400));
  written.add(4096, all);
  written.add(5096, {});
  REQUIRE(written.blocks().size() == 2);
  CHECK(written.blocks()[0].offset == 64);
  CHECK(written.blocks()[0].bytes == 1000);
  CHECK(written.blocks()[0].crc32 == crc32(0, all));
  CHECK(written.blocks()[1].crc32 == crc32(0, all));
}

TEST_CASE("blocks that overlap are left out, and their neighbours are not") {
  const auto left =
      without_overlaps({{0, 10, 1}, {10, 20, 2}, {30, 10, 3}, {35, 9, 4}, {50, 10, 5}});
  REQUIRE(left.size() == 3);
  CHECK(left[0].crc32 == 1);
  CHECK(left[1].crc32 == 2);
  CHECK(left[2].crc32 == 5);
  // A long block hides short ones that do not touch each other.
  CHECK(without_overlaps({{0, 100, 1}, {10, 5, 2}, {20, 5, 3}}).empty());
}

TEST_CASE("what is written aside is noted under the final name, and a new file begins empty") {
  const auto bytes = some_bytes(10);
  collect_checksums(std::filesystem::temp_directory_path());
  note_written("/a.part/run/b.nc.part", 0, bytes);
  note_written("/a.part/run/b.zarr.part/ta/c/0", 5, bytes);
  note_written("/run/c.nc.part", 0, bytes);
  forget_written("/run/c.nc.part");
  note_written("/run/c.zarr.part/ta/c/0", 0, bytes);
  forget_written("/run/c.zarr.part");
  CHECK(all_of(take_written().get()) == "/a.part/run/b.nc 0 10\n/a.part/run/b.zarr/ta/c/0 5 10\n");
  CHECK(take_written() == nullptr);
}

TEST_CASE("blocks that were taken for a journal are forgotten when their file begins anew") {
  const auto bytes = some_bytes(10);
  collect_checksums(std::filesystem::temp_directory_path());
  for (const char* name : {"/run/a.nc", "/run/b.nc", "/run/a.nc.json"}) {
    note_written(std::string(name) + ".part", 0, bytes);
    CHECK(take_new_written(name).size() == 1);
  }
  forget_written("/run/a.nc.part");
  note_written("/run/a.nc.part", 30, bytes);
  CHECK(take_new_written("/run/a.nc").size() == 1);
  CHECK(take_new_written("/run/a.nc").empty());
  note_written("/run/a.nc.part", 20, bytes);
  end_written("/run/a.nc");
  CHECK(take_new_written("/run/a.nc").empty());
  CHECK(all_of(take_written().get()) ==
        "/run/a.nc 20 10\n/run/a.nc 30 10\n/run/a.nc.json 0 10\n/run/b.nc 0 10\n");
}
