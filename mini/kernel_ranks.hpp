// SPDX-License-Identifier: Apache-2.0
// Where kernels are translated for ranks (thalweg_mini_mpi, thalweg_mini_onesided): whose points
// they compute; for a GPU (thalweg_mini_cuda): which one a rank takes. For others this is nothing.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "thalweg/grid.hpp"

namespace thalweg::mini {

/// Before anything is made that kernels are given: a rank takes its GPU. Collective over those that
/// compute. Returns a note for the user; "" for none. Throws Error(user).
std::string prepare_kernels(MPI_Comm comm);

/// While it lives, kernels are called on the ranks of `comm`, with the points of `mesh` by the
/// names that kernels of triangles give them: cells, edges, vertices.
class KernelRanks {
 public:
  /// Collective. limit_s: for what one rank waits until the program ends.
  KernelRanks(MPI_Comm comm, const Mesh& mesh, double limit_s);
  ~KernelRanks();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// While it lives, by the names that kernels of hexagons give them (primitive/hexagons.hpp), with
/// the one edge more.
class CallsOfHexagons {
 public:
  CallsOfHexagons();
  ~CallsOfHexagons();

 private:
  std::shared_ptr<void> calls_;
};

}  // namespace thalweg::mini
