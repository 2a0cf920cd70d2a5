// SPDX-License-Identifier: Apache-2.0
// Teams of ranks write GRIB2 files; ecCodes reads every message.
#include <doctest/doctest.h>
#include <eccodes.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

#include "all_ranks.hpp"
#include "codec/bit_packer.hpp"
#include "format/container.hpp"
#include "format/grib2/table.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

FileDescription described(const std::string& path, int bits, const std::string& compression) {
  FileDescription file;
  file.path = path;
  file.fields = {{"ua", "eastward_wind", "wind", "m s-1", Place::cell, 5, ValueType::float64},
                 {"vn", "", "on edges", "m s-1", Place::edge, 5, ValueType::float64},
                 {"topography", "surface_altitude", "", "m", Place::vertex, 1, ValueType::float64}};
  file.level_numbers = {1, 2, 4, 7, 9};
  file.sizes = {320, 480, 162};
  file.times_s = {0.0, 3600.0, 5400.0, 5430.0};
  file.steps = {0, 1, 2, 3};
  file.start_date = "2001-02-03T04:05:06Z";
  file.grid = "R2B1";
  file.grid_uuid = "00112233445566778899aabbccddeeff";
  file.compression.codec = compression;
  file.compression.bits = bits;
  return file;
}

/// Smooth, of another range for every level; field 2 is constant at time 1.
float value_at(int field, int time, int level, std::int64_t point) {
  if (field == 2 && time == 1) return -12.5F;
  const double wave = std::sin(0.37 * static_cast<double>(point) + time);
  return static_cast<float>((field + 1) * 1000.0 + std::pow(10.0, level - 2) * wave);
}

std::vector<float> values_of(const FileDescription& file, const Piece& piece, int time) {
  std::vector<float> values;
  const auto points = file.sizes[file.fields[piece.field].place];
  for (int level = 0; level < piece.levels; ++level) {
    for (std::int64_t point = 0; point < points; ++point) {
      values.push_back(value_at(piece.field, time, piece.first_level + level, point));
    }
  }
  return values;
}

/// What one rank puts: levels dealt evenly, the last first, fields backwards: any order will do.
std::vector<Piece> pieces_of(const FileDescription& file, int rank, int ranks) {
  std::vector<Piece> pieces;
  for (int field = static_cast<int>(file.fields.size()) - 1; field >= 0; --field) {
    const auto& info = file.fields[field];
    const auto points = file.sizes[info.place];
    const int begin = info.levels * rank / ranks, end = info.levels * (rank + 1) / ranks;
    if (end > begin) pieces.push_back({field, end - 1, 1, 0, points});
    if (end - 1 > begin) pieces.push_back({field, begin, end - 1 - begin, 0, points});
  }
  return pieces;
}

