/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 never comes out of a call of MPI, the n-th of its kind: loaded before MPI. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void stay(const char* kind, int* calls) {
  const char* number = getenv(kind);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (number != NULL && rank == 1 && ++*calls == atoi(number)) {
    for (;;) pause();
  }
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* made) {
  static int calls = 0;
  stay("SILENT_CALL", &calls);
  return PMPI_Comm_split(comm, colour, key, made);
}

int MPI_File_write_at_all(MPI_File file, MPI_Offset at, const void* values, int count,
                          MPI_Datatype type, MPI_Status* status) {
  static int calls = 0;
  stay("SILENT_WRITE", &calls);
  return PMPI_File_write_at_all(file, at, values, count, type, status);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  static int calls = 0;
  stay("SILENT_NODES", &calls);
  return PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory,
                     MPI_Win* window) {
  static int calls = 0;
  stay("SILENT_WINDOW", &calls);
  return PMPI_Win_allocate(bytes, unit, info, comm, memory, window);
}

int MPI_Win_create(void* memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* window) {
  static int calls = 0;
  stay("SILENT_WINDOW", &calls);
  return PMPI_Win_create(memory, bytes, unit, info, comm, window);
}
