// SPDX-License-Identifier: Apache-2.0
// Facts about words of settings: what settings.toml allows is known here, all else is refused.
#include "output/deal/words.hpp"

#include <doctest/doctest.h>

#include <map>

#include "file/page_cache.hpp"
#include "format/container.hpp"
#include "output/deal/mode.hpp"
#include "settings/settings_list.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

const std::vector<std::string>& allowed(const std::string& table, const std::string& key) {
  for (const auto& known : settings_list()) {
    for (const auto& setting : known.settings) {
      if (known.name == table && setting.key == key) return setting.allowed;
    }
  }
  FAIL(table << " has no " << key);
  throw Error(Blame::bug, key);
}

using StreamWord = std::string StreamSettings::*;
const std::map<std::string, StreamWord> stream_words{{"place", &StreamSettings::place},
                                                     {"precision", &StreamSettings::precision},
                                                     {"layout", &StreamSettings::layout},
                                                     {"bounds", &StreamSettings::bounds}};
using OutputWord = std::string OutputSettings::*;
const std::map<std::string, OutputWord> output_words{
    {"transport", &OutputSettings::transport},
    {"backpressure", &OutputSettings::backpressure},
    {"placement", &OutputSettings::placement},
    {"way", &OutputSettings::way},
    {"page_cache", &OutputSettings::page_cache}};

}  // namespace

TEST_CASE("a_stream_takes_every_word_that_settings_toml_allows_and_no_other") {
  const std::vector<FieldInfo> fields{{"c", "", "", "1", Place::cell, 1},
                                      {"e", "", "", "1", Place::edge, 1},
                                      {"v", "", "", "1", Place::vertex, 1}};
  for (const auto& [key, member] : stream_words) {
    CAPTURE(key);
    StreamSettings stream;
    stream.end = 1.0;
    REQUIRE(!allowed("output", key).empty());
    for (const auto& word : allowed("output", key)) {
      stream.*member = word;
      CHECK_NOTHROW(check_stream(stream, fields, {}, {1, 1, 1}));
    }
    stream.*member += "s";
    CHECK_THROWS_WITH_AS(check_stream(stream, fields, {}, {1, 1, 1}),
                         doctest::Contains("does not exist; choose one of"), Error);
  }
}

TEST_CASE("an_output_takes_every_word_that_settings_toml_allows_and_no_other") {
  for (const auto& [key, member] : output_words) {
    CAPTURE(key);
    OutputSettings settings;
    REQUIRE(!allowed("io", key).empty());
    for (const auto& word : allowed("io", key)) {
      settings.*member = word;
      CHECK_NOTHROW(check_output(settings, 4));
    }
    settings.*member += "s";
    CHECK_THROWS_WITH_AS(check_output(settings, 4),
                         doctest::Contains("does not exist; choose one of"), Error);
  }
}

TEST_CASE("words_are_numbered_as_their_enums") {
  StreamSettings stream;
  stream.place = "edge";
  stream.precision = "float64";
  stream.layout = "chunked";
  stream.bounds = "never";
  const auto words = words_of(stream);
  CHECK(words.place == Place::edge);
  CHECK(words.precision == Precision::float64);
  CHECK(words.layout == Layout::chunked);
  CHECK(words.bounds == Bounds::never);
  CHECK_FALSE(words_of(StreamSettings{}).place.has_value());
  OutputSettings settings;
  settings.transport = "two_sided";
  settings.backpressure = "thin";
  CHECK(words_of(settings).transport == Transport::two_sided);
  CHECK(words_of(settings).backpressure == Backpressure::thin);
  CHECK(parse_way("mpiio") == Way::mpiio);
  CHECK(parse_page_cache("auto") == PageCache::choose);
  CHECK(parse_page_cache("never") == PageCache::never);
}
