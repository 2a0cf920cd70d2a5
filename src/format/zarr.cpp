// SPDX-License-Identifier: Apache-2.0
// The Zarr container (version 3): a directory whose arrays are cut into shards, each written by the
// one rank that owns its values.
//
// A field's shard is one time x some levels x (all) points. Nothing needs to be agreed between the
// ranks of a team: everyone derives the same cuts from the pieces, and no two write one file.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

#include "format/container_list.hpp"
#include "format/netcdf_calls.hpp"
#include "format/netcdf_metadata.hpp"
#include "format/zarr_mesh.hpp"
#include "format/zarr_metadata.hpp"
#include "format/zarr_shard.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

/// May this path be replaced by a store: nothing there, or an older store?
bool is_free_or_store(const std::string& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored) || fs::exists(path + "/zarr.json", ignored);
}

class Zarr final : public Container {
 public:
  Zarr(const FileDescription& description, bool head)
      : file_(description), aside_(file_.path + ".part"), head_(head) {
    for (std::size_t field = 0; field < file_.fields.size(); ++field)
      grids_.push_back(grid_of(static_cast<int>(field)));
    if (head_) create();
  }

  std::int64_t slab_bytes() const override {
    return file_.compression == "none" ? written_slab_bytes : encoded_slab_bytes;
  }

  void put(const Piece& piece, int time_index, const void* values) override {
    const ShardGrid& grid = grids_[static_cast<std::size_t>(piece.field)];
    const auto* bytes = static_cast<const std::byte*>(values);
    const auto width = static_cast<std::int64_t>(value_bytes(file_));
    const int end_level = piece.first_level + piece.levels;
    const std::int64_t end_point = piece.first_point + piece.points;
    for (int level = piece.first_level; level < end_level;) {
      const int row = level / grid.shard_levels;
      const int levels = std::min(end_level, (row + 1) * grid.shard_levels) - level;
      for (std::int64_t point = piece.first_point; point < end_point;) {
        const std::int64_t column = point / grid.shard_points;
        const auto points = std::min(end_point, (column + 1) * grid.shard_points) - point;
        const Key key{time_index, piece.field, row, column};
        ShardFile& shard = open_shard(key);
        shard.put(level % grid.shard_levels, levels, point % grid.shard_points, points,
                  bytes + ((level - piece.first_level) * piece.points + point - piece.first_point) *
                              width,
                  piece.points);
        if (shard.complete()) {
          shard.finish();
          open_.erase(key);
        }
        point += points;
      }
      level += levels;
    }
    trace(piece, time_index, values);
  }

  void drop(int time_index) override {
    dropped_.push_back(time_index);
    std::erase_if(open_, [&](const auto& shard) { return std::get<0>(shard.first) == time_index; });
  }

  void close() override {
    if (!open_.empty()) {
      throw Error(Blame::bug,
                  fmt::format("'{}' was closed before its values were there: shard '{}'",
                              file_.path, shard_path(open_.begin()->first)));
    }
    if (!head_) return;
    if (!dropped_.empty()) {  // a missing shard reads as the fill value, which is NaN
      for (const int time : dropped_)
        for (const auto& field : file_.fields)
          fs::remove_all(fmt::format("{}/{}/c/{}", aside_, field.name, time));
      write_group(aside_, file_, history_with_dropped(file_, dropped_), arrays_);
    }
    std::error_code ignored;
    const std::string before = file_.path + ".old";  // a directory cannot be renamed over another
    if (fs::exists(file_.path, ignored)) {
      fs::remove_all(before, ignored);
      fs::rename(file_.path, before, ignored);
    }
    rename_to_final(file_.path);
    fs::remove_all(before, ignored);
  }

  void abandon() noexcept override { open_.clear(); }

 private:
  using Key = std::tuple<int, int, int, std::int64_t>;  // time, field, row, column of the shard

  ShardGrid grid_of(int field) const {
    std::vector<Piece> pieces;
    for (const Piece& piece : file_.pieces)
      if (piece.field == field) pieces.push_back(piece);
    const FieldInfo& info = file_.fields[static_cast<std::size_t>(field)];
    return divide_into_shards(info.levels, file_.sizes[static_cast<std::size_t>(info.place)],
                              pieces, value_bytes(file_));
  }

