// SPDX-License-Identifier: Apache-2.0
// The state that the restart benchmark writes and reads, and the rival: every rank its own file,
// bare.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/grid.hpp"
#include "thalweg/restart.hpp"

namespace thalweg::bench {

/// One layered float64 field on edges and two on cells, as the model holds them: [point][level],
/// halo behind the owned points.
struct RestartWorkload {
  std::string grid = "R2B5";
  int levels = 90;
  std::int64_t bytes() const;  ///< of a set's values
};

/// One rank's share of the state.
class RestartState {
 public:
  /// Collective over `comm`, whose ranks share the grid as `decomposition` says.
  RestartState(MPI_Comm comm, const RestartWorkload& workload, const std::string& decomposition);

  void fill(int set);
  void clear();
  /// Number of owned values that are not those of fill(set).
  std::int64_t wrong(int set) const;

  std::vector<OwnedPoints> owned() const;
  const std::vector<FieldInfo>& fields() const { return fields_; }
  std::vector<FieldView> views() const;
  std::vector<MutableFieldView> mutable_views();

  /// The rivals: one new file, a pwrite per field (slab_bytes = 0) or per slab. Throws
  /// Error(file_system).
  void write_bare(const std::string& path, std::size_t slab_bytes) const;
  void read_bare(const std::string& path);

 private:
  std::size_t owned_values(std::size_t field) const;
  std::int64_t point_of(std::size_t field, std::size_t local) const;

  Mesh mesh_;
  std::vector<FieldInfo> fields_;
  std::vector<std::vector<double>> values_;  // [field][point * levels + level], halo included
};

}  // namespace thalweg::bench
