// SPDX-License-Identifier: Apache-2.0
// What a run may choose from, as JSON for `thalweg fields` and `thalweg modes`.
#pragma once

#include <string>

namespace thalweg::mini {

std::string fields_as_json();
/// Output modes, restart modes and containers.
std::string modes_as_json();

}  // namespace thalweg::mini
