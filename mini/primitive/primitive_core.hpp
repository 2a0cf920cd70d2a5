// SPDX-License-Identifier: Apache-2.0
// The primitive equations as a Core.
#pragma once

#include <memory>
#include <vector>

#include "core.hpp"
#include "stencils.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

int primitive_halo_depth(const SettingTable& model);
std::unique_ptr<Core> make_primitive_core(const SettingTable& model, const Mesh& mesh,
                                          const Stencils& stencils);
std::vector<OutputRow> primitive_rows(int levels);

}  // namespace thalweg::mini
