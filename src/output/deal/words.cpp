// SPDX-License-Identifier: Apache-2.0
// Each word in the order of its enum.
#include "output/deal/words.hpp"

#include <fmt/format.h>

#include <array>

#include "base/words.hpp"

namespace thalweg {

namespace {

constexpr std::array precisions{"float32", "float64"}, layouts{"contiguous", "chunked"};
constexpr std::array bounds{"auto", "always", "never"}, pressures{"block", "spill", "thin"};
constexpr std::array places{"cell", "edge", "vertex", "all"};

}  // namespace

StreamWords words_of(const StreamSettings& stream) {
  const auto where = fmt::format("[[output]] '{}'", stream.name);
  StreamWords words;
  if (const auto place = parse_word<Place>(where, "place", stream.place, places);
      stream.place != places.back()) {
    words.place = place;
  }
  words.precision = parse_word<Precision>(where, "precision", stream.precision, precisions);
  words.layout = parse_word<Layout>(where, "layout", stream.layout, layouts);
  words.bounds = parse_word<Bounds>(where, "bounds", stream.bounds, bounds);
  return words;
}

OutputWords words_of(const OutputSettings& settings) {
  return {parse_transport(settings.transport),
          parse_word<Backpressure>("[io]", "backpressure", settings.backpressure, pressures)};
}

}  // namespace thalweg
