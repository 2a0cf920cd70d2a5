// SPDX-License-Identifier: Apache-2.0
// The vertical coordinate: layers between pressures A + B p_s, terrain-following near the ground.
#pragma once

#include <vector>

namespace thalweg::mini {

/// p = A + B p_s on the faces of layers (Simmons & Burridge 1981); face 0 is the ground (A = 0, B =
/// 1), the last one the top of the model at 219.4 Pa (B = 0). With 26 levels these are the levels
/// of Jablonowski & Williamson 2006 (CAM's): pressures over p_s = 1000 hPa as published, of which
/// other numbers of levels interpolate the logarithm over the level's number.
struct HybridLevels {
  explicit HybridLevels(int levels);
  int levels() const { return static_cast<int>(mean_a.size()); }

  std::vector<double> face_a, face_b;  ///< [levels + 1] Pa, 1; the lowest first
  std::vector<double> mean_a, mean_b;  ///< [levels] of a layer's two faces
  std::vector<double> mass_a, mass_b;  ///< [levels] lower face minus upper: mass times gravity
};

}  // namespace thalweg::mini
