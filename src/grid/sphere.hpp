// SPDX-License-Identifier: Apache-2.0
// Lengths, areas and centres on the unit sphere, by formulas that stay accurate for tiny triangles.
#pragma once

#include "grid/vector.hpp"

namespace thalweg {

/// Angle between two unit vectors, radians. The chord keeps its relative accuracy where the cosine
/// of a small angle loses half the digits.
inline double arc_rad(const Vec3& a, const Vec3& b) { return 2.0 * std::asin(0.5 * length(a - b)); }

/// Signed area of the spherical triangle abc in steradians, positive when counter-clockwise:
///   tan(area / 2) = a . (b x c) / (1 + a.b + b.c + c.a)    (Eriksson 1990, Math. Mag. 63, 184)
/// with the triple product taken of differences, a . ((b - a) x (c - a)): the same number without
/// the cancellation.
inline double triangle_area_sr(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double triple = dot(a, cross(b - a, c - a));
  return 2.0 * std::atan2(triple, 1.0 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// The point at equal distance from a, b and c on their side of the sphere (abc counter-clockwise).
inline Vec3 circumcentre(const Vec3& a, const Vec3& b, const Vec3& c) {
  return normalised(cross(b - a, c - a));
}

/// The point at `share` (0 = a, 1 = b) of the arc from a to b, equal arcs for equal shares.
inline Vec3 along_arc(const Vec3& a, const Vec3& b, double share) {
  const double angle_rad = arc_rad(a, b);
  return normalised(std::sin((1.0 - share) * angle_rad) * a + std::sin(share * angle_rad) * b);
}

}  // namespace thalweg
