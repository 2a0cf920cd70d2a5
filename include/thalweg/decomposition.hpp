// SPDX-License-Identifier: Apache-2.0
// Who owns which cells, the local mesh that follows from it, and the exchange of halo points.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/grid.hpp"

namespace thalweg {

/// Cells [begin, end) of the global order.
struct CellRange {
  std::int64_t begin, end;
};

/// How the cells of a grid are dealt to ranks. The same on every rank, and computed by each alone.
/// An edge or vertex belongs to the rank of the lowest-numbered cell it touches.
class Decomposition {
 public:
  /// kind: "curve" = contiguous ranges of the space-filling curve; "bisection" = recursive
  /// geometric bisection (median cuts of longitude and latitude, as ICON divides its grid),
  /// scattered in file order. Parts may be empty only if there are more parts than cells. Throws
  /// Error(user) on an unknown kind.
  Decomposition(const Grid& grid, int parts, std::string_view kind);

  int parts() const;
  int part_of(std::int64_t cell) const;
  std::vector<CellRange> cells_of(int part) const;  ///< ascending, merged
  const Grid& grid() const;
  static const std::vector<std::string>& kinds();

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// Builds the part of the mesh that `part` holds. Time and memory are proportional to the part.
Mesh build_mesh(const Decomposition& decomposition, int part, int halo_depth);

/// A field to exchange, level-innermost: values[point * levels + level], for all local points of
/// `place`.
struct HaloField {
  Place place;
  int levels;
  double* values;
};

/// Brings halo points up to date from their owners. Talks to neighbours only; all fields of one
/// exchange to one neighbour travel in one message.
class HaloExchange {
 public:
  /// Collective over `comm`, whose rank is the mesh's part.
  HaloExchange(MPI_Comm comm, const Mesh& mesh);
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) noexcept;

  /// Sends owned values, returns at once. Computing on owned points may go on; halo points are
  /// undefined until finish(). One exchange at a time.
  void start(std::span<const HaloField> fields);
  /// Waits (with a time limit, see wait.hpp) and unpacks into the halo points.
  void finish();
  void exchange(std::span<const HaloField> fields) { start(fields), finish(); }

  int neighbours() const;
  std::int64_t bytes_sent() const;  ///< since construction

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
