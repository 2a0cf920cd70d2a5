// SPDX-License-Identifier: Apache-2.0
// An HDF5 file that all ranks of a team write together, by MPI-IO. netCDF-C could do it, but keeps
// 1.7 kB of every file that it opens until the process ends (4.9.0), and here that is every time.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <span>
#include <string>

#include "file/mpi_io.hpp"
#include "format/netcdf/hdf5_id.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// Values begin[d] ... begin[d] + count[d] - 1 of each dimension d, slowest first.
struct Hdf5Box {
  std::span<const hsize_t> begin, count;
};

/// All calls are collective. Nothing throws: they say whether this rank has done its part, which it
/// tries also after another call was refused, since the others may be in it.
class Hdf5Together {
 public:
  Hdf5Together(const std::string& path, MPI_Comm team, const IoHints& hints);
  bool is_open() const { return file_.id() >= 0; }
  /// What MPI says of the open file. The only call of one rank alone.
  IoHints hints() const;

  /// The first dimension of a dataset becomes at least so long.
  bool extend(const std::string& dataset, hsize_t length) const;
  /// This rank's part; nullptr: it has none.
  bool write(const std::string& dataset, const Hdf5Box* box, ValueType type,
             const void* values) const;
  bool close();

 private:
  Hdf5Id file_;
};

}  // namespace thalweg
