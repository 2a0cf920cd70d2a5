// SPDX-License-Identifier: Apache-2.0
// CMake defines THALWEG_KERNEL_CALLS, the header's word for where calls go, for targets on ranks.
#include "kernel_ranks.hpp"

#include <exception>
#include <vector>

#include "model_kernels.hpp"
#ifdef THALWEG_KERNELS_ON_DEVICE
#include "on_device/shared_memory.hpp"
#endif

namespace thalweg::mini {

#ifdef THALWEG_KERNEL_CALLS
namespace {

place_of_a_rank place(const char* name, const PlacePart& part, int each_rank_has_more = 0) {
  place_of_a_rank found{name, part.owned, {part.owner.begin(), part.owner.end()}, part.global};
  found.owners.resize(found.owners.size() + each_rank_has_more, each_rank);
  found.globals.resize(found.owners.size(), -1);
  return found;
}

ranks_of_calls made(MPI_Comm comm, const std::vector<place_of_a_rank>& places, double limit_s) {
  return ranks_of_calls(shallow_water_ranks(MPI_Comm_c2f(comm), places, limit_s));
}

ranks_of_calls* calls_of_hexagons = nullptr;

}  // namespace

struct KernelRanks::Parts {
  Parts(MPI_Comm comm, const Mesh& mesh, double limit_s)
      : triangles(made(
            comm,
            {place("cells", mesh.cell), place("edges", mesh.edge), place("vertices", mesh.vertex)},
            limit_s)),
        hexagons(made(comm,
                      {place("cells", mesh.vertex), place("edges", mesh.edge, 1),
                       place("vertices", mesh.cell)},
                      limit_s)),
        calls(THALWEG_KERNEL_CALLS, triangles) {
    calls_of_hexagons = &hexagons;
  }
  ranks_of_calls triangles, hexagons;
  on_ranks calls;
};

KernelRanks::KernelRanks(MPI_Comm comm, const Mesh& mesh, double limit_s)
    : parts_(std::make_unique<Parts>(comm, mesh, limit_s)) {}

/// A rank that fails ends without the others: what they would have to give back together stays.
KernelRanks::~KernelRanks() {
  calls_of_hexagons = nullptr;
  if (std::uncaught_exceptions() > 0) parts_.release();
}

CallsOfHexagons::CallsOfHexagons()
    : calls_(std::make_shared<on_ranks>(THALWEG_KERNEL_CALLS,
                                        ranks_to_call(calls_of_hexagons, "pvort"))) {}
CallsOfHexagons::~CallsOfHexagons() = default;
#else
struct KernelRanks::Parts {};
KernelRanks::KernelRanks(MPI_Comm, const Mesh&, double) {}
KernelRanks::~KernelRanks() = default;
CallsOfHexagons::CallsOfHexagons() = default;
CallsOfHexagons::~CallsOfHexagons() = default;
#endif

#ifdef THALWEG_KERNELS_ON_DEVICE
std::string prepare_kernels(MPI_Comm comm) {
  MPI_Comm of_node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_node);
  int number = 0;
  MPI_Comm_rank(of_node, &number);
  MPI_Comm_free(&of_node);
  return share_memory_with_gpu(number);
}
#else
std::string prepare_kernels(MPI_Comm) { return ""; }
#endif

}  // namespace thalweg::mini
