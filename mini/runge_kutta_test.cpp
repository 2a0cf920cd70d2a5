// SPDX-License-Identifier: Apache-2.0
// Facts about a time step: what it conserves, and that the number of ranks does not change a bit.
#include "runge_kutta.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cases.hpp"
#include "diagnostics.hpp"
#include "dynamics.hpp"
#include "initial_state.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
using namespace thalweg::mini;

namespace {

constexpr int levels = 3;

/// A small model of the jet on the ranks of `comm`.
struct SmallModel {
  SmallModel(MPI_Comm communicator, const char* decomposition, const DynamicsSettings& settings,
             const char* scheme_name)
      : comm(communicator) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mesh = build_mesh(Decomposition(Grid::parse("R2B2"), ranks, decomposition), rank,
                      halo_depth(settings));
    stencils = std::make_unique<Stencils>(mesh);
    const Case jet = make_jet();
    ground_m = ground_height_m(mesh, jet);
    state = std::make_unique<State>(initial_state(mesh, jet, levels, 0.2, 2));
    dynamics = std::make_unique<Dynamics>(mesh, *stencils, ground_m, levels, settings);
    halo = std::make_unique<HaloExchange>(comm, mesh);
    scheme = std::make_unique<RungeKutta>(find_scheme(scheme_name), *state);
  }
  void steps(int count, double step_s = 1500.0) {
    for (int step = 0; step < count; ++step) scheme->step(*state, *dynamics, *halo, step_s, [] {});
  }
  Diagnostics diagnose() const { return mini::diagnose(comm, mesh, *stencils, ground_m, *state); }

  MPI_Comm comm;
  Mesh mesh;
  std::unique_ptr<Stencils> stencils;
  std::vector<double> ground_m;
  std::unique_ptr<State> state;
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<HaloExchange> halo;
  std::unique_ptr<RungeKutta> scheme;
};

}  // namespace

TEST_CASE("mass_and_tracer_mass_are_conserved_to_rounding_and_energy_nearly") {
  for (const char* scheme : {"rk3", "rk4"}) {
    SmallModel model(MPI_COMM_SELF, "curve", {0.5, 0.0}, scheme);
    const Diagnostics first = model.diagnose();
    model.steps(30);
    const Diagnostics now = model.diagnose();
    CHECK(mass_drift(first, now) < 1e-15);
    for (int l = 0; l < levels; ++l) {
      CHECK(std::abs(now.tracer[l] / first.tracer[l] - 1.0) < 1e-14);
    }
    CHECK(std::abs(energy_drift(first, now)) < 1e-5);
    CHECK(now.energy != first.energy);  // something did happen
  }
}

TEST_CASE("energy_drift_is_that_of_the_time_scheme_alone") {
  // Halving the step of RK4 lowers the drift of the linear waves by 2^5; anything else in the
  // tendencies that made energy would not shrink.
  std::array<double, 2> drift;
  for (int i = 0; i < 2; ++i) {
    SmallModel model(MPI_COMM_SELF, "curve", {0.5, 0.0}, "rk4");
    const Diagnostics first = model.diagnose();
    model.steps(16 << i, 1800.0 / (1 << i));
    drift[i] = std::abs(energy_drift(first, model.diagnose()));
  }
  CHECK(drift[1] < drift[0] / 8.0);
}

TEST_CASE("a_constant_tracer_stays_constant") {
  SmallModel model(MPI_COMM_SELF, "curve", {0.5, 0.0}, "rk4");
  State& state = *model.state;
  for (std::size_t i = 0; i < state[Layers::thickness].size(); ++i) {
    state[Layers::tracer][i] = 3.7 * state[Layers::thickness][i];
  }
  model.steps(20);
  double worst = 0.0;
  for (std::size_t i = 0; i < state[Layers::thickness].size(); ++i) {
    worst = std::max(worst, std::abs(state[Layers::tracer][i] / state[Layers::thickness][i] - 3.7));
  }
  CHECK(worst < 1e-13);
}

TEST_CASE("tracers_stay_within_their_initial_bounds") {
  SmallModel model(MPI_COMM_SELF, "curve", {0.5, 0.0}, "rk4");
  model.steps(40);
  const State& state = *model.state;
  for (std::size_t i = 0; i < state[Layers::thickness].size(); ++i) {
    const double tracer =
        state[Layers::tracer][i] / state[Layers::thickness][i];  // 1 + sin(latitude) at first
    CHECK(tracer > -1e-12);
    CHECK(tracer < 2.0 + 1e-12);
  }
}

TEST_CASE("any_number_of_ranks_and_both_decompositions_give_the_bits_of_one_rank") {
  const DynamicsSettings settings{0.5, 1e5};
  SmallModel alone(MPI_COMM_SELF, "curve", settings, "rk4");
  alone.steps(6);
  for (const char* decomposition : {"curve", "bisection"}) {
    SmallModel shared(MPI_COMM_WORLD, decomposition, settings, "rk4");
    shared.steps(6);
    int differences = 0;
    const auto compare = [&](const PlacePart& part, const std::vector<double>& mine,
                             const std::vector<double>& whole) {
      for (int p = 0; p < part.owned; ++p) {
        for (int l = 0; l < levels; ++l) {
          differences += mine[p * levels + l] != whole[part.global[p] * levels + l];
        }
      }
    };
    compare(shared.mesh.edge, (*shared.state)[Layers::velocity], (*alone.state)[Layers::velocity]);
    compare(shared.mesh.vertex, (*shared.state)[Layers::thickness],
            (*alone.state)[Layers::thickness]);
    compare(shared.mesh.vertex, (*shared.state)[Layers::tracer + 1],
            (*alone.state)[Layers::tracer + 1]);
    CHECK(differences == 0);
    CHECK(shared.diagnose().energy == alone.diagnose().energy);
  }
}

TEST_CASE("unknown_time_scheme_is_refused_with_a_proposal") {
  CHECK_THROWS_WITH_AS(find_scheme("rk5"), doctest::Contains("rk4"), Error);
}
