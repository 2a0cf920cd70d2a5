// SPDX-License-Identifier: Apache-2.0
// Chunked netCDF-4: every rank compresses its chunks and writes them itself where HDF5, on the
// head, made room for them.
#include "format/netcdf4_chunked.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "codec/codec.hpp"
#include "format/chunk_driver.hpp"
#include "format/hdf5_zstd.hpp"
#include "format/netcdf_calls.hpp"
#include "format/netcdf_metadata.hpp"
#include "format/written.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

/// One chunk that waits for its place. Also the message from its owner to the head.
struct Block {
  std::int32_t field, level;
  std::int64_t first_point;
  std::uint64_t size_bytes;
};

/// The chunks of one time on one rank, one after the other in memory.
struct Pending {
  std::vector<std::byte> bytes;
  std::vector<Block> blocks;
};

template <class Item>
std::string to_message(const std::vector<Item>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item)};
}
template <class Item>
std::vector<Item> from_message(const std::string& message) {
  std::vector<Item> items(message.size() / sizeof(Item));
  if (!items.empty()) std::memcpy(items.data(), message.data(), items.size() * sizeof(Item));
  return items;
}

class Netcdf4Chunked final : public Container {
 public:
  Netcdf4Chunked(const FileDescription& description, bool head, std::uint64_t chunk_bytes)
      : file_(description), aside_(file_.path + ".part"), chunk_bytes_(chunk_bytes) {
    if (file_.compression != "none") codec_ = &find_codec(file_.compression);
    if (head) create();
    descriptor_ = open(aside_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse("open", errno);
  }

  ~Netcdf4Chunked() override { abandon(); }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto& info = file_.fields[static_cast<std::size_t>(piece.field)];
    const auto points = points_of(info);
    if (piece.first_point != 0 || piece.points != points) {
      throw Error(Blame::bug,
                  fmt::format("chunked netCDF-4 takes whole levels, not {} of {} points "
                              "of '{}'",
                              piece.points, points, info.name));
    }
    auto& [bytes, blocks] = pending_[time_index];
    if (bytes.capacity() < bytes_before_) bytes.reserve(bytes_before_);
    const int width = static_cast<int>(value_bytes(file_));
    const std::int64_t step = chunk_points(info);
    const auto* from = static_cast<const std::byte*>(values);
    for (int level = 0; level < piece.levels; ++level) {
      for (std::int64_t first = 0; first < points; first += step) {
        // HDF5's chunks are all of one size: the last of a level may reach beyond its points.
        const auto chunk = static_cast<std::size_t>(step * width);
        const auto there = static_cast<std::size_t>(std::min(step, points - first) * width);
        std::span part(from, there);
        if (there < chunk) {
          edge_.assign(chunk, std::byte{});
          std::copy(part.begin(), part.end(), edge_.begin());
          part = edge_;
        }
        const auto start = bytes.size();
        if (codec_ == nullptr) {
          bytes.insert(bytes.end(), part.begin(), part.end());
        } else {
          codec_->compress_values(part, width, file_.compression_level, bytes);
        }
        blocks.push_back({piece.field, piece.first_level + level, first, bytes.size() - start});
        from += there;
      }
    }
    trace(piece, time_index, values);
  }

  std::string request(int time_index) override { return to_message(pending_[time_index].blocks); }

  std::vector<std::string> grant(int time_index, std::vector<std::string> requests) override {
    add_time(time_index);
    const auto time = static_cast<std::uint64_t>(time_index);
    std::vector<std::string> answers;
    for (const auto& request : requests) {
      std::vector<std::uint64_t> addresses;
      for (const auto& block : from_message<Block>(request)) {
        const auto field = static_cast<std::size_t>(block.field);
        const auto level = static_cast<std::uint64_t>(block.level);
        const auto point = static_cast<std::uint64_t>(block.first_point);
        const std::array<std::uint64_t, 3> layered{time, level, point};
        const std::array<std::uint64_t, 2> flat{time, point};
        const bool one = file_.fields[field].levels == 1;
        addresses.push_back(room_->place(datasets_[field],
                                         one ? std::span<const std::uint64_t>(flat) : layered,
                                         block.size_bytes));
      }
      answers.push_back(to_message(addresses));
    }
    room_->flush();  // a killed run leaves an aside file that opens
    return answers;
  }

