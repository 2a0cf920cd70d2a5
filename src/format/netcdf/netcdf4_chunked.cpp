// SPDX-License-Identifier: Apache-2.0
// Chunked netCDF-4: every rank compresses its chunks and writes them itself, batch by batch, into
// room that it takes at the end of the file. HDF5, on the head, learns after each time where they
// are. While one rank is in the file system (which lets one into a file at a time) others compress.
#include "format/netcdf/netcdf4_chunked.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "codec/codec.hpp"
#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "format/netcdf/chunk_driver.hpp"
#include "format/netcdf/hdf5_zstd.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "format/netcdf/netcdf_metadata.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

/// One encoded chunk.
struct Block {
  std::int32_t field, level;
  std::int64_t first_point;
  std::uint64_t size_bytes;
  std::uint64_t address;  // in the file, or in the bytes of its owner that wait for a place
};

/// Memory for encoded chunks, kept for the next time and the next file: fresh pages cost more than
/// what is put into them.
PageBytes& spare_memory() {
  thread_local PageBytes spare;
  return spare;
}

/// The chunks of one time on one rank. Those that are not yet written lie one after the other.
struct Pending {
  PageBytes bytes = std::exchange(spare_memory(), {});
  std::vector<Block> blocks;
  std::size_t written = 0;  // of blocks

  Pending() { bytes.clear(); }
  ~Pending() {
    if (bytes.capacity() > spare_memory().capacity()) bytes.swap(spare_memory());
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
};

/// What an owner tells the head: how much waits for a place, and all its blocks.
struct Request {
  std::uint64_t waiting_bytes = 0, written = 0;
  std::vector<Block> blocks;
};

std::string to_message(const Pending& pending) {
  const std::uint64_t numbers[] = {pending.bytes.size(), pending.written};
  std::string message(reinterpret_cast<const char*>(numbers), sizeof numbers);
  return message.append(reinterpret_cast<const char*>(pending.blocks.data()),
                        pending.blocks.size() * sizeof(Block));
}
Request request_in(const std::string& message) {
  Request request;
  std::uint64_t numbers[2];
  std::memcpy(numbers, message.data(), sizeof numbers);
  request.waiting_bytes = numbers[0], request.written = numbers[1];
  request.blocks.resize((message.size() - sizeof numbers) / sizeof(Block));
  if (!request.blocks.empty())
    std::memcpy(request.blocks.data(), message.data() + sizeof numbers,
                request.blocks.size() * sizeof(Block));
  return request;
}

/// For the journal: field level point size address, of one block after the other.
std::string text_of(const std::vector<Block>& blocks) {
  std::string text;
  for (const auto& block : blocks) {
    text += fmt::format("{} {} {} {} {} ", block.field, block.level, block.first_point,
                        block.size_bytes, block.address);
  }
  return text;
}
std::vector<Block> blocks_in(const std::string& text) {
  std::istringstream numbers(text);
  std::vector<Block> blocks;
  for (Block block; numbers >> block.field >> block.level >> block.first_point >>
                    block.size_bytes >> block.address;) {
    blocks.push_back(block);
  }
  return blocks;
}

/// The head's answer: where the bytes that wait belong.
std::string answer_of(std::uint64_t place) {
  return {reinterpret_cast<const char*>(&place), sizeof place};
}
std::uint64_t place_in(const std::string& answer) {
  std::uint64_t place = 0;
  std::memcpy(&place, answer.data(), sizeof place);
  return place;
}

class Netcdf4Chunked final : public Container {
 public:
  Netcdf4Chunked(const FileDescription& description, MPI_Comm team, bool head, ChunkLimits limits)
      : Netcdf4Chunked(description, limits) {
    int ranks = 1;
    MPI_Comm_size(team, &ranks);
    if (ranks == 1) room_ = &own_room_;
    if (head) create();
    disk_.emplace(file_.path, AsideFile::Open::existing);
  }

  ~Netcdf4Chunked() override { abandon(); }

