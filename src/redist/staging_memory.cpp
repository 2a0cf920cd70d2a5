// SPDX-License-Identifier: Apache-2.0
// Chooses the ways between sources and takers, per pair of ranks, and puts them together.
#include "redist/staging_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/call_limit.hpp"
#include "base/words.hpp"
#include "ranks/agreement.hpp"
#include "ranks/nodes.hpp"
#include "redist/staging_pages.hpp"
#include "redist/staging_ways.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

// What the ranks have in common: a private communicator and the node of every rank.
struct Neighbourhood {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  std::vector<int> node;  ///< [rank]
  bool near = false;      ///< is there a pair on one node?
  bool far = false;       ///< is there a pair on two nodes?
  bool taker = false;     ///< is this rank one?
};

// Ranks share a node only if MPI and `node_of` say so.
Neighbourhood look_round(const StagingRanks& ranks, const std::function<int(int)>& node_of) {
  Neighbourhood around;
  // From here on the ranks go the same way: what fails on one of them is agreed on by all (agreed),
  // so the calls of MPI that make communicators and windows, which cannot be given up, meet
  // everybody.
  come_together(ranks.comm, "all ranks to make their staging memory");
  {
    const CallLimit limit("all ranks to make their staging memory");
    MPI_Comm_dup(ranks.comm, &around.comm);
  }
  MPI_Comm_rank(around.comm, &around.rank);
  around.node = nodes_of(around.comm);
  if (node_of) {
    std::map<std::pair<int, int>, int> number;  // of (true node, played node)
    for (std::size_t rank = 0; rank < around.node.size(); ++rank) {
      const std::pair key{around.node[rank], node_of(static_cast<int>(rank))};
      around.node[rank] = number.try_emplace(key, static_cast<int>(number.size())).first->second;
    }
  }
  std::set<int> all, of_sources;
  for (const int source : ranks.sources) {
    of_sources.insert(around.node[source]);
  }
  all = of_sources;
  for (const int taker : ranks.takers) {
    const int node = around.node[taker];
    around.near = around.near || of_sources.contains(node);
    all.insert(node);
  }
  around.taker =
      std::find(ranks.takers.begin(), ranks.takers.end(), around.rank) != ranks.takers.end();
  around.far = all.size() > 1 && !ranks.sources.empty() && !ranks.takers.empty();
  return around;
}

// The ways in force, in the order in which they were made; the first may bring the memory.
struct Ways {
  std::vector<std::unique_ptr<StagingWay>> all;
  StagingWay* near = nullptr;  ///< for pairs on one node
  StagingWay* far = nullptr;   ///< for pairs on two nodes
  std::byte* memory = nullptr;
  std::unique_ptr<OwnMemory> own;

  StagingWay* add(std::unique_ptr<StagingWay> way) {
    return all.emplace_back(std::move(way)).get();
  }
};

class Staging final : public StagingMemory {
 public:
  Staging(Neighbourhood around, Ways ways, std::int64_t bytes)
      : around_(std::move(around)), ways_(std::move(ways)), bytes_(bytes) {}
  ~Staging() override;

  std::string describe() const override {
    if (!around_.far) return ways_.near->name();
    if (!around_.near || ways_.near == ways_.far) return ways_.far->name();
    return fmt::format("{} + {}", ways_.near->name(), ways_.far->name());
  }

  std::byte* memory() override { return ways_.memory; }

  void offer(int taker, int tag, std::int64_t offset, std::int64_t bytes) override {
    if (offset < 0 || bytes < 0 || offset + bytes > bytes_) {
      throw Error(Blame::bug, fmt::format("bytes {} to {} were offered of a staging memory of {}",
                                          offset, offset + bytes, bytes_));
    }
    if (taker == around_.rank || bytes == 0) return;
    way(taker).offer(taker, tag, ways_.memory + offset, bytes);
  }

  bool sends(int taker) const override { return taker != around_.rank && way(taker).sends(); }

  void reclaim(int tag) override {
    for (auto& way : ways_.all) way->reclaim(tag);
  }

  const std::byte* fetch(int source, int tag, std::int64_t offset, std::int64_t bytes,
                         std::byte* into) override {
    if (source == around_.rank) return ways_.memory + offset;
    return bytes == 0 ? into : way(source).fetch(source, tag, offset, bytes, into);
  }

