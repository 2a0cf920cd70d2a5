// SPDX-License-Identifier: Apache-2.0
// The published pressures of 26 levels, and coefficients for any number of them.
#include "primitive/hybrid_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "primitive/air.hpp"

namespace thalweg::mini {
namespace {

// Pressure of the faces over that of the ground at 1000 hPa, from the top: A / p_0 + B of CAM's 26
// levels (Jablonowski & Williamson 2006, appendix).
constexpr std::array published_eta{
    0.002194067, 0.004895209, 0.009882418, 0.01805201, 0.02983724, 0.04462334, 0.06160587,
    0.07851243,  0.0923658,   0.10866359,  0.12783708, 0.15039371, 0.17693040, 0.20814940,
    0.24487710,  0.28808522,  0.33891731,  0.39871865, 0.46907180, 0.55183870, 0.64920969,
    0.74438290,  0.83102120,  0.90330029,  0.95599746, 0.98511220, 1.0};
// Above the first, faces are at constant pressure (B = 0); below the second, at constant shares of
// that of the ground (A = 0). The published B rises linearly between them.
constexpr double flat_eta = 0.07851243, following_eta = 0.98511220;

/// Of face `face` of `levels`, the ground being 0.
double eta_of(int face, int levels) {
  constexpr int published = static_cast<int>(published_eta.size()) - 1;
  const double place = static_cast<double>(published) * (levels - face) / levels;
  const int above = std::min(static_cast<int>(place), published - 1);
  const double share = place - above;
  if (share == 0.0) return published_eta[above];
  if (share == 1.0) return published_eta[above + 1];
  return published_eta[above] * std::pow(published_eta[above + 1] / published_eta[above], share);
}

double b_of(double eta) {
  if (eta <= flat_eta) return 0.0;
  if (eta >= following_eta) return eta;
  return following_eta * (eta - flat_eta) / (following_eta - flat_eta);
}

}  // namespace

HybridLevels::HybridLevels(int levels) {
  for (int face = 0; face <= levels; ++face) {
    const double eta = eta_of(face, levels), b = b_of(eta);
    face_a.push_back((eta - b) * reference_pressure_Pa);
    face_b.push_back(b);
  }
  for (int level = 0; level < levels; ++level) {
    mean_a.push_back((face_a[level] + face_a[level + 1]) / 2.0);
    mean_b.push_back((face_b[level] + face_b[level + 1]) / 2.0);
    mass_a.push_back(face_a[level] - face_a[level + 1]);
    mass_b.push_back(face_b[level] - face_b[level + 1]);
  }
}

}  // namespace thalweg::mini
