/* SPDX-License-Identifier: Apache-2.0 */
/* Another model's fields: an `h` that is no layer thickness, temperatures in the air, at 2 m and
 * nowhere, a sea surface with missing values on some ranks only. test_other_model.py reads them. */
#include <math.h>
#include <string.h>

#include "start.h"

enum { points = 320, levels = 4 };

int main(int argc, char** argv) {
  static const thalweg_field fields[] = {
      {"h", "", "enthalpy", "J kg-1", "cell", levels, THALWEG_FLOAT64, 0.0, 0},
      {"topo", "surface_altitude", "height of the ground", "m", "cell", 1, THALWEG_FLOAT64, 0.0, 0},
      {"ta", "air_temperature", "", "K", "cell", levels, THALWEG_FLOAT64, 0.0, 0},
      {"t2m", "air_temperature", "", "K", "cell", 1, THALWEG_FLOAT64, 2.0, 0},
      {"t_col", "air_temperature", "", "K", "cell", 1, THALWEG_FLOAT64, 0.0, 0},
      {"sst", "", "sea surface", "K", "cell", 1, THALWEG_FLOAT64, 0.0, 0},
      {"deep", "", "sea", "K", "cell", levels, THALWEG_FLOAT64, 0.0, 0}};
  enum { count = sizeof fields / sizeof fields[0] };
  thalweg_output* out = NULL;
  if (start(&argc, &argv, &out)) {
    int rank = 0;
    int64_t own[points];
    const int64_t owned = own_cells(out, points, own, &rank);
    for (int f = 0; f < count; ++f) must(thalweg_define_field(out, &fields[f]));
    for (int f = 0; f < count; ++f) {
      static double values[points * levels];
      const int depth = fields[f].levels;
      for (int64_t i = 0; i < owned; ++i) {
        for (int level = 0; level < depth; ++level) {
          const int64_t p = own[i];
          double value = 250.0 + f + 0.125 * level + 0.01 * (double)(p % 17);
          if (!strcmp(fields[f].name, "sst") && (p == 0 || p == points - 1)) value = NAN;
          /* level 2: missing everywhere; level 3: on the first rank only */
          if (!strcmp(fields[f].name, "deep") && (level == 1 || (level == 2 && rank == 0)))
            value = NAN;
          values[i * depth + level] = value;
        }
      }
      const thalweg_view view = {values, depth, 1, 0, 0};
      must(thalweg_put(out, fields[f].name, &view, 0.0));
    }
    must(thalweg_end_time(out, 0.0));
  }
  return finish(&out);
}
