! SPDX-License-Identifier: Apache-2.0
!> Output and restart of a parallel model: open, define, put, close. Bodies: thalweg_bodies.f90.
!!
!! Every procedure has an optional `ierr`: 0 = well, 1 = failed, 2 = wrong use; without it an error
!! stops the program with one sentence and that code. After a failure every call gives it again at
!! once, on every rank; only a put that was refused changes nothing. Calls are collective over the compute ranks unless they say
!! otherwise. Times are seconds since the start of the run. Several outputs may be open at a time, unless
!! one of them has I/O or restart ranks.
module thalweg
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_null_ptr, c_ptr, c_ptrdiff_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: thalweg_output, thalweg_error, of_real64, of_real32, of_int32, of_int64

  !> Types of values in memory.
  integer, parameter :: of_real64 = 0, of_real32 = 1, of_int32 = 2, of_int64 = 3

  type :: field_shape
    character(len=:), allocatable :: name
    integer :: levels = 1
    integer :: type = of_real64
    integer :: place = 0  !< 1 to 3: cell, edge, vertex
  end type field_shape

  !> thalweg_view of thalweg.h.
  type, bind(c) :: array_view
    type(c_ptr) :: values = c_null_ptr
    integer(c_ptrdiff_t) :: point_stride = 1, level_stride = 0
    integer(c_int64_t) :: block_points = 0
    integer(c_ptrdiff_t) :: block_stride = 0
  end type array_view

  !> An output of a run. Finalisation does nothing: call close.
  type :: thalweg_output
    private
    type(c_ptr) :: handle = c_null_ptr
    type(field_shape), allocatable :: fields(:)
    type(array_view), allocatable :: state(:)
    integer(int64) :: room(3) = 0  !< points that an array must have, by place
  contains
    procedure :: open => open_output
    procedure :: is_compute_rank
    procedure :: compute_comm
    procedure :: serve
    procedure :: define_points
    procedure :: define_field
    procedure :: define_attribute
    procedure :: end_definition
    procedure :: wants
    procedure :: put
    procedure :: end_time
    procedure :: check
    procedure :: define_state
    procedure :: write_state
    procedure :: read_state
    procedure :: close => close_output
  end type thalweg_output

  interface
    !> Collective over `comm` (the integer handle; of mpi_f08: comm%mpi_val). `experiment`: path of a
    !! TOML file with the tables [io], [[output]], [restart], [time], or that text itself. Files go
    !! to `directory`, which must exist.
    module subroutine open_output(self, comm, experiment, directory, ierr)
      class(thalweg_output), intent(inout) :: self
      integer, intent(in) :: comm
      character(len=*), intent(in) :: experiment, directory
      integer, intent(out), optional :: ierr
    end subroutine open_output

    !> Not collective.
    module function is_compute_rank(self) result(yes)
      class(thalweg_output), intent(in) :: self
      logical :: yes
    end function is_compute_rank

    !> Communicator of the compute ranks, as an integer handle. Not collective.
    module function compute_comm(self) result(comm)
      class(thalweg_output), intent(in) :: self
      integer :: comm
    end function compute_comm

    !> I/O and restart ranks: works until every compute rank has closed. Then call close.
    module subroutine serve(self, ierr)
      class(thalweg_output), intent(inout) :: self
      integer, intent(out), optional :: ierr
    end subroutine serve

    !> The points of `place` ("cell", "edge", "vertex") that this rank owns: their global indices,
    !! 1 to global_size, in any order. `positions`: where each lies in the model's arrays, from 1; with
    !! ICON's blocks (jb - 1) * nproma + jc. Without it they are the first points, in this order.
    module subroutine define_points(self, place, global_size, global, positions, ierr)
      class(thalweg_output), intent(inout) :: self
      character(len=*), intent(in) :: place
      integer(int64), intent(in) :: global_size
      integer, intent(in) :: global(:)
      integer, intent(in), optional :: positions(:)
      integer, intent(out), optional :: ierr
    end subroutine define_points

    !> levels: 1 = two-dimensional. type: of the values that will be put. height: metres above the
    !! ground of a two-dimensional field. half_levels: its levels are the faces of layers, one more
    !! than there are layers.
    module subroutine define_field(self, name, units, place, levels, type, standard_name, long_name, &
        ierr, height, half_levels)
      class(thalweg_output), intent(inout) :: self
      character(len=*), intent(in) :: name, units, place
      integer, intent(in), optional :: levels, type
      character(len=*), intent(in), optional :: standard_name, long_name
      integer, intent(out), optional :: ierr
      real(real64), intent(in), optional :: height
      logical, intent(in), optional :: half_levels
    end subroutine define_field

    !> A global attribute of every file, as "institution" or "references", before end_definition, the
    !! same on all compute ranks. What the table [attributes] of the experiment says of it stays.
    module subroutine define_attribute(self, name, text, ierr)
      class(thalweg_output), intent(inout) :: self
      character(len=*), intent(in) :: name, text
      integer, intent(out), optional :: ierr
    end subroutine define_attribute

    !> After the last definition (and read_state): the ranks compare what they defined; every point must
    !! be owned once. The first put, end_time, check, write_state or close does it where it was left out.
    module subroutine end_definition(self, ierr)
      class(thalweg_output), intent(inout) :: self
      integer, intent(out), optional :: ierr
    end subroutine end_definition

    !> Does a stream want this field (or, without a name, anything) at this time? Not collective.
    module function wants(self, time, name, ierr) result(yes)
      class(thalweg_output), intent(in) :: self
      real(real64), intent(in) :: time
      character(len=*), intent(in), optional :: name
      integer, intent(out), optional :: ierr
      logical :: yes
    end function wants

    !> Returns when `values` may be overwritten. Any array of real32, real64, int32 or int64, strided slices
    !! too: (points), (points, levels), (nproma, blocks), (nproma, levels, blocks), or with level_first
    !! (levels, points), (levels, nproma, blocks). Beyond rank 3 only dimensions of extent 1 may come:
    !! of a larger array put one slice.
    module subroutine put(self, name, values, valid_time, level_first, ierr)
      class(thalweg_output), intent(inout) :: self
      character(len=*), intent(in) :: name
      type(*), intent(in) :: values(..)
      real(real64), intent(in) :: valid_time
      logical, intent(in), optional :: level_first
      integer, intent(out), optional :: ierr
    end subroutine put

    !> After the last put of an output time.
    module subroutine end_time(self, time, ierr)
      class(thalweg_output), intent(inout) :: self
      real(real64), intent(in) :: time
      integer, intent(out), optional :: ierr
    end subroutine end_time

    !> Every time step, as often on every rank: learns of failures on other ranks, from the answer to the question that the call
    !! before it asked.
    module subroutine check(self, ierr)
      class(thalweg_output), intent(inout) :: self
      integer, intent(out), optional :: ierr
    end subroutine check

    !> One field of the state that a restart needs, and the array that holds it (as for put). The
    !! array must stay where it is until close: give it the target attribute.
    module subroutine define_state(self, name, units, place, values, levels, level_first, type, ierr)
      class(thalweg_output), intent(inout) :: self
      character(len=*), intent(in) :: name, units, place
      type(*), intent(inout), target :: values(..)
      integer, intent(in), optional :: levels, type
      logical, intent(in), optional :: level_first
      integer, intent(out), optional :: ierr
    end subroutine define_state

    !> Writes the state as it is now, after end_time of the same time; returns when it may be changed. A time
    !! that end_time has passed is refused.
    module subroutine write_state(self, time, ierr)
      class(thalweg_output), intent(inout) :: self
      real(real64), intent(in) :: time
      integer, intent(out), optional :: ierr
    end subroutine write_state

    !> Fills the state from the newest whole set below `directory`; time < 0 if none was ever written
    !! there. Sets that cannot be continued are a failure that says why.
    module subroutine read_state(self, directory, time, ierr)
      class(thalweg_output), intent(inout) :: self
      character(len=*), intent(in) :: directory
      real(real64), intent(out) :: time
      integer, intent(out), optional :: ierr
    end subroutine read_state

    !> Waits until every file is complete under its final name. A copy of the type is not open then.
    module subroutine close_output(self, ierr)
      class(thalweg_output), intent(inout) :: self
      integer, intent(out), optional :: ierr
    end subroutine close_output

    !> One sentence about the last failure.
    module function thalweg_error() result(sentence)
      character(len=:), allocatable :: sentence
    end function thalweg_error
  end interface
end module thalweg
