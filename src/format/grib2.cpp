// SPDX-License-Identifier: Apache-2.0
// The GRIB2 container: one message per time, field and level, in this order. With simple packing
// every message has its place before the first value is known; CCSDS messages get theirs by size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>

#include "codec/ccsds.hpp"
#include "format/container_list.hpp"
#include "format/grib2_message.hpp"
#include "format/mpi_io.hpp"
#include "thalweg/error.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

/// What both codings share.
class Grib2 : public Container {
 public:
  void close() override {
    disk_.close();
    if (is_head_) rename_to_final(file_.path);
  }
  void abandon() noexcept override { disk_.abandon(); }

 protected:
  Grib2(const FileDescription& file, bool is_head, Grib2Coding coding)
      : file_(file),
        is_head_(is_head),
        disk_(file.path, is_head ? AsideFile::Open::create : AsideFile::Open::existing) {
    const auto parameters = grib2_parameters(file.fields);
    for (std::size_t field = 0; field < file.fields.size(); ++field) {
      messages_.emplace_back(file, static_cast<int>(field), parameters[field], coding);
    }
  }

  const FieldInfo& info(int field) const { return file_.fields[static_cast<std::size_t>(field)]; }
  const Grib2Message& message(int field) const {
    return messages_[static_cast<std::size_t>(field)];
  }
  std::size_t points(int field) const {
    return static_cast<std::size_t>(file_.sizes[static_cast<std::size_t>(info(field).place)]);
  }
  double time_s(int time_index) const {
    return file_.times_s[static_cast<std::size_t>(time_index)];
  }
  int level_number(int field, int level) const {
    return info(field).levels == 1 ? 0 : file_.level_numbers[static_cast<std::size_t>(level)];
  }
  std::string name() const { return std::filesystem::path(file_.path).filename().string(); }

  /// The values of one level of a piece, and how to pack them.
  struct Level {
    std::span<const float> values;
    Packing packing;
  };
  Level level_of(const Piece& piece, int level, const void* values) const {
    const auto count = points(piece.field);
    if (piece.first_point != 0 || static_cast<std::size_t>(piece.points) != count) {
      throw Error(Blame::bug,
                  fmt::format("a GRIB2 message of field '{}' needs all {} points, got "
                              "{} from point {} on",
                              info(piece.field).name, count, piece.points, piece.first_point));
    }
    const std::span all(static_cast<const float*>(values), count * std::size_t(piece.levels));
    const auto of_level = all.subspan(static_cast<std::size_t>(level) * count, count);
    const auto range = range_of(of_level);
    if (!range.finite) {
      const auto which =
          info(piece.field).levels == 1
              ? std::string()
              : fmt::format(" on level {}", level_number(piece.field, piece.first_level + level));
      throw Error(Blame::user, fmt::format("field '{}' is infinite or not a number{}, which GRIB2 "
                                           "cannot pack; mend the field or choose another "
                                           "container for '{}'",
                                           info(piece.field).name, which, name()));
    }
    return {of_level, choose_packing(range, file_.bits)};
  }

  /// `where`: byte of the file where the level's bit stream begins, or -1.
  void trace(int field, int level, int time_index, const Level& packed, std::int64_t where) const {
    if (!trace_watches(info(field).name, file_.steps[static_cast<std::size_t>(time_index)])) return;
    const auto& target = trace_target();
    if (info(field).levels > 1 && level_number(field, level) != target.level) return;
    const auto point = static_cast<std::size_t>(target.point);
    if (point >= packed.values.size()) return;
    std::uint32_t integer = 0;
    quantise(packed.values.subspan(point, 1), packed.packing, &integer);
    const double value =
        packed.packing.reference + std::ldexp(double(integer), packed.packing.binary_scale);
    const auto bit = target.point * packed.packing.bits;
    const auto place = where < 0 ? std::string("CCSDS coded")
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
    if (is_head) disk_.reserve(time_bytes_ * static_cast<std::int64_t>(file.times_s.size()));
  }

