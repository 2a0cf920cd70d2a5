/* SPDX-License-Identifier: Apache-2.0 */
/* Every other rank is on a second node, as far as MPI tells: loaded before MPI. */
#include <mpi.h>

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  int rank = 0;
  if (type != MPI_COMM_TYPE_SHARED) return PMPI_Comm_split_type(comm, type, key, info, made);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return PMPI_Comm_split(comm, rank % 2, key, made);
}
