// SPDX-License-Identifier: Apache-2.0
// A process whose memory has nearly run out, for tests of what it says then.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

namespace thalweg {

/// As `ulimit -v` for this process: blocks of 4 MiB that are left of what it may have, whatever
/// tests before this one gave back to the allocator.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t blocks) {
    held_.reserve(1 << 14);
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    auto now = before_;
    now.rlim_cur = static_cast<rlim_t>(pages * 4096 + (blocks + 2) * block_bytes);
    setrlimit(RLIMIT_AS, &now);
    while (auto* block = new (std::nothrow) std::byte[block_bytes]) held_.emplace_back(block);
    held_.resize(held_.size() - std::min(held_.size(), blocks));
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  static constexpr std::size_t block_bytes = std::size_t{4} << 20;
  std::vector<std::unique_ptr<std::byte[]>> held_;
  struct rlimit before_ {};
};

}  // namespace thalweg
