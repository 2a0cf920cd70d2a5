// SPDX-License-Identifier: Apache-2.0
// Through the page cache or past it: which way large writes take, decided by how fast they were.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace thalweg {

enum class PageCache { choose, always, never };
/// Of this process, for files opened from now on: "auto", "always", "never".
void set_page_cache(std::string_view word);

/// What is known of large writes into one file system. One choice a write: the way that was faster
/// so far (moving mean of seconds a byte). The other is tried now and then, more seldom the slower
/// it is, which costs about a sixteenth of the time at most.
class WriteWays {
 public:
  bool past_cache();
  void note(bool past_cache, std::int64_t bytes, double seconds);
  void no_way_past() { refused_ = true; }  ///< the file system cannot
  void set(PageCache rule) { rule_ = rule; }

 private:
  PageCache rule_ = PageCache::choose;
  bool refused_ = false;
  std::optional<double> cached_s_, past_s_;  // a byte
  double writes_ = 0.0;                      // since the slower way was tried
};

/// Of the file system with this device number, as this process knows it.
WriteWays& write_ways(dev_t device);

}  // namespace thalweg
