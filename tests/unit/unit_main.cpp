// SPDX-License-Identifier: Apache-2.0
// Runs every unit test on every rank: `mpirun -n 1..4 thalweg_tests`. It fails if any rank fails.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdio>

#ifdef __SANITIZE_ADDRESS__
// Open MPI unloads its plugins at the end, and the leak checker could no longer tell their leaks
// from ours (tools/lsan.supp goes by library): keep them loaded.
extern "C" int dlclose(void*) { return 0; }
#endif

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  doctest::Context context(argc, argv);
  context.setOption("no-colors", true);  // mpirun plays a terminal even when a log file listens
  if (rank != 0) {
    context.setOption("no-version", true);
    context.setOption("minimal", true);  // nothing but failures, at once: a hang must not hide them
  }
  const int result = context.run();
  if (result != 0) std::fprintf(stderr, "unit tests failed on rank %d\n", rank);

  int worst = result;
  MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst;
}
