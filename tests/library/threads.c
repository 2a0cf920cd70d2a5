/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose threads put one field each, at the same time and before any end of definition; many
 * times over, since threads seldom meet. Settings: first argument. */
#include <pthread.h>

#include "start.h"

enum { size = 100, fields = 8, rounds = 20 };
static thalweg_output* out;
static double values[size];
static pthread_barrier_t all_there;

static void* put(void* name) {
  const thalweg_view view = {values, 1, 0, 0, 0};
  pthread_barrier_wait(&all_there);
  must(thalweg_put(out, name, &view, 0.0));
  return NULL;
}

static void compute(void) {
  int64_t own[size];
  int rank = 0;
  pthread_t threads[fields];
  char names[fields][8];
  const int64_t owned = own_cells(out, size, own, &rank);
  for (int64_t point = 0; point < owned; ++point) values[point] = (double)own[point];
  for (int field = 0; field < fields; ++field) {
    snprintf(names[field], sizeof names[field], "f%d", field);
    const thalweg_field info = {names[field], NULL, NULL, "1", "cell", 1, THALWEG_FLOAT64, 0.0, 0};
    must(thalweg_define_field(out, &info));
  }
  for (int field = 0; field < fields; ++field) {
    pthread_create(&threads[field], NULL, put, names[field]);
  }
  for (int field = 0; field < fields; ++field) pthread_join(threads[field], NULL);
  must(thalweg_end_time(out, 0.0));
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  pthread_barrier_init(&all_there, NULL, fields);
  for (int round = 0; round < rounds; ++round) {
    if (start(&argc, &argv, &out)) compute();
    must(thalweg_close(&out));
  }
  MPI_Finalize();
  return 0;
}