  bool in_place(int source) const override {
    return source == around_.rank || way(source).in_place();
  }

  void fetch_all() override {
    for (auto& way : ways_.all) way->fetch_all();
  }

 private:
  StagingWay& way(int peer) const {
    const auto& node = around_.node;
    const bool near = node[peer] == node[around_.rank];
    return near ? *ways_.near : *ways_.far;
  }

  Neighbourhood around_;
  Ways ways_;
  std::int64_t bytes_;
};

Staging::~Staging() {
  if (!all_came(around_.comm, "all ranks to leave the staging memory")) {
    for (auto& way : ways_.all) (void)way.release();
    (void)ways_.own.release();
    return;
  }
  const CallLimit limit("all ranks to leave the staging memory");
  while (!ways_.all.empty()) ways_.all.pop_back();  // windows before the memory below them
  MPI_Comm_free(&around_.comm);
}

[[noreturn]] void refuse(Neighbourhood& around, const std::string& sentence) {
  MPI_Comm_free(&around.comm);
  throw Error(Blame::user, "[io]: " + sentence);
}

void use_own_memory(Ways& ways, Neighbourhood& around, std::int64_t bytes) {
  ways.own = std::make_unique<OwnMemory>(bytes);
  if (!agreed(around.comm, ways.own->there())) {
    refuse(around,
           "a rank cannot get the memory to stage its output; use fewer streams at a time "
           "or more nodes");
  }
  ways.memory = ways.own->begin();
}

Ways make_ways(Transport wish, Neighbourhood& around, std::int64_t bytes) {
  Ways ways;
  if (wish == Transport::rma) {
    auto room = make_rma_room(around.comm, bytes);
    if (!room.way) {
      refuse(around,
             "transport = \"rma\", but MPI cannot create windows of that size here; use "
             "transport = \"two_sided\" or \"auto\"");
    }
    ways.near = ways.far = ways.add(std::move(room.way));
    ways.memory = room.memory;
    return ways;
  }
  if (wish == Transport::shared_memory && around.far) {
    refuse(around,
           "transport = \"shared_memory\", but the ranks lie on several nodes; use "
           "transport = \"auto\"");
  }
  if (wish == Transport::shared_memory || (wish == Transport::automatic && around.near)) {
    auto room = make_shared_way(around.comm, around.node, bytes, around.taker);
    if (room.way) {
      ways.near = ways.add(std::move(room.way));
      ways.memory = room.memory;
    } else if (wish == Transport::shared_memory) {
      refuse(around,
             "transport = \"shared_memory\", but the staged output does not fit into "
             "/dev/shm; enlarge it or use transport = \"two_sided\" or \"auto\"");
    }
  }
  if (wish == Transport::automatic && around.far && (ways.near != nullptr || !around.near)) {
    if (ways.near == nullptr) use_own_memory(ways, around, bytes);
    if (auto windows = make_rma_way(around.comm, ways.memory, bytes)) {
      ways.far = ways.add(std::move(windows));
    }
  }
  if (ways.memory == nullptr && !ways.own) use_own_memory(ways, around, bytes);
  const bool lacking = (around.near && ways.near == nullptr) || (around.far && ways.far == nullptr);
  auto* rest = lacking || ways.all.empty() ? ways.add(make_two_sided_way(around.comm))
                                           : ways.all.back().get();
  if (ways.near == nullptr) ways.near = rest;
  if (ways.far == nullptr) ways.far = rest;
  return ways;
}

}  // namespace

Transport parse_transport(std::string_view word) {
  constexpr std::array known{"auto", "shared_memory", "rma", "two_sided"};
  return parse_word<Transport>("[io]", "transport", word, known);
}

std::unique_ptr<StagingMemory> make_staging_memory(Transport wish, StagingRanks ranks,
                                                   std::int64_t bytes,
                                                   const std::function<int(int)>& node_of) {
  auto around = look_round(ranks, node_of);
  auto ways = make_ways(wish, around, bytes);
  return std::make_unique<Staging>(std::move(around), std::move(ways), bytes);
}

}  // namespace thalweg
