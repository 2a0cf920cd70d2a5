// SPDX-License-Identifier: Apache-2.0
// Constants of dry air and of the Earth, as Jablonowski & Williamson 2006 prescribe them (table 1).
#pragma once

namespace thalweg::mini {

inline constexpr double gas_constant_J_kg_K = 287.0;
inline constexpr double heat_capacity_J_kg_K = 1004.5;  ///< at constant pressure
inline constexpr double kappa = 2.0 / 7.0;              ///< gas constant over heat capacity
inline constexpr double reference_pressure_Pa = 1e5;    ///< of potential temperature
inline constexpr double earth_rotation_rad_s = 7.29212e-5;

}  // namespace thalweg::mini