  void create() {
    if (!is_free_or_store(file_.path) || !is_free_or_store(aside_)) {
      throw Error(
          Blame::user,
          fmt::format("cannot write '{}': something that is not a Zarr store has this name or "
                      "'{}'; move it away",
                      file_.path, aside_));
    }
    std::error_code ignored;
    fs::remove_all(aside_, ignored);  // of a run that did not end
    if (mkdir(aside_.c_str(), 0777) != 0) refuse_shard("create", aside_, errno);
    bool used[3] = {};
    for (const auto& field : file_.fields) used[static_cast<std::size_t>(field.place)] = true;
    const MeshContent content{used[0], used[1], used[2], false, false};
    const ZarrArray time = time_array(file_), level = level_array(file_);
    arrays_.push_back(time);
    if (has_levels(file_)) arrays_.push_back(level);
    for (std::size_t field = 0; field < file_.fields.size(); ++field)
      arrays_.push_back(field_array(file_, field, grids_[field]));
    if (!file_.grid.empty()) {
      const auto mesh = mesh_arrays(Grid::parse(file_.grid), content);
      arrays_.insert(arrays_.end(), mesh.begin(), mesh.end());
    }
    // The group first: an aside directory with zarr.json is ours, and the next run may remove it.
    write_group(aside_, file_, file_.history, arrays_);
    for (const ZarrArray& array : arrays_) create_array(aside_, array);
    write_file(aside_ + "/time/c/0", std::as_bytes(std::span(file_.times_s)));
    if (has_levels(file_))
      write_file(aside_ + "/level/c/0", std::as_bytes(std::span(file_.level_numbers)));
    if (!file_.grid.empty()) write_mesh_arrays(aside_, Grid::parse(file_.grid), content);
  }

  /// The directories of a shard that its owner may have to make, and its file at last.
  std::vector<std::string> shard_names(const Key& key) const {
    const auto& [time, field, row, column] = key;
    const FieldInfo& info = file_.fields[static_cast<std::size_t>(field)];
    std::vector<std::string> names{fmt::format("{}/{}/c/{}", aside_, info.name, time)};
    if (info.levels > 1) names.push_back(fmt::format("{}/{}", names.back(), row));
    names.push_back(fmt::format("{}/{}", names.back(), column));
    return names;
  }

  std::string shard_path(const Key& key) const { return shard_names(key).back(); }

  ShardFile& open_shard(const Key& key) {
    const auto found = open_.find(key);
    if (found != open_.end()) return *found->second;
    const auto& [time, field, row, column] = key;
    const ShardGrid& grid = grids_[static_cast<std::size_t>(field)];
    const auto names = shard_names(key);
    auto shard = std::make_unique<ShardFile>(
        names.back(), std::span(names).first(names.size() - 1), grid,
        std::min(grid.shard_levels, grid.levels - row * grid.shard_levels),
        std::min(grid.shard_points, grid.points - column * grid.shard_points),
        ChunkCodec{file_.compression, file_.compression_level,
                   static_cast<int>(value_bytes(file_))});
    return *open_.emplace(key, std::move(shard)).first->second;
  }

  void trace(const Piece& piece, int time_index, const void* values) const {
    const FieldInfo& info = file_.fields[static_cast<std::size_t>(piece.field)];
    if (!trace_watches(info.name, file_.steps[static_cast<std::size_t>(time_index)])) return;
    const auto& target = trace_target();
    const auto found =
        std::find(file_.level_numbers.begin(), file_.level_numbers.end(), target.level);
    const std::int64_t level = info.levels == 1 ? 0 : found - file_.level_numbers.begin();
    const std::int64_t in_level = target.point - piece.first_point;
    const std::int64_t in_piece = level - piece.first_level;
    if (in_level < 0 || in_level >= piece.points || in_piece < 0 || in_piece >= piece.levels)
      return;
    const auto offset = static_cast<std::size_t>(in_piece * piece.points + in_level);
    const double value = file_.float64
                             ? static_cast<const double*>(values)[offset]
                             : static_cast<double>(static_cast<const float*>(values)[offset]);
    const ShardGrid& grid = grids_[static_cast<std::size_t>(piece.field)];
    const Key key{time_index, piece.field, static_cast<int>(level) / grid.shard_levels,
                  target.point / grid.shard_points};
    trace_stop("container", static_cast<std::int64_t>(offset), value,
               fmt::format("zarr shard '{}'",
                           fs::path(shard_path(key)).lexically_relative(aside_).string()));
  }

  FileDescription file_;
  std::string aside_;
  bool head_;
  std::vector<ShardGrid> grids_;                    // [field]
  std::vector<ZarrArray> arrays_;                   // head only
  std::vector<int> dropped_;                        // head only: time indices
  std::map<Key, std::unique_ptr<ShardFile>> open_;  // begun and not yet complete
};

}  // namespace

std::unique_ptr<Container> create_zarr(const FileDescription& description, MPI_Comm) {
  return std::make_unique<Zarr>(description, true);
}

std::unique_ptr<Container> join_zarr(const FileDescription& description, const std::string&,
                                     MPI_Comm) {
  return std::make_unique<Zarr>(description, false);
}

void check_zarr(const FileDescription& description) {
  const auto& compression = description.compression;
  if (compression != "none" && compression != "deflate" && compression != "zstd") {
    throw Error(Blame::user, fmt::format("[[output]]: container 'zarr' has no compression '{}'; "
                                         "choose one of: none, deflate, zstd",
                                         compression));
  }
  if (!description.global_sizes.empty() && description.global_sizes != description.sizes) {
    throw Error(Blame::user,
                "[io]: mode 'file_parallel' divides netCDF files, and a Zarr store is divided "
                "already; choose mode 'shared_file' or 'async' with container 'zarr'");
  }
}

}  // namespace thalweg
