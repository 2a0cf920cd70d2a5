// SPDX-License-Identifier: Apache-2.0
// Reads fields of netCDF-4 files, ours or others', faster than the netCDF library.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace thalweg {

/// What a file holds of one field.
struct StoredField {
  std::int64_t times = 0, levels = 1, points = 0;
  bool layered = false;  ///< has a level axis, maybe of length 1
  int value_bytes = 0;   ///< 4: float32 or int32, 8: float64 or int64
};

/// A netCDF-4 file open for reading. Chunks of one time with shuffle, deflate or zstd are read and
/// decoded here, everything else is left to HDF5.
class Netcdf4Reader {
 public:
  /// Throws Error(file_system).
  explicit Netcdf4Reader(const std::string& path);
  Netcdf4Reader(Netcdf4Reader&&) noexcept;
  Netcdf4Reader& operator=(Netcdf4Reader&&) noexcept;
  ~Netcdf4Reader();

  /// A variable of dimensions (time, points) or (time, level, points); throws Error(user) if there
  /// is none of that name.
  StoredField field(const std::string& variable) const;
  /// values[level * points + point] of `levels` levels, in the file's type and this machine's byte
  /// order. Chunks that were never written give the fill value. Throws Error(file_system).
  void read(const std::string& variable, std::int64_t time, std::int64_t first_level,
            std::int64_t levels, void* values) const;

 private:
  struct Dataset;
  Dataset& dataset(const std::string& variable) const;

  std::string path_;
  std::int64_t file_ = -1;  // HDF5 identifier
  mutable std::map<std::string, std::unique_ptr<Dataset>> datasets_;
};

}  // namespace thalweg
