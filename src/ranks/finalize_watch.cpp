// SPDX-License-Identifier: Apache-2.0
// MPI deletes the attributes of MPI_COMM_SELF before anything else ends (MPI-4, 11.2.4).
#include "ranks/finalize_watch.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <stdlib.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

/// All units of a Fortran program: there where gfortran made it.
extern "C" __attribute__((weak)) void _gfortran_flush_i4(int* unit);

namespace thalweg {

namespace {

// Never destroyed: objects of a program may outlive everything here.
std::list<std::function<void()>>& acts() {
  static auto& all = *new std::list<std::function<void()>>;
  return all;
}

int run_acts(MPI_Comm, int, void*, void*) {
  for (const auto& act : acts()) act();
  return MPI_SUCCESS;
}

void attach_once() {
  static bool attached = false;
  if (attached) return;
  attached = true;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run_acts, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

// The launcher ends all ranks as soon as one has ended with 2: what every rank has to say of its
// own is written before any ends.
void end_with_2(int status, void*) {
  if (status != 0) return;
  constexpr std::chrono::seconds for_all_to_come{1};
  std::fflush(nullptr);
  if (_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
  std::this_thread::sleep_for(for_all_to_come);
  std::exit(2);  // what else is to be done at the end still is
}

}  // namespace

FinalizeWatch::FinalizeWatch(std::function<void()> act)
    : place_((attach_once(), acts().insert(acts().end(), std::move(act)))) {}

FinalizeWatch::~FinalizeWatch() { acts().erase(place_); }

void say_at_the_end(const char* sentence) {
  fmt::print(stderr, "thalweg: error: {}\n", sentence);
  on_exit(end_with_2, nullptr);
}

}  // namespace thalweg
