! SPDX-License-Identifier: Apache-2.0
!> A model with a decomposition of its own: ICON's blocks (nproma, levels, blocks), owned cells among
!! halo cells, global indices in no order; it is stopped by its last restart and goes on from there.
program toy_model
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use thalweg, only: thalweg_output
  implicit none
  integer, parameter :: cells = 1000, levels = 5, nproma = 8
  type(thalweg_output) :: out
  real(real64), allocatable, target :: ta(:, :, :)
  real(real64) :: time
  integer :: rank, ranks, ierr, i
  integer, allocatable :: global(:), position(:)
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
    global = [(i, i=cells - rank, 1, -ranks)]       ! from the last cell to the first
    position = [(i + i / 3, i=1, size(global))]     ! every fourth place holds a halo cell
    allocate (ta(nproma, levels, cells / nproma + 1), source=0.0_real64)
    call out%define_points("cell", int(cells, int64), global, position)
    call out%define_field("ta", "K", "cell", levels)
    call out%define_state("ta", "K", "cell", ta, levels)
    call out%read_state(trim(directory)//"/restart", time)
    time = max(time, 0.0_real64)                    ! less than 0: there is no restart yet
    do i = 1, 4                                     ! four hours in every run
      if (out%wants(time)) call out%put("ta", ta, time)
      call out%end_time(time)
      ta = ta + 1; time = time + 3600
    end do
    call out%write_state(time)
  end if
  call out%close()
  call mpi_finalize(ierr)
end program toy_model
