// SPDX-License-Identifier: Apache-2.0
// Facts about slabs: never larger than what is written down, on any grid.
#include "output/deal/slab.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "all_ranks.hpp"
#include "format/container.hpp"
#include "thalweg/grid.hpp"

using namespace thalweg;

namespace {

constexpr std::int64_t mib = 1 << 20;

SlabWish wish_of(const char* grid, bool columns, std::int64_t cut_points) {
  return {90, Grid::parse(grid).cells(), 4, columns, 8 * mib, cut_points};
}

std::int64_t bytes_of(const Slab& slab, const SlabWish& wish) {
  return slab.levels * slab.points * wish.value_bytes;
}

}  // namespace

TEST_CASE("slabs_of_rows_that_may_be_cut_are_at_most_8_mib_on_every_grid") {
  for (const char* grid : {"R2B4", "R2B6", "R2B7", "R2B9", "R2B11"}) {
    for (const bool columns : {false, true}) {
      for (const std::int64_t cut : {1, 1024}) {
        CAPTURE(grid);
        const auto wish = wish_of(grid, columns, cut);
        const auto slab = slab_of(wish);
        CHECK(bytes_of(slab, wish) <= 8 * mib);
        CHECK((slab.levels == wish.levels || 2 * bytes_of(slab, wish) > 8 * mib));
        CHECK((slab.points == wish.points || slab.points % cut == 0));
        CHECK((!columns || slab.levels % 8 == 0 || slab.levels == wish.levels));
      }
    }
  }
}

TEST_CASE("whole_rows_stay_within_their_own_limit_or_are_one_row") {
  for (const char* grid : {"R2B4", "R2B7", "R2B8", "R2B9", "R2B11"}) {
    const auto wish = wish_of(grid, true, 0);
    const auto slab = slab_of(wish);
    CHECK(slab.points == wish.points);
    CHECK((slab.levels == 1 || bytes_of(slab, wish) <= whole_rows_bytes));
  }
  CHECK(slab_of(wish_of("R2B7", true, 0)).levels == 8);
}

TEST_CASE("a_slice_smaller_than_a_slab_is_one_slab") {
  CHECK(slab_of({3, 100, 8, true, 8 * mib, 1}) == Slab{3, 100});
  CHECK(slab_of({1, 100, 8, false, 8 * mib, 0}) == Slab{1, 100});
  CHECK(slab_of({5, 0, 4, true, 8 * mib, 1}) == Slab{5, 0});
  CHECK(slab_of({1, 10, 4, false, 8, 4}) == Slab{1, 4});
}

TEST_CASE("containers_with_places_for_values_cut_the_rows_of_large_grids") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const Grid small = Grid::parse("R2B1"), large = Grid::parse("R2B9");
  for (const auto& info : containers()) {
    if (info.way != Way::direct || std::string_view(info.name) == "grib2") continue;
    CAPTURE(info.name);
    FileDescription file;
    file.path = fmt::format("{}/{}{}", directory.path, info.name, info.suffix);
    file.fields = {{"ta", "", "temperature", "K", Place::cell, 2, ValueType::float64}};
    file.level_numbers = {1, 2};
    file.sizes = {small.cells(), small.edges(), small.vertices()};
    file.times_s = {0.0};
    file.steps = {0};
    file.start_date = "2000-01-01T00:00:00Z";
    file.grid = small.name();
    file.float64 = true;
    const auto container = info.create(file, MPI_COMM_SELF);
    const SlabWish wish{2,     large.cells(),           8,
                        false, container->slab_bytes(), container->cut_points(0)};
    const auto slab = slab_of(wish);
    CHECK(slab.points < large.cells());
    CHECK(slab.levels * slab.points * wish.value_bytes <= wish.bytes);
    CHECK(wish.bytes <= 8 << 20);
  }
}
