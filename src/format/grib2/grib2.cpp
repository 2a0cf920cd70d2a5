// SPDX-License-Identifier: Apache-2.0
// The GRIB2 container: one message per time, field and level, in this order. With simple packing
// every message has its place before the first value is known; CCSDS messages get theirs by size.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>

#include "codec/ccsds.hpp"
#include "file/file_bytes.hpp"
#include "file/mpi_io.hpp"
#include "format/container.hpp"
#include "format/grib2/message.hpp"
#include "thalweg/error.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

void check_grib2(const FileDescription& file);  // check.cpp

namespace {

/// What both codings share.
class Grib2 : public Container {
 public:
  FileDescription& description() override { return file_; }
  void close() override {
    disk_.close();
    if (is_head_) rename_to_final(file_.path);
  }
  void abandon() noexcept override { disk_.abandon(); }

 protected:
  Grib2(const FileDescription& file, bool is_head, Grib2Coding coding)
      : file_(file),
        is_head_(is_head),
        disk_(file.path,
              is_head && file.kept.empty() ? AsideFile::Open::create : AsideFile::Open::existing),
        packer_(file.compression.bits, coding == Grib2Coding::simple) {
    const auto& all = file.run_fields.empty() ? file.fields : file.run_fields;
    const auto parameters = grib2_parameters(all);
    for (std::size_t field = 0; field < file.fields.size(); ++field) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const FieldInfo& each) {
        return each.name == file.fields[field].name;
      });
      messages_.emplace_back(file, static_cast<int>(field), parameters[same - all.begin()], coding);
    }
  }

  const FieldInfo& info(int field) const { return file_.fields[field]; }
  const Grib2Message& message(int field) const { return messages_[field]; }
  std::int64_t points(int field) const { return file_.sizes[info(field).place]; }
  double time_s(int time_index) const { return file_.times_s[time_index]; }
  int level_number(int field, int level) const {
    return message(field).has_levels() ? file_.level_numbers[level] : 0;
  }
  std::string name() const { return std::filesystem::path(file_.path).filename().string(); }

  /// One level of a piece, packed; valid until the next one is.
  PackedLevel level_of(const Piece& piece, int level, const void* values) {
    const auto count = points(piece.field);
    if (piece.first_point != 0 || piece.points != count) {
      throw Error(Blame::bug,
                  fmt::format("a GRIB2 message of field '{}' needs all {} points, got "
                              "{} from point {} on",
                              info(piece.field).name, count, piece.points, piece.first_point));
    }
    const auto begin = level * count;
    const auto pack = [&](const auto* all) {
      const auto number = level_number(piece.field, piece.first_level + level);
      const auto which = number == 0 ? std::string() : fmt::format(" on level {}", number);
      return packer_.pack(std::span(all + begin, count),
                          fmt::format("'{}': field '{}'{}", name(), info(piece.field).name, which));
    };
    switch (info(piece.field).type) {
      case ValueType::int32:
        return pack(static_cast<const std::int32_t*>(values));
      case ValueType::int64:
        return pack(static_cast<const std::int64_t*>(values));
      default:
        return pack(static_cast<const float*>(values));
    }
  }

  /// `where`: byte of the file where the level's bit stream begins, or -1.
  void trace(int field, int level, int time_index, const PackedLevel& packed,
             std::int64_t where) const {
    if (!trace_watches(info(field).name, file_.steps[time_index])) return;
    const auto& target = trace_target();
    if (message(field).has_levels() && level_number(field, level) != target.level) return;
    if (target.point >= points(field)) return;
    const auto position = packed.position_of(target.point);
    const double value =
        position < 0 ? std::numeric_limits<double>::quiet_NaN() : packed.value_at(position);
    const auto bit = position * packed.packing.bits;
    const auto place = position < 0 ? std::string("missing in the bitmap")
                       : where < 0  ? std::string("CCSDS coded")
                                    : fmt::format("byte {} bit {}", where + bit / 8, bit % 8);
    trace_stop("container", target.point, value,
               fmt::format("grib2 message of '{}' in '{}', time index {}, {} bits, {}",
                           info(field).name, name(), time_index, packed.packing.bits, place));
  }

  void write(std::span<const std::byte> bytes, std::int64_t offset) const {
    disk_.write(bytes.data(), bytes.size(), offset);
  }

  FileDescription file_;
  bool is_head_;
  AsideFile disk_;

 private:
  LevelPacker packer_;
  std::vector<Grib2Message> messages_;  // [field]
};

