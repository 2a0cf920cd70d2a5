// SPDX-License-Identifier: Apache-2.0
// Facts about reproducible sums: order, splitting and number of ranks do not matter, and they are
// right.
#include "reproducible_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace thalweg::mini;

namespace {

/// Values over 30 orders of magnitude and both signs.
std::vector<double> wild_values(int size) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(size);
  for (double& value : values)
    value = uniform(generator) * std::pow(10.0, 15.0 * uniform(generator));
  return values;
}

double sum_of(const std::vector<double>& values) {
  const int exponent = largest_exponent(values, 0, 1);
  return from_fixed_point(fixed_point_sum(values, 0, 1, exponent), exponent);
}

}  // namespace

TEST_CASE("sum_does_not_depend_on_order") {
  std::vector<double> values = wild_values(10000);
  const double first = sum_of(values);
  std::mt19937 generator(8);
  for (int trial = 0; trial < 5; ++trial) {
    std::shuffle(values.begin(), values.end(), generator);
    CHECK(sum_of(values) == first);
  }
  CHECK(std::accumulate(values.begin(), values.end(), 0.0) != first);  // an ordinary sum does
}

TEST_CASE("sum_does_not_depend_on_the_number_of_ranks") {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<double> all = wild_values(3000);  // [1000][3]
  std::vector<double> mine;
  for (int point = rank; point < 1000; point += ranks) {
    mine.insert(mine.end(), all.begin() + 3 * point, all.begin() + 3 * point + 3);
  }
  CHECK(reproducible_sums(MPI_COMM_WORLD, mine, 3) == reproducible_sums(MPI_COMM_SELF, all, 3));
}

TEST_CASE("limbs_of_parts_add_up_to_the_whole") {
  const std::vector<double> values = wild_values(1000);
  const int exponent = largest_exponent(values, 0, 1);
  const std::span<const double> all(values);
  for (const int cut : {0, 1, 500, 999, 1000}) {
    Limbs sum = fixed_point_sum(all.first(cut), 0, 1, exponent);
    const Limbs rest = fixed_point_sum(all.subspan(cut), 0, 1, exponent);
    for (int k = 0; k < 4; ++k) sum[k] += rest[k];
    CHECK(from_fixed_point(sum, exponent) == sum_of(values));
  }
}

TEST_CASE("sum_is_exact_where_a_double_can_hold_it") {
  CHECK(sum_of({0.1, 0.2, -0.1, -0.2}) == 0.0);
  CHECK(sum_of({1e16, 1.0, -1e16}) == 1.0);
  CHECK(sum_of({-3.5}) == -3.5);
  CHECK(sum_of({}) == 0.0);
  CHECK(sum_of({0.0, -0.0}) == 0.0);
  CHECK(sum_of(std::vector<double>(1 << 16, 1.7976931348623157e300)) ==
        1.7976931348623157e300 * (1 << 16));
  CHECK(std::isnan(sum_of({1.0, std::numeric_limits<double>::infinity()})));
  CHECK(std::isnan(sum_of({std::nan(""), 1.0})));
}
