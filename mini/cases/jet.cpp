// SPDX-License-Identifier: Apache-2.0
// Galewsky, Scott & Polvani 2004: a balanced mid-latitude jet with a small bump that makes it
// unstable.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "cases.hpp"
#include "constants.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {
namespace {

constexpr double south = pi / 7.0, north = pi / 2.0 - south;  // edges of the jet, radians
constexpr double max_wind_m_s = 80.0, mean_depth_m = 10000.0;
constexpr double bump_m = 120.0, bump_longitude = 1.0 / 3.0, bump_latitude = 1.0 / 15.0;

/// u = u_max / e_n exp(1 / ((lat - south) (lat - north))) between the edges, e_n so that u_max is
/// reached.
double jet_wind_m_s(double latitude) {
  if (latitude <= south || latitude >= north) return 0.0;
  const double normalisation = std::exp(-4.0 / ((north - south) * (north - south)));
  return max_wind_m_s / normalisation * std::exp(1.0 / ((latitude - south) * (latitude - north)));
}

/// a u (f + tan(lat) u / a), m2 s-2 per radian: the slope of g h that balances the wind.
double slope(double latitude) {
  const double wind = jet_wind_m_s(latitude);
  const double coriolis = 2.0 * rotation_rad_s * std::sin(latitude);
  return earth_radius_m * wind * (coriolis + std::tan(latitude) * wind / earth_radius_m);
}

/// Integral of f over [from, to] by the five-point Gauss-Legendre rule.
template <typename Function>
double gauss_legendre(const Function& f, double from, double to) {
  constexpr std::array<double, 3> point{0.0, 0.5384693101056831, 0.9061798459386640};
  constexpr std::array<double, 3> weight{128.0 / 225.0, 0.4786286704993665, 0.2369268850561891};
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  double sum = weight[0] * f(middle);
  for (int i = 1; i < 3; ++i) {
    sum += weight[i] * (f(middle - half * point[i]) + f(middle + half * point[i]));
  }
  return half * sum;
}

/// Height of the balanced surface relative to the pole-to-pole integral's start, on a fixed set of
/// panels so that every rank gets the same bits.
class BalancedSurface {
 public:
  BalancedSurface() : integral_(panels + 1, 0.0) {
    for (int i = 0; i < panels; ++i) {
      integral_[i + 1] = integral_[i] + gauss_legendre(slope, latitude(i), latitude(i + 1));
    }
    // Global mean of -integral / g: the area of a latitude band is cos(lat) dlat / 2 of the sphere.
    double mean_m = 0.0;
    for (int i = 0; i < panels; ++i) {
      mean_m += gauss_legendre([this](double at) { return 0.5 * std::cos(at) * relative_m(at); },
                               latitude(i), latitude(i + 1));
    }
    offset_m_ = mean_depth_m - mean_m;
  }
  double operator()(double at) const { return offset_m_ + relative_m(at); }

 private:
  static constexpr int panels = 2048;
  static double latitude(int panel) { return -0.5 * pi + pi * panel / panels; }
  double relative_m(double at) const {
    const int panel = std::clamp(static_cast<int>((at + 0.5 * pi) / pi * panels), 0, panels - 1);
    return -(integral_[panel] + gauss_legendre(slope, latitude(panel), at)) / gravity_m_s2;
  }
  std::vector<double> integral_;  // [panels + 1] of slope from the south pole, m2 s-2
  double offset_m_ = 0.0;
};

}  // namespace

Case make_jet() {
  const auto surface = std::make_shared<const BalancedSurface>();
  Case jet;
  jet.mean_depth_m = mean_depth_m;
  jet.max_wind_m_s = max_wind_m_s;
  jet.eastward_wind_m_s = jet_wind_m_s;
  jet.surface_m = [surface](double longitude, double latitude) {
    const double x = longitude / bump_longitude, y = (pi / 4.0 - latitude) / bump_latitude;
    return (*surface)(latitude) + bump_m * std::cos(latitude) * std::exp(-x * x) * std::exp(-y * y);
  };
  jet.ground_m = [](double, double) { return 0.0; };
  return jet;
}

}  // namespace thalweg::mini
