// SPDX-License-Identifier: Apache-2.0
// The shallow-water equations as a Core: independent layers, tracers, a ground.
#pragma once

#include <memory>
#include <vector>

#include "core.hpp"
#include "stencils.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

int shallow_halo_depth(const SettingTable& model);
std::unique_ptr<Core> make_shallow_core(const SettingTable& model, const Mesh& mesh,
                                        const Stencils& stencils);
std::vector<OutputRow> shallow_rows(int levels);

}  // namespace thalweg::mini
