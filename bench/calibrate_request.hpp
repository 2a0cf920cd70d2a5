// SPDX-License-Identifier: Apache-2.0
// The words of the command line of thalweg_calibrate_bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::bench {

/// What one round measures.
struct CalibrateRequest {
  std::string directory;  ///< empty, of all nodes
  double seconds = 20.0, file_seconds = 0.1;
  unsigned seed = 0;                ///< of the order
  std::vector<std::int64_t> sizes;  ///< bytes of a file of each team; none: tried out

  /// DIRECTORY, then options and values; throws Error(user), or std::invalid_argument where a value
  /// is no number.
  static CalibrateRequest parse(const std::vector<std::string>& words);
};

}  // namespace thalweg::bench