  std::int64_t slab_bytes() const override { return encoded_slab_bytes; }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto size = message_bytes(piece.field);
    const auto offset = offset_of(time_index, piece.field, piece.first_level);
    const auto& frame = message(piece.field);
    buffer_.resize(static_cast<std::size_t>(size * piece.levels));
    for (int level = 0; level < piece.levels; ++level) {
      const auto packed = level_of(piece, level, values);
      auto* into = buffer_.data() + size * level;
      frame.frame(time_s(time_index), level_number(piece.field, piece.first_level + level),
                  packed.packing, data_bytes(piece.field), into);
      pack(packed.values, packed.packing, into + frame.head_bytes());
      trace(piece.field, piece.first_level + level, time_index, packed,
            offset + size * level + static_cast<std::int64_t>(frame.head_bytes()));
    }
    write(buffer_, offset);
  }

  void drop(int time_index) override {
    for (int field = 0; field < static_cast<int>(file_.fields.size()); ++field) {
      for (int level = 0; level < info(field).levels; ++level) {
        write(message(field).all_missing(time_s(time_index), level_number(field, level),
                                         data_bytes(field)),
              offset_of(time_index, field, level));
      }
    }
  }

 private:
  std::size_t data_bytes(int field) const { return packed_bytes(points(field), file_.bits); }
  std::int64_t message_bytes(int field) const {
    return static_cast<std::int64_t>(message(field).bytes(data_bytes(field)));
  }
  std::int64_t offset_of(int time_index, int field, int level) const {
    return time_index * time_bytes_ + first_bytes_[static_cast<std::size_t>(field)] +
           level * message_bytes(field);
  }

  std::vector<std::int64_t> first_bytes_;  // [field] of its first message within a time
  std::int64_t time_bytes_ = 0;
  std::vector<std::byte> buffer_;  // messages of one put
};

/// Messages wait in memory until the head has told them their offsets.
class CcsdsGrib2 final : public Grib2 {
 public:
  CcsdsGrib2(const FileDescription& file, bool is_head)
      : Grib2(file, is_head, Grib2Coding::ccsds) {}

  void put(const Piece& piece, int time_index, const void* values) override {
    auto& waiting = waiting_[time_index];
    auto& bytes = waiting.bytes;
    const auto& frame = message(piece.field);
    for (int level = 0; level < piece.levels; ++level) {
      auto packed = level_of(piece, level, values);
      const bool constant = packed.packing.binary_scale == 0 &&
                            std::all_of(packed.values.begin(), packed.values.end(),
                                        [&](float v) { return v == packed.packing.reference; });
      const auto start = bytes.size();
      bytes.resize(start + frame.head_bytes());
      if (constant) {
        packed.packing.bits = 0;  // no data: the reference says it all
      } else {
        integers_.resize(packed.values.size());
        quantise(packed.values, packed.packing, integers_.data());
        ccsds_encode(integers_, packed.packing.bits, bytes);
      }
      const auto data_bytes = bytes.size() - start - frame.head_bytes();
      bytes.resize(start + frame.bytes(data_bytes));
      const int level_in_file = piece.first_level + level;
      frame.frame(time_s(time_index), level_number(piece.field, level_in_file), packed.packing,
                  data_bytes, bytes.data() + start);
      waiting.messages.push_back(
          {piece.field, level_in_file, static_cast<std::int64_t>(bytes.size() - start)});
      if (!constant) trace(piece.field, level_in_file, time_index, packed, -1);
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
      write(rest.first(static_cast<std::size_t>(size)), offsets[first]);
      rest = rest.subspan(static_cast<std::size_t>(size));
    }
    waiting_.erase(time_index);
  }

  void drop(int time_index) override {
    for (int field = 0; field < static_cast<int>(file_.fields.size()); ++field) {
      for (int level = 0; level < info(field).levels; ++level) {
        const auto missing = message(field).all_missing(
            time_s(time_index), level_number(field, level), packed_bytes(points(field), 1));
        write(missing, end_);
        end_ += static_cast<std::int64_t>(missing.size());
      }
    }
  }

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
  std::int64_t end_ = 0;  // head only: of the file so far
};

std::unique_ptr<Container> make(const FileDescription& file, bool is_head) {
  check_grib2(file);
  if (is_head) prepare_striping(file.path + ".part", file.hints);
  if (file.compression == "ccsds") return std::make_unique<CcsdsGrib2>(file, is_head);
  return std::make_unique<SimpleGrib2>(file, is_head);
}

}  // namespace

std::unique_ptr<Container> create_grib2(const FileDescription& description, MPI_Comm) {
  return make(description, true);
}
std::unique_ptr<Container> join_grib2(const FileDescription& description, const std::string&,
                                      MPI_Comm) {
  return make(description, false);
}

}  // namespace thalweg
