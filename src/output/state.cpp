// SPDX-License-Identifier: Apache-2.0
// How the ranks of an output stay together, and what becomes of it when one of them fails.
#include "output/state.hpp"

#include <fmt/format.h>

#include "base/warning.hpp"
#include "output/open_outputs.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

Output::State::~State() {
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) return;
  for (auto* comm : {&agreement, &ranks.compute, &ranks.control, &ranks.data, &restart}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

std::unique_lock<std::recursive_mutex> Output::State::enter() {
  auto alone = enter_alone();
  if (!failure) {
    try {
      require_mpi_thread();
    } catch (const Error& error) {
      failure = error;  // told by the next call of a thread that may
      throw;
    }
    return alone;
  }
  tell_of_failure(false);
  throw Error(*failure);
}

void Output::State::fail(const Error& error) {
  if (ended && !failure) return;  // nothing is left that could fail
  if (!failure) failure = error;
  end();
  tell_of_failure(false);
}

void Output::State::fail_and_throw(const std::exception& caught) {
  if (const auto* error = dynamic_cast<const Error*>(&caught)) {
    fail(*error);
    throw;
  }
  const Error error(Blame::bug, std::string("unexpected: ") + caught.what());
  fail(error);
  throw error;
}

void Output::State::require_compute(const char* call) const {
  if (role == Role::compute) return;
  throw Error(Blame::user, fmt::format("{} is for compute ranks; others serve", call));
}

void Output::State::require_part(const char* call) const {
  require_compute(call);
  if (ended)
    throw Error(Blame::user, fmt::format("{} was called after the output was closed", call));
}

void Output::State::tell_of_failure(bool all_know) {
  if (told || ended || !news || !may_call_mpi()) return;
  told = true;
  news->leave(*failure, all_know);
}

void Output::State::abandon(std::string_view how) noexcept {
  if (role == Role::restart && open_outputs().to_serve)
    warn_once(fmt::format("{} before this restart rank has served its restart", how));
  if (ended || failure || !news) return;
  fail(Error(Blame::user,
             fmt::format("{} before the output was closed; close it on every rank{}", how,
                         role == Role::compute
                             ? ": files that are not complete keep '.part' in their names"
                             : ", and serve on I/O ranks before that")));
}

void Output::State::check() {
  const bool for_writers = std::exchange(writers_answer, false);
  const ScopedTimer timer(for_writers ? Timer::output_wait : Timer::output_agree);
  const double begin_s = now_s();
  engine->poll();
  hear_answer();
  ask(Together::step);
  constexpr double worth_telling_s = 1e-3;  // of every time step
  if (now_s() - begin_s < worth_telling_s) return;
  record_event(for_writers ? EventKind::wait : EventKind::exchange, begin_s, now_s());
}

}  // namespace thalweg
