// SPDX-License-Identifier: Apache-2.0
// An HDF5 file whose large blocks are known to HDF5 and written by whoever owns them.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "file/file_room.hpp"

namespace thalweg {

/// An existing HDF5 file, open for writing through a virtual file driver of ours (registered with
/// HDF5 on first use). The driver reads and writes as the standard one does, with two exceptions:
/// what HDF5 would write from our placeholder is not written; and HDF5 takes its own room from a
/// FileRoom, as the owners of chunks do, so that both may go on at a time.
class ChunkFile {
 public:
  /// `room` begins at the end of the file; it must live as long as this. Throws Error(file_system).
  ChunkFile(const std::string& path, FileRoom& room);
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;
  ~ChunkFile();  ///< as abandon()

  std::uint64_t end() const;  ///< of what the file holds and knows
  /// From now on room begins behind this byte: what lies before it was taken by another run.
  void skip_to(std::uint64_t end);
  FileRoom& room() const;
  /// From now on room is taken from this one, which begins where the other one ends.
  void use(FileRoom& room);

  /// Opens a dataset; returns its position for the calls below.
  int open_dataset(const std::string& name);
  /// Makes the first dimension at least `length` long.
  void extend(int dataset, std::uint64_t length);
  /// Tells HDF5 that the chunk with its first value at `offset` lies at `address`, `size` bytes as
  /// stored, which were taken from the room.
  void place(int dataset, std::span<const std::uint64_t> offset, std::uint64_t size,
             std::uint64_t address);
  /// Writes one number of a one-dimensional dataset of doubles.
  void write_number(int dataset, std::uint64_t index, double value);

  /// HDF5's own bytes are in the file, which is as long as what was taken, so that it opens. Nobody
  /// may write behind the places known here meanwhile.
  void flush();
  void close();             ///< the same, and HDF5 lets go of the file
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