  /// Describes the file that is to go on a second time, and leaves nothing of that.
  static void check_kept(const FileDescription& description) {
    Netcdf4Chunked trial(description, ChunkLimits{});
    const auto& path = description.path;
    const auto before = found_path(path);
    trial.aside_ = path + ".fitted.part";
    std::error_code ignored;
    try {
      trial.describe(trial.aside_);
      const auto end = trial.blocks_behind_description(before).second;
      require_size(before, static_cast<std::int64_t>(end));
    } catch (const std::exception&) {
      trial.abandon();
      std::filesystem::remove(trial.aside_, ignored);
      throw;
    }
    trial.abandon();
    std::filesystem::remove(trial.aside_, ignored);
  }

  void share_room(FileRoom& room) override {
    room_ = &room;
    if (chunks_) chunks_->use(room);
  }

  std::int64_t slab_bytes() const override { return encoded_slab_bytes; }

  void put(const Piece& piece, int time_index, const void* values) override {
    const auto& info = file_.fields[piece.field];
    const auto points = points_of(info);
    if (piece.first_point != 0 || piece.points != points) {
      throw Error(Blame::bug,
                  fmt::format("chunked netCDF-4 takes whole levels, not {} of {} points "
                              "of '{}'",
                              piece.points, points, info.name));
    }
    auto& pending = pending_[time_index];
    auto& bytes = pending.bytes;
    const int width = static_cast<int>(file_.value_bytes(info));
    const std::int64_t step = chunk_points(info);
    const auto* from = static_cast<const std::byte*>(values);
    for (int level = 0; level < piece.levels; ++level) {
      for (std::int64_t first = 0; first < points; first += step) {
        // HDF5's chunks are all of one size: the last of a level may reach beyond its points.
        const std::size_t chunk = step * width;
        const std::size_t there = std::min(step, points - first) * width;
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
          codec_->compress_values(part, width, file_.compression.level, bytes);
        }
        pending.blocks.push_back(
            {piece.field, piece.first_level + level, first, bytes.size() - start, start});
        from += there;
        if (bytes.size() >= limits_.batch_bytes) write_early(pending);
      }
    }
    trace(piece, time_index, values);
  }

  std::string request(int time_index) override {
    auto& pending = pending_[time_index];
    write_early(pending);
    return to_message(pending);
  }

  std::vector<std::string> grant(int time_index, std::vector<std::string> requests) override {
    add_time(time_index);
    const auto time = static_cast<std::uint64_t>(time_index);
    std::vector<std::string> answers;
    std::vector<Block> placed;
    for (const auto& text : requests) {
      const auto request = request_in(text);
      const auto place =
          request.waiting_bytes > 0 ? chunks_->room().take(request.waiting_bytes) : 0;
      for (std::size_t i = 0; i < request.blocks.size(); ++i) {
        auto block = request.blocks[i];
        if (i >= request.written) block.address += place;
        tell_hdf5(time, block);
        placed.push_back(block);
      }
      answers.push_back(answer_of(place));
    }
    chunks_->flush();  // a killed run leaves an aside file that opens
    places_[time_index] = text_of(placed);
    return answers;
  }

  void settle(int time_index, const std::string& answer) override {
    const auto found = pending_.find(time_index);
    if (found == pending_.end()) return;
    write(found->second.bytes, place_in(answer));
    pending_.erase(found);
  }

  std::string place_of(int time_index) override {
    const auto found = places_.find(time_index);
    if (found == places_.end()) return {};
    return std::move(places_.extract(found).mapped());
  }

  FileDescription& description() override { return file_; }

  void close() override {
    disk_->close();
    if (!chunks_) return;
    chunks_->close();
    if (file_.history != first_history_) write_history();
    rename_to_final(file_.path);
  }

  void abandon() noexcept override {
    if (chunks_) chunks_->abandon();
    if (disk_) disk_->abandon();
  }

 private:
  Netcdf4Chunked(const FileDescription& description, ChunkLimits limits)
      : file_(description), limits_(limits) {
    if (!file_.compression.none()) codec_ = &find_codec(file_.compression.codec);
  }

  std::int64_t points_of(const FieldInfo& info) const { return file_.sizes[info.place]; }

  /// Points per chunk: equal parts of a level, as few as the largest chunk allows.
  std::int64_t chunk_points(const FieldInfo& info) const {
    const auto points = static_cast<std::uint64_t>(points_of(info));
    const auto parts =
        (points * file_.value_bytes(info) + limits_.chunk_bytes - 1) / limits_.chunk_bytes;
    return static_cast<std::int64_t>(parts <= 1 ? std::max<std::uint64_t>(points, 1)
                                                : (points + parts - 1) / parts);
  }

