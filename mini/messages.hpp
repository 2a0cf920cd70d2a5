// SPDX-License-Identifier: Apache-2.0
// What the model tells its runner: JSON lines on standard output (docs/run-directory.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace thalweg::mini {

/// Prints one line, at once.
void say(const nlohmann::json& message);

/// Prints `thalweg: error: SENTENCE` on standard error.
void say_error(const std::string& sentence);

}  // namespace thalweg::mini
