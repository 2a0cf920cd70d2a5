// SPDX-License-Identifier: Apache-2.0
// How values lie in files: their type, the value of missing ones, and one of them as a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "thalweg/field.hpp"

namespace thalweg {

/// In a stream of this precision: integers as they are in the model, reals as the stream says.
inline constexpr ValueType stored_type(ValueType model, bool float64) {
  if (is_integer(model)) return model;
  return float64 ? ValueType::float64 : ValueType::float32;
}

/// netCDF's fill values (netcdf.h): NC_FILL_FLOAT is NC_FILL_DOUBLE in single precision.
inline constexpr double missing_real = 9.9692099683868690e+36;
inline constexpr std::int32_t missing_int32 = -2147483647;
inline constexpr std::int64_t missing_int64 = -9223372036854775806LL;

/// Calls `act` with the missing value in the C++ type of `type`.
template <class Act>
auto with_missing_value(ValueType type, const Act& act) {
  switch (type) {
    case ValueType::float32:
      return act(static_cast<float>(missing_real));
    case ValueType::int32:
      return act(missing_int32);
    case ValueType::int64:
      return act(missing_int64);
    case ValueType::float64:
      break;
  }
  return act(missing_real);
}

/// values[index] as a double, for people: a trace shows it. An int64 may be rounded.
inline double shown_value(const void* values, std::int64_t index, ValueType type) {
  return with_missing_value(type, [&](auto value) {
    const auto* bytes = static_cast<const std::byte*>(values);
    std::memcpy(&value, bytes + index * static_cast<std::int64_t>(sizeof value), sizeof value);
    return static_cast<double>(value);
  });
}

}  // namespace thalweg
