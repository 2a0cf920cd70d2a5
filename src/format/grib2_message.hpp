// SPDX-License-Identifier: Apache-2.0
// One GRIB2 message around packed values: the sections that describe a field are made once by
// ecCodes, then only numbers in them change from message to message.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codec/bit_packer.hpp"
#include "format/container.hpp"
#include "format/grib2_table.hpp"

namespace thalweg {

/// How the data section is coded: data representation template 5.0 or 5.42.
enum class Grib2Coding { simple, ccsds };

/// The frame of all messages of one field of one file. A message is
/// head (sections 0 to 6 and the head of 7), packed values, "7777".
class Grib2Message {
 public:
  /// Throws Error(bug) if ecCodes refuses a key.
  Grib2Message(const FileDescription& file, int field, const Grib2Parameter& parameter,
               Grib2Coding coding);

  std::size_t head_bytes() const { return head_.size(); }
  std::size_t bytes(std::size_t data_bytes) const { return head_.size() + data_bytes + 4; }

  /// Writes head and end around `data_bytes` of packed values at into + head_bytes().
  /// packing.bits = 0: all values are the reference and there are no data.
  void frame(double time_s, int level_number, const Packing& packing, std::size_t data_bytes,
             std::byte* into) const;

  /// A message whose values are all missing, as long as frame() makes it for `data_bytes` of data,
  /// at least one bit a value.
  std::vector<std::byte> all_missing(double time_s, int level_number, std::size_t data_bytes) const;

 private:
  void describe(std::byte* section_4, double time_s, int level_number) const;

  std::vector<std::byte> head_;                                // of a message with values
  std::size_t section_3_ = 0, section_4_ = 0, section_5_ = 0;  // bytes from the start
  std::int64_t points_ = 0;
  bool layered_ = false;
};

}  // namespace thalweg
