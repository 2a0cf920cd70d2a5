// SPDX-License-Identifier: Apache-2.0
// How the values of a file are made smaller.
#pragma once

#include <string>

namespace thalweg {

/// From the settings of a stream to its container as one value.
struct Compression {
  std::string codec = "none";  ///< "deflate", "zstd" (netcdf4: chunked then; zarr), grib2: "ccsds"
  int level = 1;               ///< of deflate (1-3 fast, 4-9 smaller) and zstd
  int bits = 16;               ///< grib2: bits per packed value

  bool none() const { return codec == "none"; }
  bool operator==(const Compression&) const = default;
};

}  // namespace thalweg
