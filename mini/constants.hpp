// SPDX-License-Identifier: Apache-2.0
// Physical constants of the mini-model, as the test cases prescribe them.
#pragma once

namespace thalweg::mini {

inline constexpr double gravity_m_s2 = 9.80616;     ///< Williamson et al. 1992, table 1
inline constexpr double rotation_rad_s = 7.292e-5;  ///< Earth; Williamson et al. 1992, table 1
inline constexpr double seconds_per_day = 86400.0;
inline constexpr double pi = 3.14159265358979323846;

}  // namespace thalweg::mini
