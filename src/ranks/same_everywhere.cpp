// SPDX-License-Identifier: Apache-2.0
// The least and the largest hash are enough where all are the same; only else all are looked at.
#include "ranks/same_everywhere.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ranks/agreement.hpp"
#include "ranks/pending.hpp"
#include "ranks/rank_names.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const unsigned char letter : text) hash = (hash ^ letter) * 0x100000001b3U;
  return hash;
}

// Ranks whose hash is not the most frequent one (of two as frequent: that of the lower rank).
std::vector<int> odd_ones(std::span<const std::uint64_t> hashes) {
  std::map<std::uint64_t, int> times;
  for (const auto hash : hashes) ++times[hash];
  const auto usual = *std::max_element(hashes.begin(), hashes.end(),
                                       [&](auto a, auto b) { return times.at(a) < times.at(b); });
  std::vector<int> odd;
  for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
    if (hashes[rank] != usual) odd.push_back(static_cast<int>(rank));
  }
  return odd;
}

struct Hashes {
  std::vector<std::uint64_t> own, of_all;
};

// Indices of the aspects whose texts are not the same on all ranks.
std::vector<std::size_t> differing(MPI_Comm comm, std::span<const Aspect> aspects,
                                   const WaitFor& wait, std::string_view what) {
  Pending<Hashes> pending;
  auto& [own, largest] = *pending;
  for (const auto& aspect : aspects) {
    const auto hash = hash_of(aspect.text);
    own.insert(own.end(), {hash, ~hash});
  }
  largest.resize(own.size());
  MPI_Iallreduce(own.data(), largest.data(), static_cast<int>(own.size()), MPI_UINT64_T, MPI_MAX,
                 comm, &pending.request());
  wait(pending.request(), what);
  std::vector<std::size_t> found;
  for (std::size_t aspect = 0; aspect < aspects.size(); ++aspect) {
    if (largest[2 * aspect] != ~largest[2 * aspect + 1]) found.push_back(aspect);
  }
  return found;
}

// "rank 1 says other than the rest"
std::string who_differs(MPI_Comm comm, std::string_view text, const WaitFor& wait,
                        std::string_view what) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  Pending<Hashes> pending;
  auto& [own, hashes] = *pending;
  own.push_back(hash_of(text));
  hashes.resize(ranks);
  MPI_Iallgather(own.data(), 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, comm,
                 &pending.request());
  wait(pending.request(), what);
  const auto odd = odd_ones(hashes);
  return fmt::format("{} say{} other than the rest", rank_names(odd), odd.size() == 1 ? "s" : "");
}

}  // namespace

std::string difference_among(MPI_Comm comm, std::span<const Aspect> aspects, const WaitFor& wait) {
  const auto found = differing(comm, aspects, wait, "the other ranks to end their definitions");
  if (found.empty()) return "";
  const auto& first = aspects[found.front()];
  return fmt::format("the compute ranks differ in the {}: {}", first.name,
                     who_differs(comm, first.text, wait, "the definitions of the other ranks"));
}

void require_same_settings(MPI_Comm comm, std::span<const Aspect> settings) {
  constexpr auto what = "the other ranks to open with their settings";
  const auto found = differing(comm, settings, wait_for, what);
  if (found.empty()) return;
  std::vector<std::string_view> names;
  std::string texts;
  for (const auto index : found) {
    names.emplace_back(settings[index].name);
    texts += settings[index].text + '\n';
  }
  throw Error(Blame::user,
              fmt::format("the ranks differ in {}: {}; give all ranks the same "
                          "settings",
                          fmt::join(names, ", "), who_differs(comm, texts, wait_for, what)));
}

}  // namespace thalweg
