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

#include "base/page_bytes.hpp"
#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "file/refusal.hpp"
#include "format/attributes.hpp"
#include "format/container.hpp"
#include "format/zarr/mesh.hpp"
#include "format/zarr/metadata.hpp"
#include "format/zarr/shard.hpp"
#include "thalweg/error.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

/// May this path be replaced by a store: nothing there, or an older store?
bool is_free_or_store(const std::string& path) {
  return !is_present(path) || is_present(path + "/zarr.json");
}

/// The same of an aside path, where a kill may have come before the first file has its name.
bool is_free_or_begun(const std::string& aside) {
  if (is_free_or_store(aside)) return true;
  if (!is_a_directory(aside)) return false;
  const auto names = names_in(aside);
  return std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return name == "zarr.json.part"; });
}

class Zarr final : public Container {
 public:
  Zarr(const FileDescription& description, bool head)
      : file_(description), aside_(file_.path + ".part"), head_(head) {
    for (std::size_t field = 0; field < file_.fields.size(); ++field)
      grids_.push_back(grid_of(static_cast<int>(field)));
    if (!head_) return;
    list_arrays();
    file_.kept.empty() ? create() : go_on();
  }

  /// Of a store that is to go on, under its final name or aside: it is not touched.
  static void check_kept(const FileDescription& description) {
    Zarr store(description, false);
    store.aside_ = found_path(description.path);
    store.require_kept();
  }

  std::int64_t slab_bytes() const override {
    return file_.compression.none() ? written_slab_bytes : encoded_slab_bytes;
  }

  // Encoded chunks that come whole are not copied together.
  std::int64_t cut_points(int field) const override {
    return file_.compression.none()
               ? static_cast<std::int64_t>(page_bytes / file_.value_bytes(file_.fields[field]))
               : grids_[field].chunk_points;
  }

  void put(const Piece& piece, int time_index, const void* values) override {
    const ShardGrid& grid = grids_[piece.field];
    const auto* bytes = static_cast<const std::byte*>(values);
    const auto width = static_cast<std::int64_t>(file_.value_bytes(file_.fields[piece.field]));
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

  FileDescription& description() override { return file_; }

  void close() override {
    if (!open_.empty()) {
      throw Error(Blame::bug,
                  fmt::format("'{}' was closed before its values were there: shard '{}'",
                              file_.path, shard_path(open_.begin()->first)));
    }
    if (!head_) return;
    write_times();
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
    const FieldInfo& info = file_.fields[field];
    return divide_into_shards(info.levels, file_.sizes[info.place], pieces,
                              file_.value_bytes(info));
  }

  void create() {
    if (!is_free_or_store(file_.path) || !is_free_or_begun(aside_)) {
      throw Error(
          Blame::user,
          fmt::format("cannot write '{}': something that is not a Zarr store has this name or "
                      "'{}'; move it away",
                      file_.path, aside_));
    }
    remove_whole(aside_, file_.path + ".old");  // of a run that did not end
    if (mkdir(aside_.c_str(), 0777) != 0) refuse_file("create", aside_, errno);
    // The group first: an aside directory with zarr.json is ours, and the next run may remove it.
    write_group(aside_, file_, file_.history, arrays_);
    for (const ZarrArray& array : arrays_) create_array(aside_, array);
    replace_file(aside_ + "/time/c/0", std::as_bytes(std::span(file_.times_s)));
    write_coordinates();
  }

  static void write_scalar(const std::string& path, const ScalarCoordinate& scalar) {
    const auto number = static_cast<std::int32_t>(scalar.value);
    replace_file(path, scalar.is_number ? std::as_bytes(std::span(&number, 1))
                                        : std::as_bytes(std::span(&scalar.value, 1)));
  }

  void write_coordinates() const {
    for (const auto& scalar : scalar_coordinates(file_))
      write_scalar(aside_ + "/" + scalar.name + "/c", scalar);
    if (has_levels(file_))
      replace_file(aside_ + "/" + level_name(file_) + "/c/0",
                   std::as_bytes(std::span(file_.level_numbers)));
    if (!file_.grid.empty())
      write_mesh_arrays(aside_, Grid::parse(file_.grid), mesh_content(file_));
  }

  void list_arrays() {
    arrays_.clear();
    arrays_.push_back(time_array(file_));
    if (has_levels(file_)) arrays_.push_back(level_array(file_));
    for (std::size_t field = 0; field < file_.fields.size(); ++field)
      arrays_.push_back(field_array(file_, field, grids_[field]));
    if (!file_.grid.empty()) {
      const auto mesh = mesh_arrays(Grid::parse(file_.grid), mesh_content(file_));
      arrays_.insert(arrays_.end(), mesh.begin(), mesh.end());
    }
    for (const auto& scalar : scalar_coordinates(file_)) arrays_.push_back(scalar_array(scalar));
  }

  /// Of the times that were put, which may be fewer than were to come.
  void write_times() {
    list_arrays();
    write_group(aside_, file_, file_.history, arrays_);
    for (const auto& array : arrays_) write_array_json(aside_, array);
    replace_file(aside_ + "/time/c/0", std::as_bytes(std::span(file_.times_s)));
  }

  /// What a run has written of a field's description.
  Json described(const std::string& name) const {
    try {
      const auto json = Json::parse(text_of(aside_ + "/" + name + "/zarr.json").value_or(""));
      json.at("shape").at(0).get<std::size_t>();
      json.at("chunk_grid"), json.at("codecs");
      return json;
    } catch (const Json::exception&) {
      throw Error(Blame::user, fmt::format("'{}/{}/zarr.json' is not what a run wrote; take the "
                                           "store back from where it was copied, or begin anew",
                                           aside_, name));
    }
  }

  /// Throws if what is there cannot be gone on with.
  void require_kept() const {
    for (std::size_t field = 0; field < file_.fields.size(); ++field) {
      const auto& name = file_.fields[field].name;
      const auto now = array_json(field_array(file_, field, grids_[field]));
      const auto before = described(name);
      if (before["chunk_grid"] != now["chunk_grid"] || before["codecs"] != now["codecs"]) {
        throw Error(Blame::user,
                    fmt::format("'{}' of '{}' is cut into shards of other writers; "
                                "continue with the mode, the ranks and the compression "
                                "of the run before",
                                name, aside_));
      }
      require_shards(static_cast<int>(field));
    }
  }

  /// The store of an interrupted run, with the kept times only.
  void go_on() {
    take_back(file_.path);
    require_kept();
    for (const auto& field : file_.fields) {
      const auto times = described(field.name)["shape"][0].get<std::size_t>();
      std::error_code ignored;
      for (auto time = file_.kept.size(); time <= times; ++time)
        fs::remove_all(fmt::format("{}/{}/c/{}", aside_, field.name, time), ignored);
    }
    write_coordinates();  // whatever has become of them
  }

  /// Throws if one of a kept time is not there to its end: it would be read as missing values.
  void require_shards(int field) const {
    const auto& grid = grids_[field];
    const int rows = (grid.levels + grid.shard_levels - 1) / grid.shard_levels;
    const auto columns = (grid.points + grid.shard_points - 1) / grid.shard_points;
    for (int time = 0; time < static_cast<int>(file_.kept.size()); ++time) {
      for (int row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
          const auto path = shard_path({time, field, row, column});
          if (is_whole_shard(path, grid)) continue;
          throw Error(Blame::user, fmt::format("'{}' is not as the run wrote it: it was cut, or is "
                                               "gone; put it back as it was, or begin anew",
                                               path));
        }
      }
    }
  }

