/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a field of 1000 points and 5 levels once an hour from any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <thalweg.h>

static void must(int status) {
  if (status == THALWEG_OK) return;
  fprintf(stderr, "%s\n", thalweg_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

int main(int argc, char** argv) {
  enum { size = 1000, levels = 5 };
  MPI_Init(&argc, &argv);
  thalweg_output* out;
  must(thalweg_open(MPI_COMM_WORLD, argv[1], argv[2], &out));
  if (thalweg_role(out) != THALWEG_COMPUTE) {
    must(thalweg_serve(out));
  } else {
    int rank, ranks, owned = 0;
    MPI_Comm_rank(thalweg_compute_comm(out), &rank);
    MPI_Comm_size(thalweg_compute_comm(out), &ranks);
    int64_t global[size];
    float ta[size * levels]; /* ta[point * levels + level] */
    for (int point = rank; point < size; point += ranks) global[owned++] = point;
    must(thalweg_define_points(out, "cell", size, owned, global, NULL));
    must(thalweg_define_field(out, &(thalweg_field){"ta", "air_temperature", "temperature", "K",
                                                    "cell", levels, THALWEG_FLOAT32, 0.0, 0}));
    must(thalweg_end_definition(out));
    for (double time_s = 0; time_s <= 7200; time_s += 3600) {
      for (int i = 0; i < owned * levels; ++i) ta[i] = global[i / levels] + time_s + i % levels;
      must(thalweg_put(out, "ta", &(thalweg_view){ta, levels, 1, 0, 0}, time_s));
      must(thalweg_end_time(out, time_s));
    }
  }
  must(thalweg_close(&out));
  return MPI_Finalize();
}
