// SPDX-License-Identifier: Apache-2.0
// Many messages between two looks at the clock; values that tell where they come from.
#include "message_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg::bench {
namespace {

constexpr double sample_s = 0.02;  ///< so long that a rank which loses its core once is one of many
constexpr double most_repeats = 2000.0;
constexpr std::int64_t cells_of_rank = 2500;  ///< at least; R2B4 on 8 ranks has as many
constexpr int gather_tag = 1;

/// The coarsest R2Bk that gives each rank enough cells.
Grid grid_for(int ranks) {
  Grid grid{2, 2};
  while (grid.cells() < cells_of_rank * ranks && grid.k < 11) ++grid.k;
  return grid;
}

double value_of(std::int64_t cell, int level) {
  return static_cast<double>(cell) + 1e-3 * static_cast<double>(level);
}

}  // namespace

Sample MessageTimer::time() {
  if (repeats_ == 0) {
    const auto once = [&] {
      const double begin_s = MPI_Wtime();
      work();
      return MPI_Wtime() - begin_s;
    };
    time_team(team_, "the first message of each rank", once);
    const double one_s = time_team(team_, "the second message of each rank", once).wall_s;
    repeats_ = static_cast<int>(std::clamp(sample_s / std::max(one_s, 1e-9), 2.0, most_repeats));
    bytes_ = static_cast<std::int64_t>(
        largest(MPI_COMM_WORLD, static_cast<double>(team_.is_mine() ? bytes_ : 0)));
  }
  auto sample = time_team(team_, "messages between ranks", [&] {
    const double begin_s = MPI_Wtime();
    for (int i = 0; i < repeats_; ++i) work();
    return MPI_Wtime() - begin_s;
  });
  let_team(team_, "the check of messages between ranks", [&] { check(); });
  sample.wall_s /= repeats_;
  sample.cpu_s /= repeats_;
  return sample;
}

ExchangeTimer::ExchangeTimer(const Team& team, int levels) : MessageTimer(team), levels_(levels) {
  let_team(team, "the set-up of the halo exchange", [&] {
    const Decomposition decomposition(grid_for(team.ranks), team.ranks, "curve");
    mesh_ = build_mesh(decomposition, team.rank, 1);
    exchange_ = std::make_unique<HaloExchange>(team.comm, mesh_);
    values_.resize(static_cast<std::size_t>(mesh_.cell.total()) * levels);
    for (int cell = 0; cell < mesh_.cell.owned; ++cell) {
      for (int level = 0; level < levels; ++level)
        values_[std::int64_t{cell} * levels + level] = value_of(mesh_.cell.global[cell], level);
    }
  });
}

void ExchangeTimer::work() {
  const auto before = exchange_->bytes_sent();
  const HaloField field{Place::cell, levels_, values_.data()};
  exchange_->exchange({&field, 1});
  if (bytes_ == 0) bytes_ = exchange_->bytes_sent() - before;
}

void ExchangeTimer::check() {
  const auto halo = values_.begin() + std::int64_t{mesh_.cell.owned} * levels_;
  std::fill(halo, values_.end(), -1.0);
  work();
  for (int cell = mesh_.cell.owned; cell < mesh_.cell.total(); ++cell) {
    for (int level = 0; level < levels_; ++level) {
      if (values_[std::int64_t{cell} * levels_ + level] != value_of(mesh_.cell.global[cell], level))
        throw Error(Blame::bug,
                    fmt::format("the halo exchange brought a wrong value to cell {}, level {}",
                                mesh_.cell.global[cell], level));
    }
  }
}

GatherTimer::GatherTimer(const Team& team, std::int64_t bytes_of_rank)
    : MessageTimer(team), bytes_of_rank_(bytes_of_rank) {
  let_team(team, "memory for gathering", [&] {
    mine_.resize(bytes_of_rank);
    std::fill(mine_.begin(), mine_.end(), static_cast<std::byte>(team.rank + 1));
    if (team.rank == 0) all_.resize(bytes_of_rank * team.ranks);
    std::fill(all_.begin(), all_.end(), std::byte{0});  // every page is touched here
  });
  bytes_ = bytes_of_rank * (team.ranks - 1);
}

// Synchronous sends: no rank runs ahead of the one that gathers.
void GatherTimer::work() {
  const int count = static_cast<int>(bytes_of_rank_);
  std::vector<MPI_Request> open;
  if (team_.rank > 0) {
    MPI_Issend(mine_.data(), count, MPI_BYTE, 0, gather_tag, team_.comm, &open.emplace_back());
  } else {
    for (int rank = 1; rank < team_.ranks; ++rank)
      MPI_Irecv(all_.data() + rank * bytes_of_rank_, count, MPI_BYTE, rank, gather_tag, team_.comm,
                &open.emplace_back());
  }
  wait_all(open, "values that are gathered on one rank");
}

void GatherTimer::check() {
  std::fill(all_.begin(), all_.end(), std::byte{0});
  work();
  for (std::size_t at = bytes_of_rank_; at < all_.size(); ++at) {
    if (all_[at] != static_cast<std::byte>(at / bytes_of_rank_ + 1))
      throw Error(Blame::bug, fmt::format("the first rank gathered a wrong byte of rank {}",
                                          at / bytes_of_rank_));
  }
}

}  // namespace thalweg::bench
