// SPDX-License-Identifier: Apache-2.0
// Teams of ranks write levels with missing values; ecCodes reads them.
#include "format/grib2/packed_level.hpp"

#include <doctest/doctest.h>
#include <eccodes.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>

#include "all_ranks.hpp"
#include "format/container.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

constexpr std::int64_t points = 323;  // no multiple of 8
constexpr int levels = 6;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Which points of each level have no value: none, the first, the last, all, many, all but one.
bool is_missing(int level, std::int64_t point) {
  switch (level) {
    case 1:
      return point == 0;
    case 2:
      return point == points - 1;
    case 3:
      return true;
    case 4:
      return point % 3 != 0;
    case 5:
      return point != 100;
    default:
      return false;
  }
}
float value_at(int level, std::int64_t point) {
  if (is_missing(level, point)) return not_a_number;
  return static_cast<float>(std::sin(0.1 * static_cast<double>(point)) + level);
}

FileDescription described(const std::string& path, const std::string& compression, int bits) {
  FileDescription file;
  file.path = path;
  file.fields = {{"sst", "", "", "K", Place::cell, levels, ValueType::float64}};
  file.level_numbers = {1, 2, 3, 4, 5, 6};
  file.sizes = {points, 0, 0};
  file.times_s = {0.0};
  file.steps = {0};
  file.start_date = "2001-02-03T04:05:06Z";
  file.compression.codec = compression;
  file.compression.bits = bits;
  return file;
}

/// Levels dealt to all ranks; each puts its own, the head settles for one rank after the other.
void write_levels(const FileDescription& description) {
  std::unique_ptr<Container> file;
  if (world_rank() == 0)
    file = find_container("grib2", "direct").create(description, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() > 0)
    file = find_container("grib2", "direct").join(description, "", MPI_COMM_WORLD);
  for (int level = world_rank(); level < levels; level += world_size()) {
    std::vector<float> values;
    for (std::int64_t point = 0; point < points; ++point) {
      values.push_back(value_at(level, point));
    }
    file->put({0, level, 1, 0, points}, 0, values.data());
  }
  for (int rank = 0; rank < world_size(); ++rank) {
    // What a rank asks travels to the head, what the head grants back to the rank.
    constexpr int longest = 1024;
    std::string text = world_rank() == rank ? file->request(0) : "";
    int size = static_cast<int>(text.size());
    const auto share = [&](int from) {
      text.resize(longest);
      MPI_Bcast(&size, 1, MPI_INT, from, MPI_COMM_WORLD);
      MPI_Bcast(text.data(), longest, MPI_CHAR, from, MPI_COMM_WORLD);
      text.resize(size);
    };
    share(rank);
    if (world_rank() == 0) text = file->grant(0, {text}).front();
    size = static_cast<int>(text.size());
    share(0);
    if (world_rank() == rank) file->settle(0, text);
  }
  if (world_rank() > 0) file->close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) file->close();
  MPI_Barrier(MPI_COMM_WORLD);
}

using Handle = std::unique_ptr<codes_handle, int (*)(codes_handle*)>;

double double_of(const Handle& message, const char* key) {
  double value = -999.0;
  REQUIRE_MESSAGE(codes_get_double(message.get(), key, &value) == CODES_SUCCESS, key);
  return value;
}

/// Half a step of the bits that are left beside the bitmap; what is missing is missing.
void check_message(const Handle& message, int level, int bits) {
  CAPTURE(level);
  long missing = 0;
  constexpr double mark = 4e33;
  REQUIRE(codes_set_double(message.get(), "missingValue", mark) == CODES_SUCCESS);
  std::vector<double> values(points);
  auto count = values.size();
  REQUIRE(codes_get_double_array(message.get(), "values", values.data(), &count) == CODES_SUCCESS);
  REQUIRE(count == values.size());
  const double half = std::ldexp(0.5, static_cast<int>(double_of(message, "binaryScaleFactor")));
  for (std::int64_t point = 0; point < points; ++point) {
    const auto read = values[point];
    CHECK((read == mark) == is_missing(level, point));
    missing += is_missing(level, point) ? 1 : 0;
    if (!is_missing(level, point)) CHECK(std::abs(read - value_at(level, point)) <= half * 1.0001);
  }
  CHECK(double_of(message, "bitmapPresent") == (missing > 0 ? 1 : 0));
  CHECK(double_of(message, "numberOfMissing") == missing);
  CHECK(double_of(message, "numberOfDataPoints") == points);
  if (missing < points - 1) CHECK(double_of(message, "bitsPerValue") >= bits - 1);
}

}  // namespace

TEST_SUITE("grib2") {
  TEST_CASE("missing_values_come_back_missing_whoever_wrote_them_and_the_others_as_they_were") {
    const SharedDirectory directory;
    for (const std::string compression : {"none", "ccsds"}) {
      for (const int bits : {2, 12, 16, 24}) {
        CAPTURE(compression);
        CAPTURE(bits);
        const auto file = described(directory.path + "/missing.grb2", compression, bits);
        write_levels(file);
        if (world_rank() != 0) continue;
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> disk(
            std::fopen(file.path.c_str(), "rb"), std::fclose);
        int status = 0, found = 0;
        while (auto* next =
                   codes_handle_new_from_file(nullptr, disk.get(), PRODUCT_GRIB, &status)) {
          const Handle message(next, codes_handle_delete);
          const int level = static_cast<int>(double_of(message, "topLevel")) - 1;
          check_message(message, level, bits);
          ++found;
        }
        CHECK(status == CODES_SUCCESS);
        CHECK(found == levels);
      }
    }
  }

  TEST_CASE("a_bitmap_needs_a_second_bit_where_messages_have_one_size") {
    LevelPacker packer(1, true);
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 1.0F);
    values[5] = not_a_number;
    CHECK_THROWS_WITH_AS(packer.pack(values, "x"), doctest::Contains("choose bits = 2 or more"),
                         Error);
  }

  TEST_CASE("integers_are_packed_exactly_or_refused") {
    for (const bool fixed_size : {false, true}) {
      LevelPacker packer(10, fixed_size);
      for (const std::int64_t first : {std::int64_t{0}, std::int64_t{16777217},
                                       std::int64_t{-2147483648}, (std::int64_t{1} << 40) - 20}) {
        CAPTURE(first);
        std::vector<std::int64_t> values;
        for (int i = 0; i < 100; ++i) values.push_back(first + i);
        if (first > 16777217) {  // the float32 below lies too far away
          CHECK_THROWS_WITH_AS(packer.pack(values, "x"), doctest::Contains("with bits = 10"),
                               Error);
          continue;
        }
        const auto level = packer.pack(values, "x");
        for (int i = 0; i < 100; ++i) CHECK(level.value_at(i) == static_cast<double>(first + i));
      }
      const std::vector<std::int64_t> ends{std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max()};
      CHECK_THROWS_AS(packer.pack(ends, "x"), Error);
      const std::vector<std::int64_t> beyond_doubles(3, (std::int64_t{1} << 60) + 1);
      CHECK_THROWS_WITH_AS(packer.pack(beyond_doubles, "x"), doctest::Contains("up to 2^53"),
                           Error);
    }
  }
}
