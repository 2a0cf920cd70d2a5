// SPDX-License-Identifier: Apache-2.0
// Octets of sections are numbered from 1 as in the WMO Manual on Codes I.2 (FM 92 GRIB edition 2).
#include "format/grib2/message.hpp"

#include <eccodes.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>

#include "codec/ccsds.hpp"
#include "format/attributes.hpp"
#include "format/grib2/time.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::array end_of_message{std::byte{'7'}, std::byte{'7'}, std::byte{'7'}, std::byte{'7'}};

/// ICON's numberOfGridInReference of [cell, edge, vertex].
constexpr PerPlace<long> number_in_reference{1, 3, 2};

/// `octets` of a big-endian number from octet `first` of a section on.
void set_octets(std::byte* section, int first, int octets, std::uint64_t value) {
  for (int i = octets - 1; i >= 0; --i, value >>= 8) {
    section[first - 1 + i] = static_cast<std::byte>(value);
  }
}
/// GRIB's negative numbers are a sign bit and a magnitude.
void set_signed_octets(std::byte* section, int first, int octets, std::int64_t value) {
  const auto sign = std::uint64_t{value < 0} << (8 * octets - 1);
  set_octets(section, first, octets, sign | static_cast<std::uint64_t>(std::abs(value)));
}
std::size_t length_of(const std::byte* section) {
  std::size_t length = 0;
  for (int i = 0; i < 4; ++i) length = length << 8 | std::to_integer<std::size_t>(section[i]);
  return length;
}

/// Sets keys of a GRIB2 sample through ecCodes.
class Keys {
 public:
  Keys() : handle_(codes_grib_handle_new_from_samples(nullptr, "GRIB2"), codes_handle_delete) {
    if (handle_ == nullptr) {
      throw Error(Blame::file_system,
                  fmt::format("ecCodes cannot read its sample 'GRIB2': {}; look at "
                              "'codes_info' and ECCODES_SAMPLES_PATH",
                              errno == 0 ? "it has none" : std::strerror(errno)));
    }
  }
  void set(const char* key, long value) { check(codes_set_long(handle_.get(), key, value), key); }
  void set(const char* key, const char* value) {
    std::size_t length = std::strlen(value);
    check(codes_set_string(handle_.get(), key, value, &length), key);
  }
  void set(const char* key, const std::array<unsigned char, 16>& bytes) {
    std::size_t length = bytes.size();
    check(codes_set_bytes(handle_.get(), key, bytes.data(), &length), key);
  }
  std::span<const std::byte> message() const {
    const void* address = nullptr;
    std::size_t length = 0;
    check(codes_get_message(handle_.get(), &address, &length), "message");
    return {static_cast<const std::byte*>(address), length};
  }

 private:
  static void check(int status, const char* key) {
    if (status == CODES_SUCCESS) return;
    throw Error(Blame::bug, fmt::format("ecCodes refuses the GRIB2 key '{}': {}", key,
                                        codes_get_error_message(status)));
  }
  std::unique_ptr<codes_handle, int (*)(codes_handle*)> handle_;
};

