// SPDX-License-Identifier: Apache-2.0
// A thread beside the blocked one counts the time.
#include "base/call_limit.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/wait_companion.hpp"

namespace thalweg {

namespace {

constexpr std::chrono::milliseconds between_looks{100};
/// More between two looks is no silence of others: this rank was suspended.
constexpr double longest_gap_s = 0.2;
constexpr std::chrono::seconds for_the_abort{5};
constexpr double after_a_failure_s = 30.0;  // a slow disk is no hang

// The other ranks may be in the same call: MPI ends them. Where it waits, too, this rank alone
// ends, and the launcher sees it.
[[noreturn]] void end_all(const std::string& sentence) {
  fmt::print(stderr, "thalweg: error: {}\n", sentence);
  std::fflush(nullptr);
  std::thread([] {
    std::this_thread::sleep_for(for_the_abort);
    std::_Exit(1);
  }).detach();
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

}  // namespace

CallLimit::CallLimit(std::string_view what) : CallLimit(what, "") {}

CallLimit::CallLimit(std::string_view what, std::string_view known)
    : limit_s_(known.empty() ? wait_timeout_s() : std::min(wait_timeout_s(), after_a_failure_s)) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto why = known.empty() ? "another rank has failed or hangs: look for its error above, or "
                                   "raise [io] timeout"
                                 : known;
  sentence_ = fmt::format(
      "rank {}: waiting for {}: nothing moved for {:g} s in a call of MPI that cannot be given up, "
      "so the program ends; {}",
      rank, what, limit_s_, why);
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread to be had: without a limit, as MPI is
  }
}

CallLimit::~CallLimit() {
  {
    const std::lock_guard lock(mutex_);
    back_ = true;
  }
  changed_.notify_one();
  if (watcher_.joinable()) watcher_.join();
}

void CallLimit::watch() {
  std::unique_lock lock(mutex_);
  double looked_s = wait_clock_s(), silent_s = 0.0;
  while (!changed_.wait_for(lock, between_looks, [this] { return back_; })) {
    const double now_s = wait_clock_s();
    silent_s += std::min(now_s - looked_s, longest_gap_s);
    looked_s = now_s;
    if (silent_s > limit_s_) end_all(sentence_);
  }
}

}  // namespace thalweg