/// Carries requests to the head and its answers back, as the output engine does.
void settle(Container& file, int time) {
  constexpr int longest = 4096;
  const auto mine = file.request(time);
  REQUIRE(mine.size() < longest);
  std::vector<char> all(longest * world_size());
  std::vector<int> sizes(world_size());
  const int size = static_cast<int>(mine.size());
  auto padded = mine;
  padded.resize(longest);
  MPI_Gather(padded.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<std::string> answers;
  if (world_rank() == 0) {
    std::vector<std::string> requests;
    for (int rank = 0; rank < world_size(); ++rank) {
      requests.emplace_back(all.data() + std::ptrdiff_t{rank} * longest, sizes[rank]);
    }
    answers = file.grant(time, std::move(requests));
    for (std::size_t rank = 0; rank < answers.size(); ++rank) {
      sizes[rank] = static_cast<int>(answers[rank].size());
      answers[rank].resize(longest);
      std::copy(answers[rank].begin(), answers[rank].end(), all.begin() + rank * longest);
    }
  }
  std::string answer(longest, '\0');
  int answer_size = 0;
  MPI_Scatter(all.data(), longest, MPI_CHAR, answer.data(), longest, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Scatter(sizes.data(), 1, MPI_INT, &answer_size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  file.settle(time, answer.substr(0, answer_size));
}

void write_together(const FileDescription& description) {
  std::unique_ptr<Container> file;
  if (world_rank() == 0)
    file = find_container("grib2", "direct").create(description, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() > 0)
    file = find_container("grib2", "direct").join(description, "", MPI_COMM_WORLD);
  for (int time = 0; time < static_cast<int>(description.times_s.size()); ++time) {
    for (const auto& piece : pieces_of(description, world_rank(), world_size())) {
      file->put(piece, time, values_of(description, piece, time).data());
    }
    settle(*file, time);
  }
  CHECK(fs::exists(description.path + ".part"));
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() > 0) file->close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) file->close();
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(fs::exists(description.path));
  CHECK_FALSE(fs::exists(description.path + ".part"));
  MPI_Barrier(MPI_COMM_WORLD);  // before anybody begins the next file of that name
}

using Handle = std::unique_ptr<codes_handle, int (*)(codes_handle*)>;

/// Every message of a file, as ecCodes finds them.
std::vector<Handle> messages_of(const std::string& path) {
  std::vector<Handle> messages;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  REQUIRE(file != nullptr);
  int status = 0;
  while (auto* next = codes_handle_new_from_file(nullptr, file.get(), PRODUCT_GRIB, &status)) {
    messages.emplace_back(next, codes_handle_delete);
  }
  REQUIRE(status == CODES_SUCCESS);
  return messages;
}
long number(const Handle& message, const char* key) {
  long value = -999;
  REQUIRE_MESSAGE(codes_get_long(message.get(), key, &value) == CODES_SUCCESS, key);
  return value;
}
double real(const Handle& message, const char* key) {
  double value = -999;
  REQUIRE_MESSAGE(codes_get_double(message.get(), key, &value) == CODES_SUCCESS, key);
  return value;
}
std::string text(const Handle& message, const char* key) {
  std::string value(256, '\0');
  auto length = value.size();
  REQUIRE_MESSAGE(codes_get_string(message.get(), key, value.data(), &length) == CODES_SUCCESS,
                  key);
  return value.c_str();
}
std::vector<double> values(const Handle& message) {
  std::size_t count = 0;
  REQUIRE(codes_get_size(message.get(), "values", &count) == CODES_SUCCESS);
  std::vector<double> all(count);
  REQUIRE(codes_get_double_array(message.get(), "values", all.data(), &count) == CODES_SUCCESS);
  return all;
}

/// Calls check(message, time, field, level) for all messages in the order of the file.
template <class Check>
void for_all_messages(const FileDescription& file, const Check& check) {
  const auto messages = messages_of(file.path);
  std::size_t next = 0;
  for (int time = 0; time < static_cast<int>(file.times_s.size()); ++time) {
    for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
      for (int level = 0; level < file.fields[field].levels; ++level) {
        REQUIRE(next < messages.size());
        CAPTURE(time);
        CAPTURE(field);
        CAPTURE(level);
        check(messages[next++], time, field, level);
      }
    }
  }
  CHECK(next == messages.size());
}

/// Largest |read - original| in half steps of the message.
double worst_change(const Handle& message, int time, int field, int level) {
  const auto read = values(message);
  const double half = std::ldexp(0.5, static_cast<int>(number(message, "binaryScaleFactor")));
  double worst = 0.0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const double original = value_at(field, time, level, static_cast<std::int64_t>(i));
    worst = std::max(worst, std::abs(read[i] - original) / half);
  }
  return worst;
}

