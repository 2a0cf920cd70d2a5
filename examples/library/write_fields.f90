! SPDX-License-Identifier: Apache-2.0
!> Writes a field of 1000 points and 5 levels once an hour from any number of ranks.
program write_fields
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi
  use thalweg, only: of_real32, thalweg_output
  implicit none
  integer, parameter :: points = 1000, levels = 5
  type(thalweg_output) :: out
  integer :: rank, ranks, ierr, i, hour, level
  integer, allocatable :: global(:)
  real(real32), allocatable :: ta(:, :)
  character(len=256) :: experiment, directory
  call mpi_init(ierr)
  call get_command_argument(1, experiment)
  call get_command_argument(2, directory)
  call out%open(MPI_COMM_WORLD, experiment, directory)
  if (.not. out%is_compute_rank()) then
    call out%serve()
  else
    call mpi_comm_rank(out%compute_comm(), rank, ierr)
    call mpi_comm_size(out%compute_comm(), ranks, ierr)
    global = [(i, i=1 + rank, points, ranks)]
    allocate (ta(size(global), levels))
    call out%define_points("cell", int(points, int64), global)
    call out%define_field("ta", "K", "cell", levels, of_real32, "air_temperature", "temperature")
    call out%end_definition()
    do hour = 0, 2
      do level = 1, levels
        ta(:, level) = real(global - 1 + 3600 * hour + level - 1, real32)
      end do
      call out%put("ta", ta, valid_time=3600.0_real64 * hour)
      call out%end_time(3600.0_real64 * hour)
    end do
  end if
  call out%close()
  call mpi_finalize(ierr)
end program write_fields
