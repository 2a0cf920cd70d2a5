// SPDX-License-Identifier: Apache-2.0
// Allocates the prognostic fields and lists them for the halo exchange.
#include "state.hpp"

#include "stencils.hpp"

namespace thalweg::mini {

State::State(const Mesh& mesh, int level_count, int tracers) : levels(level_count) {
  const auto on_vertices = Extent(mesh.vertex.total(), levels).values();
  velocity.assign(Extent(mesh.edge.total(), levels).values(), 0.0);
  thickness.assign(on_vertices, 0.0);
  tracer_mass.assign(tracers, std::vector<double>(on_vertices, 0.0));
}

std::vector<HaloField> halo_fields(State& state) {
  std::vector<HaloField> fields{{Place::edge, state.levels, state.velocity.data()},
                                {Place::vertex, state.levels, state.thickness.data()}};
  for (auto& tracer : state.tracer_mass) {
    fields.push_back({Place::vertex, state.levels, tracer.data()});
  }
  return fields;
}

}  // namespace thalweg::mini
