/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes its state every hour and goes on from the newest one in a directory (third
 * argument). Settings: first argument; last hour: second. With a fourth it writes its state before
 * the fields of the hour, and dies in its last hour between the two. */
#include <stdlib.h>

#include "start.h"

enum { size = 60 };

int main(int argc, char** argv) {
  thalweg_output* out;
  int64_t own[size];
  double ta[size], time_s = -1.0;
  int rank = 0;
  if (!start(&argc, &argv, &out)) return finish(&out);
  const int64_t owned = own_cells(out, size, own, &rank);
  const thalweg_field field = {"ta", "", "", "K", "cell", 1, THALWEG_FLOAT64, 0.0, 0};
  const thalweg_view view = {ta, 1, 0, 0, 0};
  must(thalweg_define_field(out, &field));
  must(thalweg_define_state(out, &field));
  must(thalweg_read_state(out, argv[3], &view, 1, &time_s));
  if (rank == 0) printf("state of %g s\n", time_s);
  must(thalweg_end_definition(out));
  for (int hour = time_s < 0 ? 0 : (int)(time_s / 3600.0) + 1; hour <= atoi(argv[2]); ++hour) {
    const int before = argc > 4;
    for (int64_t i = 0; i < owned; ++i) ta[i] = (double)own[i] + 1000.0 * hour;
    if (before && hour > 0) must(thalweg_write_state(out, 3600.0 * hour, &view, 1));
    if (before && hour == atoi(argv[2])) MPI_Abort(MPI_COMM_WORLD, 3);
    if (thalweg_wants(out, "ta", 3600.0 * hour)) must(thalweg_put(out, "ta", &view, 3600.0 * hour));
    must(thalweg_end_time(out, 3600.0 * hour));
    if (!before && hour > 0) must(thalweg_write_state(out, 3600.0 * hour, &view, 1));
  }
  return finish(&out);
}
