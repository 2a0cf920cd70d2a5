// SPDX-License-Identifier: Apache-2.0
// One lock for all outputs: MPI_THREAD_SERIALIZED means one call at a time in the whole process.
#include "ranks/one_caller.hpp"

#include <mpi.h>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

bool is_mpi_thread() {
  int level = MPI_THREAD_SINGLE, main = 0;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) return true;
  MPI_Is_thread_main(&main);
  return main != 0;
}

}  // namespace

std::unique_lock<std::recursive_mutex> enter_alone() {
  static std::recursive_mutex inside;
  return std::unique_lock(inside);
}

void require_mpi_thread() {
  if (is_mpi_thread()) return;
  throw Error(Blame::user,
              "a thread other than the one that initialised MPI called Thalweg, but MPI was not "
              "initialised for that; ask MPI_Init_thread for MPI_THREAD_SERIALIZED, or call from "
              "the first thread alone");
}

bool may_call_mpi() {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  return begun != 0 && over == 0 && is_mpi_thread();
}

}  // namespace thalweg
