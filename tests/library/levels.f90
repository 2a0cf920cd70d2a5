! SPDX-License-Identifier: Apache-2.0
!> Temperature of layers, pressure of their faces, and of the ground. test_levels.py reads it.
program levels
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use thalweg
  implicit none
  integer, parameter :: points = 320, layers = 4
  type(thalweg_output) :: out
  integer :: rank, ranks, ierr, i
  integer, allocatable :: mine(:)
  real(real64), allocatable :: values(:, :)
  call mpi_init(ierr)
  call out%open(MPI_COMM_WORLD, "levels.toml", ".")
  if (out%is_compute_rank()) then
    call mpi_comm_rank(out%compute_comm(), rank, ierr)
    call mpi_comm_size(out%compute_comm(), ranks, ierr)
    mine = [(i, i=1 + rank, points, ranks)]
    call out%define_points("cell", int(points, int64), mine)
    call out%define_field("ta", "K", "cell", levels=layers, standard_name="air_temperature")
    call out%define_field("pfull", "Pa", "cell", levels=layers, standard_name="air_pressure")
    call out%define_field("phalf", "Pa", "cell", levels=layers + 1, standard_name="air_pressure", &
      half_levels=.true.)
    call out%define_field("ps", "Pa", "cell", standard_name="surface_air_pressure")
    allocate (values(size(mine), layers + 1))
    do i = 1, layers + 1
      values(:, i) = 1000.0_real64 * i + mine
    end do
    call out%put("ta", values(:, :layers) / 20, 0.0_real64)
    call out%put("pfull", values(:, :layers) + 500, 0.0_real64)
    call out%put("phalf", values, 0.0_real64)
    call out%put("ps", values(:, layers + 1) - 7, 0.0_real64)
    call out%end_time(0.0_real64)
  else
    call out%serve()
  end if
  call out%close()
  call mpi_finalize(ierr)
end program levels
