// SPDX-License-Identifier: Apache-2.0
// Facts about codecs: round trips of every kind of block, zlib reads ours and we read zlib's,
// damage is found.
#include "codec/codec.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

using Block = PageBytes;

template <class Value>
Block bytes_of(const std::vector<Value>& values) {
  Block block(values.size() * sizeof(Value));
  if (!block.empty()) std::memcpy(block.data(), values.data(), block.size());
  return block;
}

struct Sample {
  std::string name;
  Block values;
};

/// Every kind of field a model may hand over, `count` values of type Value.
template <class Value>
std::vector<Sample> samples(std::size_t count) {
  std::mt19937_64 random(count);
  std::normal_distribution<double> normal(280.0, 15.0);
  std::vector<Value> noise(count), constant(count, Value(1.5)), nan(count), smooth(count),
      patches(count), few(count), repeated(count), zero(count), rounded(count);
  Block bits(count * sizeof(Value));
  for (auto& byte : bits) byte = static_cast<std::byte>(random());
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    noise[i] = static_cast<Value>(normal(random));
    nan[i] = random() % 3 == 0 ? std::numeric_limits<Value>::quiet_NaN() : static_cast<Value>(x);
    smooth[i] = static_cast<Value>(250.0 + 30.0 * std::sin(x / 300.0) + std::cos(x / 17.0));
    patches[i] = i / 700 % 3 == 0 ? Value(0) : noise[i];  // rain: zero in most places
    few[i] = static_cast<Value>(random() % 7);
    repeated[i] = i < 1000 ? noise[i] : repeated[i - 1000 + random() % 1000 / 999];
    rounded[i] = static_cast<Value>(std::round(noise[i]));
  }
  return {{"noise", bytes_of(noise)},       {"constant", bytes_of(constant)},
          {"nan", bytes_of(nan)},           {"smooth", bytes_of(smooth)},
          {"patches", bytes_of(patches)},   {"few", bytes_of(few)},
          {"repeated", bytes_of(repeated)}, {"zero", bytes_of(zero)},
          {"rounded", bytes_of(rounded)},   {"bits", bits}};
}

// Around the sizes where registers, stored blocks, windows and work space end.
constexpr std::size_t counts[] = {0, 1, 2, 3, 15, 16, 17, 100, 1023, 5000, 16384, 40000, 70001};

template <class Check>
void for_every_sample(Check check) {
  for (const std::size_t count : counts) {
    CAPTURE(count);
    for (const auto& sample : samples<float>(count)) {
      CAPTURE(sample.name);
      check(sample.values, 4);
    }
    for (const auto& sample : samples<double>(count)) {
      CAPTURE(sample.name);
      check(sample.values, 8);
    }
  }
}

Block shuffled(const Block& values, std::size_t width) {
  Block into(values.size());
  const auto count = values.size() / width;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < width; ++b) into[b * count + i] = values[i * width + b];
  return into;
}

}  // namespace

TEST_CASE("shuffle_is_hdf5s_filter_and_unshuffle_its_inverse") {
  for (const int width : {1, 2, 3, 4, 8}) {
    for (const std::size_t count : counts) {
      CAPTURE(width);
      CAPTURE(count);
      std::mt19937 random(1);
      Block values(count * width);
      for (auto& byte : values) byte = static_cast<std::byte>(random());
      Block into(values.size()), back(values.size());
      shuffle(values, width, into);
      CHECK(into == shuffled(values, width));
      unshuffle(into, width, back);
      CHECK(back == values);
    }
  }
}

TEST_CASE("every_codec_and_level_gives_back_every_block") {
  for (const auto& codec : codecs()) {
    for (const int level : {1, 2, 3, 6}) {
      CAPTURE(codec.name);
      CAPTURE(level);
      for_every_sample([&](const Block& values, int width) {
        Block packed{std::byte{42}}, back(values.size());  // compress appends
        codec.compress(values, level, packed);
        REQUIRE(packed[0] == std::byte{42});
        codec.decompress(std::span(packed).subspan(1), back);
        REQUIRE(back == values);
        packed.assign(1, std::byte{42});
        codec.compress_values(values, width, level, packed);
        REQUIRE(packed[0] == std::byte{42});
        codec.decompress(std::span(packed).subspan(1), back);
        REQUIRE(back == shuffled(values, width));
        decompress_values(codec, std::span(packed).subspan(1), width, back);
        REQUIRE(back == values);
      });
    }
  }
}

TEST_CASE("zlib_reads_our_deflate_streams_and_we_read_zlibs") {
  const auto& codec = find_codec("deflate");
  for_every_sample([&](const Block& values, int width) {
    for (const int level : {1, 2, 3}) {
      Block packed, back(values.size() + 1);
      codec.compress_values(values, width, level, packed);
      uLongf size = back.size();
      REQUIRE(uncompress(reinterpret_cast<Bytef*>(back.data()), &size,
                         reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
      back.resize(size);
      REQUIRE(back == shuffled(values, width));
    }
    for (const int level : {0, 1, values.size() < 100000 ? 9 : 6}) {  // 9 is slow in alike bytes
      uLongf size = compressBound(values.size());
      Block packed(size), back(values.size());
      REQUIRE(compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                        reinterpret_cast<const Bytef*>(values.data()), values.size(),
                        level) == Z_OK);
      codec.decompress(std::span(packed).first(size), back);
      REQUIRE(back == values);
    }
  });
}

TEST_CASE("blocks_hardly_grow_where_nothing_can_be_gained") {
  const auto bits = samples<float>(100000).back().values;
  for (const auto& codec : codecs()) {
    CAPTURE(codec.name);
    Block packed;
    codec.compress_values(bits, 4, 1, packed);
    CHECK(packed.size() < bits.size() + bits.size() / 500 + 64);
  }
}

TEST_CASE("a_damaged_block_is_refused") {
  const auto sample = samples<float>(20000);
  for (const auto& codec : codecs()) {
    CAPTURE(codec.name);
    for (const auto& [name, values] : sample) {
      CAPTURE(name);
      const auto values_shuffled = shuffled(values, 4);
      Block packed, back(values.size());
      codec.compress_values(values, 4, 1, packed);
      const auto refused = [&](std::span<const std::byte> block, std::span<std::byte> into) {
        try {
          codec.decompress(block, into);
        } catch (const Error& error) {
          return error.blame() == Blame::file_system &&
                 std::string(error.what()).find(codec.name) != std::string::npos;
        }
        return false;
      };
      CHECK(refused(std::span(packed).first(packed.size() / 2), back));
      CHECK(refused(std::span(packed).first(packed.size() - 1), back));
      CHECK(refused({}, back));
      CHECK(refused(packed, std::span(back).first(back.size() - 1)));
      Block longer(values.size() + 1);
      CHECK(refused(packed, longer));
      if (std::string_view(codec.name) ==
          "deflate") {  // zstd's frames carry no checksum by default
        for (std::size_t byte = 2; byte < packed.size(); byte += packed.size() / 7 + 1) {
          packed[byte] ^= std::byte{0x10};
          // Some bits mean nothing: the values must be right then.
          std::fill(back.begin(), back.end(), std::byte{0xA5});
          if (!refused(packed, back)) CHECK(back == values_shuffled);
          packed[byte] ^= std::byte{0x10};
        }
      }
    }
  }
}

TEST_CASE("an_unknown_codec_is_the_users_error") {
  try {
    find_codec("deflat");
    FAIL("was found");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    CHECK(std::string(error.what()).find("Did you mean 'deflate'?") != std::string::npos);
  }
}
