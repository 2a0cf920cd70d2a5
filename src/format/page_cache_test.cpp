// SPDX-License-Identifier: Apache-2.0
// Facts about the choice between the page cache and the way past it.
#include "format/page_cache.hpp"

#include <doctest/doctest.h>

using namespace thalweg;

namespace {

constexpr std::int64_t bytes = 1 << 20;

/// `count` writes, each as fast as its way; returns how many went past the cache.
int writes(WriteWays& ways, int count, double cached_s, double past_s) {
  int past = 0;
  for (int i = 0; i < count; ++i) {
    const bool past_cache = ways.past_cache();
    past += past_cache ? 1 : 0;
    ways.note(past_cache, bytes, past_cache ? past_s : cached_s);
  }
  return past;
}

}  // namespace

TEST_CASE("the_first_write_is_cached_and_the_second_tries_the_other_way") {
  WriteWays ways;
  CHECK_FALSE(ways.past_cache());
  CHECK_FALSE(ways.past_cache());  // still nothing known
  ways.note(false, bytes, 1.0);
  CHECK(ways.past_cache());
}

TEST_CASE("the_faster_way_is_taken_and_the_other_tried_the_more_seldom_the_slower_it_is") {
  WriteWays slow_disk, slow_memory, alike;
  CHECK(writes(slow_disk, 1000, 1.0, 10.0) <= 7);  // 2, then one in 16 * 10
  CHECK(writes(slow_memory, 1000, 10.0, 1.0) >= 993);
  const int past = writes(alike, 1000, 1.0, 1.1);  // one in 16 * 1.1
  CHECK(past >= 50);
  CHECK(past <= 60);
}

TEST_CASE("a_way_that_becomes_slow_is_left_and_found_again") {
  WriteWays ways;
  writes(ways, 100, 1.0, 2.0);
  CHECK(writes(ways, 10, 20.0, 2.0) >= 9);
  CHECK(writes(ways, 400, 1.0, 2.0) <= 200);  // found again at the next trial
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
