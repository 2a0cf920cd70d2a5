! SPDX-License-Identifier: Apache-2.0
!> A model that forgets close: what it wrote to units of its own must not be lost with it.
program unclosed
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use thalweg
  implicit none
  type(thalweg_output) :: out
  integer :: rank, ierr, unit
  character(len=1) :: digit
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  write (digit, '(i1)') rank
  open (newunit=unit, file="own_" // digit // ".txt")
  write (unit, '(a)') "what the model says itself"
  call out%open(MPI_COMM_WORLD, '[io]' // new_line('a') // 'mode = "serial"', ".")
  call out%define_points("cell", 2_int64, [rank + 1])
  call mpi_finalize(ierr)
end program unclosed
