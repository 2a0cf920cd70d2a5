// SPDX-License-Identifier: Apache-2.0
// The fields of one output time, from the equations to the library.
#pragma once

#include <span>

#include "core.hpp"
#include "thalweg/output.hpp"

namespace thalweg::mini {

/// Computes and puts every field that a stream wants at this time, in the order of the rows.
void put_fields(Output& output, std::span<const StreamSettings> streams, const Mesh& mesh,
                Core& core, ModelTime time);

}  // namespace thalweg::mini
