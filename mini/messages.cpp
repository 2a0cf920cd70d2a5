// SPDX-License-Identifier: Apache-2.0
// Prints messages line by line, so that a runner on a pipe sees each at once.
#include "messages.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace thalweg::mini {

void say(const nlohmann::json& message) {
  fmt::print("{}\n", message.dump());
  std::fflush(stdout);
}

void say_error(const std::string& sentence) {
  fmt::print(stderr, "thalweg: error: {}\n", sentence);
  std::fflush(stderr);
}

}  // namespace thalweg::mini
