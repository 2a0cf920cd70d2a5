// SPDX-License-Identifier: Apache-2.0
// Arithmetic of points and vectors in three dimensions, bitwise symmetric where a name says so.
#pragma once

#include <cmath>

#include "thalweg/grid.hpp"

namespace thalweg {

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double factor, const Vec3& a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalised(const Vec3& a) { return (1.0 / length(a)) * a; }

/// Midpoint of the shorter arc between two points of the sphere; midpoint(a, b) and midpoint(b, a)
/// have the same bits, so the triangles on both sides of an edge agree on it without talking.
inline Vec3 midpoint(const Vec3& a, const Vec3& b) { return normalised(a + b); }

}  // namespace thalweg
