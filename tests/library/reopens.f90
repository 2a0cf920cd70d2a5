! SPDX-License-Identifier: Apache-2.0
!> A long_name of 300 letters, a second output in the same variable, an array of rank 4.
program reopens
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use thalweg
  implicit none
  integer, parameter :: points = 60, levels = 2
  type(thalweg_output) :: out
  integer :: rank, ranks, ierr, i, turn
  integer, allocatable :: global(:)
  real(real64), allocatable :: tracers(:, :, :, :)
  character(len=1) :: digit
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  global = [(i, i=1 + rank, points, ranks)]
  allocate (tracers(size(global), levels, 1, 3), source=1.0_real64)
  do turn = 1, 2
    write (digit, '(i1)') turn
    call out%open(MPI_COMM_WORLD, '[io]' // new_line('a') // 'mode = "serial"' // new_line('a') // &
      '[[output]]' // new_line('a') // 'name = "turn' // digit // '"' // new_line('a') // &
      'layout = "chunked"', ".")
    if (turn == 2) then
      call out%open(MPI_COMM_WORLD, "[io]", ".", ierr)
      if (ierr /= 2) error stop "an open output was opened again"
      if (rank == 0) print '(a)', thalweg_error()
    end if
    call out%define_points("cell", int(points, int64), global)
    call out%define_field("tracer", "1", "cell", levels, long_name=repeat("x", 299) // digit)
    call out%end_definition()
    call out%put("tracer", reshape(tracers, [size(global), levels, 3, 2], [tracers]), 0.0_real64, &
      ierr=ierr)
    if (ierr /= 2) error stop "an array of rank 4 was taken"
    if (rank == 0) print '(a)', thalweg_error()
    call out%put("tracer", tracers(:, :, :, 2), 0.0_real64)
    call out%end_time(0.0_real64)
    call out%close()
  end do
  call mpi_finalize(ierr)
end program reopens
