/* SPDX-License-Identifier: Apache-2.0 */
/* Puts integers that no float32 and no double holds; test_integers.py says which. */
#include <stdlib.h>

#include "../start.h"

enum { points = 600, levels = 3 };

static void define(thalweg_output* out, const char* name, int levels_of_it, int type) {
  const thalweg_field field = {name, NULL, NULL, "1", "cell", levels_of_it, type, 0.0, 0};
  must(thalweg_define_field(out, &field));
}

int main(int argc, char** argv) {
  thalweg_output* out = NULL;
  if (start(&argc, &argv, &out)) {
    int rank = 0;
    int64_t own[points];
    const int64_t count = own_cells(out, points, own, &rank);
    must(thalweg_define_attribute(out, "institution", "a centre"));
    must(thalweg_define_attribute(out, "comment", "of the program"));
    define(out, "near", 1, THALWEG_INT32);
    define(out, "ends", 1, THALWEG_INT32);
    define(out, "long", levels, THALWEG_INT64);
    define(out, "real", 1, THALWEG_FLOAT64);
    static int32_t near[points], ends[points];
    static int64_t far[points * levels];
    static double real[points];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t p = own[i];
      near[i] = (int32_t)(16777217 + p);
      ends[i] = p % 3 == 0 ? INT32_MIN : p % 3 == 1 ? INT32_MAX : 16777217;
      for (int k = 0; k < levels; ++k) far[i * levels + k] = 9007199254740993 + 10 * p + k;
      real[i] = 0.5 * (double)p;
    }
    const thalweg_view views[] = {
        {near, 1, 0, 0, 0}, {ends, 1, 0, 0, 0}, {far, levels, 1, 0, 0}, {real, 1, 0, 0, 0}};
    const char* names[] = {"near", "ends", "long", "real"};
    for (int i = 0; i < 4; ++i) must(thalweg_put(out, names[i], &views[i], 0.0));
    must(thalweg_end_time(out, 0.0));
  }
  return finish(&out);
}