  /// The directories of a shard that its owner may have to make, and its file at last.
  std::vector<std::string> shard_names(const Key& key) const {
    const auto& [time, field, row, column] = key;
    const FieldInfo& info = file_.fields[field];
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
    const ShardGrid& grid = grids_[field];
    const auto names = shard_names(key);
    auto shard = std::make_unique<ShardFile>(
        names.back(), std::span(names).first(names.size() - 1), grid,
        std::min(grid.shard_levels, grid.levels - row * grid.shard_levels),
        std::min(grid.shard_points, grid.points - column * grid.shard_points),
        ChunkCodec{file_.compression, static_cast<int>(file_.value_bytes(file_.fields[field]))});
    return *open_.emplace(key, std::move(shard)).first->second;
  }

  void trace(const Piece& piece, int time_index, const void* values) const {
    const FieldInfo& info = file_.fields[piece.field];
    if (!trace_watches(info.name, file_.steps[time_index])) return;
    const auto& target = trace_target();
    const auto found =
        std::find(file_.level_numbers.begin(), file_.level_numbers.end(), target.level);
    const std::int64_t level = info.levels == 1 ? 0 : found - file_.level_numbers.begin();
    const std::int64_t in_level = target.point - piece.first_point;
    const std::int64_t in_piece = level - piece.first_level;
    if (in_level < 0 || in_level >= piece.points || in_piece < 0 || in_piece >= piece.levels)
      return;
    const auto offset = in_piece * piece.points + in_level;
    const double value = shown_value(values, offset, file_.type_of(info));
    const ShardGrid& grid = grids_[piece.field];
    const Key key{time_index, piece.field, static_cast<int>(level) / grid.shard_levels,
                  target.point / grid.shard_points};
    trace_stop("container", offset, value,
               fmt::format("zarr shard '{}'",
                           fs::path(shard_path(key)).lexically_relative(aside_).string()));
  }

  FileDescription file_;
  std::string aside_;
  bool head_;
  std::vector<ShardGrid> grids_;                    // [field]
  std::vector<ZarrArray> arrays_;                   // head only
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

void check_kept_zarr(const FileDescription& description) { Zarr::check_kept(description); }

}  // namespace thalweg
