// SPDX-License-Identifier: Apache-2.0
// netCDF-C describes the index file, then HDF5 adds the fields: virtual datasets that netCDF takes
// for its own variables, because they hang on the same dimension scales.
#include "format/netcdf/virtual_dataset.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <array>
#include <filesystem>

#include "base/file_size_signal.hpp"
#include "format/netcdf/hdf5_id.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "format/netcdf/netcdf_metadata.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

/// The parts must be there, and hold every point of every place with fields once.
void check_parts(const FileDescription& whole, std::span<const FileDescription> parts) {
  for (const auto& part : parts) {
    std::error_code ignored;
    if (fs::is_regular_file(part.path, ignored)) continue;
    throw Error(Blame::file_system, fmt::format("cannot make the index '{}': its part '{}' is not "
                                                "there",
                                                whole.path, part.path));
  }
  for (const auto& field : whole.fields) {
    const Place place = field.place;
    std::int64_t next = 0;
    for (const auto& part : parts) {
      if (part.first_points[place] != next) next = -1;
      if (next < 0) break;
      next += part.sizes[place];
    }
    if (next == whole.sizes[place]) continue;
    throw Error(Blame::bug, fmt::format("the parts of '{}' do not hold every {} once", whole.path,
                                        place_names[place]));
  }
}

/// The index file while HDF5 adds fields to it.
class IndexFile {
 public:
  IndexFile(const FileDescription& whole, std::span<const FileDescription> parts)
      : whole_(whole),
        parts_(parts),
        aside_(whole.path + ".part"),
        file_(open_hdf5(aside_, H5F_ACC_RDWR), H5Fclose) {
    check(file_.id(), "open");
  }

  void add(const FieldInfo& field) const {
    const bool deep = field.levels > 1;
    const int rank = deep ? 3 : 2;
    const Hdf5Id space(H5Screate_simple(rank, shape(whole_, field).data(), nullptr), H5Sclose);
    const Hdf5Id storage(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Hdf5Id link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    for (const auto& part : parts_) map(storage.id(), space.id(), field, part);
    // What a reader gets for the points of a part that is gone.
    const PerType<hid_t> types{H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE, H5T_STD_I64LE};
    const auto stored = whole_.type_of(field);
    const hid_t type = types[stored];
    const hid_t in_memory = native_type(stored);
    with_missing_value(stored, [&](auto fill) {
      check(H5Pset_fill_value(storage.id(), in_memory, &fill), "lay out");
    });
    const Hdf5Id dataset(H5Dcreate2(file_.id(), field.name.c_str(), type, space.id(), link.id(),
                                    storage.id(), H5P_DEFAULT),
                         H5Dclose);
    check(dataset.id(), "define a variable in");
    attach(dataset.id(), 0, "time");
    if (deep) attach(dataset.id(), 1, level_name(whole_).c_str());
    attach(dataset.id(), deep ? 2 : 1, place_names[field.place]);
    for (const auto& [name, value] : field_attributes(whole_, field))
      put_text(dataset.id(), name, value);
    with_missing_value(stored,
                       [&](auto fill) { put_fill_value(dataset.id(), type, in_memory, &fill); });
  }

  void close() const { check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "write"); }

 private:
  void check(std::int64_t status, const char* what) const {
    check_netcdf(status >= 0 ? NC_NOERR : NC_EHDFERR, what, aside_);
  }

  /// [time, level, point] or [time, point]
  static std::array<hsize_t, 3> shape(const FileDescription& file, const FieldInfo& field) {
    const auto times = static_cast<hsize_t>(file.times_s.size());
    const auto points = static_cast<hsize_t>(file.sizes[field.place]);
    if (field.levels == 1) return {times, points, 1};
    return {times, static_cast<hsize_t>(field.levels), points};
  }

  /// Readers look for the part beside the index, wherever they stand themselves.
  void map(hid_t storage, hid_t space, const FieldInfo& field, const FileDescription& part) const {
    const int rank = field.levels > 1 ? 3 : 2;
    const auto count = shape(part, field);
    std::array<hsize_t, 3> start{};
    start[rank - 1] = static_cast<hsize_t>(part.first_points[field.place]);
    const Hdf5Id here(H5Scopy(space), H5Sclose);
    const Hdf5Id there(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    check(H5Sselect_hyperslab(here.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr),
          "lay out");
    const auto name = fs::path(part.path).lexically_relative(fs::path(whole_.path).parent_path());
    check(H5Pset_virtual(storage, here.id(), name.c_str(), field.name.c_str(), there.id()),
          "lay out");
  }

  void attach(hid_t dataset, unsigned dimension, const char* name) const {
    const Hdf5Id scale(H5Dopen2(file_.id(), name, H5P_DEFAULT), H5Dclose);
    check(scale.id(), "find a dimension in");
    check(H5DSattach_scale(dataset, scale.id(), dimension), "describe");
  }

  void put_text(hid_t dataset, const std::string& name, const std::string& value) const {
    const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type.id(), std::max<std::size_t>(value.size(), 1)), "describe");
    const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Id attribute(
        H5Acreate2(dataset, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    check(attribute.id(), "describe");
    check(H5Awrite(attribute.id(), type.id(), value.c_str()), "describe");
  }

  void put_fill_value(hid_t dataset, hid_t type, hid_t in_memory, const void* fill) const {
    const hsize_t one = 1;
    const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    const Hdf5Id attribute(
        H5Acreate2(dataset, "_FillValue", type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute.id(), "describe");
    check(H5Awrite(attribute.id(), in_memory, fill), "describe");
  }

  const FileDescription& whole_;
  std::span<const FileDescription> parts_;
  std::string aside_;
  Hdf5Id file_;
};

}  // namespace

void write_virtual_dataset(const FileDescription& whole, std::span<const FileDescription> parts) {
  check_parts(whole, parts);
  NetcdfStorage storage;
  storage.fields = false;
  {
    NetcdfFile file(whole.path + ".part", NC_NETCDF4);
    const auto variables = define_netcdf(file.id(), whole, storage);
    check_netcdf(nc_enddef(file.id()), "lay out", file.name());
    write_coordinates(file.id(), whole, variables, storage);
    file.close();
  }
  {
    const FileSizeSignalBlocked blocked;
    const IndexFile index(whole, parts);
    for (const auto& field : whole.fields) index.add(field);
    index.close();
  }
  rename_to_final(whole.path);
}

}  // namespace thalweg
