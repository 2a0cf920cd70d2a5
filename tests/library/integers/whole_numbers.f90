! SPDX-License-Identifier: Apache-2.0
!> Puts integers that no float32 and no double holds; test_integers.py says which.
program whole_numbers
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use mpi
  use thalweg
  implicit none
  integer, parameter :: points = 600, levels = 3
  type(thalweg_output) :: out
  integer :: rank, ranks, ierr, i, level
  integer, allocatable :: own(:)
  integer(int32), allocatable :: near(:), ends(:)
  integer(int64), allocatable :: far(:, :)
  character(len=256) :: experiment
  call mpi_init(ierr)
  call get_command_argument(1, experiment)
  call out%open(MPI_COMM_WORLD, experiment, ".")
  if (out%is_compute_rank()) then
    call mpi_comm_rank(out%compute_comm(), rank, ierr)
    call mpi_comm_size(out%compute_comm(), ranks, ierr)
    own = [(i, i=1 + rank, points, ranks)]
    call out%define_points("cell", int(points, int64), own)
    call out%define_attribute("institution", "a centre")
    call out%define_attribute("comment", "of the program")
    call out%define_field("near", "1", "cell", type=of_int32)
    call out%define_field("ends", "1", "cell", type=of_int32)
    call out%define_field("long", "1", "cell", levels, of_int64)
    call out%define_field("real", "1", "cell")
    near = 16777217 + (own - 1)
    allocate (ends(size(own)), source=16777217)
    where (mod(own - 1, 3) == 0) ends = -huge(1) - 1
    where (mod(own - 1, 3) == 1) ends = huge(1)
    allocate (far(size(own), levels))
    do level = 1, levels
      far(:, level) = 9007199254740993_int64 + 10 * (own - 1) + (level - 1)
    end do
    call out%put("near", near, 0.0_real64)
    call out%put("ends", ends, 0.0_real64)
    call out%put("long", far, 0.0_real64)
    call out%put("real", 0.5_real64 * (own - 1), 0.0_real64)
    call out%end_time(0.0_real64)
  else
    call out%serve()
  end if
  call out%close()
  call mpi_finalize(ierr)
end program whole_numbers
