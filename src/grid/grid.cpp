// SPDX-License-Identifier: Apache-2.0
// The name RnBk: reading it, and the sizes that follow from it.
#include "thalweg/grid.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "thalweg/error.hpp"

namespace thalweg {
namespace {

constexpr int largest_n = 99;  // ICON's grid names have room for two digits
constexpr int largest_k = 99;
constexpr std::int64_t cell_limit = std::int64_t{1}
                                    << 31;  // cells of one grid; local indices are int

/// Reads one or two digits at `position` and moves it on; -1 when there are none, or more.
int read_number(std::string_view text, std::size_t& position) {
  int value = 0, digits = 0;
  while (position < text.size() && std::isdigit(static_cast<unsigned char>(text[position]))) {
    if (++digits > 2) return -1;
    value = 10 * value + (text[position++] - '0');
  }
  return digits == 0 ? -1 : value;
}

}  // namespace

Grid Grid::parse(std::string_view name) {
  const std::string quoted = "grid '" + std::string(name) + "' ";
  const auto refuse = [&](const std::string& why) { throw Error(Blame::user, quoted + why); };
  std::size_t position = 1;
  const int n = !name.empty() && name[0] == 'R' ? read_number(name, position) : -1;
  const bool has_b = position < name.size() && name[position] == 'B';
  ++position;
  const int k = n >= 0 && has_b ? read_number(name, position) : -1;
  if (n < 0 || k < 0 || k > largest_k || position != name.size())
    refuse("is not of the form RnBk: write n and k with one or two digits each, as in 'R2B4'.");
  if (n < 1 || n > largest_n) refuse("needs at least one root division: write 'R1B4' or 'R2B4'.");
  Grid grid{n, 0};
  while (grid.k < k && grid.cells() < cell_limit) ++grid.k;
  if (grid.cells() >= cell_limit)
    refuse("has 2^31 cells or more: choose a smaller n or k (R2B11 has 335544320 cells).");
  return grid;
}

std::string Grid::uuid() const {
  // FNV-1a of what the grid is, twice: with and without a mark before it.
  const auto hash_of = [](std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const unsigned char letter : text) hash = (hash ^ letter) * 0x100000001b3U;
    return hash;
  };
  const auto about = name().append(", icosahedron of Thalweg 1");  // points that moved: count on
  auto high = hash_of(about), low = hash_of(std::string("2: ").append(about));
  high = (high & ~std::uint64_t{0xf000}) | 0x8000;                     // version 8
  low = (low & ~(std::uint64_t{3} << 62)) | (std::uint64_t{2} << 62);  // variant
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                static_cast<unsigned>(high & 0xffff), static_cast<unsigned>(low >> 48),
                static_cast<unsigned long long>(low & 0xffffffffffffU));
  return text.data();
}

std::string Grid::name() const {
  return std::string("R").append(std::to_string(n)).append("B").append(std::to_string(k));
}

std::int64_t Grid::cells() const { return (std::int64_t{20} * n * n) << (2 * k); }
std::int64_t Grid::edges() const { return cells() / 2 * 3; }
std::int64_t Grid::vertices() const { return cells() / 2 + 2; }

std::int64_t Grid::size(Place place) const {
  return place == Place::cell ? cells() : place == Place::edge ? edges() : vertices();
}

double Grid::mean_resolution_m() const {
  return std::sqrt(4.0 * std::numbers::pi / static_cast<double>(cells())) * earth_radius_m;
}

const PlacePart& Mesh::part(Place place) const {
  return place == Place::cell ? cell : place == Place::edge ? edge : vertex;
}

double longitude_rad(const Vec3& point) {
  const double longitude = std::atan2(point.y, point.x);
  return longitude <= -std::numbers::pi ? std::numbers::pi : longitude;
}

double latitude_rad(const Vec3& point) { return std::atan2(point.z, std::hypot(point.x, point.y)); }

}  // namespace thalweg
