// SPDX-License-Identifier: Apache-2.0
// Takers get the bytes that sources offered: by every way, in any order, again and again.
#include "redist/staging_memory.hpp"

#include <doctest/doctest.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

#include "ranks/nodes.hpp"
#include "redist/staging_pages.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

using namespace thalweg;

namespace {

struct World {
  World() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
  ~World() { MPI_Comm_free(&comm); }
  MPI_Comm comm = MPI_COMM_NULL;  // for the test's own messages
  int rank = 0, ranks = 1;
};

std::byte pattern(int source, int taker, int tag, int round, std::int64_t at) {
  const auto mixed = (static_cast<std::uint64_t>(at) + 1) * 0x9E3779B97F4A7C15u +
                     static_cast<std::uint64_t>(source * 131 + taker * 17 + tag * 7 + round);
  return static_cast<std::byte>((mixed >> 29) & 0xff);
}

// What a source offers to a taker under a tag in a round: both sides compute it.
struct Offer {
  std::int64_t offset, bytes;
};

struct Traffic {
  int tags = 3, offers = 3;
  std::int64_t longest = 0;  // bytes of one offer
  std::vector<int> sources, takers;

  std::int64_t memory_bytes() const {
    return tags * offers * static_cast<std::int64_t>(takers.size()) * longest;
  }
  // One in four is empty. Stretches of different tags, takers and offers do not meet.
  std::vector<Offer> of(int source, std::size_t taker, int tag, int round) const {
    std::mt19937 random(static_cast<unsigned>(source + 10 * taker +
                                              100u * static_cast<unsigned>(tag) +
                                              1000u * static_cast<unsigned>(round)));
    std::vector<Offer> result;
    for (int number = 0; number < offers; ++number) {
      const auto first =
          ((tag * static_cast<std::int64_t>(takers.size()) + static_cast<std::int64_t>(taker)) *
               offers +
           number) *
          longest;
      const std::int64_t bytes = random() % 4 == 0 ? 0 : random() % (longest + 1);
      result.push_back(
          {first + static_cast<std::int64_t>(random() % (longest - bytes + 1)), bytes});
    }
    return result;
  }
};

bool is_in(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

void fill_and_offer(StagingMemory& staging, const Traffic& traffic, const World& world, int tag,
                    int round) {
  for (std::size_t taker = 0; taker < traffic.takers.size(); ++taker) {
    for (const auto& offer : traffic.of(world.rank, taker, tag, round)) {
      for (std::int64_t at = 0; at < offer.bytes; ++at) {
        staging.memory()[offer.offset + at] =
            pattern(world.rank, traffic.takers[taker], tag, round, at);
      }
      staging.offer(traffic.takers[taker], tag, offer.offset, offer.bytes);
    }
  }
}

// Fetches all offers of a tag from every source, sources in random order; returns the wrong bytes.
std::int64_t take(StagingMemory& staging, const Traffic& traffic, const World& world, int tag,
                  int round, std::mt19937& random) {
  const std::size_t self =
      std::find(traffic.takers.begin(), traffic.takers.end(), world.rank) - traffic.takers.begin();
  auto order = traffic.sources;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::vector<std::byte>> buffers;
  struct Fetched {
    int source;
    Offer offer;
    const std::byte* at;
  };
  std::vector<Fetched> fetched;
  for (const int source : order) {
    for (const auto& offer : traffic.of(source, self, tag, round)) {
      std::byte* into = nullptr;
      if (!staging.in_place(source)) {
        into = buffers.emplace_back(offer.bytes).data();
      }
      fetched.push_back(
          {source, offer, staging.fetch(source, tag, offer.offset, offer.bytes, into)});
    }
  }
  staging.fetch_all();
  std::int64_t wrong = 0;
  for (const auto& [source, offer, from] : fetched) {
    for (std::int64_t at = 0; at < offer.bytes; ++at) {
      if (from[at] != pattern(source, world.rank, tag, round, at)) ++wrong;
    }
  }
  return wrong;
}

// Rounds of: all tags offered, announced, taken in random order, credited, reclaimed.
std::int64_t exchange(StagingMemory& staging, const Traffic& traffic, const World& world,
                      int rounds) {
  constexpr int credit = 1000;
  const bool source = is_in(traffic.sources, world.rank), taker = is_in(traffic.takers, world.rank);
  std::mt19937 random(static_cast<unsigned>(world.rank) + 99u);
  std::int64_t wrong = 0;
  char word = 0, heard = 0;  // two: a rank may write to itself
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> tags(traffic.tags);
    std::iota(tags.begin(), tags.end(), 0);
    std::vector<MPI_Request> announcements;
    if (source) {
      for (const int tag : tags) {
        fill_and_offer(staging, traffic, world, tag, round);
        for (const int to : traffic.takers) {
          announcements.push_back(MPI_REQUEST_NULL);
          MPI_Isend(&word, 1, MPI_CHAR, to, tag, world.comm, &announcements.back());
        }
      }
    }
    if (taker) {
      std::shuffle(tags.begin(), tags.end(), random);
      for (const int tag : tags) {
        for (const int from : traffic.sources) {
          MPI_Recv(&heard, 1, MPI_CHAR, from, tag, world.comm, MPI_STATUS_IGNORE);
        }
        wrong += take(staging, traffic, world, tag, round, random);
        for (const int to : traffic.sources) {
          announcements.push_back(MPI_REQUEST_NULL);
          MPI_Isend(&word, 1, MPI_CHAR, to, credit + tag, world.comm, &announcements.back());
        }
      }
    }
    if (source) {
      for (const int tag : tags) {
        for (const int from : traffic.takers) {
          MPI_Recv(&heard, 1, MPI_CHAR, from, credit + tag, world.comm, MPI_STATUS_IGNORE);
        }
        staging.reclaim(tag);
      }
    }
    wait_all(announcements, "the test's own messages");
  }
  return wrong;
}

std::vector<int> range(int begin, int end) {
  std::vector<int> result(std::max(0, end - begin));
  std::iota(result.begin(), result.end(), begin);
  return result;
}

std::unique_ptr<StagingMemory> make(const std::string& wish, const Traffic& traffic,
                                    const World& world,
                                    const std::function<int(int)>& node_of = {}) {
  const auto bytes = is_in(traffic.sources, world.rank) ? traffic.memory_bytes() : 0;
  return make_staging_memory(parse_transport(wish), {world.comm, traffic.sources, traffic.takers},
                             bytes, node_of);
}

struct Nodes {
  const char* name;
  std::function<int(int)> of;
};

}  // namespace

