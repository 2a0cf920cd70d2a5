// SPDX-License-Identifier: Apache-2.0
// Facts about the discrete operators: what they conserve and what they reproduce exactly.
#include "stencils.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model_kernels.hpp"
#include "thalweg/decomposition.hpp"

using namespace thalweg;
using namespace thalweg::mini;

namespace {

Mesh whole(const char* name) {
  return build_mesh(Decomposition(Grid::parse(name), 1, "curve"), 0, 1);
}

std::vector<double> random_values(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(size);
  for (double& value : values) value = uniform(generator);
  return values;
}

double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Velocity along t_e of solid-body rotation with 1 m/s at the equator, and its value along n_e.
std::vector<double> rotation(const Mesh& mesh, const std::vector<Vec3>& direction) {
  std::vector<double> values(mesh.edge.total());
  for (int e = 0; e < mesh.edge.total(); ++e) {
    const Vec3& x = mesh.edge_centre[e];
    values[e] = dot(Vec3{-x.y, x.x, 0.0}, direction[e]);
  }
  return values;
}

/// w_ee' of a pair, 0 when e' is not in the ring of e; undoes the lengths in the stored weight.
double trisk_weight(const Mesh& mesh, const Stencils& s, int e, int other) {
  for (int j = 0; j < ring_size; ++j) {
    if (s.edge_ring[e][j] != other || s.perpendicular_weight[e][j] == 0.0) continue;
    return s.perpendicular_weight[e][j] * mesh.edge_length_m[e] / mesh.dual_edge_length_m[other];
  }
  return 0.0;
}

void find_vorticity(const Mesh& mesh, const Stencils& s, const std::vector<double>& velocity,
                    std::vector<double>& vorticity) {
  relative_vorticity({.edges = mesh.edge.total(),
                      .cells = mesh.cell.total(),
                      .levels = 1,
                      .cell_edges = rows(s.cell_edges),
                      .velocity = velocity.data(),
                      .circulation_weight = rows(s.circulation_weight),
                      .vorticity = vorticity.data()});
}

}  // namespace

TEST_CASE("trisk_weights_are_antisymmetric") {
  for (const char* name : {"R2B1", "R3B1"}) {
    const Mesh mesh = whole(name);
    const Stencils s(mesh);
    double worst = 0.0, largest = 0.0;
    int nine = 0;
    for (int e = 0; e < mesh.edge.total(); ++e) {
      nine += s.perpendicular_weight[e][ring_size - 1] == 0.0;
      for (const int other : s.edge_ring[e]) {
        if (other == e) continue;
        const double weight = trisk_weight(mesh, s, e, other);
        worst = std::max(worst, std::abs(weight + trisk_weight(mesh, s, other, e)));
        largest = std::max(largest, std::abs(weight));
      }
    }
    CHECK(worst < 1e-13);
    CHECK(largest > 0.3);
    CHECK(largest < 0.5);
    CHECK(nine == 12 * 5);  // edges that end at an icosahedron corner have one neighbour less
  }
}

TEST_CASE("vorticity_force_does_no_work_whatever_the_potential_vorticity") {
  const Mesh mesh = whole("R2B2");
  const Stencils s(mesh);
  const int edges = mesh.edge.total();
  const auto flux = random_values(edges, 1), edge_pv = random_values(edges, 2);
  const std::vector<double> no_bernoulli(mesh.vertex.total(), 0.0);
  std::vector<double> force(edges);
  const std::array<std::int64_t, 2> all{0, edges};
  vorticity_force({.edges = edges,
                   .vertices = mesh.vertex.total(),
                   .levels = 1,
                   .edge_vertices = rows(s.edge_vertices),
                   .edge_ring = rows(s.edge_ring),
                   .flux = flux.data(),
                   .edge_vorticity = edge_pv.data(),
                   .bernoulli = no_bernoulli.data(),
                   .perpendicular_weight = rows(s.perpendicular_weight),
                   .per_length = s.inverse_edge_length.data(),
                   .owned_edges = all.data(),
                   .owned_edges_parts = 1,
                   .velocity_tendency = force.data()});
  double work = 0.0, scale = 0.0;
  for (int e = 0; e < edges; ++e) {
    const double share = mesh.edge_length_m[e] * mesh.dual_edge_length_m[e] * flux[e] * force[e];
    work += share, scale += std::abs(share);
  }
  CHECK(scale > 0.0);
  CHECK(std::abs(work) < 1e-13 * scale);
}

