/* SPDX-License-Identifier: Apache-2.0 */
/* A model with its fields on a device (second argument: device, managed, pool or host): one whose
 * points lie backwards, one of three levels in blocks of eight, as ICON has them, and two tracers
 * whose blocks lie between each other. No array is longer than its last value. It goes on from the
 * newest checkpoint in a directory (third argument), up to an hour (fourth). */
#include <stdlib.h>
#include <string.h>

#include "../start.h"
#include "driver.h"

enum { size = 100, levels = 3, block = 8, fields = 4 };

static double* room(const char* where, int64_t values) {
  const size_t bytes = (size_t)values * sizeof(double);
  if (strcmp(where, "host") == 0) return malloc(bytes);
  const enum kind kind = strcmp(where, "managed") == 0 ? of_both
                         : strcmp(where, "pool") == 0  ? of_pool
                                                       : of_device;
  return device_room(bytes, kind);
}

static int64_t at(const thalweg_view* view, int64_t point, int64_t level) {
  if (view->block_points == 0) return point * view->point_stride + level * view->level_stride;
  return point % block * view->point_stride + level * view->level_stride +
         point / block * view->block_stride;
}

int main(int argc, char** argv) {
  thalweg_output* out;
  int64_t own[size];
  double time_s = -1.0;
  int rank = 0;
  if (!start(&argc, &argv, &out)) return finish(&out);
  const int64_t owned = own_cells(out, size, own, &rank);
  thalweg_view views[fields] = {{NULL, -1, 0, 0, 0},
                                {NULL, 1, block, block, block * levels},
                                {NULL, 1, block, block, 2 * block * levels},
                                {NULL, 1, block, block, 2 * block * levels}};
  double* const ts = room(argv[2], owned);
  double* const ta = room(argv[2], at(&views[1], owned - 1, levels - 1) + 1);
  double* const q = room(argv[2], block * levels + at(&views[3], owned - 1, levels - 1) + 1);
  double* const first_values[fields] = {ts + owned - 1, ta, q, q + block * levels};
  double* seen[fields];
  for (int f = 0; f < fields; ++f) {
    views[f].values = first_values[f];
    seen[f] = strcmp(argv[2], "host") == 0 ? first_values[f] : seen_from_device(first_values[f]);
  }
  const thalweg_field all[fields] = {{"ts", "", "", "K", "cell", 1, THALWEG_FLOAT64, 0.0, 0},
                                     {"ta", "", "", "K", "cell", levels, THALWEG_FLOAT64, 0.0, 0},
                                     {"q1", "", "", "1", "cell", levels, THALWEG_FLOAT64, 0.0, 0},
                                     {"q2", "", "", "1", "cell", levels, THALWEG_FLOAT64, 0.0, 0}};
  for (int f = 0; f < fields; ++f) must(thalweg_define_field(out, &all[f]));
  for (int f = 0; f < fields; ++f) must(thalweg_define_state(out, &all[f]));
  must(thalweg_read_state(out, argv[3], views, fields, &time_s));
  must(thalweg_end_definition(out));
  const int first = time_s < 0 ? 0 : (int)(time_s / 3600.0) + 1;
  for (int hour = first; hour <= atoi(argv[4]); ++hour) {
    for (int f = 0; f < fields; ++f) {
      for (int64_t i = 0; i < owned; ++i) {
        for (int64_t l = 0; l < all[f].levels; ++l) {
          double* const value = &seen[f][at(&views[f], i, l)];
          *value = hour == 0 ? 0.5 * (double)own[i] + 1000.0 * (double)l + f : *value + 0.125;
        }
      }
    }
    for (int f = 0; f < fields; ++f) must(thalweg_put(out, all[f].name, &views[f], 3600.0 * hour));
    must(thalweg_end_time(out, 3600.0 * hour));
    if (hour > 0) must(thalweg_write_state(out, 3600.0 * hour, views, fields));
  }
  return finish(&out);
}
