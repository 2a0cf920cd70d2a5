/* SPDX-License-Identifier: Apache-2.0 */
/* A model with its fields on a device (second argument: device, managed or host): a two-dimensional
 * one whose points lie backwards, and one of three levels in blocks of eight, as ICON has them. It
 * goes on from the newest checkpoint in a directory (third argument), up to an hour (fourth). */
#include <stdlib.h>
#include <string.h>

#include "../start.h"
#include "driver.h"

enum { size = 100, levels = 3, block = 8, blocks = size / block + 1 };

static double* room(const char* where, size_t values) {
  const size_t bytes = values * sizeof(double);
  return strcmp(where, "host") == 0 ? malloc(bytes)
                                    : device_room(bytes, strcmp(where, "managed") == 0);
}

int main(int argc, char** argv) {
  thalweg_output* out;
  int64_t own[size];
  double time_s = -1.0;
  int rank = 0;
  if (!start(&argc, &argv, &out)) return finish(&out);
  const int64_t owned = own_cells(out, size, own, &rank);
  const size_t whole = (size_t)block * levels * blocks;
  double* const ts = room(argv[2], size);
  double* const ta = room(argv[2], whole);
  const int on_host = strcmp(argv[2], "host") == 0;
  double* const seen_ts = on_host ? ts : seen_from_device(ts);
  double* const seen_ta = on_host ? ta : seen_from_device(ta);
  const thalweg_field fields[] = {{"ts", "", "", "K", "cell", 1, THALWEG_FLOAT64, 0.0},
                                  {"ta", "", "", "K", "cell", levels, THALWEG_FLOAT64, 0.0}};
  const thalweg_view views[] = {{ts + size - 1, -1, 0, 0, 0},
                                {ta, 1, block, block, (ptrdiff_t)block * levels}};
  for (int f = 0; f < 2; ++f) must(thalweg_define_field(out, &fields[f]));
  for (int f = 0; f < 2; ++f) must(thalweg_define_state(out, &fields[f]));
  for (size_t i = 0; i < size; ++i) seen_ts[i] = -1.0; /* of nobody: has to stay */
  must(thalweg_read_state(out, argv[3], views, 2, &time_s));
  must(thalweg_end_definition(out));
  const int first = time_s < 0 ? 0 : (int)(time_s / 3600.0) + 1;
  if (first > 0) {
    for (int64_t i = 0; i < owned; ++i) {
      if (seen_ts[size - 1 - i] != (double)own[i] + 1000.0 * (first - 1)) return 4;
    }
    for (int64_t i = owned; i < size; ++i) {
      if (seen_ts[size - 1 - i] != -1.0) return 5;
    }
  }
  for (int hour = first; hour <= atoi(argv[4]); ++hour) {
    for (int64_t i = 0; i < owned; ++i) {
      seen_ts[size - 1 - i] = (double)own[i] + 1000.0 * hour;
      for (int64_t l = 0; l < levels; ++l) {
        double* const value = &seen_ta[i % block + l * block + i / block * block * levels];
        *value = (first == hour && hour > 0 ? *value : 0.5 * (double)own[i] + (double)l) + hour;
      }
    }
    for (int f = 0; f < 2; ++f) must(thalweg_put(out, fields[f].name, &views[f], 3600.0 * hour));
    must(thalweg_end_time(out, 3600.0 * hour));
    if (hour > 0) must(thalweg_write_state(out, 3600.0 * hour, views, 2));
  }
  return finish(&out);
}
