/* SPDX-License-Identifier: Apache-2.0 */
/* Two outputs in one directory: the second has a state, and is ahead of the first one. Arguments:
 * how many sets are kept; more of [[output]] and of [io] for the first output; an hour at which the
 * model dies, between the checkpoint and the first output's put. */
#include <stdlib.h>

#include "start.h"

enum { size = 60, hours = 6 };

static thalweg_output* open_one(const char* stream, const char* keep, const char* more_of_stream,
                                const char* io, double* values, int64_t* owned) {
  char settings[512];
  thalweg_output* out;
  int64_t own[size];
  int rank = 0;
  const thalweg_field field = {"ta", "", "", "K", "cell", 1, THALWEG_FLOAT64, 0.0, 0};
  snprintf(settings, sizeof settings,
           "[time]\nduration = \"PT6H\"\n[[output]]\nname = \"%s\"\ninterval = \"PT1H\"\n%s\n"
           "[io]\n%s\n[restart]\nmode = \"sync\"\nkeep = %s\n",
           stream, more_of_stream, io, keep);
  must(thalweg_open(MPI_COMM_WORLD, settings, ".", &out));
  *owned = own_cells(out, size, own, &rank);
  must(thalweg_define_field(out, &field));
  for (int64_t i = 0; i < *owned; ++i) values[i] = (double)own[i];
  return out;
}

int main(int argc, char** argv) {
  double ta[size], first_s = -1.0, second_s = -1.0;
  int64_t owned = 0;
  int rank = 0;
  const thalweg_field state = {"ta", "", "", "K", "cell", 1, THALWEG_FLOAT64, 0.0, 0};
  const thalweg_view view = {ta, 1, 0, 0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  thalweg_output* first = open_one("behind", argv[1], argv[2], argv[3], ta, &owned);
  thalweg_output* second = open_one("ahead", argv[1], "", "mode = \"serial\"", ta, &owned);
  must(thalweg_define_state(second, &state));
  must(thalweg_read_state(first, "restart", NULL, 0, &first_s));
  must(thalweg_read_state(second, "restart", &view, 1, &second_s));
  if (rank == 0) printf("first from %g s, second from %g s\n", first_s, second_s);
  const int begin = second_s < 0 ? 0 : (int)(second_s / 3600.0) + 1;
  for (int hour = begin; hour <= hours; ++hour) {
    must(thalweg_put(second, "ta", &view, 3600.0 * hour));
    must(thalweg_end_time(second, 3600.0 * hour));
    must(thalweg_write_state(second, 3600.0 * hour, &view, 1));
    if (argc > 4 && hour == atoi(argv[4])) MPI_Abort(MPI_COMM_WORLD, 3);
    must(thalweg_put(first, "ta", &view, 3600.0 * hour));
    must(thalweg_end_time(first, 3600.0 * hour));
  }
  must(thalweg_close(&first));
  return finish(&second);
}