std::array<unsigned char, 16> bytes_of_uuid(std::string digits) {
  std::erase(digits, '-');
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size() && digits.size() == 32; ++i) {
    bytes[i] = static_cast<unsigned char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

/// As a scaled integer, to the millimetre.
void set_height(Keys& keys, double height_m) {
  long scale = 0;
  double scaled = height_m;
  for (; scale < 3 && scaled != std::round(scaled); ++scale) {
    scaled = height_m * std::pow(10.0, double(scale + 1));
  }
  keys.set("scaleFactorOfFirstFixedSurface", scale);
  keys.set("scaledValueOfFirstFixedSurface", std::lround(scaled));
}

/// The sample with everything that does not change from message to message.
Keys described(const FileDescription& file, const FieldInfo& field,
               const Grib2Parameter& parameter) {
  Keys keys;
  keys.set("tablesVersion", 15);
  keys.set("centre", 255);  // missing: no centre's local tables apply
  keys.set("subCentre", 255);
  const auto start = parse_start_date(file.start_date);
  keys.set("significanceOfReferenceTime", 1);  // start of forecast
  keys.set("year", start.year);
  keys.set("month", start.month);
  keys.set("day", start.day);
  keys.set("hour", start.hour);
  keys.set("minute", start.minute);
  keys.set("second", start.second);
  keys.set("productionStatusOfProcessedData", 2);  // research
  keys.set("typeOfProcessedData", 1);              // forecast
  keys.set("gridDefinitionTemplateNumber", 101);   // unstructured
  keys.set("shapeOfTheEarth", 6);                  // sphere of earth_radius_m
  keys.set("numberOfGridUsed", 0L);                // ICON's numbers name ICON's grid files
  keys.set("numberOfGridInReference", number_in_reference[field.place]);
  keys.set("uuidOfHGrid", bytes_of_uuid(file.grid_uuid));
  keys.set("discipline", parameter.discipline);
  keys.set("parameterCategory", parameter.category);
  keys.set("parameterNumber", parameter.number);
  keys.set("typeOfGeneratingProcess", 2);  // forecast
  keys.set("generatingProcessIdentifier", 255);
  if (parameter.has_levels()) {  // as ICON's: layer k lies between half levels k and k + 1
    const bool layers = parameter.is_layer();
    keys.set("typeOfLevel", layers ? "generalVerticalLayer" : "generalVertical");
    const int lowest = *std::max_element(file.level_numbers.begin(), file.level_numbers.end());
    const long in_model = std::max(lowest, whole_field(file, field).levels);
    keys.set("nlev", in_model + (layers ? 1 : 0));  // half levels
    keys.set("numberOfVGridUsed", 0L);
    keys.set("uuidOfVGrid", bytes_of_uuid(""));
    keys.set("scaleFactorOfFirstFixedSurface", 0L);
    if (layers) keys.set("scaleFactorOfSecondFixedSurface", 0L);
  } else {
    keys.set("typeOfFirstFixedSurface", parameter.surface);
    if (field.height_m > 0.0) set_height(keys, field.height_m);
  }
  return keys;
}

/// Section 2 is for local use: text that people and our own reader can read, and zeros up to its
/// end.
std::vector<std::byte> text_section(const FieldInfo& field) {
  const auto text = fmt::format("thalweg: name={}; units={}; standard_name={}; long_name={}",
                                field.name, field.units, field.standard_name, field.long_name);
  std::vector<std::byte> section(7 + text.size());
  set_octets(section.data(), 1, 4, section.size());
  set_octets(section.data(), 5, 1, 2);
  std::memcpy(section.data() + 7, text.data(), text.size());
  return section;
}

/// Sections 5 (data representation), 6 (no bitmap) and the head of 7, as far as they never change.
std::vector<std::byte> data_sections(bool integers, Grib2Coding coding) {
  const int length = coding == Grib2Coding::simple ? 21 : 25;
  std::vector<std::byte> sections(length + 6 + 5);
  auto* section = sections.data();
  set_octets(section, 1, 4, static_cast<std::uint64_t>(length));
  set_octets(section, 5, 1, 5);
  set_octets(section, 10, 2, coding == Grib2Coding::simple ? 0 : 42);
  set_octets(section, 21, 1, integers ? 1 : 0);  // code table 5.1: what the values were
  if (coding == Grib2Coding::ccsds) {
    set_octets(section, 22, 1, ccsds_flags);
    set_octets(section, 23, 1, ccsds_block);
    set_octets(section, 24, 2, ccsds_blocks_per_reference);
  }
  section += length;
  set_octets(section, 1, 4, 6);
  set_octets(section, 5, 1, 6);
  set_octets(section, 6, 1, 255);
  set_octets(section + 6, 5, 1, 7);
  return sections;
}

}  // namespace

