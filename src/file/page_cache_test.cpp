// SPDX-License-Identifier: Apache-2.0
// Facts about the choice between the page cache and the way past it.
#include "file/page_cache.hpp"

#include <doctest/doctest.h>

using namespace thalweg;

namespace {

constexpr std::int64_t bytes = 4 * WriteWays::trial_bytes;

/// `count` writes, each as fast as its way; returns the bytes that went past the cache, in writes.
double writes(WriteWays& ways, int count, double cached_s, double past_s) {
  std::int64_t past = 0;
  const auto one = [&](bool past_cache, std::int64_t part) {
    past += past_cache ? part : 0;
    ways.note(past_cache, part, static_cast<double>(part) * (past_cache ? past_s : cached_s));
  };
  for (int i = 0; i < count; ++i) {
    const auto choice = ways.choose();
    const auto part = choice.trial ? WriteWays::trial_bytes : bytes;
    one(choice.past_cache, part);
    if (part < bytes) one(!choice.past_cache, bytes - part);
  }
  return static_cast<double>(past) / bytes;
}

}  // namespace

TEST_CASE("the_first_write_tries_both_ways") {
  WriteWays ways;
  auto choice = ways.choose();
  CHECK_FALSE(choice.past_cache);
  CHECK(choice.trial);
  ways.note(false, WriteWays::trial_bytes, 1.0);
  choice = ways.choose();  // a write that was too small for both
  CHECK(choice.past_cache);
  CHECK(choice.trial);
}

TEST_CASE("the_faster_way_is_taken_and_the_other_tried_the_more_seldom_the_slower_it_is") {
  WriteWays slow_disk, slow_memory, alike;
  CHECK(writes(slow_disk, 1000, 1.0, 10.0) == 0.75 + 6 * 0.25);  // one in 16 * 10
  CHECK(writes(slow_memory, 1000, 10.0, 1.0) == 1000 - 7 * 0.25);
  const double past = writes(alike, 1000, 1.0, 1.1);  // a quarter of one in 16 * 1.1
  CHECK(past > 10);
  CHECK(past < 16);
}

TEST_CASE("a_way_that_becomes_slow_is_left_and_found_again") {
  WriteWays ways;
  writes(ways, 100, 1.0, 2.0);
  CHECK(writes(ways, 10, 20.0, 2.0) >= 8);
  CHECK(writes(ways, 400, 1.0, 2.0) <= 300);  // found again by trials
}

TEST_CASE("a_rule_of_the_user_and_a_refusal_of_the_file_system_are_kept") {
  WriteWays never, always;
  never.set(PageCache::never);
  CHECK(writes(never, 20, 1.0, 5.0) == 20);
  never.no_way_past();
  CHECK(writes(never, 20, 1.0, 5.0) == 0);
  always.set(PageCache::always);
  CHECK(writes(always, 100, 5.0, 1.0) == 0);
}