/// Every message has its byte offset from the beginning: its owner writes it there.
class SimpleGrib2 final : public Grib2 {
 public:
  SimpleGrib2(const FileDescription& file, bool is_head)
      : Grib2(file, is_head, Grib2Coding::simple) {
    for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
      first_bytes_.push_back(time_bytes_);
      time_bytes_ += message_bytes(field) * info(field).levels;
    }
    if (is_head)
      require_size(disk_.name(), time_bytes_ * static_cast<std::int64_t>(file.kept.size()));
    if (is_head) disk_.reserve(time_bytes_ * static_cast<std::int64_t>(file.times_s.size()));
  }

  std::int64_t slab_bytes() const override { return encoded_slab_bytes; }
  std::string place_of(int time_index) override {
    return std::to_string((time_index + 1) * time_bytes_);
  }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto size = message_bytes(piece.field);
    const auto offset = offset_of(time_index, piece.field, piece.first_level);
    const auto& frame = message(piece.field);
    buffer_.resize(size * piece.levels);
    for (int level = 0; level < piece.levels; ++level) {
      const auto packed = level_of(piece, level, values);
      auto* into = buffer_.data() + size * level;
      auto* data =
          frame.frame(time_s(time_index), level_number(piece.field, piece.first_level + level),
                      packed, packed.data_bytes(), size, into);
      packed.pack_into(data);
      trace(piece.field, piece.first_level + level, time_index, packed,
            offset + size * level + (data - into));
    }
    write(buffer_, offset);
  }

  void close() override {  // room was reserved for all times
    if (is_head_) {
      const auto times = static_cast<std::int64_t>(file_.times_s.size());
      FileBytes(disk_.name(), O_WRONLY).cut(times * time_bytes_);
    }
    Grib2::close();
  }

 private:
  std::int64_t message_bytes(int field) const {
    return static_cast<std::int64_t>(
        message(field).bytes(fixed_room(points(field), file_.compression.bits)));
  }
  std::int64_t offset_of(int time_index, int field, int level) const {
    return time_index * time_bytes_ + first_bytes_[field] + level * message_bytes(field);
  }

  std::vector<std::int64_t> first_bytes_;  // [field] of its first message within a time
  std::int64_t time_bytes_ = 0;
  std::vector<std::byte> buffer_;  // messages of one put
};

/// Messages wait in memory until the head has told them their offsets.
class CcsdsGrib2 final : public Grib2 {
 public:
  CcsdsGrib2(const FileDescription& file, bool is_head) : Grib2(file, is_head, Grib2Coding::ccsds) {
    if (!is_head || file.kept.empty()) return;
    end_ = std::stoll(file.kept.back().place);
    require_size(disk_.name(), end_);
    FileBytes(disk_.name(), O_WRONLY).cut(end_);
  }

  void put(const Piece& piece, int time_index, const void* values) override {
    auto& waiting = waiting_[time_index];
    auto& bytes = waiting.bytes;
    const auto& frame = message(piece.field);
    for (int level = 0; level < piece.levels; ++level) {
      const auto packed = level_of(piece, level, values);
      data_.clear();
      if (packed.packing.bits > 0) {
        ccsds_encode(packed.quantised(integers_), packed.packing.bits, data_);
      }
      const auto size = frame.bytes(data_.size()) + packed.bitmap.size();
      const auto start = bytes.size();
      bytes.resize(start + size);
      const int level_in_file = piece.first_level + level;
      auto* data = frame.frame(time_s(time_index), level_number(piece.field, level_in_file), packed,
                               data_.size(), size, bytes.data() + start);
      std::copy(data_.begin(), data_.end(), data);
      waiting.messages.push_back({piece.field, level_in_file, static_cast<std::int64_t>(size)});
      trace(piece.field, level_in_file, time_index, packed, -1);
    }
  }

