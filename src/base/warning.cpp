// SPDX-License-Identifier: Apache-2.0
// Remembers what was said.
#include "base/warning.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <mutex>
#include <set>

namespace thalweg {

void warn_once(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::scoped_lock lock(mutex);
  if (!said.insert(sentence).second) return;
  fmt::print(stderr, "thalweg: warning: {}\n", sentence);
  std::fflush(stderr);
}

}  // namespace thalweg
