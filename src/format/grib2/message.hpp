// SPDX-License-Identifier: Apache-2.0
// One GRIB2 message around packed values: the sections that describe a field are made once by
// ecCodes, then only numbers in them change from message to message.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "format/container.hpp"
#include "format/grib2/packed_level.hpp"
#include "format/grib2/table.hpp"

namespace thalweg {

/// How the data section is coded: data representation template 5.0 or 5.42.
enum class Grib2Coding { simple, ccsds };

/// The frame of all messages of one field of one file. A message is
/// head (sections 0 to 6 and the head of 7), packed values, "7777"; a bitmap in section 6 where
/// values are missing.
class Grib2Message {
 public:
  /// Throws Error(bug) if ecCodes refuses a key.
  Grib2Message(const FileDescription& file, int field, const Grib2Parameter& parameter,
               Grib2Coding coding);

  bool has_levels() const {
    return parameter_.has_levels();
  }  ///< also where one of them is written
  std::size_t bytes(std::size_t data_bytes) const { return head_.size() + data_bytes + 4; }

  /// Writes all of a message of `size` bytes but its `data_bytes` of packed values, and returns
  /// where these belong. `size` is bytes(data_bytes + bitmap) or more: section 2 takes up the rest.
  std::byte* frame(double time_s, int level_number, const PackedLevel& level,
                   std::size_t data_bytes, std::size_t size, std::byte* into) const;

  /// A message of so many bytes, at least bytes(one bit a value), whose values are all missing.
  std::vector<std::byte> all_missing(double time_s, int level_number, std::size_t size) const;

 private:
  void describe(std::byte* section_4, double time_s, int level_number) const;

  std::vector<std::byte> head_;                                // of a message with values
  std::size_t section_3_ = 0, section_4_ = 0, section_5_ = 0;  // bytes from the start
  std::int64_t points_ = 0;
  Grib2Parameter parameter_;
};

}  // namespace thalweg
