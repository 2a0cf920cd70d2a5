// SPDX-License-Identifier: Apache-2.0
// Metadata, too, is read and written by all ranks in the same order.
#ifdef THALWEG_PARALLEL_NETCDF
#include "format/netcdf/hdf5_together.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "file/ompio_name.hpp"
#include "format/netcdf/hdf5_id.hpp"

namespace thalweg {

namespace {

hid_t open_together(const std::string& path, MPI_Comm team, const IoHints& hints) {
  const IoInfo info(hints);
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const bool prepared = H5Pset_fapl_mpio(access.id(), team, info.handle()) >= 0 &&
                        H5Pset_all_coll_metadata_ops(access.id(), true) >= 0 &&
                        H5Pset_coll_metadata_write(access.id(), true) >= 0 &&
                        H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG) >= 0;
  free_ompio_name(path);
  return prepared ? open_hdf5(path, H5F_ACC_RDWR, access.id()) : hid_t{-1};
}

}  // namespace

Hdf5Together::Hdf5Together(const std::string& path, MPI_Comm team, const IoHints& hints)
    : file_(open_together(path, team, hints)) {}

bool Hdf5Together::well(herr_t status) {
  const int reason = refused_by_disk();
  if (refusal_ == 0) refusal_ = reason;
  return status >= 0 && reason == 0;
}

IoHints Hdf5Together::hints() const {
  void* handle = nullptr;
  const bool known = H5Fget_vfd_handle(file_, H5P_DEFAULT, &handle) >= 0 && handle != nullptr;
  return known ? reported_hints(*static_cast<MPI_File*>(handle)) : IoHints{};
}

bool Hdf5Together::extend(const std::string& name, hsize_t length) {
  const Hdf5Id dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(H5Dget_space(dataset.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 1) return false;
  std::vector<hsize_t> shape(rank);
  H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
  shape[0] = std::max(shape[0], length);
  errno = 0;
  return well(H5Dset_extent(dataset.id(), shape.data()));
}

bool Hdf5Together::write(const std::string& name, const Hdf5Box* box, ValueType type,
                         const void* values) {
  const Hdf5Id dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id in_file(H5Dget_space(dataset.id()), H5Sclose);
  const hsize_t count = box == nullptr ? 1
                                       : std::accumulate(box->count.begin(), box->count.end(),
                                                         hsize_t{1}, std::multiplies<>());
  const Hdf5Id in_memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const double nothing = 0.0;
  bool selected = true;
  if (box == nullptr) {
    selected = H5Sselect_none(in_file.id()) >= 0 && H5Sselect_none(in_memory.id()) >= 0;
  } else {
    selected = H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, box->begin.data(), nullptr,
                                   box->count.data(), nullptr) >= 0;
  }
  const Hdf5Id transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_dxpl_mpio(transfer.id(), H5FD_MPIO_COLLECTIVE);
  const auto* from = box == nullptr ? &nothing : values;
  errno = 0;
  const auto status =
      H5Dwrite(dataset.id(), native_type(type), in_memory.id(), in_file.id(), transfer.id(), from);
  return well(status) && selected;
}

bool Hdf5Together::close() {
  const auto file = std::exchange(file_, -1);
  errno = 0;
  return file < 0 || well(H5Fclose(file));
}

}  // namespace thalweg
#endif
