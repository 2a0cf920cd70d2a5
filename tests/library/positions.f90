! SPDX-License-Identifier: Apache-2.0
!> A model that gives fewer positions than points.
program positions
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use thalweg
  implicit none
  type(thalweg_output) :: out
  integer :: ierr, point
  call mpi_init(ierr)
  call out%open(MPI_COMM_WORLD, '[io]' // new_line('a') // 'mode = "serial"', ".")
  call out%define_points("cell", 50_int64, [(point, point=1, 50)], [1, 2, 3])
  call mpi_finalize(ierr)
end program positions
