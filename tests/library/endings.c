/* SPDX-License-Identifier: Apache-2.0 */
/* A model that goes wrong in the way named by its first argument, and looks at nothing that it is
 * told: every call is made, and what it answers is printed. Settings: second argument. It goes
 * several ways, with a '|' between them, one after the other, each in a directory of its number;
 * behind each stands its own code, that of its worst answer. The program ends with the worst. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <thalweg.h>

enum { size = 100, levels = 5 };
static const char* way;
static int way_number, world_rank, worst; /* worst: answer of this way */

static int is(const char* name) { return strcmp(way, name) == 0; }

static void note(const char* call, int status) {
  if (status <= THALWEG_OK) return;
  printf("%d %d %s: %s\n", way_number, world_rank, call, thalweg_last_error());
  fflush(stdout);
  if (status > worst) worst = status;
}

/* Writes 16 MB of state and closes before the last output of its stream, which fails: and ends at
 * once, as a program would. All others wait for that: where a rank is in MPI_Finalize while another
 * aborts, Open MPI 4.1's launcher waits for ever or crashes in PMIx_server_finalize, one in five.
 */
static void close_early(thalweg_output* out) {
  enum { many = 20000 };
  static double state[size * many];
  int64_t global[size];
  int rank, ranks, owned = 0;
  MPI_Comm_rank(thalweg_compute_comm(out), &rank);
  MPI_Comm_size(thalweg_compute_comm(out), &ranks);
  for (int point = rank; point < size; point += ranks) global[owned++] = point;
  const thalweg_field field = {"ta", NULL, NULL, "K", "cell", many, THALWEG_FLOAT64, 0.0, 0};
  thalweg_view view = {state, many, 1, 0, 0};
  note("define_points", thalweg_define_points(out, "cell", size, owned, global, NULL));
  note("define_field", thalweg_define_field(out, &field));
  note("define_state", thalweg_define_state(out, &field));
  note("end_definition", thalweg_end_definition(out));
  note("put", thalweg_put(out, "ta", &view, 0));
  note("end_time", thalweg_end_time(out, 0));
  note("write_state", thalweg_write_state(out, 0, &view, 1));
  note("close", thalweg_close(&out));
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, worst);
  MPI_Barrier(MPI_COMM_WORLD); /* until the abort */
}

/* Has defined its state, and writes it: the second compute rank in the way that is wrong. */
static void write_state(thalweg_output* out, const float* ta, int odd) {
  const thalweg_view view = {(void*)ta, levels, 1, 0, 0}, nothing = {NULL, levels, 1, 0, 0},
                     backwards = {(void*)ta, levels, 1, -8, 0};
  const thalweg_view* views = &view;
  if (is("state without values") && odd) views = &nothing;
  if (is("state in blocks of -8") && odd) views = &backwards;
  if (is("state without views") && odd) views = NULL;
  const int count = is("state with two views") && odd ? 2 : 1;
  double time_s = is("state before the start") ? -3600 : 0;
  if (is("state of no time") && odd) time_s = 0.0 / 0.0;
  if (is("state of another time") && odd) time_s = 3600;
  note("write_state", thalweg_write_state(out, time_s, views, count));
}

/* Reads its state, which the same program wrote before. */
static void read_state(thalweg_output* out, const float* ta, int odd) {
  const thalweg_view view = {(void*)ta, levels, 1, 0, 0}, nothing = {NULL, levels, 1, 0, 0};
  const thalweg_view* views = is("read without values") && odd ? &nothing : &view;
  double time_s = -1;
  note("read_state", thalweg_read_state(out, is("read without directory") && odd ? NULL : "restart",
                                        is("read without views") && odd ? NULL : views, 1,
                                        is("read without time") && odd ? NULL : &time_s));
}

