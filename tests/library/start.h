/* SPDX-License-Identifier: Apache-2.0 */
/* How the C models of these tests begin and end: I/O ranks serve, compute ranks own every so
 * many-th cell. Whatever is refused ends the program with its sentence. */
#include <mpi.h>
#include <stdio.h>
#include <thalweg.h>

static void must(int status) {
  if (status == THALWEG_OK) return;
  fprintf(stderr, "%s\n", thalweg_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

/* Opens an output below the working directory. 0 on ranks that served and have nothing to do. */
__attribute__((unused)) static int start(int* argc, char*** argv, thalweg_output** out) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (!begun) MPI_Init(argc, argv);
  must(thalweg_open(MPI_COMM_WORLD, (*argv)[1], ".", out));
  if (thalweg_role(*out) == THALWEG_COMPUTE) return 1;
  must(thalweg_serve(*out));
  return 0;
}

/* Compute rank of this one, into *rank; its cells into own[0 ... points). Returns their number. */
__attribute__((unused)) static int64_t own_cells(thalweg_output* out, int64_t points, int64_t* own,
                                                 int* rank) {
  int ranks = 1;
  int64_t owned = 0;
  MPI_Comm_rank(thalweg_compute_comm(out), rank);
  MPI_Comm_size(thalweg_compute_comm(out), &ranks);
  for (int64_t point = *rank; point < points; point += ranks) own[owned++] = point;
  must(thalweg_define_points(out, "cell", points, owned, own, NULL));
  return owned;
}

__attribute__((unused)) static int finish(thalweg_output** out) {
  must(thalweg_close(out));
  MPI_Finalize();
  return 0;
}