TEST_CASE("mean_error_of_the_tangential_velocity_of_rotation_falls_with_the_mesh_width") {
  // Where the subdivided faces of the icosahedron meet, neighbouring triangles do not vary smoothly
  // and the error stays; such edges become fewer, so the mean still falls, at nearly first order.
  double last = 1.0;
  for (const char* name : {"R2B2", "R2B3", "R2B4"}) {
    const Mesh mesh = whole(name);
    const Stencils s(mesh);
    const int edges = mesh.edge.total();
    const auto expected = rotation(mesh, mesh.edge_normal);
    const auto velocity = rotation(mesh, mesh.edge_tangent);
    std::vector<double> found(edges);
    tangential_velocity({.edges = edges,
                         .levels = 1,
                         .edge_ring = rows(s.edge_ring),
                         .velocity = velocity.data(),
                         .perpendicular_weight = rows(s.perpendicular_weight),
                         .tangential = found.data()});
    double sum = 0.0;
    for (int e = 0; e < edges; ++e) sum += std::abs(found[e] - expected[e]);
    CHECK(sum / edges < 0.7 * last);
    last = sum / edges;
  }
  CHECK(last < 0.01);  // of 1 m/s
}

TEST_CASE("divergence_integrates_to_zero_and_curl_of_a_gradient_vanishes") {
  const Mesh mesh = whole("R2B2");
  const Stencils s(mesh);
  const auto flux = random_values(mesh.edge.total(), 3);
  std::vector<double> outflow(mesh.vertex.total());
  divergence({.edges = mesh.edge.total(),
              .vertices = mesh.vertex.total(),
              .levels = 1,
              .vertex_edges = rows(s.vertex_edges),
              .velocity = flux.data(),
              .divergence_weight = rows(s.divergence_weight),
              .diverging = outflow.data()});
  double sum = 0.0, scale = 0.0;
  for (int v = 0; v < mesh.vertex.total(); ++v) {
    sum += outflow[v] * mesh.vertex_area_m2[v],
        scale += std::abs(outflow[v]) * mesh.vertex_area_m2[v];
  }
  CHECK(std::abs(sum) < 1e-13 * scale);

  const auto potential = random_values(mesh.vertex.total(), 4);
  std::vector<double> gradient(mesh.edge.total()), curl(mesh.cell.total());
  for (int e = 0; e < mesh.edge.total(); ++e) {
    const auto [v0, v1] = s.edge_vertices[e];
    gradient[e] = (potential[v1] - potential[v0]) * s.inverse_edge_length[e];
  }
  find_vorticity(mesh, s, gradient, curl);
  const double length_m = mesh.grid.mean_resolution_m();
  for (const double value : curl) CHECK(std::abs(value) < 1e-12 / length_m / length_m);
}

TEST_CASE("vorticity_of_rotation_is_twice_the_angular_velocity_times_the_sine_of_latitude") {
  const Mesh mesh = whole("R2B4");
  const Stencils s(mesh);
  std::vector<double> vorticity(mesh.cell.total());
  find_vorticity(mesh, s, rotation(mesh, mesh.edge_tangent), vorticity);
  for (int c = 0; c < mesh.cell.total(); ++c) {
    CHECK(std::abs(vorticity[c] * earth_radius_m - 2.0 * mesh.cell_centre[c].z) < 0.01);
  }
}

TEST_CASE("mean_over_hexagons_keeps_a_constant") {
  const Mesh mesh = whole("R3B1");
  const Stencils s(mesh);
  const std::vector<double> seven(mesh.cell.total(), 7.0);
  std::vector<double> mean(mesh.vertex.total());
  vertex_average({.cells = mesh.cell.total(),
                  .vertices = mesh.vertex.total(),
                  .levels = 1,
                  .vertex_cells = rows(s.vertex_cells),
                  .vorticity = seven.data(),
                  .average_weight = rows(s.vertex_average_weight),
                  .mean = mean.data()});
  for (const double value : mean) CHECK(value == doctest::Approx(7.0).epsilon(1e-13));
}
