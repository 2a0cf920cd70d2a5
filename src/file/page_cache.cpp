// SPDX-License-Identifier: Apache-2.0
// The page cache takes bytes as fast as the memory that it is given: 4 GB/s where the kernel has
// pages at hand, a tenth of it where a virtual machine's host has to find them. Past it, the disk
// decides.
#include "file/page_cache.hpp"

#include <algorithm>
#include <map>

#include "base/words.hpp"

namespace thalweg {

namespace {

constexpr double newest_weight = 0.25;   // in the moving mean
constexpr double writes_per_trial = 16;  // of the slower way, times how much slower it is

PageCache rule_now = PageCache::choose;

void mix(std::optional<double>& mean, double value) {
  mean = mean ? *mean + newest_weight * (value - *mean) : value;
}

}  // namespace

PageCache parse_page_cache(std::string_view word) {
  constexpr std::array known{"auto", "always", "never"};
  return parse_word<PageCache>("[io]", "page_cache", word, known);
}

void set_page_cache(PageCache rule) { rule_now = rule; }

WriteWays::Choice WriteWays::choose() {
  if (refused_ || rule_ == PageCache::always) return {false, false};
  if (rule_ == PageCache::never) return {true, false};
  if (!cached_s_) return {false, true};
  if (!past_s_) return {true, true};
  const bool faster = *past_s_ < *cached_s_;
  const double ratio =
      std::max(*past_s_, *cached_s_) / std::max(std::min(*past_s_, *cached_s_), 1e-15);
  if (++writes_ <= writes_per_trial * ratio) return {faster, false};
  writes_ = 0.0;
  return {!faster, true};
}

void WriteWays::note(bool past_cache, std::int64_t bytes, double seconds) {
  mix(past_cache ? past_s_ : cached_s_, seconds / static_cast<double>(bytes));
}

WriteWays& write_ways(dev_t device) {
  static std::map<dev_t, WriteWays> all;
  auto& ways = all[device];
  ways.set(rule_now);
  return ways;
}

}  // namespace thalweg
