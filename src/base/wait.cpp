// SPDX-License-Identifier: Apache-2.0
// Waits on other ranks: spins shortly, yields the core, naps, and gives up after a time of silence.
#include "thalweg/wait.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/wait_companion.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

double timeout_s_now = 600.0;
long progress_now = 0;  // how often something has moved
double said_s = 0.0;    // when other ranks were told last

constexpr int spins = 64;              ///< calls of `ready` before the core is offered to others
constexpr int yields = 256;            ///< calls of `ready` with a yield before the first nap
constexpr double first_nap_s = 20e-6;  ///< about the cost of a sleep and wake-up on Linux
/// Between two looks a rank that runs takes less; more is no silence of others, but its own.
constexpr double longest_look_s = 0.1;
constexpr double says_in_a_limit = 8.0;      ///< how often a working rank says so
constexpr double listens_in_a_limit = 16.0;  ///< how often a waiting rank listens, at the least
constexpr double longest_deafness_s = 0.5;
constexpr double asks_after = 0.75;  ///< of the time limit

std::vector<WaitCompanion*>& companions() {
  static std::vector<WaitCompanion*> all;
  return all;
}

[[noreturn]] void give_up(std::string_view what, double limit_s) {
  std::string silent;
  for (const auto* companion : companions()) {
    const auto names = companion->silent();
    const bool told = silent.find(names) != std::string::npos;  // to output and restart alike
    if (!told) silent += (silent.empty() ? "" : ", ") + names;
  }
  throw Error(
      Blame::bug,
      fmt::format("waiting for {}: nothing moved for {:g} s{}; another rank has failed or "
                  "hangs: look for its error above, or raise [io] timeout",
                  what, limit_s, silent.empty() ? "" : " and nothing was heard of " + silent));
}

/// The silence of one wait.
class Silence {
 public:
  /// Looks once more. Throws when it has lasted too long.
  void look(std::string_view what) {
    const double now_s = wait_clock_s(), limit_s = timeout_s_now;
    silent_s_ += std::min(now_s - looked_s_, longest_look_s);
    looked_s_ = now_s;
    if (now_s - listened_s_ > std::min(limit_s / listens_in_a_limit, longest_deafness_s)) {
      listened_s_ = now_s;
      const auto now_there = companions();  // what they hear may end some of them
      for (auto* companion : now_there) {
        if (std::ranges::find(companions(), companion) != companions().end()) companion->listen();
      }
    }
    if (progress_now != progress_) {
      progress_ = progress_now;
      silent_s_ = 0.0;
      asked_ = false;
    }
    if (silent_s_ > asks_after * limit_s && !std::exchange(asked_, true)) {
      for (auto* companion : companions()) companion->ask();
    }
    if (silent_s_ > limit_s) give_up(what, limit_s);
  }

 private:
  double looked_s_ = wait_clock_s(), listened_s_ = looked_s_, silent_s_ = 0.0;
  long progress_ = progress_now;
  bool asked_ = false;
};

}  // namespace

double wait_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void set_wait_timeout(double timeout_s) { timeout_s_now = timeout_s; }
double wait_timeout_s() { return timeout_s_now; }

void note_progress() { ++progress_now; }

void note_work() {
  note_progress();
  const double now_s = wait_clock_s();
  if (now_s - said_s < timeout_s_now / says_in_a_limit) return;
  said_s = now_s;
  for (auto* companion : companions()) companion->say_working();
}

WaitCompanion::WaitCompanion() {
  said_s = wait_clock_s();
  companions().push_back(this);
}

WaitCompanion::~WaitCompanion() { std::erase(companions(), this); }

void wait_until(const std::function<bool()>& ready, std::string_view what, double nap_s) {
  for (int i = 0; i < spins; ++i) {
    if (ready()) return;
  }
  Silence silence;
  double next_nap_s = std::min(first_nap_s, nap_s);
  for (int i = 0; !ready(); ++i) {
    silence.look(what);
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
