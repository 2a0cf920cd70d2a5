// SPDX-License-Identifier: Apache-2.0
// The same model on several ranks: each has some rows, and its kernel exchanges what it needs of
// the rows beside these. Nothing here knows when that is.
//
// Usage: mpirun -n RANKS rectangle_on_ranks mpi|onesided [POINTS_A_SIDE] [STEPS]
#include "rectangle_on_ranks.hpp"

#include <mpi.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "square.hpp"

namespace {

/// Rows [first, end) of a rank, then, if there are others, the row before and the row behind them.
struct Rows {
  Rows(const Rectangle& whole, int rank_count, int rank)
      : grid(whole), ranks(rank_count), first(begin_of(rank)), end(begin_of(rank + 1)) {}
  int begin_of(int rank) const { return static_cast<int>(std::int64_t{grid.side} * rank / ranks); }
  std::int64_t own() const { return std::int64_t{end - first} * grid.side; }
  int beside_them() const { return ranks > 1 ? 2 : 0; }
  std::int64_t total() const { return own() + beside_them() * grid.side; }
  /// Number here of a point in one of these rows or beside them.
  std::int64_t at(int i, int j) const {
    const int rows = end - first;
    const int row = ranks == 1  ? (j + rows) % rows
                    : j < first ? rows
                    : j >= end  ? rows + 1
                                : j - first;
    return std::int64_t{row} * grid.side + (i + grid.side) % grid.side;
  }
  int owner(int j) const {
    int rank = 0;
    while (begin_of(rank + 1) <= j) ++rank;
    return rank;
  }
  place_of_a_rank points() const {
    place_of_a_rank found{"points", own(), {}, {}};
    const auto add = [&](int j) {
      const int row = (j + grid.side) % grid.side;
      for (int i = 0; i < grid.side; ++i) {
        found.owners.push_back(owner(row));
        found.globals.push_back(grid.at(i, row));
      }
    };
    for (int j = first; j < end; ++j) add(j);
    if (ranks > 1) add(first - 1), add(end);
    return found;
  }
  /// [direction][point]; -1: nobody here needs it.
  std::vector<std::int32_t> beside() const {
    std::vector<std::int32_t> table;
    for (const auto& [i_step, j_step] : directions) {
      for (int j = first; j < end; ++j)
        for (int i = 0; i < grid.side; ++i)
          table.push_back(static_cast<std::int32_t>(at(i + i_step, j + j_step)));
      table.resize(table.size() + static_cast<std::size_t>(beside_them() * grid.side), -1);
    }
    return table;
  }

  Rectangle grid;
  int ranks, first, end;
};

std::vector<double> part_of(const Rows& rows, const std::vector<double>& whole) {
  std::vector<double> part(whole.begin() + rows.grid.at(0, rows.first),
                           whole.begin() + rows.grid.at(0, rows.first) + rows.own());
  part.resize(rows.total());  // the rows beside come from their owners
  return part;
}

State part_of(const Rows& rows, const State& whole) {
  State part(0);
  part.thickness = part_of(rows, whole.thickness);
  part.eastward = part_of(rows, whole.eastward);
  part.northward = part_of(rows, whole.northward);
  return part;
}

/// On rank 0.
State whole_of(const Rows& rows, const State& part) {
  State whole(rows.grid.points());
  std::vector<int> sizes, begins;
  for (int rank = 0; rank < rows.ranks; ++rank) {
    begins.push_back(rows.begin_of(rank) * rows.grid.side);
    sizes.push_back(rows.begin_of(rank + 1) * rows.grid.side - begins.back());
  }
  const auto gather = [&](const std::vector<double>& from, std::vector<double>& to) {
    MPI_Gatherv(from.data(), static_cast<int>(rows.own()), MPI_DOUBLE, to.data(), sizes.data(),
                begins.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  };
  gather(part.thickness, whole.thickness);
  gather(part.eastward, whole.eastward);
  gather(part.northward, whole.northward);
  return whole;
}

using Stage = std::function<void(const stage_arguments&)>;
using MakeStage = std::function<Stage(int comm, const place_of_a_rank&, const stage_arguments&)>;

Stage make_mpi(int comm, const place_of_a_rank& points, const stage_arguments& like) {
  const auto ranks = stage_mpi_ranks(comm, std::span(&points, 1));
  return [ranks, parts = stage_mpi_parts(ranks, like)](const auto& of) { stage_mpi(parts, of); };
}

Stage make_onesided(int comm, const place_of_a_rank& points, const stage_arguments& like) {
  const auto ranks = stage_onesided_ranks(comm, std::span(&points, 1));
  return [ranks, parts = stage_onesided_parts(ranks, like)](const auto& of) {
    stage_onesided(parts, of);
  };
}

void integrate(const Rows& rows, const MakeStage& make, int steps, bool tells) {
  const auto beside = rows.beside();
  const std::vector<double> ground(rows.total(), 0.0);
  State now = part_of(rows, eddy(rows.grid)), between = now, next = now;
  const auto of = [&](const State& from, State& to, double share) {
    return stage_arguments{.points = rows.total(),
                           .point_beside = beside.data(),
                           .thickness = from.thickness.data(),
                           .eastward = from.eastward.data(),
                           .northward = from.northward.data(),
                           .thickness_before = now.thickness.data(),
                           .eastward_before = now.eastward.data(),
                           .northward_before = now.northward.data(),
                           .ground = ground.data(),
                           .coriolis = coriolis_s1,
                           .width = rows.grid.width_m(),
                           .step = share * rows.grid.step_s(),
                           .thickness_after = to.thickness.data(),
                           .eastward_after = to.eastward.data(),
                           .northward_after = to.northward.data()};
  };
  const Stage run = make(MPI_Comm_c2f(MPI_COMM_WORLD), rows.points(), of(now, between, 0.0));
  const auto tell = [&](int step) {
    const State whole = whole_of(rows, now);
    if (tells) print_sums(rows.grid, whole, step);
  };
  tell(0);
  for (int step = 1; step <= steps; ++step) {
    State* from = &now;
    for (const double share : shares) {
      State& to = from == &between ? next : between;
      run(of(*from, to, share));
      from = &to;
    }
    std::swap(now, from == &between ? between : next);
    if (step % 60 == 0 || step == steps) tell(step);
  }
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int ranks = 1, rank = 0, failed = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string target = count > 1 ? words[1] : "";
  const Rectangle grid{count > 2 ? number(words[2]) : 128};
  const int steps = count > 3 ? number(words[3]) : 240;
  const bool is_known = target == "mpi" || target == "onesided";
  const bool fits = grid.side >= 4 && grid.side >= 2 * ranks && grid.side <= largest_side;
  if (!is_known || !fits || steps < 0 || count > 4) {
    if (rank == 0) {
      std::fprintf(stderr,
                   "usage: mpirun -n RANKS rectangle_on_ranks mpi|onesided "
                   "[POINTS_A_SIDE >= 4, and 2 a rank] [STEPS]\n");
    }
    failed = 2;
  } else {
    try {
      integrate(Rows(grid, ranks, rank), target == "mpi" ? make_mpi : make_onesided, steps,
                rank == 0);
    } catch (const std::runtime_error& error) {
      if (rank == 0) std::fprintf(stderr, "rectangle_on_ranks: %s\n", error.what());
      failed = 2;
    }
  }
  MPI_Finalize();
  return failed;
}
