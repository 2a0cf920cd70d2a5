// SPDX-License-Identifier: Apache-2.0
// What unit tests ask about the memory of a process.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace thalweg {

/// A line of /proc/PROCESS/status in bytes, e.g. "RssAnon:" (resident, no file, not shared) or
/// "VmHWM:" (the most that was ever resident); 0 if there is none. `process`: a number or "self".
inline std::int64_t memory_use(const std::string& process, std::string_view line) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == line && status >> kib) return kib << 10;
  }
  return 0;
}

/// From now on "VmHWM:" counts anew.
inline void forget_most_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace thalweg
