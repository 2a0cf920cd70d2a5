/* SPDX-License-Identifier: Apache-2.0 */
/* A restart rank that goes to MPI_Finalize without having served, in a run without a checkpoint. */
#include "start.h"

int main(int argc, char** argv) {
  thalweg_output* out;
  MPI_Init(&argc, &argv);
  must(thalweg_open(MPI_COMM_WORLD,
                    "[time]\nduration = \"PT1H\"\n[io]\nmode = \"serial\"\n"
                    "[restart]\nmode = \"async\"\nranks = 1\n",
                    ".", &out));
  if (thalweg_compute_comm(out) != MPI_COMM_NULL) must(thalweg_close(&out));
  MPI_Finalize();
  return 0;
}