  /// [message] of this rank, as they lie in memory.
  std::string request(int time_index) override {
    return text_of(std::span<const Message>(waiting_[time_index].messages));
  }

  /// Orders the messages of all ranks by field and level, one after the other.
  std::vector<std::string> grant(int, std::vector<std::string> requests) override {
    struct Place {
      Message message;
      std::size_t rank, index;
    };
    std::vector<Place> places;
    std::vector<std::vector<std::int64_t>> offsets(requests.size());  // [rank][message]
    for (std::size_t rank = 0; rank < requests.size(); ++rank) {
      const auto messages = values_of<Message>(requests[rank]);
      offsets[rank].resize(messages.size());
      for (std::size_t i = 0; i < messages.size(); ++i) places.push_back({messages[i], rank, i});
    }
    std::sort(places.begin(), places.end(), [](const Place& one, const Place& other) {
      return std::pair(one.message.field, one.message.level) <
             std::pair(other.message.field, other.message.level);
    });
    for (const auto& place : places) {
      offsets[place.rank][place.index] = end_;
      end_ += place.message.bytes;
    }
    std::vector<std::string> answers;
    for (const auto& of_rank : offsets) {
      answers.push_back(text_of(std::span<const std::int64_t>(of_rank)));
    }
    return answers;
  }

  void settle(int time_index, const std::string& answer) override {
    const auto& waiting = waiting_[time_index];
    const auto offsets = values_of<std::int64_t>(answer);
    std::span<const std::byte> rest(waiting.bytes);
    for (std::size_t first = 0, last = 0; first < offsets.size(); first = last) {
      // Messages that follow one another in memory and in the file are one write.
      std::int64_t size = 0;
      for (last = first; last < offsets.size() && offsets[last] == offsets[first] + size; ++last) {
        size += waiting.messages[last].bytes;
      }
      write(rest.first(size), offsets[first]);
      rest = rest.subspan(size);
    }
    waiting_.erase(time_index);
  }

  std::string place_of(int) override { return std::to_string(end_); }

  void close() override {
    const bool settled = std::all_of(waiting_.begin(), waiting_.end(), [](const auto& entry) {
      return entry.second.messages.empty();
    });
    if (!settled) {
      throw Error(Blame::bug,
                  fmt::format("'{}' is closed before its messages are settled", name()));
    }
    Grib2::close();
  }

 private:
  struct Message {
    std::int64_t field, level, bytes;
  };
  struct Waiting {
    std::vector<std::byte> bytes;  // messages one after the other
    std::vector<Message> messages;
  };

  template <class Value>
  static std::string text_of(std::span<const Value> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  }
  template <class Value>
  static std::vector<Value> values_of(const std::string& text) {
    std::vector<Value> values(text.size() / sizeof(Value));
    if (!values.empty()) std::memcpy(values.data(), text.data(), values.size() * sizeof(Value));
    return values;
  }

  std::map<int, Waiting> waiting_;  // [time index]
  std::vector<std::uint32_t> integers_;
  std::vector<std::byte> data_;  // of one message
  std::int64_t end_ = 0;         // head only: of the file so far
};

std::unique_ptr<Container> make(const FileDescription& file, bool is_head) {
  check_grib2(file);
  if (is_head && file.kept.empty()) prepare_striping(file.path + ".part", file.hints);
  if (is_head && !file.kept.empty()) take_back(file.path);
  if (file.compression.none()) return std::make_unique<SimpleGrib2>(file, is_head);
  return std::make_unique<CcsdsGrib2>(file, is_head);
}

}  // namespace

void check_kept_grib2(const FileDescription& file) {
  if (file.kept.empty()) return;
  const auto& place = file.kept.back().place;
  require_size(found_path(file.path), place.empty() ? 0 : std::stoll(place));
}

std::unique_ptr<Container> create_grib2(const FileDescription& description, MPI_Comm) {
  return make(description, true);
}
std::unique_ptr<Container> join_grib2(const FileDescription& description, const std::string&,
                                      MPI_Comm) {
  return make(description, false);
}

}  // namespace thalweg
