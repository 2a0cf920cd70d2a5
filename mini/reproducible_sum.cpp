// SPDX-License-Identifier: Apache-2.0
// Fixed-point sums: two reductions over the ranks, one for the scale and one for the integers.
#include "reproducible_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thalweg/wait.hpp"

namespace thalweg::mini {
namespace {

__extension__ using Wide = __int128;

constexpr int fraction_bits = 90;  // of the largest value; 36 more bits are room for carries
constexpr int mantissa_bits = 53;  // of a double
constexpr std::int64_t limb_mask = 0xffffffff;

Wide to_fixed_point(double value, int exponent) {
  int own_exponent = 0;
  const double fraction = std::frexp(value, &own_exponent);
  const Wide mantissa = static_cast<std::int64_t>(std::ldexp(fraction, mantissa_bits));
  const int shift = own_exponent - exponent + fraction_bits - mantissa_bits;
  if (shift >= 0) return mantissa * (Wide{1} << shift);
  return shift > -64 ? mantissa >> -shift : Wide{0};
}

void wait_for(MPI_Request request, const char* what) {
  wait_all(std::span<MPI_Request>(&request, 1), what);
}

}  // namespace

int largest_exponent(std::span<const double> values, int first, int stride) {
  int largest = no_exponent;
  for (std::size_t i = first; i < values.size(); i += stride) {
    if (!std::isfinite(values[i])) return not_finite;
    if (values[i] == 0.0) continue;
    int exponent = 0;
    std::frexp(values[i], &exponent);
    largest = std::max(largest, exponent);
  }
  return largest;
}

Limbs fixed_point_sum(std::span<const double> values, int first, int stride, int exponent) {
  if (exponent == no_exponent || exponent == not_finite) return {};
  Wide sum = 0;
  for (std::size_t i = first; i < values.size(); i += stride) {
    sum += to_fixed_point(values[i], exponent);
  }
  Limbs limbs;
  for (int k = 0; k < 3; ++k) {
    limbs[k] = static_cast<std::int64_t>(sum) & limb_mask;
    sum >>= 32;
  }
  limbs[3] = static_cast<std::int64_t>(sum);
  return limbs;
}

double from_fixed_point(const Limbs& limbs, int exponent) {
  if (exponent == not_finite) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == no_exponent) return 0.0;
  Wide sum = 0;
  for (int k = 3; k >= 0; --k) sum = sum * (Wide{1} << 32) + limbs[k];
  return std::ldexp(static_cast<double>(sum), exponent - fraction_bits);
}

std::vector<double> reproducible_sums(MPI_Comm comm, std::span<const double> values, int columns) {
  std::vector<int> exponents(columns);
  for (int k = 0; k < columns; ++k) exponents[k] = largest_exponent(values, k, columns);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, exponents.data(), columns, MPI_INT, MPI_MAX, comm, &request);
  wait_for(request, "the scale of a global sum");

  std::vector<Limbs> limbs(columns);
  for (int k = 0; k < columns; ++k) limbs[k] = fixed_point_sum(values, k, columns, exponents[k]);
  MPI_Iallreduce(MPI_IN_PLACE, limbs.data(), 4 * columns, MPI_INT64_T, MPI_SUM, comm, &request);
  wait_for(request, "a global sum");

  std::vector<double> sums(columns);
  for (int k = 0; k < columns; ++k) sums[k] = from_fixed_point(limbs[k], exponents[k]);
  return sums;
}

}  // namespace thalweg::mini
