// SPDX-License-Identifier: Apache-2.0
// Median cuts of longitude and latitude, as ICON divides its grid (division_method = 1).
#include "decomp/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

namespace thalweg {
namespace {

struct Bisection {
  std::vector<double> longitude, latitude;  // [points] radians
  std::vector<int> part;                    // [points]

  /// Deals `points` (indices, reordered here) to the parts [first, first + parts).
  void cut(std::span<int> points, int first, int parts) {
    if (parts == 1 || points.empty()) {
      for (const int point : points) part[point] = first;
      return;
    }
    const auto [south, north] = range(points, latitude);
    const auto [west, east] = range(points, longitude);
    const double width = (east - west) * std::cos(0.5 * (south + north));
    const std::vector<double>& coordinate = width >= north - south ? longitude : latitude;
    const int left_parts = parts / 2;
    const std::size_t left = static_cast<std::int64_t>(points.size()) * left_parts / parts;
    std::nth_element(points.begin(), points.begin() + left, points.end(), [&](int a, int b) {
      return std::pair(coordinate[a], a) < std::pair(coordinate[b], b);
    });
    cut(points.first(left), first, left_parts);
    cut(points.subspan(left), first + left_parts, parts - left_parts);
  }

  static std::pair<double, double> range(std::span<const int> points,
                                         const std::vector<double>& coordinate) {
    double lowest = coordinate[points[0]], highest = lowest;
    for (const int point : points) {
      lowest = std::min(lowest, coordinate[point]);
      highest = std::max(highest, coordinate[point]);
    }
    return {lowest, highest};
  }
};

}  // namespace

std::vector<int> bisect(const std::vector<Vec3>& points, int parts) {
  Bisection bisection;
  for (const Vec3& point : points) {
    bisection.longitude.push_back(longitude_rad(point));
    bisection.latitude.push_back(latitude_rad(point));
  }
  bisection.part.resize(points.size());
  std::vector<int> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  bisection.cut(all, 0, parts);
  return std::move(bisection.part);
}

}  // namespace thalweg
