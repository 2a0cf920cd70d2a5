// SPDX-License-Identifier: Apache-2.0
// Sums of scrambled indices: those of all owned points must be those of all points. A wrong set of
// points has the same sum once in 2^64.
#include "redist/ownership.hpp"

#include <fmt/format.h>

#include <array>

#include "ranks/agreement.hpp"
#include "ranks/pending.hpp"
#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"

namespace thalweg {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): every bit of the index moves half of the result's.
std::uint64_t scrambled(std::int64_t index) {
  auto bits = static_cast<std::uint64_t>(index) + 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

std::uint64_t sum_of(std::int64_t first, std::int64_t end) {
  std::uint64_t sum = 0;
  for (auto index = first; index < end; ++index) sum += scrambled(index);
  return sum;
}

// The runs of all ranks say what exactly is wrong.
std::string fault_of(MPI_Comm comm, std::int64_t size, const std::vector<IndexRun>& own) {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(own.size())};
  for (const auto& run : own) words.insert(words.end(), {run.global, run.local, run.length});
  const auto all = gather_lists(comm, words);
  std::vector<std::vector<IndexRun>> runs;
  for (std::size_t next = 0; next < all.size();) {
    auto& of_rank = runs.emplace_back(all[next++]);
    for (auto& run : of_rank) {
      run = {all[next], all[next + 1], all[next + 2]};
      next += 3;
    }
  }
  try {
    const Plan plan(size, runs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

std::string ownership_fault(MPI_Comm comm, const PerPlace<std::int64_t>& sizes,
                            const OwnedRuns& runs, const WaitFor& wait) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  struct Sums {  // [place]: number of points, then sum, less those due
    std::array<std::uint64_t, 6> own{}, all{};
  };
  Pending<Sums> pending;
  auto& [own, all] = *pending;
  for (std::size_t place = 0; place < 3; ++place) {
    const auto first =
        sizes[place] / ranks * rank + std::min<std::int64_t>(sizes[place] % ranks, rank);
    const auto end = first + sizes[place] / ranks + (rank < sizes[place] % ranks ? 1 : 0);
    own[place] = static_cast<std::uint64_t>(first - end);
    own[place + 3] = 0 - sum_of(first, end);
    for (const auto& run : runs[place]) {
      own[place] += static_cast<std::uint64_t>(run.length);
      own[place + 3] += sum_of(run.global, run.global + run.length);
    }
  }
  MPI_Iallreduce(own.data(), all.data(), 6, MPI_UINT64_T, MPI_SUM, comm, &pending.request());
  wait(pending.request(), "the owned points of the other ranks");
  for (std::size_t place = 0; place < 3; ++place) {
    if (all[place] == 0 && all[place + 3] == 0) continue;
    const auto fault = fault_of(comm, sizes[place], runs[place]);
    if (!fault.empty()) return fmt::format("place '{}': {}", place_names[place], fault);
  }
  return "";
}

}  // namespace thalweg