  /// Head: netCDF-C describes the file, then HDF5 takes it over with our driver.
  void create() {
    if (file_.kept.empty()) return describe(aside_);
    take_back(file_.path);
    const auto before = aside_;
    aside_ = file_.path + ".fitted.part";
    describe(aside_);
    go_on_from(before);
    rename_file(aside_, before);
    aside_ = before;
  }

  /// The chunks of kept times go where they were: places that the journal has told stay true. The
  /// index of HDF5 in the file that a killed run left is not looked at.
  void go_on_from(const std::string& before) {
    const FileBytes source(before, O_RDONLY), target(aside_, O_WRONLY);
    const auto [times, end] = blocks_behind_description(before);
    chunks_->skip_to(end);
    std::vector<std::byte> bytes;
    for (std::size_t time = 0; time < times.size(); ++time) {
      add_time(static_cast<int>(time));
      for (const auto& block : times[time]) {
        bytes.resize(block.size_bytes);
        source.read(bytes, static_cast<std::int64_t>(block.address));
        target.write(bytes, static_cast<std::int64_t>(block.address));
        tell_hdf5(time, block);
        note_work();
      }
    }
    chunks_->flush();
  }

  /// Of the kept times, and where the last of them ends. The description must leave them their
  /// place.
  std::pair<std::vector<std::vector<Block>>, std::uint64_t> blocks_behind_description(
      const std::string& before) const {
    std::vector<std::vector<Block>> times;
    std::uint64_t end = 0;
    for (const auto& kept : file_.kept) {
      times.push_back(blocks_in(kept.place));
      if (times.back().empty()) {
        throw Error(Blame::user,
                    fmt::format("no journal tells where in '{}' the values of {} s lie; continue "
                                "with the [io] way of the run before, or begin anew",
                                before, kept.time_s));
      }
      for (const auto& block : times.back()) {
        if (block.address < chunks_->end()) {
          throw Error(Blame::user, fmt::format("the description of '{}' has become longer than it "
                                               "was; continue with the settings of the run before",
                                               before));
        }
        end = std::max(end, block.address + block.size_bytes);
      }
    }
    return {std::move(times), end};
  }

  void tell_hdf5(std::uint64_t time, const Block& block) {
    const auto level = static_cast<std::uint64_t>(block.level);
    const auto point = static_cast<std::uint64_t>(block.first_point);
    const std::array<std::uint64_t, 3> layered{time, level, point};
    const std::array<std::uint64_t, 2> flat{time, point};
    const bool one = file_.fields[block.field].levels == 1;
    chunks_->place(datasets_[block.field], one ? std::span<const std::uint64_t>(flat) : layered,
                   block.size_bytes, block.address);
  }

  void describe(const std::string& aside) {
    int ncid = -1;
    NetcdfStorage storage;
    storage.unlimited_time = true;
    storage.define_storage = [this](int id, int variable, const FieldInfo& field) {
      define_chunks(id, variable, field);
    };
    if (codec_ != nullptr && !codec_->built_in) register_hdf5_zstd();
    check_netcdf(nc_create(aside.c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid), "create", aside);
    try {
      const auto variables = define_netcdf(ncid, file_, storage);
      if (codec_ != nullptr && !codec_->built_in) {
        put_text(ncid, NC_GLOBAL, "compression_plugin",
                 fmt::format("values are compressed by '{}': to read them HDF5 needs the plugin of "
                             "filter {} (HDF5_PLUGIN_PATH; Python: hdf5plugin)",
                             codec_->name, codec_->hdf5_filter));
      }
      check_netcdf(nc_enddef(ncid), "lay out", aside);
      write_coordinates(ncid, file_, variables, storage);
    } catch (...) {
      nc_close(ncid);
      throw;
    }
    check_netcdf(nc_close(ncid), "write", aside);
    chunks_.emplace(aside, own_room_);
    time_dataset_ = chunks_->open_dataset("time");
    for (const auto& field : file_.fields) datasets_.push_back(chunks_->open_dataset(field.name));
  }

