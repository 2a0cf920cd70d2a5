// SPDX-License-Identifier: Apache-2.0
// Reads raw chunks by HDF5's direct way and decodes them with our codecs.
#include "format/netcdf/netcdf4_reader.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "codec/codec.hpp"
#include "format/netcdf/hdf5_id.hpp"
#include "format/netcdf/hdf5_zstd.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

/// The filters of a dataset, if we can undo them.
struct Pipeline {
  bool shuffled = false;
  const Codec* codec = nullptr;  // nullptr: not compressed
};

std::optional<Pipeline> pipeline_of(hid_t creation) {
  Pipeline pipeline;
  const int filters = H5Pget_nfilters(creation);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t parameters = 0;
    const auto id = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &parameters, nullptr,
                                   0, nullptr, nullptr);
    const auto found = std::find_if(codecs().begin(), codecs().end(),
                                    [&](const Codec& codec) { return codec.hdf5_filter == id; });
    if (pipeline.codec != nullptr) return {};  // something behind the codec
    if (id == H5Z_FILTER_SHUFFLE && !pipeline.shuffled)
      pipeline.shuffled = true;
    else if (found != codecs().end())
      pipeline.codec = &*found;
    else
      return {};
  }
  if (pipeline.shuffled && pipeline.codec == nullptr) return {};
  return pipeline;
}

}  // namespace

struct Netcdf4Reader::Dataset {
  hid_t id = -1, native = -1;
  StoredField field;
  std::int64_t chunk_levels = 0, chunk_points = 0;  // 0: HDF5 reads
  Pipeline pipeline;
  std::vector<std::byte> fill;          // one value; empty: HDF5 reads chunks that are not there
  std::vector<std::byte> raw, decoded;  // work space

  ~Dataset() {
    if (native >= 0) H5Tclose(native);
    if (id >= 0) H5Dclose(id);
  }

  void look_at_storage() {
    const hid_t creation = H5Dget_create_plist(id), type = H5Dget_type(id);
    hsize_t chunk[3] = {};
    const int rank = field.layered ? 3 : 2;
    const auto pipeline_known = pipeline_of(creation);
    if (H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, 3, chunk) == rank &&
        chunk[0] == 1 && pipeline_known && H5Tequal(type, native) > 0) {
      pipeline = *pipeline_known;
      chunk_levels = field.layered ? static_cast<std::int64_t>(chunk[1]) : 1;
      chunk_points = static_cast<std::int64_t>(chunk[rank - 1]);
      H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
      H5Pfill_value_defined(creation, &defined);
      if (defined != H5D_FILL_VALUE_UNDEFINED) {
        fill.resize(field.value_bytes);
        if (H5Pget_fill_value(creation, native, fill.data()) < 0) fill.clear();
      }
    }
    H5Tclose(type);
    H5Pclose(creation);
  }

  /// HDF5's own way, for everything that is not ours.
  bool read_by_library(std::int64_t time, std::int64_t first_level, std::int64_t levels,
                       void* values) const {
    const auto points = static_cast<hsize_t>(field.points);
    const hsize_t start[] = {static_cast<hsize_t>(time), static_cast<hsize_t>(first_level), 0};
    const hsize_t layered[] = {1, static_cast<hsize_t>(levels), points}, flat[] = {1, points};
    const hsize_t flat_start[] = {start[0], 0};
    const hsize_t* count = field.layered ? layered : flat;
    const hid_t space = H5Dget_space(id);
    const hid_t memory = H5Screate_simple(field.layered ? 3 : 2, count, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, field.layered ? start : flat_start, nullptr, count,
                        nullptr);
    const bool good = H5Dread(id, native, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
  }

  /// Decodes the chunk whose first value is at (time, level, point) into `into`. False: HDF5 must
  /// read it.
  bool decode(std::int64_t time, std::int64_t level, std::int64_t point,
              std::span<std::byte> into) {
    hsize_t where[3] = {static_cast<hsize_t>(time), static_cast<hsize_t>(level),
                        static_cast<hsize_t>(point)};
    if (!field.layered) where[1] = where[2];
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(id, where, &size) < 0) size = 0;
    if (size == 0) {
      if (fill.empty()) return false;
      for (std::size_t i = 0; i < into.size(); i += fill.size())
        std::memcpy(into.data() + i, fill.data(), fill.size());
      return true;
    }
    const bool plain = pipeline.codec == nullptr;
    if (plain && size != into.size()) return false;
    if (!plain && raw.size() < size) raw.resize(size);
    std::uint32_t filters_left_out = 0;
    if (H5Dread_chunk(id, H5P_DEFAULT, where, &filters_left_out, plain ? into.data() : raw.data()) <
            0 ||
        filters_left_out != 0)
      return false;
    if (plain) return true;
    const auto block = std::span<const std::byte>(raw).first(size);
    if (pipeline.shuffled)
      decompress_values(*pipeline.codec, block, field.value_bytes, into);
    else
      pipeline.codec->decompress(block, into);
    return true;
  }

  bool read_by_chunks(std::int64_t time, std::int64_t first_level, std::int64_t levels,
                      std::byte* values) {
    const std::int64_t width = field.value_bytes, end = first_level + levels;
    const std::size_t chunk_bytes = chunk_levels * chunk_points * width;
    for (auto level = first_level / chunk_levels * chunk_levels; level < end;
         level += chunk_levels) {
      for (std::int64_t point = 0; point < field.points; point += chunk_points) {
        if (chunk_levels == 1 && chunk_points == field.points) {  // decoded where it is wanted
          auto* into = values + (level - first_level) * field.points * width;
          if (!decode(time, level, point, {into, chunk_bytes})) return false;
          continue;
        }
        decoded.resize(chunk_bytes);
        if (!decode(time, level, point, decoded)) return false;
        const auto points = std::min(chunk_points, field.points - point);
        for (auto row = std::max(level, first_level); row < std::min(level + chunk_levels, end);
             ++row)
          std::memcpy(values + ((row - first_level) * field.points + point) * width,
                      decoded.data() + (row - level) * chunk_points * width, points * width);
      }
    }
    return true;
  }
};