  void settle(int time_index, const std::string& answer) override {
    const auto found = pending_.find(time_index);
    if (found == pending_.end()) return;
    const auto& [bytes, blocks] = found->second;
    const auto addresses = from_message<std::uint64_t>(answer);
    if (addresses.size() != blocks.size()) {
      throw Error(Blame::bug, fmt::format("{} chunks of '{}' have {} places", blocks.size(), aside_,
                                          addresses.size()));
    }
    const std::byte* from = bytes.data();
    for (std::size_t i = 0; i < blocks.size();) {
      std::uint64_t size = 0;  // of neighbours in memory that are neighbours in the file
      const auto address = addresses[i];
      for (; i < blocks.size() && addresses[i] == address + size; ++i) size += blocks[i].size_bytes;
      write(from, size, address);
      from += size;
    }
    bytes_before_ = std::max(bytes_before_, bytes.size() + bytes.size() / 8);
    pending_.erase(found);
  }

  void drop(int time_index) override {
    // Chunks without a place read as _FillValue: nothing else is to be written.
    pending_.erase(time_index);
    add_time(time_index);
    room_->flush();
    dropped_.push_back(time_index);
  }

  void close() override {
    if (const int descriptor = std::exchange(descriptor_, -1); ::close(descriptor) != 0)
      refuse("close", errno);
    if (!room_) return;
    room_->close();
    if (!dropped_.empty()) write_history();
    rename_to_final(file_.path);
  }

  void abandon() noexcept override {
    if (room_) room_->abandon();
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  std::int64_t points_of(const FieldInfo& info) const {
    return file_.sizes[static_cast<std::size_t>(info.place)];
  }

  /// Points per chunk: equal parts of a level, as few as the largest chunk allows.
  std::int64_t chunk_points(const FieldInfo& info) const {
    const auto points = static_cast<std::uint64_t>(points_of(info));
    const auto parts = (points * value_bytes(file_) + chunk_bytes_ - 1) / chunk_bytes_;
    return static_cast<std::int64_t>(parts <= 1 ? std::max<std::uint64_t>(points, 1)
                                                : (points + parts - 1) / parts);
  }

  /// Head: netCDF-C describes the file, then HDF5 takes it over with our driver.
  void create() {
    int ncid = -1;
    NetcdfStorage storage;
    storage.unlimited_time = true;
    storage.define_storage = [this](int id, int variable, const FieldInfo& field) {
      define_chunks(id, variable, field);
    };
    if (codec_ != nullptr && !codec_->built_in) register_hdf5_zstd();
    check_netcdf(nc_create(aside_.c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid), "create", aside_);
    try {
      const auto variables = define_netcdf(ncid, file_, storage);
      if (codec_ != nullptr && !codec_->built_in) {
        put_text(ncid, NC_GLOBAL, "compression_plugin",
                 fmt::format("values are compressed by '{}': to read them HDF5 needs the plugin of "
                             "filter {} (HDF5_PLUGIN_PATH; Python: hdf5plugin)",
                             codec_->name, codec_->hdf5_filter));
      }
      check_netcdf(nc_enddef(ncid), "lay out", aside_);
      write_coordinates(ncid, file_, variables, storage);
    } catch (...) {
      nc_close(ncid);
      throw;
    }
    check_netcdf(nc_close(ncid), "write", aside_);
    room_.emplace(aside_);
    time_dataset_ = room_->open_dataset("time");
    for (const auto& field : file_.fields) datasets_.push_back(room_->open_dataset(field.name));
  }

  void define_chunks(int ncid, int variable, const FieldInfo& field) const {
    const auto points = static_cast<std::size_t>(chunk_points(field));
    const std::array<std::size_t, 3> chunk{1, field.levels == 1 ? points : 1, points};
    check_netcdf(nc_def_var_chunking(ncid, variable, NC_CHUNKED, chunk.data()), "lay out", aside_);
    if (file_.may_drop) {  // HDF5 itself must know the value of chunks that are not there
      const float single = NC_FILL_FLOAT;
      const double wide = NC_FILL_DOUBLE;
      const void* value = file_.float64 ? static_cast<const void*>(&wide) : &single;
      check_netcdf(nc_def_var_fill(ncid, variable, NC_FILL, value), "lay out", aside_);
    }
    if (codec_ == nullptr) return;
    const int level = file_.compression_level;
    check_netcdf(nc_def_var_deflate(ncid, variable, 1, codec_->built_in ? 1 : 0, level), "lay out",
                 aside_);
    if (codec_->built_in) return;
    const auto parameter = static_cast<unsigned>(level);
    check_netcdf(nc_def_var_filter(ncid, variable, static_cast<unsigned>(codec_->hdf5_filter), 1,
                                   &parameter),
                 "lay out", aside_);
  }

  void add_time(int time_index) {
    const auto length = static_cast<std::uint64_t>(time_index) + 1;
    room_->extend(time_dataset_, length);
    for (const int dataset : datasets_) room_->extend(dataset, length);
    room_->write_number(time_dataset_, length - 1, file_.times_s[length - 1]);
  }

  void write_history() const {
    int ncid = -1;
    check_netcdf(nc_open(aside_.c_str(), NC_WRITE, &ncid), "open", aside_);
    try {
      check_netcdf(nc_redef(ncid), "describe", aside_);
      put_text(ncid, NC_GLOBAL, "history", history_with_dropped(file_, dropped_));
    } catch (...) {
      nc_close(ncid);
      throw;
    }
    check_netcdf(nc_close(ncid), "close", aside_);
  }

  void write(const std::byte* from, std::uint64_t size, std::uint64_t address) const {
    const FileSizeSignalBlocked blocked;
    note_written(aside_, static_cast<std::int64_t>(address), {from, size});
    while (size > 0) {
      const auto put = pwrite(descriptor_, from, size, static_cast<off_t>(address));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) refuse("write", put < 0 ? errno : ENOSPC);
      from += put, size -= static_cast<std::uint64_t>(put);
      address += static_cast<std::uint64_t>(put);
    }
  }

