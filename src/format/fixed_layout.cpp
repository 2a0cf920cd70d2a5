// SPDX-License-Identifier: Apache-2.0
// One rank's end of a file of fixed layout: from (piece, time) to bytes of the file.
#include "format/fixed_layout.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/page_bytes.hpp"
#include "file/checksum_log.hpp"
#include "file/file_bytes.hpp"
#include "thalweg/error.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr std::size_t move_slab_bytes = std::size_t{4} << 20U;  // from one layout to another

std::int64_t points_of(const FileDescription& file, const FieldInfo& field) {
  return file.sizes[field.place];
}

template <class Value>
Value turned(Value value) {
  auto* bytes = reinterpret_cast<unsigned char*>(&value);
  std::reverse(bytes, bytes + sizeof value);
  return value;
}

/// The value number `index` of an array as it lies in the file.
double stored_value(const void* values, std::int64_t index, ValueType type, bool swapped) {
  return with_missing_value(type, [&](auto value) {
    const auto size = static_cast<std::int64_t>(sizeof value);
    std::memcpy(&value, static_cast<const char*>(values) + index * size, sizeof value);
    return static_cast<double>(swapped ? turned(value) : value);
  });
}

/// Behind the final name, of a file that takes another's place.
constexpr const char* fitted_suffix = ".fitted";

/// The first times of every field, to where another layout has them. No checksums: they are taken
/// when the list is made.
void move_times(const std::string& to, std::span<const FieldBytes> to_fields,
                const std::string& from, std::span<const FieldBytes> from_fields,
                std::size_t times) {
  const FileBytes source(from, O_RDONLY), target(to, O_WRONLY);
  std::vector<std::byte> slab;
  for (std::size_t field = 0; field < to_fields.size(); ++field) {
    const auto bytes = to_fields[field].time_stride * static_cast<std::int64_t>(times);
    for (std::int64_t done = 0; done < bytes;) {
      slab.resize(std::min<std::size_t>(move_slab_bytes, bytes - done));
      source.read(slab, from_fields[field].offset + done);
      target.write(slab, to_fields[field].offset + done);
      done += static_cast<std::int64_t>(slab.size());
      note_work();
    }
  }
}

std::int64_t end_of(std::span<const FieldBytes> fields, std::size_t times) {
  std::int64_t end = 0;
  for (const auto& field : fields)
    end = std::max(end, field.offset + field.time_stride * static_cast<std::int64_t>(times));
  return end;
}

class FixedLayoutFile final : public Container {
 public:
  FixedLayoutFile(const FixedFormat& format, const FileDescription& description, FixedLayout layout,
                  bool head)
      : format_(format),
        description_(description),
        fields_(std::move(layout.fields)),
        times_(layout.times),
        head_(head),
        file_(description.path, AsideFile::Open::existing) {}

  std::string layout() const override {
    std::string text;
    for (const auto& field : fields_) {
      text += fmt::format("{} {} {}\n", field.offset, field.time_stride, field.level_stride);
    }
    return text + std::to_string(times_);
  }

  std::int64_t cut_points(int field) const override {
    return static_cast<std::int64_t>(page_bytes /
                                     description_.value_bytes(description_.fields[field]));
  }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto& info = description_.fields[piece.field];
    check_inside(piece, info, time_index);
    const auto row_bytes = piece.points * description_.value_bytes(info);
    const auto begin = byte_of(piece.field, time_index, piece.first_level, piece.first_point);
    if (piece.points == points_of(description_, info)) {
      file_.write(values, row_bytes * piece.levels, begin);
    } else {
      const auto stride = fields_[piece.field].level_stride;
      for (int level = 0; level < piece.levels; ++level) {
        const auto* row = static_cast<const std::byte*>(values) + row_bytes * level;
        file_.write(row, row_bytes, begin + level * stride);
      }
    }
    trace(piece, info, time_index, values);
  }

  FileDescription& description() override { return description_; }

  bool moves_at_close() override { return description_.times_s.size() != times_; }

  void close() override {
    file_.close();
    const bool full = !moves_at_close();
    if (!full) forget_written(file_.name());  // values move
    if (!head_) return;
    if (!full) fit_fixed_layout(format_, description_, {fields_, times_});
    format_.complete(description_);
  }

  void abandon() noexcept override { file_.abandon(); }

 private:
  std::int64_t byte_of(int field, int time, int level, std::int64_t point) const {
    const auto& place = fields_[field];
    return place.offset + time * place.time_stride + level * place.level_stride +
           point * static_cast<std::int64_t>(description_.value_bytes(description_.fields[field]));
  }

  void check_inside(const Piece& piece, const FieldInfo& info, int time_index) const {
    const bool inside = time_index >= 0 && time_index < static_cast<int>(times_) &&
                        piece.first_level >= 0 && piece.levels >= 0 &&
                        piece.first_level + piece.levels <= info.levels && piece.first_point >= 0 &&
                        piece.points >= 0 &&
                        piece.first_point + piece.points <= points_of(description_, info);
    if (inside) return;
    throw Error(Blame::bug,
                fmt::format("a piece of '{}' (time {}, {} levels from {}, {} points from {}) lies "
                            "outside of '{}'",
                            info.name, time_index, piece.levels, piece.first_level, piece.points,
                            piece.first_point, description_.path));
  }

  void trace(const Piece& piece, const FieldInfo& info, int time_index, const void* values) const {
    const int step = description_.steps[time_index];
    if (!trace_watches(info.name, step)) return;
    const auto& target = trace_target();
    const auto& numbers = description_.level_numbers;
    const auto found = std::find(numbers.begin(), numbers.end(), target.level);
    const auto level = info.levels == 1 ? 0 : found - numbers.begin();
    const auto point = target.point - description_.first_points[info.place];
    const auto row = level - piece.first_level, column = point - piece.first_point;
    if (row < 0 || row >= piece.levels || column < 0 || column >= piece.points) return;
    const auto index = row * piece.points + column;
    const bool swapped = format_.big_endian == (std::endian::native == std::endian::little);
    const double value = stored_value(values, index, description_.type_of(info), swapped);
    trace_stop(
        "container", index, value,
        fmt::format("{} variable '{}' of '{}', time index {}, contiguous, byte {}", format_.name,
                    info.name, std::filesystem::path(description_.path).filename().string(),
                    time_index, byte_of(piece.field, time_index, static_cast<int>(level), point)));
  }

  const FixedFormat& format_;
  FileDescription description_;
  std::vector<FieldBytes> fields_;
  std::size_t times_;  // that have room
  bool head_;
  AsideFile file_;
};

}  // namespace

