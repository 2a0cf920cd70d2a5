// SPDX-License-Identifier: Apache-2.0
// A raw file that several ranks write with pwrite.
#pragma once

#include <cstdint>
#include <string>

#include "session.hpp"

namespace thalweg::bench {

/// Rank 0 makes it, then the others open it. Ends all ranks where the file system refuses.
class SharedRaw {
 public:
  /// `past_cache`: by O_DIRECT; values, counts and places must then be whole pages.
  SharedRaw(const Session& session, const std::string& path, bool past_cache = false);
  /// Opens the file on this rank alone, making it.
  explicit SharedRaw(const std::string& path);
  ~SharedRaw();
  SharedRaw(const SharedRaw&) = delete;
  SharedRaw& operator=(const SharedRaw&) = delete;
  void write(const float* values, std::int64_t count, std::int64_t first_value);

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace thalweg::bench