  [[noreturn]] void refuse(const char* what, int error) const {
    throw Error(Blame::file_system,
                fmt::format("cannot {} '{}': {}", what, aside_, refusal_reason(aside_, error)));
  }

  void trace(const Piece& piece, int time_index, const void* values) const {
    const auto& info = file_.fields[static_cast<std::size_t>(piece.field)];
    if (!trace_watches(info.name, file_.steps[static_cast<std::size_t>(time_index)])) return;
    const auto& target = trace_target();
    const auto place = static_cast<std::size_t>(info.place);
    const auto point = target.point - (file_.first_points.empty() ? 0 : file_.first_points[place]);
    const auto found =
        std::find(file_.level_numbers.begin(), file_.level_numbers.end(), target.level);
    const auto level =
        (info.levels == 1 ? 0 : found - file_.level_numbers.begin()) - piece.first_level;
    if (level < 0 || level >= piece.levels || point < 0 || point >= piece.points) return;
    const auto offset = level * piece.points + point;
    const double value = file_.float64
                             ? static_cast<const double*>(values)[offset]
                             : static_cast<double>(static_cast<const float*>(values)[offset]);
    trace_stop("container", offset, value,
               fmt::format("netcdf4 variable '{}' of '{}', time index {}, chunked, compression {}",
                           info.name, std::filesystem::path(file_.path).filename().string(),
                           time_index, file_.compression));
  }

  FileDescription file_;
  std::string aside_;
  std::uint64_t chunk_bytes_;
  const Codec* codec_ = nullptr;    // nullptr: not compressed
  int descriptor_ = -1;             // of this rank's own writes
  std::map<int, Pending> pending_;  // [time index]
  std::size_t bytes_before_ = 0;    // room that one time takes
  std::vector<std::byte> edge_;     // a chunk that is not full

  // Head only.
  std::optional<ChunkFile> room_;
  int time_dataset_ = -1;
  std::vector<int> datasets_;  // [field] in room_
  std::vector<int> dropped_;
};

}  // namespace

std::unique_ptr<Container> create_netcdf4_chunked(const FileDescription& description, MPI_Comm,
                                                  std::uint64_t chunk_bytes) {
  return std::make_unique<Netcdf4Chunked>(description, true, chunk_bytes);
}

std::unique_ptr<Container> join_netcdf4_chunked(const FileDescription& description,
                                                const std::string&, MPI_Comm,
                                                std::uint64_t chunk_bytes) {
  return std::make_unique<Netcdf4Chunked>(description, false, chunk_bytes);
}

}  // namespace thalweg
