// SPDX-License-Identifier: Apache-2.0
// An HDF5 file that all ranks of a team write together, by MPI-IO. netCDF-C could do it, but keeps
// 1.7 kB of every file that it opens until the process ends (4.9.0), and here that is every time.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <span>
#include <string>

#include "file/mpi_io.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// Values begin[d] ... begin[d] + count[d] - 1 of each dimension d, slowest first.
struct Hdf5Box {
  std::span<const hsize_t> begin, count;
};

/// All calls but hints() and refusal() are collective. Nothing throws: they say whether this rank
/// has done its part, which it tries also after another call was refused, since the others may be
/// in it.
class Hdf5Together {
 public:
  Hdf5Together(const std::string& path, MPI_Comm team, const IoHints& hints);
  Hdf5Together(const Hdf5Together&) = delete;  // a file that nobody closes stays open: a rank that
  Hdf5Together& operator=(const Hdf5Together&) = delete;  // leaves cannot close it alone
  bool is_open() const { return file_ >= 0; }
  /// What MPI says of the open file.
  IoHints hints() const;

  /// The first dimension of a dataset becomes at least so long.
  bool extend(const std::string& dataset, hsize_t length);
  /// This rank's part; nullptr: it has none.
  bool write(const std::string& dataset, const Hdf5Box* box, ValueType type, const void* values);
  bool close();
  /// What the disk refused first, as an errno; 0: nothing that anybody knows of.
  int refusal() const { return refusal_; }

 private:
  bool well(herr_t status);  // of a call that followed errno = 0

  hid_t file_;
  int refusal_ = 0;
};

}  // namespace thalweg