std::string refusal(const FileDescription& file) {
  try {
    check_file(find_container("grib2", "direct"), file);
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("grib2") {
  TEST_CASE("eccodes_reads_every_value_to_half_a_step") {
    const SharedDirectory directory;
    for (const std::string compression : {"none", "ccsds"}) {
      for (const int bits : {1, 7, 8, 12, 16, 23, 24}) {
        CAPTURE(compression);
        CAPTURE(bits);
        const auto file = described(directory.path + "/a.grb2", bits, compression);
        write_together(file);
        if (world_rank() != 0) continue;
        for_all_messages(file, [&](const Handle& message, int time, int field, int level) {
          const bool constant = field == 2 && time == 1;
          const auto& info = file.fields[field];
          CHECK(std::ssize(values(message)) == file.sizes[info.place]);
          CHECK(worst_change(message, time, field, level) <= 1.0 + 6e-8);
          if (constant) CHECK(worst_change(message, time, field, level) == 0.0);
          CHECK(text(message, "packingType") ==
                (compression == "none" ? "grid_simple" : "grid_ccsds"));
          CHECK(number(message, "bitsPerValue") == (constant && compression == "ccsds" ? 0 : bits));
        });
      }
    }
  }

  TEST_CASE("keys_say_what_when_and_where") {
    const SharedDirectory directory;
    const auto file = described(directory.path + "/keys.grb2", 12, "none");
    write_together(file);
    if (world_rank() != 0) return;
    const auto parameters = grib2_parameters(file.fields);
    constexpr long references[] = {1, 3, 2};
    constexpr long units[] = {1, 1, 0, 13}, forecasts[] = {0, 1, 90, 5430};
    for_all_messages(file, [&](const Handle& message, int time, int field, int level) {
      CHECK(number(message, "editionNumber") == 2);
      CHECK(number(message, "dataDate") == 20010203);
      CHECK(number(message, "hour") == 4);
      CHECK(number(message, "minute") == 5);
      CHECK(number(message, "second") == 6);
      CHECK(number(message, "indicatorOfUnitOfTimeRange") == units[time]);
      CHECK(number(message, "forecastTime") == forecasts[time]);
      CHECK(text(message, "gridType") == "unstructured_grid");
      CHECK(number(message, "numberOfGridInReference") == references[field]);
      CHECK(text(message, "uuidOfHGrid") == file.grid_uuid);
      CHECK(number(message, "shapeOfTheEarth") == 6);
      CHECK(number(message, "discipline") == 0);
      CHECK(number(message, "parameterCategory") == parameters[field].category);
      CHECK(number(message, "parameterNumber") == parameters[field].number);
      CHECK(number(message, "bitmapPresent") == 0);
      if (field == 2) {
        CHECK(text(message, "typeOfLevel") == "surface");
        return;
      }
      CHECK(text(message, "typeOfLevel") == "generalVerticalLayer");
      const long layer = file.level_numbers[level];
      CHECK(number(message, "topLevel") == layer);
      CHECK(number(message, "bottomLevel") == layer + 1);
      CHECK(number(message, "nlev") == 10);
    });
  }

  TEST_CASE("packed_bits_are_those_of_eccodes") {
    if (world_rank() != 0) return;
    for (const int bits : {3, 8, 11, 12, 16, 20, 24}) {
      for (const double scale : {1e-6, 1.0, 3e7}) {
        std::vector<float> original;
        for (int i = 0; i < 1000; ++i) {
          original.push_back(
              static_cast<float>(scale * (std::sin(0.1 * i) + 1e-3 * (i % 17) - 0.3)));
        }
        const Handle handle(codes_grib_handle_new_from_samples(nullptr, "GRIB2"),
                            codes_handle_delete);
        REQUIRE(codes_set_long(handle.get(), "bitsPerValue", bits) == CODES_SUCCESS);
        const std::vector<double> doubles(original.begin(), original.end());
        REQUIRE(codes_set_double_array(handle.get(), "values", doubles.data(), doubles.size()) ==
                CODES_SUCCESS);
        const auto packing = choose_packing(range_of(original), bits);
        CHECK(real(handle, "referenceValue") == double{packing.reference});
        CHECK(number(handle, "binaryScaleFactor") == packing.binary_scale);
        CHECK(number(handle, "decimalScaleFactor") == 0);
        std::vector<std::byte> packed(packed_bytes(original.size(), bits));
        pack(original, packing, packed.data());
        const void* message = nullptr;
        std::size_t length = 0;
        REQUIRE(codes_get_message(handle.get(), &message, &length) == CODES_SUCCESS);
        const auto* theirs = static_cast<const std::byte*>(message) + length - 4 - packed.size();
        CHECK(std::equal(packed.begin(), packed.end(), theirs));
      }
    }
  }

  TEST_CASE("an_infinite_number_is_named") {
    if (world_rank() != 0) return;
    const auto path = fs::temp_directory_path() / fmt::format("thalweg_nan_{}.grb2", getpid());
    for (const std::string compression : {"none", "ccsds"}) {
      const auto description = described(path.string(), 12, compression);
      const auto file = find_container("grib2", "direct").create(description, MPI_COMM_SELF);
      const Piece piece{1, 3, 2, 0, 480};
      auto wrong = values_of(description, piece, 0);
      wrong[480 + 77] = std::numeric_limits<float>::infinity();
      CHECK_THROWS_WITH_AS(file->put(piece, 0, wrong.data()),
                           fmt::format("'{}': field 'vn' on level 9 has infinite values, which "
                                       "GRIB2 cannot hold; mend the field or choose another "
                                       "container",
                                       path.filename().string())
                               .c_str(),
                           Error);
      file->abandon();
      CHECK_FALSE(fs::exists(path));
      CHECK(fs::remove(path.string() + ".part"));
    }
  }

  TEST_CASE("what_grib_cannot_hold_is_refused_before_anything_is_written") {
    const auto good = described("a.grb2", 16, "none");
    CHECK(refusal(good).empty());
    const auto with = [&](auto change) {
      auto file = good;
      change(file);
      return refusal(file);
    };
    const auto names = [](const std::string& sentence, const char* word) {
      return sentence.find("container 'grib2'") != std::string::npos &&
             sentence.find(word) != std::string::npos;
    };
    CHECK(names(with([](auto& f) { f.float64 = true; }), "precision"));
    CHECK(names(with([](auto& f) { f.chunked = true; }), "layout"));
    CHECK(names(with([](auto& f) { f.compression.codec = "zstd"; }), "ccsds"));
    CHECK(names(with([](auto& f) { f.compression.bits = 25; }), "25"));
    CHECK(names(with([](auto& f) { f.times_s[1] = 0.5; }), "whole seconds"));
    CHECK(names(with([](auto& f) { f.times_s[1] = 3.7e11 + 1; }), "31 bits"));
    CHECK(names(with([](auto& f) { f.sizes[0] = 3'000'000'000; }), "4 GiB"));
    CHECK(with([](auto& f) { f.start_date = "yesterday"; }).find("yesterday") != std::string::npos);
  }
}