/* The second compute rank does what is wrong; returns 0 if it has left. */
static int compute(thalweg_output* out) {
  int rank, ranks, owned = 0;
  MPI_Comm_rank(thalweg_compute_comm(out), &rank);
  MPI_Comm_size(thalweg_compute_comm(out), &ranks);
  const int odd = rank == 1;
  int64_t global[size + 1];
  float ta[(size + 1) * levels];
  for (int point = rank; point < size; point += ranks) global[owned++] = point;
  if (is("point of two ranks") && odd) global[owned++] = 0;
  if (is("point twice") && odd) global[owned++] = global[0];
  if (is("point of no rank") && odd) --owned;
  if (is("point out of range") && odd) global[owned - 1] = 1000;
  const int64_t all = size + (is("sizes") && odd);
  int64_t positions[size + 1];
  for (int i = 0; i < owned; ++i) positions[i] = i;
  if (is("position twice") && odd) positions[owned - 1] = 0;
  note("define_points", thalweg_define_points(out, "cell", all, owned, global,
                                              is("position twice") ? positions : NULL));
  if (is("points defined twice"))
    note("again", thalweg_define_points(out, "cell", all, owned, global, NULL));
  thalweg_field field = {"ta",
                         NULL,
                         is("fields") && odd ? "another one" : NULL,
                         "K",
                         "cell",
                         levels - (is("levels") && odd),
                         is("types") && odd ? THALWEG_FLOAT64 : THALWEG_FLOAT32,
                         0.0,
                         0};
  if (is("no levels")) field.levels = 0;
  if (is("no levels on one rank") && odd) field.levels = 0;
  if (is("no name")) field.name = NULL;
  note("define_field", thalweg_define_field(out, is("no description") ? NULL : &field));
  if (is("no levels of the state")) field.levels = 0;
  if (is("fewer than no levels of the state") && odd) field.levels = -3;
  if (is("read after a refused field") && odd) field.levels = -3;
  if (strstr(way, "state") != NULL || strncmp(way, "read", 4) == 0)
    note("define_state", thalweg_define_state(out, &field));
  if (strncmp(way, "read", 4) == 0) read_state(out, ta, odd);
  note("end_definition", thalweg_end_definition(out));
  if (is("state of one that leaves") && odd) return 0;
  const int skips = is("state of the first rank alone") && odd;
  if (!skips && (strncmp(way, "state", 5) == 0 || strstr(way, "of the state") != NULL))
    write_state(out, ta, odd);
  for (double time_s = 0; time_s <= 7200; time_s += 3600) {
    if (is("leaves") && odd && time_s == 3600) return 0;
    if (is("all leave") && time_s == 3600) return 0;
    if (is("skips a time") && odd && time_s == 3600) continue;
    if (is("closes before the rest") && odd && time_s == 7200) return 1;
    if (is("state instead of a time") && odd && time_s == 7200) write_state(out, ta, 0);
    for (int i = 0; i < owned * levels; ++i) ta[i] = global[i / levels] + time_s + i % levels;
    const thalweg_view view = {ta, levels, 1, 0, 0}, nothing = {NULL, levels, 1, 0, 0};
    if (is("asks for no time") && odd && time_s == 3600) thalweg_wants(out, "ta", 0.0 / 0.0);
    if (is("asks beyond the run")) thalweg_wants(out, "ta", time_s + 3600);
    if (is("ends no time") && odd && time_s == 3600) thalweg_end_time(out, 0.0 / 0.0);
    if (is("ends a time that has drifted") && odd && time_s == 7200)
      thalweg_end_time(out, 7200.0004);
    if (is("put without name")) note("wrong", thalweg_put(out, NULL, &view, time_s));
    if (is("put without view")) note("wrong", thalweg_put(out, "ta", NULL, time_s));
    if (is("no values")) note("wrong", thalweg_put(out, "ta", &nothing, time_s));
    const thalweg_view* given = is("no values on one rank") && odd ? &nothing : &view;
    if (!(is("forgotten put") && odd && time_s == 3600) && thalweg_wants(out, "ta", time_s) != 0)
      note("put", thalweg_put(out, "ta", given, time_s));
    note("end_time", thalweg_end_time(out, time_s));
  }
  return 1;
}

/* One output, opened with these settings; 0 if this rank has left it. */
static int go(const char* settings, const char* directory) {
  int here = 1;
  thalweg_output* out = NULL;
  note("open", thalweg_open(MPI_COMM_WORLD, settings, directory, &out));
  if (out == NULL) return 1;
  if (thalweg_role(out) == THALWEG_COMPUTE && is("closes early")) {
    close_early(out);
  } else if (thalweg_role(out) == THALWEG_COMPUTE) {
    here = compute(out);
  } else if (!is("does not serve")) {
    note("serve", thalweg_serve(out));
  }
  if (here) note("close", thalweg_close(&out));
  if (is("closes early")) MPI_Barrier(MPI_COMM_WORLD); /* until the abort */
  return here;
}

/* The second rank may have other settings, those of each way: third argument and on. */
int main(int argc, char** argv) {
  char* rest = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int only_one = strchr(argv[1], '|') == NULL;
  int here = 1, worst_of_all = 0;
  for (; here && (way = strtok_r(NULL, "|", &rest)) != NULL; ++way_number) {
    char directory[16] = ".";
    if (!only_one) {
      snprintf(directory, sizeof directory, "%d", way_number);
      mkdir(directory, 0777); /* by whichever rank is first */
    }
    const int others = is("streams") && world_rank == 1;
    worst = THALWEG_OK;
    here = go(others ? argv[3 + way_number] : argv[2], directory);
    printf("%d %d = %d\n", way_number, world_rank, worst);
    fflush(stdout);
    if (worst > worst_of_all) worst_of_all = worst;
  }
  MPI_Finalize();
  return worst_of_all;
}
