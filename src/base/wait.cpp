// SPDX-License-Identifier: Apache-2.0
// Waits on other ranks: spins shortly, yields the core, naps, and gives up after a time limit.
#include "thalweg/wait.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

double timeout_s_now = 600.0;

constexpr int spins = 64;              ///< calls of `ready` before the core is offered to others
constexpr int yields = 256;            ///< calls of `ready` with a yield before the first nap
constexpr double first_nap_s = 20e-6;  ///< about the cost of a sleep and wake-up on Linux

}  // namespace

void set_wait_timeout(double timeout_s) { timeout_s_now = timeout_s; }

void wait_until(const std::function<bool()>& ready, std::string_view what, double nap_s) {
  for (int i = 0; i < spins; ++i) {
    if (ready()) return;
  }
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + std::chrono::duration<double>(timeout_s_now);
  double next_nap_s = std::min(first_nap_s, nap_s);
  for (int i = 0; !ready(); ++i) {
    if (Clock::now() > give_up) {
      throw Error(
          Blame::bug,
          fmt::format(
              "waiting for {} took longer than {:g} s; another rank has failed or hangs: look "
              "for its error above, or raise [io] timeout",
              what, timeout_s_now));
    }
    // With more ranks than cores the rank we wait for may need this very core.
    if (i < yields || nap_s <= 0.0) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(next_nap_s));
      next_nap_s = std::min(2.0 * next_nap_s, nap_s);
    }
  }
}

void wait_all(std::span<MPI_Request> requests, std::string_view what) {
  wait_until(
      [&] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
      },
      what);
}

}  // namespace thalweg