TEST_SUITE_BEGIN("staging memory");

TEST_CASE("every way and mix gives takers the bytes that were offered") {
  const World world;
  const int n = world.ranks;
  const std::vector<Nodes> cases{{"as they are", {}},
                                 {"one", [](int) { return 0; }},
                                 {"alternate", [](int rank) { return rank % 2; }},
                                 {"halves", [n](int rank) { return rank < (n + 1) / 2 ? 7 : 3; }},
                                 {"each alone", [](int rank) { return rank; }}};
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> roles{
      {range(0, std::max(1, n - 1)), range(n - 1, n)},  // one I/O rank, last
      {range(n / 2, n), range(0, std::max(1, n / 2))},  // I/O ranks first
      {range(0, n), range(0, n)}};                      // every rank is both
  for (const auto& [sources, takers] : roles) {
    for (const auto& [name, of] : cases) {
      for (const std::string wish : {"auto", "rma", "two_sided", "shared_memory"}) {
        CAPTURE(std::string(name));
        CAPTURE(wish);
        bool one_node = true;
        for (const int rank : range(0, n)) {
          if (!is_in(sources, rank) && !is_in(takers, rank)) continue;
          one_node = one_node && (!of || of(rank) == of(sources.front()));
        }
        if (wish == "shared_memory" && !one_node) continue;
        for (const std::int64_t longest : {1, 1000, 100000}) {
          CAPTURE(longest);
          Traffic traffic{3, 3, longest, sources, takers};
          auto staging = make(wish, traffic, world, of);
          CHECK(reinterpret_cast<std::uintptr_t>(staging->memory()) % 64 == 0);
          CHECK(exchange(*staging, traffic, world, 3) == 0);
        }
      }
    }
  }
}

TEST_CASE("auto shares memory on a node and nowhere else") {
  const World world;
  Traffic traffic{1, 1, 100, range(0, world.ranks), range(0, world.ranks)};
  CHECK(make("auto", traffic, world)->describe() == "shared_memory");
  if (world.ranks == 1) return;
  const auto alone = make("auto", traffic, world, [](int rank) { return rank; });
  // Every rank is its own neighbour, and reads itself in place.
  CHECK(alone->describe() == "shared_memory + rma");
  for (int source = 0; source < world.ranks; ++source) {
    CHECK(alone->in_place(source) == (source == world.rank));
  }
  Traffic apart{1, 1, 100, {0}, range(1, world.ranks)};
  CHECK(make("auto", apart, world, [](int rank) { return rank; })->describe() == "rma");
  CHECK(make("auto", apart, world)->describe() == "shared_memory");
  CHECK(make("two_sided", apart, world)->describe() == "two_sided");
  CHECK(make("rma", apart, world)->describe() == "rma");
}