  void define_chunks(int ncid, int variable, const FieldInfo& field) const {
    const std::size_t points = chunk_points(field);
    const std::array<std::size_t, 3> chunk{1, field.levels == 1 ? points : 1, points};
    check_netcdf(nc_def_var_chunking(ncid, variable, NC_CHUNKED, chunk.data()), "lay out", aside_);
    if (codec_ == nullptr) return;
    const int level = file_.compression.level;
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
    chunks_->extend(time_dataset_, length);
    for (const int dataset : datasets_) chunks_->extend(dataset, length);
    chunks_->write_number(time_dataset_, length - 1, file_.times_s[length - 1]);
  }

  void write_history() const {
    int ncid = -1;
    check_netcdf_open(nc_open(aside_.c_str(), NC_WRITE, &ncid), aside_);
    try {
      check_netcdf(nc_redef(ncid), "describe", aside_);
      put_text(ncid, NC_GLOBAL, "history", file_.history);
    } catch (...) {
      nc_close(ncid);
      throw;
    }
    check_netcdf(nc_close(ncid), "close", aside_);
  }

  /// What there is of a time, if there is room to be had, and no earlier time waits for the head:
  /// it gives the file its length, behind which nobody may write meanwhile.
  void write_early(Pending& pending) {
    if (room_ == nullptr || pending_.size() > 1 || pending.bytes.empty()) return;
    const auto address = room_->take(pending.bytes.size());
    write(pending.bytes, address);
    for (; pending.written < pending.blocks.size(); ++pending.written)
      pending.blocks[pending.written].address += address;
    pending.bytes.clear();
  }

  /// All of it, with zeros to the end of its last page, which belongs to nobody else.
  void write(PageBytes& bytes, std::uint64_t address) const {
    bytes.resize(whole_pages(bytes.size()), std::byte{});
    disk_->write(bytes.data(), bytes.size(), static_cast<std::int64_t>(address));
  }

  void trace(const Piece& piece, int time_index, const void* values) const {
    const auto& info = file_.fields[piece.field];
    if (!trace_watches(info.name, file_.steps[time_index])) return;
    const auto& target = trace_target();
    const Place place = info.place;
    const auto point = target.point - file_.first_points[place];
    const auto found =
        std::find(file_.level_numbers.begin(), file_.level_numbers.end(), target.level);
    const auto level =
        (info.levels == 1 ? 0 : found - file_.level_numbers.begin()) - piece.first_level;
    if (level < 0 || level >= piece.levels || point < 0 || point >= piece.points) return;
    const auto offset = level * piece.points + point;
    const double value = shown_value(values, offset, file_.type_of(info));
    trace_stop("container", offset, value,
               fmt::format("netcdf4 variable '{}' of '{}', time index {}, chunked, compression {}",
                           info.name, std::filesystem::path(file_.path).filename().string(),
                           time_index, file_.compression.codec));
  }

  FileDescription file_;
  std::string first_history_ = file_.history;
  std::string aside_ = file_.path + ".part";
  ChunkLimits limits_;
  const Codec* codec_ = nullptr;    // nullptr: not compressed
  std::optional<AsideFile> disk_;   // for this rank's own writes
  OwnRoom own_room_;                // of a head alone, or until there is a shared one
  FileRoom* room_ = nullptr;        // nullptr: only the head takes
  std::map<int, Pending> pending_;  // [time index]
  std::vector<std::byte> edge_;     // a chunk that is not full

  // Head only.
  std::optional<ChunkFile> chunks_;
  int time_dataset_ = -1;
  std::vector<int> datasets_;          // [field] in chunks_
  std::map<int, std::string> places_;  // [time index] until place_of() asks
};

}  // namespace

std::unique_ptr<Container> create_netcdf4_chunked(const FileDescription& description, MPI_Comm team,
                                                  ChunkLimits limits) {
  return std::make_unique<Netcdf4Chunked>(description, team, true, limits);
}

std::unique_ptr<Container> join_netcdf4_chunked(const FileDescription& description,
                                                const std::string&, MPI_Comm team,
                                                ChunkLimits limits) {
  return std::make_unique<Netcdf4Chunked>(description, team, false, limits);
}

void check_kept_chunked(const FileDescription& description) {
  Netcdf4Chunked::check_kept(description);
}

}  // namespace thalweg
