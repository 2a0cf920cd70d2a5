// SPDX-License-Identifier: Apache-2.0
// Allocates the prognostic fields and lists them for the halo exchange.
#include "state.hpp"

#include <fmt/format.h>

#include "stencils.hpp"

namespace thalweg::mini {

State::State(const Mesh& mesh, int level_count, const std::vector<FieldInfo>& infos, int spare)
    : levels(level_count) {
  for (const FieldInfo& info : infos) {
    const PlacePart& part = mesh.part(info.place);
    const Extent extent(part.total() + spare, info.levels);
    fields.push_back({info, part.owned, std::vector<double>(extent.values(), 0.0)});
  }
}

std::vector<HaloField> halo_fields(State& state) {
  std::vector<HaloField> fields;
  for (StateField& field : state.fields) {
    fields.push_back({field.info.place, field.info.levels, field.values.data()});
  }
  return fields;
}

State Layers::state(const Mesh& mesh, int levels, int tracers) {
  std::vector<FieldInfo> infos{
      {"velocity", "", "velocity along the edge", "m s-1", Place::edge, levels},
      {"thickness", "", "thickness of the layer", "m", Place::vertex, levels}};
  for (int tracer = 0; tracer < tracers; ++tracer) {
    infos.push_back({fmt::format("tracer_mass_{}", tracer + 1), "", "thickness times mixing ratio",
                     "m", Place::vertex, levels});
  }
  return State(mesh, levels, infos);
}

}  // namespace thalweg::mini