Netcdf4Reader::Netcdf4Reader(const std::string& path) : path_(path) {
  register_hdf5_zstd();
  errno = 0;
  file_ = open_hdf5(path, H5F_ACC_RDONLY);
  if (file_ >= 0) return;
  throw Error(Blame::file_system,
              fmt::format("cannot read '{}': {}", path,
                          errno == 0 ? "it is no whole netCDF-4 file" : std::strerror(errno)));
}

Netcdf4Reader::Netcdf4Reader(Netcdf4Reader&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      datasets_(std::move(other.datasets_)) {}

Netcdf4Reader& Netcdf4Reader::operator=(Netcdf4Reader&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(datasets_, other.datasets_);
  return *this;
}

Netcdf4Reader::~Netcdf4Reader() {
  datasets_.clear();
  if (file_ >= 0) H5Fclose(file_);
}

Netcdf4Reader::Dataset& Netcdf4Reader::dataset(const std::string& variable) const {
  auto& dataset = datasets_[variable];
  if (dataset) return *dataset;
  auto fresh = std::make_unique<Dataset>();
  fresh->id = H5Dopen2(file_, variable.c_str(), H5P_DEFAULT);
  hsize_t shape[3] = {};
  int rank = 0;
  if (fresh->id >= 0) {
    const hid_t space = H5Dget_space(fresh->id), type = H5Dget_type(fresh->id);
    rank = H5Sget_simple_extent_ndims(space);
    if (rank <= 3) H5Sget_simple_extent_dims(space, shape, nullptr);
    fresh->native = H5Tget_native_type(type, H5T_DIR_ASCEND);
    H5Tclose(type);
    H5Sclose(space);
  }
  const auto bytes = fresh->native >= 0 ? H5Tget_size(fresh->native) : 0;
  if ((rank != 2 && rank != 3) || (bytes != 4 && bytes != 8)) {
    datasets_.erase(variable);
    throw Error(Blame::user, fmt::format("'{}' has no variable '{}' of (time, points) or (time, "
                                         "level, points)",
                                         path_, variable));
  }
  fresh->field.times = static_cast<std::int64_t>(shape[0]);
  fresh->field.layered = rank == 3;
  fresh->field.levels = rank == 3 ? static_cast<std::int64_t>(shape[1]) : 1;
  fresh->field.points = static_cast<std::int64_t>(shape[rank - 1]);
  fresh->field.value_bytes = static_cast<int>(bytes);
  fresh->look_at_storage();
  dataset = std::move(fresh);
  return *dataset;
}

StoredField Netcdf4Reader::field(const std::string& variable) const {
  return dataset(variable).field;
}

void Netcdf4Reader::read(const std::string& variable, std::int64_t time, std::int64_t first_level,
                         std::int64_t levels, void* values) const {
  auto& found = dataset(variable);
  const auto& field = found.field;
  if (time < 0 || time >= field.times || first_level < 0 || levels < 0 ||
      first_level + levels > field.levels) {
    throw Error(Blame::bug, fmt::format("'{}' of '{}' has no time {} with levels {} to {}",
                                        variable, path_, time, first_level, first_level + levels));
  }
  try {
    if (found.chunk_points > 0 &&
        found.read_by_chunks(time, first_level, levels, static_cast<std::byte*>(values)))
      return;
  } catch (const Error& error) {
    throw Error(error.blame(),
                fmt::format("cannot read '{}' of '{}': {}", variable, path_, error.what()));
  }
  errno = 0;
  if (found.read_by_library(time, first_level, levels, values)) return;
  throw Error(Blame::file_system,
              fmt::format("cannot read '{}' of '{}': {}", variable, path_,
                          errno == 0 ? "HDF5 cannot decode it" : std::strerror(errno)));
}

}  // namespace thalweg
