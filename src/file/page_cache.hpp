// SPDX-License-Identifier: Apache-2.0
// Through the page cache or past it: which way large writes take, decided by how fast they were.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace thalweg {

enum class PageCache { choose, always, never };
/// From the word in [io]; throws Error(user).
PageCache parse_page_cache(std::string_view word);
/// Of this process, for files opened from now on.
void set_page_cache(PageCache rule);

/// What is known of large writes into one file system: the moving mean of seconds a byte of both
/// ways. Each write takes the way that was faster so far; now and then, more seldom the slower it
/// is, the beginning of a write tries the other one.
class WriteWays {
 public:
  struct Choice {
    bool past_cache;
    bool trial;  ///< only `trial_bytes` of the write, the rest goes the other way
  };
  static constexpr std::int64_t trial_bytes = 2 << 20;

  Choice choose();
  void note(bool past_cache, std::int64_t bytes, double seconds);
  void no_way_past() { refused_ = true; }  ///< the file system cannot
  void set(PageCache rule) { rule_ = rule; }

 private:
  PageCache rule_ = PageCache::choose;
  bool refused_ = false;
  std::optional<double> cached_s_, past_s_;  // a byte
  double writes_ = 0.0;                      // since the last trial
};

/// Of the file system with this device number, as this process knows it.
WriteWays& write_ways(dev_t device);

}  // namespace thalweg
