// SPDX-License-Identifier: Apache-2.0
// One rank's end of a file of fixed layout: from (piece, time) to bytes of the file.
#include "format/fixed_layout.hpp"

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "thalweg/error.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

constexpr std::size_t fill_slab_bytes = std::size_t{4} << 20U;  // of missing values, at a time

std::int64_t points_of(const FileDescription& file, const FieldInfo& field) {
  return file.sizes[static_cast<std::size_t>(field.place)];
}

template <class Value>
Value turned(Value value) {
  auto* bytes = reinterpret_cast<unsigned char*>(&value);
  std::reverse(bytes, bytes + sizeof value);
  return value;
}

/// The value number `index` of an array as it lies in the file.
template <class Value>
double stored_value(const void* values, std::size_t index, bool swapped) {
  Value value{};
  std::memcpy(&value, static_cast<const char*>(values) + index * sizeof value, sizeof value);
  return static_cast<double>(swapped ? turned(value) : value);
}

/// One repeated value, at most a slab of it.
template <class Value>
std::vector<std::byte> filled(Value value, std::size_t bytes) {
  std::vector<Value> values(std::min(bytes, fill_slab_bytes) / sizeof value, value);
  std::vector<std::byte> slab(values.size() * sizeof value);
  std::memcpy(slab.data(), values.data(), slab.size());
  return slab;
}

class FixedLayoutFile final : public Container {
 public:
  FixedLayoutFile(const FixedFormat& format, const FileDescription& description,
                  std::vector<FieldBytes> fields, bool head)
      : format_(format),
        description_(description),
        fields_(std::move(fields)),
        head_(head),
        file_(description.path, AsideFile::Open::existing) {}

  std::string layout() const override {
    std::string text;
    for (const auto& field : fields_) {
      text += fmt::format("{} {} {}\n", field.offset, field.time_stride, field.level_stride);
    }
    return text;
  }