std::int64_t field_bytes(const FileDescription& description, const FieldInfo& field) {
  return static_cast<std::int64_t>(description.times_s.size()) * field.levels *
         points_of(description, field) * static_cast<std::int64_t>(description.value_bytes(field));
}

std::vector<FieldBytes> dense_layout(const FileDescription& description,
                                     std::span<const std::int64_t> offsets) {
  std::vector<FieldBytes> fields;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto& info = description.fields[i];
    const auto level =
        points_of(description, info) * static_cast<std::int64_t>(description.value_bytes(info));
    fields.push_back({offsets[i], info.levels * level, level});
  }
  return fields;
}

namespace {

/// Throws if a kept value is not in it: it would be read as zeros.
FixedLayout look_at_kept(const FixedFormat& format, const FileDescription& description,
                         const std::string& path) {
  auto layout = format.look(description, path);
  require_size(path, end_of(layout.fields, description.kept.size()));
  return layout;
}

}  // namespace

void check_kept_fixed_layout(const FixedFormat& format, const FileDescription& description) {
  look_at_kept(format, description, found_path(description.path));
}

namespace {

FixedLayout make_or_keep(const FixedFormat& format, const FileDescription& description) {
  if (description.kept.empty()) return format.create(description);
  take_back(description.path);
  const auto aside = description.path + ".part";
  auto layout = look_at_kept(format, description, aside);
  // One with more times than are to come is cut when it is closed, and gets its axis then. As many
  // may be others: some were dropped or passed over, and the run has a later end now.
  const auto times = description.times_s.size();
  const bool as_they_are = !layout.times_s || *layout.times_s == description.times_s;
  if (layout.times > times || (layout.times == times && as_they_are)) return layout;
  auto fitted = description;
  fitted.path += fitted_suffix;
  auto room = format.create(fitted);
  room.moved = true;
  move_times(fitted.path + ".part", room.fields, description.path + ".part", layout.fields,
             description.kept.size());
  // Some formats tell by the size how many times have room.
  AsideFile(fitted.path, AsideFile::Open::existing).reserve(end_of(room.fields, room.times));
  if (description.before_moving) description.before_moving();
  rename_file(fitted.path + ".part", description.path + ".part");
  return room;
}

}  // namespace

FixedLayout prepare_fixed_layout(const FixedFormat& format, const FileDescription& description) {
  auto layout = make_or_keep(format, description);
  const AsideFile file(description.path, AsideFile::Open::existing);
  file.reserve(end_of(layout.fields, layout.times));
  return layout;
}

void fit_fixed_layout(const FixedFormat& format, const FileDescription& description,
                      const FixedLayout& layout) {
  auto fitted = description;
  fitted.path += fitted_suffix;
  const auto room = format.create(fitted);
  move_times(fitted.path + ".part", room.fields, description.path + ".part", layout.fields,
             description.times_s.size());
  if (description.before_moving) description.before_moving();
  rename_file(fitted.path + ".part", description.path + ".part");
}

std::unique_ptr<Container> open_fixed_layout(const FixedFormat& format,
                                             const FileDescription& description) {
  const auto layout = prepare_fixed_layout(format, description);
  auto file = std::make_unique<FixedLayoutFile>(format, description, layout, true);
  if (layout.moved) file->description().kept.clear();
  return file;
}

std::unique_ptr<Container> join_fixed_layout(const FixedFormat& format,
                                             const FileDescription& description,
                                             const std::string& layout) {
  std::istringstream text(layout);
  FixedLayout known;
  auto& fields = known.fields;
  for (FieldBytes field; fields.size() < description.fields.size() &&
                         text >> field.offset >> field.time_stride >> field.level_stride;) {
    fields.push_back(field);
  }
  if (!(text >> known.times)) {
    throw Error(Blame::bug,
                fmt::format("'{}' has {} fields, but its layout names {}", description.path,
                            description.fields.size(), fields.size()));
  }
  return std::make_unique<FixedLayoutFile>(format, description, std::move(known), false);
}

}  // namespace thalweg
