// SPDX-License-Identifier: Apache-2.0
// An HDF5 file whose large blocks are given a place by HDF5 and written by whoever owns them.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thalweg {

/// An existing HDF5 file, open for writing through a virtual file driver of ours (registered with
/// HDF5 on first use). The driver reads and writes as the standard one does, with one exception:
/// what HDF5 would write from our placeholder is not written, its address is noted instead.
class ChunkFile {
 public:
  /// Throws Error(file_system).
  explicit ChunkFile(const std::string& path);
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;
  ~ChunkFile();  ///< as abandon()

  /// Opens a dataset; returns its position for the calls below.
  int open_dataset(const std::string& name);
  /// Makes the first dimension at least `length` long.
  void extend(int dataset, std::uint64_t length);
  /// Lets HDF5 make room for one chunk of `size` bytes as stored, first value at `offset`; returns
  /// its address in the file.
  std::uint64_t place(int dataset, std::span<const std::uint64_t> offset, std::uint64_t size);
  /// Writes one number of a one-dimensional dataset of doubles.
  void write_number(int dataset, std::uint64_t index, double value);

  void flush();             ///< HDF5's own bytes are in the file
  void close();             ///< and the file has its final length
  void abandon() noexcept;  ///< nothing more is written

 private:
  struct Dataset {
    hid_t id;
    std::vector<hsize_t> shape;
  };
  void check(bool good, const char* what) const;

  std::string path_;
  hid_t file_ = -1;
  void* driver_ = nullptr;  // the driver's end of file_
  std::vector<Dataset> datasets_;
};

}  // namespace thalweg