  void reserve() const {
    std::int64_t end = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      end = std::max(end, fields_[i].offset + field_bytes(description_, description_.fields[i]));
    }
    file_.reserve(end);
  }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto& info = description_.fields[static_cast<std::size_t>(piece.field)];
    check_inside(piece, info, time_index);
    trace(piece, info, time_index, values);
    const auto row_bytes = static_cast<std::size_t>(piece.points) * value_bytes(description_);
    const auto begin = byte_of(piece.field, time_index, piece.first_level, piece.first_point);
    if (piece.points == points_of(description_, info)) {
      file_.write(values, row_bytes * static_cast<std::size_t>(piece.levels), begin);
      return;
    }
    const auto stride = fields_[static_cast<std::size_t>(piece.field)].level_stride;
    for (int level = 0; level < piece.levels; ++level) {
      const auto* row =
          static_cast<const std::byte*>(values) + row_bytes * static_cast<std::size_t>(level);
      file_.write(row, row_bytes, begin + level * stride);
    }
  }

  void drop(int time_index) override { dropped_.push_back(time_index); }

  void close() override {
    std::sort(dropped_.begin(), dropped_.end());
    dropped_.erase(std::unique(dropped_.begin(), dropped_.end()), dropped_.end());
    for (const int time : dropped_) write_missing(time);
    file_.close();
    if (head_) format_.complete(description_, fields_, dropped_);
  }

  void abandon() noexcept override { file_.abandon(); }

 private:
  std::int64_t byte_of(int field, int time, int level, std::int64_t point) const {
    const auto& place = fields_[static_cast<std::size_t>(field)];
    return place.offset + time * place.time_stride + level * place.level_stride +
           point * static_cast<std::int64_t>(value_bytes(description_));
  }

  void check_inside(const Piece& piece, const FieldInfo& info, int time_index) const {
    const bool inside =
        time_index >= 0 && time_index < static_cast<int>(description_.times_s.size()) &&
        piece.first_level >= 0 && piece.levels >= 0 &&
        piece.first_level + piece.levels <= info.levels && piece.first_point >= 0 &&
        piece.points >= 0 && piece.first_point + piece.points <= points_of(description_, info);
    if (inside) return;
    throw Error(Blame::bug,
                fmt::format("a piece of '{}' (time {}, {} levels from {}, {} points from {}) lies "
                            "outside of '{}'",
                            info.name, time_index, piece.levels, piece.first_level, piece.points,
                            piece.first_point, description_.path));
  }

  void write_missing(int time) const {
    const bool swapped = format_.big_endian == (std::endian::native == std::endian::little);
    const float single = swapped ? turned(NC_FILL_FLOAT) : NC_FILL_FLOAT;
    const double wide = swapped ? turned(NC_FILL_DOUBLE) : NC_FILL_DOUBLE;
    for (std::size_t field = 0; field < fields_.size(); ++field) {
      auto left = static_cast<std::size_t>(fields_[field].time_stride);
      auto offset = byte_of(static_cast<int>(field), time, 0, 0);
      const auto slab = description_.float64 ? filled(wide, left) : filled(single, left);
      while (left > 0) {
        const auto bytes = std::min(left, slab.size());
        file_.write(slab.data(), bytes, offset);
        offset += static_cast<std::int64_t>(bytes);
        left -= bytes;
      }
    }
  }

  void trace(const Piece& piece, const FieldInfo& info, int time_index, const void* values) const {
    const int step = description_.steps[static_cast<std::size_t>(time_index)];
    if (!trace_watches(info.name, step)) return;
    const auto& target = trace_target();
    const auto& numbers = description_.level_numbers;
    const auto found = std::find(numbers.begin(), numbers.end(), target.level);
    const auto level = info.levels == 1 ? 0 : found - numbers.begin();
    const auto& first = description_.first_points;
    const auto point =
        target.point - (first.empty() ? 0 : first[static_cast<std::size_t>(info.place)]);
    const auto row = level - piece.first_level, column = point - piece.first_point;
    if (row < 0 || row >= piece.levels || column < 0 || column >= piece.points) return;
    const auto index = static_cast<std::size_t>(row * piece.points + column);
    const bool swapped = format_.big_endian == (std::endian::native == std::endian::little);
    const double value = description_.float64 ? stored_value<double>(values, index, swapped)
                                              : stored_value<float>(values, index, swapped);
    trace_stop(
        "container", static_cast<std::int64_t>(index), value,
        fmt::format("{} variable '{}' of '{}', time index {}, contiguous, byte {}", format_.name,
                    info.name, std::filesystem::path(description_.path).filename().string(),
                    time_index, byte_of(piece.field, time_index, static_cast<int>(level), point)));
  }

  const FixedFormat& format_;
  FileDescription description_;
  std::vector<FieldBytes> fields_;
  bool head_;
  AsideFile file_;
  std::vector<int> dropped_;  // time indices
};

}  // namespace

std::int64_t field_bytes(const FileDescription& description, const FieldInfo& field) {
  return static_cast<std::int64_t>(description.times_s.size()) * field.levels *
         points_of(description, field) * static_cast<std::int64_t>(value_bytes(description));
}

std::vector<FieldBytes> dense_layout(const FileDescription& description,
                                     std::span<const std::int64_t> offsets) {
  std::vector<FieldBytes> fields;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto& info = description.fields[i];
    const auto level =
        points_of(description, info) * static_cast<std::int64_t>(value_bytes(description));
    fields.push_back({offsets[i], info.levels * level, level});
  }
  return fields;
}

std::unique_ptr<Container> open_fixed_layout(const FixedFormat& format,
                                             const FileDescription& description,
                                             std::vector<FieldBytes> fields) {
  auto file = std::make_unique<FixedLayoutFile>(format, description, std::move(fields), true);
  file->reserve();
  return file;
}

std::unique_ptr<Container> join_fixed_layout(const FixedFormat& format,
                                             const FileDescription& description,
                                             const std::string& layout) {
  std::istringstream text(layout);
  std::vector<FieldBytes> fields;
  for (FieldBytes field; text >> field.offset >> field.time_stride >> field.level_stride;) {
    fields.push_back(field);
  }
  if (fields.size() != description.fields.size()) {
    throw Error(Blame::bug,
                fmt::format("'{}' has {} fields, but its layout names {}", description.path,
                            description.fields.size(), fields.size()));
  }
  return std::make_unique<FixedLayoutFile>(format, description, std::move(fields), false);
}

}  // namespace thalweg
