! SPDX-License-Identifier: Apache-2.0
!> Puts the same kind of values from arrays of rank 1 to 4, of every type, whole and in slices; then
!! what must be refused, one sentence each on rank 0. value(field, point, level) = 20000 * field +
!! 10 * point + level, with the global index from 1.
program arrays
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi
  use thalweg
  implicit none
  integer, parameter :: levels = 3, nproma = 4, of_cells = 600, of_edges = 500
  type(thalweg_output) :: out
  integer :: rank, ranks, ierr, i, level, blocks
  integer, allocatable :: cells(:), edges(:), positions(:)
  real(real32), allocatable :: thirds(:), tracers(:, :, :, :), pages(:, :, :)
  real(real64), allocatable :: backwards(:), wide(:, :), deep(:, :, :, :)
  integer(int32), allocatable :: level_first(:, :), lanes(:, :)
  character(len=256) :: experiment
  call mpi_init(ierr)
  call get_command_argument(1, experiment)
  call out%open(MPI_COMM_WORLD, experiment, ".")
  if (.not. out%is_compute_rank()) then
    call out%serve()
    call finish()
    stop
  end if
  call mpi_comm_rank(out%compute_comm(), rank, ierr)
  call mpi_comm_size(out%compute_comm(), ranks, ierr)
  cells = [(i, i=1 + rank, of_cells, ranks)]
  edges = [(i, i=of_edges - rank, 1, -ranks)]
  positions = [(2 * i, i=1, size(edges))]           ! every other place is a halo edge
  blocks = 2 * (size(edges) / nproma + 1)
  call out%define_points("cell", int(of_cells, int64), cells)
  call out%define_points("edge", int(of_edges, int64), edges, positions)
  call out%define_field("thirds", "1", "cell", type=of_real32)
  call out%define_field("backwards", "1", "cell")
  call out%define_field("wide", "1", "cell", levels)
  call out%define_field("level_first", "1", "cell", levels, of_int32)
  call out%define_field("lanes", "1", "edge", type=of_int32)
  call out%define_field("tracers", "1", "edge", levels, of_real32)
  call out%define_field("deep", "1", "edge", levels)
  call out%define_field("pages", "1", "edge", type=of_real32)

  allocate (thirds(3 * size(cells)), source=-1.0_real32)
  thirds(2::3) = real(value_of(1, cells, 1), real32)
  backwards = real(value_of(2, cells(size(cells):1:-1), 1), real64)
  allocate (wide(size(cells) + 5, 2 * levels), source=-1.0_real64)
  allocate (level_first(levels, size(cells)), source=-1)
  allocate (lanes(nproma, blocks), source=-1)
  allocate (pages(nproma, 2, blocks / 2), source=-1.0_real32)
  allocate (tracers(nproma, levels, blocks, 2), source=-1.0_real32)
  allocate (deep(nproma, levels, blocks, 1), source=-1.0_real64)
  do level = 1, levels
    wide(3:size(cells) + 2, 2 * level) = value_of(3, cells, level)
    level_first(level, :) = value_of(4, cells, level)
    tracers(:, level, :, 2) = real(blocked(6, level), real32)
    deep(:, level, :, 1) = blocked(7, level)
  end do
  lanes = blocked(5, 1)
  pages = real(reshape(blocked(9, 1), shape(pages)), real32)

  call out%put("thirds", thirds(2::3), 0.0_real64)
  call out%put("backwards", backwards(size(cells):1:-1), 0.0_real64)
  call out%put("wide", wide(3:size(cells) + 2, 2::2), 0.0_real64)
  call out%put("level_first", level_first, 0.0_real64, level_first=.true.)
  call out%put("lanes", lanes, 0.0_real64)
  call out%put("tracers", tracers(:, :, :, 2), 0.0_real64)
  call out%put("deep", deep, 0.0_real64)
  call out%put("pages", pages, 0.0_real64)
  call out%end_time(0.0_real64)

  call out%put("wide", wide(:, 1:2), 0.0_real64, ierr=ierr)
  call refused("another number of levels")
  call out%put("wide", level_first, 0.0_real64, ierr=ierr)
  call refused("another type than defined")
  call out%put("thirds", thirds > 0.0, 0.0_real64, ierr=ierr)
  call refused("a type that no field can have")
  call out%put("thirds", thirds(1:2), 0.0_real64, ierr=ierr)
  call refused("too few points")
  call out%put("deep", deep(1, 1, 1, 1), 0.0_real64, ierr=ierr)
  call refused("no array")
  deallocate (deep)
  allocate (deep(nproma, levels, blocks, 2), source=-1.0_real64)
  call out%put("deep", deep, 0.0_real64, ierr=ierr)
  call refused("four dimensions")
  call out%put("pages", pages(:, 1:1, ::2), 0.0_real64, ierr=ierr)
  call refused("blocks left out")
  deallocate (pages)
  allocate (pages(nproma, 2, blocks), source=-1.0_real32)
  call out%put("pages", pages(:, :, ::2), 0.0_real64, ierr=ierr)
  call refused("gaps between blocks")
  call out%put("wise", wide, 0.0_real64, ierr=ierr)
  call refused("no such field")
  call finish()

contains

  elemental integer function value_of(field, point, level)
    integer, intent(in) :: field, point, level
    value_of = 20000 * field + 10 * point + level
  end function value_of

  !> One level of a field on edges, as it lies in blocks; -1 where a halo edge lies.
  function blocked(field, level) result(values)
    integer, intent(in) :: field, level
    integer :: values(nproma, blocks), line(nproma * blocks)
    line = -1
    line(positions) = value_of(field, edges, level)
    values = reshape(line, shape(values))
  end function blocked

  subroutine refused(what)
    character(len=*), intent(in) :: what
    if (ierr /= 2) error stop what // " was not refused"
    if (rank == 0) print '(a)', what // ": " // thalweg_error()
  end subroutine refused

  subroutine finish()
    call out%close()
    call mpi_finalize(ierr)
  end subroutine finish
end program arrays
