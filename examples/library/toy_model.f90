! SPDX-License-Identifier: Apache-2.0
!> A model with its own decomposition, in ICON's blocks with halo cells; goes on from its restart.
program toy_model
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use thalweg, only: thalweg_output
  implicit none
  integer, parameter :: cells = 1000, levels = 5, nproma = 8
  type(thalweg_output) :: out
  real(real64), allocatable, target :: ta(:, :, :)
  real(real64) :: time
  integer, allocatable :: global(:), owned(:)
  integer :: rank, ranks, ierr, i, hour, level(levels) = [1, 2, 3, 4, 5]
  call mpi_init(ierr)
  call out%open(MPI_COMM_WORLD, experiment="experiment.toml", directory=".")
  if (.not. out%is_compute_rank()) call out%serve()
  if (out%is_compute_rank()) then
    call mpi_comm_rank(out%compute_comm(), rank, ierr)
    call mpi_comm_size(out%compute_comm(), ranks, ierr)
    global = [(i, i=cells - rank, 1, -ranks)]  ! from the last cell to the first
    owned = [(i + i / 3, i=1, size(global))]   ! (block - 1) * nproma + lane: every fourth is halo
    allocate (ta(nproma, levels, maxval(owned) / nproma + 1), source=-999.0_real64)
    forall (i=1:size(global)) &
      ta(1 + mod(owned(i) - 1, nproma), :, 1 + (owned(i) - 1) / nproma) = global(i) + level / 8.0
    call out%define_points("cell", int(cells, int64), global, owned)
    call out%define_field("ta", "K", "cell", levels)
    call out%define_state("ta", "K", "cell", ta, levels)
    call out%read_state("restart", time)
    call out%end_definition()
    time = max(time, 0.0_real64)               ! less than 0: there is no restart yet
    do hour = 0, 4
      if (hour > 0) ta = ta + 1000
      if (out%wants(time + 3600 * hour)) call out%put("ta", ta, time + 3600 * hour)
      call out%end_time(time + 3600 * hour)
    end do
    call out%write_state(time + 4 * 3600)
  end if
  call out%close()
  call mpi_finalize(ierr)
end program toy_model
