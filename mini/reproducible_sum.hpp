// SPDX-License-Identifier: Apache-2.0
// Sums over all ranks whose bits do not depend on order, number of ranks or decomposition.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::mini {

/// A sum in fixed point: an integer of 128 bits, cut into limbs of 32 bits so that 2^31 ranks may
/// be added limb by limb with MPI_SUM without overflow. Limbs 0-2 are not negative; limb 3 carries
/// the sign.
using Limbs = std::array<std::int64_t, 4>;

inline constexpr int no_exponent = -100000;  ///< of an empty or all-zero set
inline constexpr int not_finite = 100000;    ///< some value is infinite or not a number

/// The largest binary exponent (as std::frexp gives it) of the values first, first + stride, ...
int largest_exponent(std::span<const double> values, int first, int stride);

/// Sum of the values first, first + stride, ... in units of 2^(exponent - 90). Exact for values
/// within 2^-37 of the largest; bits of smaller ones below the unit are cut off one by one, which
/// does not depend on order. Room for 2^36 values.
Limbs fixed_point_sum(std::span<const double> values, int first, int stride, int exponent);

/// Back to double, rounded once. NaN when exponent = not_finite.
double from_fixed_point(const Limbs& limbs, int exponent);

/// Collective: the sums over all ranks of the columns of values [points][columns].
std::vector<double> reproducible_sums(MPI_Comm comm, std::span<const double> values, int columns);

}  // namespace thalweg::mini
