// SPDX-License-Identifier: Apache-2.0
// Blocks join where they follow each other; those that overlap do not count.
#include "file/checksum_log.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "base/crc32.hpp"
#include "file/aside_file.hpp"
#include "thalweg/checksums.hpp"

using namespace thalweg;

namespace {

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
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
      without_overlaps({{30, 10, 3}, {0, 10, 1}, {10, 20, 2}, {50, 10, 5}, {35, 9, 4}});
  REQUIRE(left.size() == 3);
  CHECK(left[0].crc32 == 1);
  CHECK(left[1].crc32 == 2);
  CHECK(left[2].crc32 == 5);
  // A long block hides short ones that do not touch each other.
  CHECK(without_overlaps({{0, 100, 1}, {10, 5, 2}, {20, 5, 3}}).empty());
}

TEST_CASE("what is written aside is noted under the final name, and a new file begins empty") {
  const auto bytes = some_bytes(10);
  collect_checksums();
  take_written();
  note_written("/a.part/run/b.nc.part", 0, bytes);
  note_written("/a.part/run/b.zarr.part/ta/c/0", 5, bytes);
  note_written("/run/c.nc.part", 0, bytes);
  forget_written("/run/c.nc.part");
  const auto files = take_written();
  REQUIRE(files.size() == 2);
  CHECK(files.contains("/a.part/run/b.nc"));
  CHECK(files.contains("/a.part/run/b.zarr/ta/c/0"));
  CHECK(take_written().empty());
}
