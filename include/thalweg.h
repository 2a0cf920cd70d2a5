/* SPDX-License-Identifier: Apache-2.0 */
/* What Thalweg promises in C: output and restart of a parallel model in about fifteen calls. */
#ifndef THALWEG_H
#define THALWEG_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every call returns THALWEG_OK or what kind of failure thalweg_last_error() describes in one
 * sentence. Calls are collective over the compute ranks unless they say otherwise.
 * After a failure every call returns it again at once, on every rank: nothing can be missed and
 * nobody waits. A refused definition or time is a failure; a refused thalweg_put changes nothing. A
 * rank that calls MPI_Finalize without thalweg_close ends the output on all others. Threads: calls
 * of several threads take turns if MPI was initialised with MPI_THREAD_SERIALIZED or
 * MPI_THREAD_MULTIPLE, else those of other threads than the first are refused. With [io]
 * backpressure = "thin" threads must put fields in the same order on all ranks. Several outputs may
 * be open at a time, unless one of them has I/O or restart ranks; all ranks call them in the same
 * order, so not from two threads at once. */
enum {
  THALWEG_OK = 0,
  THALWEG_FAILED = 1, /* the file system refused, another rank died, or it is our bug */
  THALWEG_WRONG = 2   /* the caller or the user of the program can mend it */
};
enum { THALWEG_COMPUTE = 0, THALWEG_IO = 1, THALWEG_RESTART = 2 }; /* roles of a rank */
/* Types of values. Integers are written as they are; a stream's precision is for reals. */
enum { THALWEG_FLOAT64 = 0, THALWEG_FLOAT32 = 1, THALWEG_INT32 = 2, THALWEG_INT64 = 3 };

typedef struct thalweg_output thalweg_output;

/* Description of a field. NULL or "" where there is none. */
typedef struct thalweg_field {
  const char *name, *standard_name, *long_name, *units;
  const char* place; /* "cell", "edge" or "vertex" */
  int levels;        /* 1 = two-dimensional */
  int type;          /* of the values in memory, THALWEG_FLOAT64 ... */
  double height_m;   /* above the ground, of a two-dimensional field: 2 for T2m; 0 = none */
  int half_levels;   /* 1: its levels are the faces of layers, one more than there are layers;
                      * states are read and written alike, whatever it says */
} thalweg_field;

/* Values of this rank's points of one field; strides count values. Point p, level l lies at
 *   values[p * point_stride + l * level_stride],
 * or, with block_points = nproma > 0 (ICON's blocks), at
 *   values[(p % nproma) * point_stride + l * level_stride + (p / nproma) * block_stride].
 * They may lie on a CUDA device: they are copied to the host when they are put or written, with all
 * that lies between the first and the last, after what was given to the default stream. */
typedef struct thalweg_view {
  void* values;
  ptrdiff_t point_stride, level_stride;
  int64_t block_points;
  ptrdiff_t block_stride;
} thalweg_view;

/* Collective over `world`. `experiment`: path of a TOML file with the tables [io], [[output]],
 * [restart], [time], [attributes], or that text itself (then it holds a line break or '='). Files
 * go to `directory`, which must exist; restart sets to directory/restart. [grid] and `bounds` are
 * of the mini-model: files of other models hold their fields without coordinates, which CDO takes
 * from a grid file (-setgrid); [restart] read is for thalweg_read_state to say. */
int thalweg_open(MPI_Comm world, const char* experiment, const char* directory,
                 thalweg_output** output);
int thalweg_role(const thalweg_output* output); /* -1: not open */
/* I/O and restart ranks: works until every compute rank has closed. Then call thalweg_close. */
int thalweg_serve(thalweg_output* output);
MPI_Comm thalweg_compute_comm(const thalweg_output* output);

/* This rank owns `count` points of `place`: their 0-based global indices, in any order, and where
 * they lie in the model's arrays (NULL = 0, 1, 2, ...). Once per place, before fields. */
int thalweg_define_points(thalweg_output* output, const char* place, int64_t global_size,
                          int64_t count, const int64_t* global, const int64_t* positions);
int thalweg_define_field(thalweg_output* output, const thalweg_field* field);

/* A global attribute of every file, as "institution" or "references", before end_definition, the
 * same on all compute ranks. What the table [attributes] of the experiment says of it stays. */
int thalweg_define_attribute(thalweg_output* output, const char* name, const char* text);

/* After the last definition (and thalweg_read_state): the ranks compare what they defined, fields
 * of the state, too; every point must be owned once, and no other open output may write its
 * restart sets into directory/restart. The first put, end_time, check, write_state or close does it
 * where it was left out. */
int thalweg_end_definition(thalweg_output* output);

/* Does a stream want this field (NULL: anything) at this time, seconds since the start? 1 or 0, or
 * -1 after a failure, which the next call returns. Not collective. */
int thalweg_wants(thalweg_output* output, const char* field, double time_s);
/* Returns when the values may be overwritten, not when they are on disk. */
int thalweg_put(thalweg_output* output, const char* field, const thalweg_view* view, double time_s);
/* After the last put of an output time, or at every time step. Times go forward: what this has
 * passed is wanted no more, and its put is refused. Between milliseconds nothing is due; a time
 * between two of them that is nearer to an output time than a quarter of the step from the time
 * before is refused as drifted. An output time that is passed without a put is warned of. */
int thalweg_end_time(thalweg_output* output, double time_s);
/* Every time step, as often on every rank: learns of failures on other ranks, from the answer to
 * the question that the call before it asked. */
int thalweg_check(thalweg_output* output);

/* Restart: fields of the state, in the order in which write and read take their views, before
 * end_definition. */
int thalweg_define_state(thalweg_output* output, const thalweg_field* field);
/* Write: after end_time of the same time, which is the same on every rank. A time that end_time has
 * passed is refused: it would be read as what it is not. */
int thalweg_write_state(thalweg_output* output, double time_s, const thalweg_view* views,
                        int count);
/* Reads the newest whole set below `directory` (DIR/restart of a run); *time_s < 0 if no set was
 * ever written there. A directory that is not there is refused, but for this output's own: a
 * mistyped name must not look like a first run. Before end_definition and the first question about
 * output times: outputs then begin after *time_s. Where the sets are those of this output's own
 * directory, its files are continued, with the same streams, and a set counts only if all outputs
 * before it are in files, those of other open outputs of this program in that directory too (open
 * all before the first reads); else files of their own begin. Newer sets that are damaged or do not
 * count are warned of, on standard error. Sets that are there, and cannot be continued, are a
 * failure that says why (THALWEG_WRONG); nothing is changed then. */
int thalweg_read_state(thalweg_output* output, const char* directory, const thalweg_view* views,
                       int count, double* time_s);

/* Waits until restart sets and then files are complete under their final names, both whatever
 * happens to the other; returns the first failure, and frees the handle. Of an output that failed,
 * files and memory stay open until the program ends: to free them, all ranks would have to meet. */
int thalweg_close(thalweg_output** output);
/* One sentence about the last failure of this thread. */
const char* thalweg_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