Grib2Message::Grib2Message(const FileDescription& file, int field_index,
                           const Grib2Parameter& parameter, Grib2Coding coding) {
  const auto& field = file.fields[field_index];
  points_ = file.sizes[field.place];
  parameter_ = parameter;
  const auto keys = described(file, field, parameter);
  const auto* made = keys.message().data();
  constexpr std::size_t section_0_bytes = 16;
  const auto section_1_bytes = length_of(made + section_0_bytes);
  const auto* after = made + section_0_bytes + section_1_bytes;
  head_.assign(made, after);
  if (after[4] == std::byte{2}) after += length_of(after);  // a sample's own local section
  const auto append = [this](std::span<const std::byte> section) {
    const auto start = head_.size();
    head_.insert(head_.end(), section.begin(), section.end());
    return start;
  };
  append(text_section(field));
  section_3_ = append({after, length_of(after)});
  set_octets(head_.data() + section_3_, 7, 4, static_cast<std::uint64_t>(points_));
  after += length_of(after);
  section_4_ = append({after, length_of(after)});
  section_5_ = append(data_sections(is_integer(field.type), coding));
}

void Grib2Message::describe(std::byte* section_4, double time_s, int level_number) const {
  const auto time = forecast_time(time_s);
  set_octets(section_4, 18, 1, static_cast<std::uint64_t>(time.unit));
  set_signed_octets(section_4, 19, 4, time.value);
  if (parameter_.has_levels())
    set_octets(section_4, 25, 4, static_cast<std::uint64_t>(level_number));
  if (!parameter_.is_layer()) return;
  set_octets(section_4, 31, 4, static_cast<std::uint64_t>(level_number) + 1);
}

std::byte* Grib2Message::frame(double time_s, int level_number, const PackedLevel& level,
                               std::size_t data_bytes, std::size_t size, std::byte* into) const {
  constexpr std::size_t section_2 = 16 + 21, section_6_bytes = 6, section_7_head = 5;
  const auto rest = size - bytes(data_bytes) - level.bitmap.size();
  const std::ptrdiff_t after_2 = section_3_;
  std::fill_n(std::copy_n(head_.begin(), after_2, into), rest, std::byte{});
  set_octets(into, 9, 8, size);
  set_octets(into + section_2, 1, 4, section_3_ - section_2 + rest);

  auto* from_3 = into + section_3_ + rest;
  auto* section_6 =
      std::copy(head_.begin() + after_2, head_.end() - section_7_head, from_3) - section_6_bytes;
  describe(from_3 + (section_4_ - section_3_), time_s, level_number);
  auto* section_5 = from_3 + (section_5_ - section_3_);
  set_octets(section_5, 6, 4, level.present());
  set_octets(section_5, 12, 4, std::bit_cast<std::uint32_t>(level.packing.reference));
  set_signed_octets(section_5, 16, 2, level.packing.binary_scale);
  set_octets(section_5, 20, 1, static_cast<std::uint64_t>(level.packing.bits));
  set_octets(section_6, 1, 4, section_6_bytes + level.bitmap.size());
  set_octets(section_6, 6, 1, level.bitmap.empty() ? 255 : 0);
  auto* section_7 =
      std::copy(level.bitmap.begin(), level.bitmap.end(), section_6 + section_6_bytes);
  set_octets(section_7, 1, 4, section_7_head + data_bytes);
  set_octets(section_7, 5, 1, 7);
  auto* data = section_7 + section_7_head;
  std::copy(end_of_message.begin(), end_of_message.end(), data + data_bytes);
  return data;
}

std::vector<std::byte> Grib2Message::all_missing(double time_s, int level_number,
                                                 std::size_t size) const {
  const std::vector<std::byte> bitmap(packed_bytes(points_, 1));
  std::vector<std::byte> message(size);
  frame(time_s, level_number, {{0.0F, 0, 0}, {}, {}, bitmap}, 0, size, message.data());
  return message;
}

}  // namespace thalweg