TEST_CASE("values in shared memory are read where they lie") {
  const World world;
  Traffic traffic{1, 1, 4096, {0}, range(0, world.ranks)};
  auto staging = make("shared_memory", traffic, world);
  if (world.rank == 0) std::fill_n(staging->memory(), 4096, std::byte{41});
  if (world.rank == 0) {
    for (int taker = 0; taker < world.ranks; ++taker) staging->offer(taker, 0, 0, 4096);
  }
  MPI_Barrier(world.comm);
  REQUIRE(staging->in_place(0));
  const auto* first = staging->fetch(0, 0, 0, 4096, nullptr);
  staging->fetch_all();
  CHECK(std::all_of(first, first + 4096, [](std::byte value) { return value == std::byte{41}; }));
  MPI_Barrier(world.comm);
  if (world.rank == 0) staging->memory()[17] = std::byte{42};
  if (world.rank == 0) staging->offer(world.ranks - 1, 0, 0, 4096);
  MPI_Barrier(world.comm);
  const auto* again = staging->fetch(0, 0, 0, 4096, nullptr);
  staging->fetch_all();
  CHECK(again == first);
  CHECK(again[17] == std::byte{42});
}

TEST_CASE("no sources, no takers and no bytes are served") {
  const World world;
  for (const std::string wish : {"auto", "rma", "two_sided", "shared_memory"}) {
    CAPTURE(wish);
    Traffic empty{1, 2, 0, range(0, world.ranks), range(0, world.ranks)};
    auto staging = make(wish, empty, world);
    CHECK(exchange(*staging, empty, world, 2) == 0);
    Traffic nobody{1, 1, 100, range(0, world.ranks), {}};
    CHECK(exchange(*make(wish, nobody, world), nobody, world, 1) == 0);
    Traffic nothing{1, 1, 100, {}, {world.ranks - 1}};
    CHECK(!make(wish, nothing, world)->describe().empty());
  }
}

TEST_CASE("a wish that cannot be fulfilled is refused on all ranks") {
  const World world;
  Traffic traffic{1, 1, 100, range(0, world.ranks), {world.ranks - 1}};
  CHECK_THROWS_WITH_AS(make("share_memory", traffic, world),
                       "[io]: transport 'share_memory' does not exist; choose one of: auto, "
                       "shared_memory, rma, two_sided. Did you mean 'shared_memory'?",
                       Error);
  if (world.ranks == 1) return;
  try {
    make("shared_memory", traffic, world, [](int rank) { return rank; });
    FAIL("memory is not shared between nodes");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    CHECK(std::string(error.what()).find("lie on several nodes") != std::string::npos);
  }
}

// What happens then is played with a small /dev/shm in tests/failure.
TEST_CASE("windows that do not fit into /dev/shm on one rank are not asked for on any") {
  struct statvfs room {};
  if (statvfs("/dev/shm", &room) != 0) return;
  const World world;
  const auto all = static_cast<std::int64_t>(room.f_blocks * room.f_frsize);
  const auto bytes = world.rank == 0 ? all : 1000;
  CHECK(windows_fit(world.comm, 0));
  CHECK(!windows_fit(world.comm, bytes));
  const StagingRanks both{world.comm, range(0, world.ranks), range(0, world.ranks)};
  for (const std::string wish : {"shared_memory", "rma"}) {
    CAPTURE(wish);
    try {
      make_staging_memory(parse_transport(wish), both, bytes);
      FAIL("it does not fit");
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::user);
      CHECK(std::string(error.what()).find("two_sided") != std::string::npos);
    }
  }
}

TEST_CASE("nodes are numbered in the order of their lowest ranks") {
  const World world;
  const auto nodes = nodes_of(world.comm);
  REQUIRE(static_cast<int>(nodes.size()) == world.ranks);
  int known = 0;
  for (const int node : nodes) {
    CHECK(node <= known);
    known = std::max(known, node + 1);
  }
}

TEST_SUITE_END();
