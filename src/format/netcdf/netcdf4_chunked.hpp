// SPDX-License-Identifier: Apache-2.0
// netCDF-4 with an unlimited time axis and one chunk per time and level, compressed or not, that a
// team of ranks writes together.
#pragma once

#include "format/container.hpp"

namespace thalweg {

/// HDF5 stores a chunk's size in 32 bits; a little less leaves room for blocks that grow.
inline constexpr std::uint64_t largest_chunk_bytes = (std::uint64_t{1} << 32U) - (1U << 26U);

struct ChunkLimits {
  std::uint64_t chunk_bytes = largest_chunk_bytes;  ///< a larger level is divided evenly
  std::uint64_t batch_bytes = std::uint64_t{4}
                              << 20U;  ///< of encoded chunks go to the file at once
};

/// Needs request, grant and settle. Pieces are whole levels: a Piece covers all points of the file.
std::unique_ptr<Container> create_netcdf4_chunked(const FileDescription& description, MPI_Comm team,
                                                  ChunkLimits limits = {});
std::unique_ptr<Container> join_netcdf4_chunked(const FileDescription& description,
                                                const std::string& layout, MPI_Comm team,
                                                ChunkLimits limits = {});

/// ContainerInfo::check_kept, where the file has chunks.
void check_kept_chunked(const FileDescription& description);

}  // namespace thalweg
