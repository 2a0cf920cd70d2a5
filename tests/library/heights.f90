! SPDX-License-Identifier: Apache-2.0
!> Temperatures at 2 m, at 10 m and of no height.
program heights
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use thalweg
  implicit none
  integer, parameter :: points = 60
  type(thalweg_output) :: out
  integer :: rank, ranks, ierr, i
  integer, allocatable :: mine(:)
  call mpi_init(ierr)
  call out%open(MPI_COMM_WORLD, "heights.toml", ".")
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  mine = [(i, i=1 + rank, points, ranks)]
  call out%define_points("cell", int(points, int64), mine)
  call out%define_field("t2m", "K", "cell", standard_name="air_temperature", height=2.0_real64)
  call out%define_field("t10m", "K", "cell", standard_name="air_temperature", height=10.0_real64)
  call out%define_field("t", "K", "cell", standard_name="air_temperature")
  call out%put("t2m", 250.0_real64 + mine, 0.0_real64)
  call out%put("t10m", 250.0_real64 + mine, 0.0_real64)
  call out%put("t", 250.0_real64 + mine, 0.0_real64)
  call out%end_time(0.0_real64)
  call out%close()
  call mpi_finalize(ierr)
end program heights
