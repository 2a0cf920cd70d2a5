! SPDX-License-Identifier: Apache-2.0
!> A model that makes the mistake named by its argument: fewer positions than points, or a state
!! that does not fit; of that it looks at no answer but the last.
program mistakes
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use thalweg
  implicit none
  type(thalweg_output) :: out
  integer :: ierr, point
  real(real64) :: too_small(10)
  real(real64), allocatable :: missing(:)
  character(len=16) :: which
  call get_command_argument(1, which)
  call mpi_init(ierr)
  call out%open(MPI_COMM_WORLD, '[io]' // new_line('a') // 'mode = "serial"', ".")
  if (which == "positions") then
    call out%define_points("cell", 50_int64, [(point, point=1, 50)], [1, 2, 3])
  else
    call out%define_points("cell", 50_int64, [(point, point=1, 50)])
    too_small = 0.0_real64
    if (which == "small") call out%define_state("ta", "K", "cell", too_small, ierr=ierr)
    if (which == "missing") call out%define_state("ta", "K", "cell", missing, ierr=ierr)
    call out%end_time(0.0_real64)
    call out%close()
  end if
  call mpi_finalize(ierr)
end program mistakes
