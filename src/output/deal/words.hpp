// SPDX-License-Identifier: Apache-2.0
// The words of settings that decide something, as enums.
#pragma once

#include <optional>

#include "redist/staging_memory.hpp"
#include "thalweg/field.hpp"
#include "thalweg/output_settings.hpp"

namespace thalweg {

enum class Precision { float32, float64 };
enum class Layout { contiguous, chunked };
enum class Bounds { automatic, always, never };
enum class Backpressure { block, spill, thin };  ///< what happens when buffers are full

struct StreamWords {
  std::optional<Place> place;  ///< nothing: all
  Precision precision = Precision::float32;
  Layout layout = Layout::contiguous;
  Bounds bounds = Bounds::automatic;
};
/// Throws Error(user) with one sentence.
StreamWords words_of(const StreamSettings& stream);

struct OutputWords {
  Transport transport = Transport::automatic;
  Backpressure backpressure = Backpressure::block;
};
/// Throws Error(user) with one sentence.
OutputWords words_of(const OutputSettings& settings);

}  // namespace thalweg
