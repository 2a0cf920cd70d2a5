// SPDX-License-Identifier: Apache-2.0
// Facts about halo exchange; they say most on 2, 3 and 4 ranks (tests/mpi).
#include <doctest/doctest.h>
#include <mpi.h>

#include <cmath>
#include <string>
#include <vector>

#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks_here() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

const std::vector<Vec3>& positions(const Mesh& mesh, Place place) {
  return place == Place::cell   ? mesh.cell_centre
         : place == Place::edge ? mesh.edge_centre
                                : mesh.vertex_position;
}

/// A field linear in space and level; `until` points are set, the rest is NaN.
std::vector<double> linear_field(const Mesh& mesh, Place place, int levels, int until) {
  std::vector<double> field;
  for (int i = 0; i < mesh.part(place).total(); ++i) {
    const Vec3& p = positions(mesh, place)[i];
    for (int level = 0; level < levels; ++level)
      field.push_back(i < until ? 3.0 + 2.0 * p.x - p.y + 0.5 * p.z + 10.0 * level : std::nan(""));
  }
  return field;
}

}  // namespace

TEST_CASE("halo_exchange_restores_a_linear_field") {
  for (const char* name : {"R1B0", "R2B2", "R3B1"})
    for (const std::string& kind : Decomposition::kinds())
      for (const int depth : {1, 2}) {
        CAPTURE(name);
        CAPTURE(kind);
        CAPTURE(depth);
        const Mesh mesh =
            build_mesh(Decomposition(Grid::parse(name), ranks_here(), kind), rank_here(), depth);
        HaloExchange halo(MPI_COMM_WORLD, mesh);
        constexpr PerPlace<int> levels{3, 1, 5};
        PerPlace<std::vector<double>> values, expected;
        std::vector<HaloField> fields;
        for (const Place place : {Place::cell, Place::edge, Place::vertex}) {
          const int count = levels[place];
          values[place] = linear_field(mesh, place, count, mesh.part(place).owned);
          expected[place] = linear_field(mesh, place, count, mesh.part(place).total());
        }
        for (const Place place : {Place::vertex, Place::cell, Place::edge})
          fields.push_back({place, levels[place], values[place].data()});
        halo.exchange(fields);
        CHECK(values == expected);  // bit for bit; a NaN left over differs from everything
      }
}

TEST_CASE("exchanges_of_different_fields_follow_each_other_through_a_moved_exchange") {
  const Mesh mesh =
      build_mesh(Decomposition(Grid::parse("R2B2"), ranks_here(), "bisection"), rank_here(), 1);
  HaloExchange first(MPI_COMM_WORLD, mesh);
  HaloExchange halo = std::move(first);
  for (const int levels : {4, 1, 7})
    for (const Place place : {Place::edge, Place::vertex}) {
      std::vector<double> values = linear_field(mesh, place, levels, mesh.part(place).owned);
      const HaloField field{place, levels, values.data()};
      halo.start({&field, 1});
      halo.finish();
      CHECK(values == linear_field(mesh, place, levels, mesh.part(place).total()));
    }
}

TEST_CASE("one_rank_has_no_neighbours_and_many_ranks_talk_to_few") {
  const Mesh mesh =
      build_mesh(Decomposition(Grid::parse("R2B3"), ranks_here(), "curve"), rank_here(), 1);
  HaloExchange halo(MPI_COMM_WORLD, mesh);
  CHECK(halo.neighbours() <= ranks_here() - 1);
  CHECK((halo.neighbours() == 0) == (ranks_here() == 1));
  std::vector<double> values(mesh.cell.global.size(), 1.0);
  const HaloField field{Place::cell, 1, values.data()};
  halo.exchange({&field, 1});
  std::int64_t sent = halo.bytes_sent(), wanted = 8 * (mesh.cell.total() - mesh.cell.owned);
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sent == wanted);  // nothing travels but halo points
}

TEST_CASE("ranks_without_points_take_part_in_an_exchange") {
  // All cells on rank 0, which therefore owns everything; the others hold nothing.
  const Decomposition all_on_one(Grid::parse("R1B0"), 1, "curve");
  Mesh mesh = build_mesh(all_on_one, 0, 1);
  if (rank_here() > 0) mesh = Mesh{};
  HaloExchange halo(MPI_COMM_WORLD, mesh);
  std::vector<double> values(mesh.vertex.global.size(), 2.0);
  const HaloField field{Place::vertex, 1, values.data()};
  halo.exchange({&field, 1});
  CHECK(halo.neighbours() == 0);
}

TEST_CASE("start_and_finish_of_an_exchange_take_turns") {
  const Mesh mesh =
      build_mesh(Decomposition(Grid::parse("R2B2"), ranks_here(), "curve"), rank_here(), 1);
  HaloExchange halo(MPI_COMM_WORLD, mesh);
  std::vector<double> values(mesh.cell.global.size(), 1.0);
  const HaloField field{Place::cell, 1, values.data()};
  halo.start({&field, 1});
  CHECK_THROWS_AS(halo.start({&field, 1}), Error);
  halo.finish();
  CHECK_THROWS_AS(halo.finish(), Error);
}
