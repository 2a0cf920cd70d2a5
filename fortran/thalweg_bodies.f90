! SPDX-License-Identifier: Apache-2.0
!> Bodies of module thalweg: calls of the C interface (include/thalweg.h).
submodule (thalweg) thalweg_bodies
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_loc, &
    c_null_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  character(len=6), parameter :: place_names(3) = ["cell  ", "edge  ", "vertex"]

  !> thalweg_field of thalweg.h.
  type, bind(c) :: c_field
    type(c_ptr) :: name, standard_name, long_name, units, place
    integer(c_int) :: levels, type
    real(c_double) :: height
    integer(c_int) :: half_levels
  end type c_field

  interface
    integer(c_int) function c_open(world, experiment, directory, output) &
        bind(c, name="thalweg_fortran_open")
      import :: c_char, c_int, c_ptr
      integer(c_int), value :: world
      character(kind=c_char), intent(in) :: experiment(*), directory(*)
      type(c_ptr), intent(inout) :: output
    end function c_open
    integer(c_int) function c_role(output) bind(c, name="thalweg_role")
      import :: c_int, c_ptr
      type(c_ptr), value :: output
    end function c_role
    integer(c_int) function c_compute_comm(output) bind(c, name="thalweg_fortran_compute_comm")
      import :: c_int, c_ptr
      type(c_ptr), value :: output
    end function c_compute_comm
    integer(c_int) function c_serve(output) bind(c, name="thalweg_serve")
      import :: c_int, c_ptr
      type(c_ptr), value :: output
    end function c_serve
    integer(c_int) function c_define_points(output, place, global_size, count, global, positions) &
        bind(c, name="thalweg_define_points")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: output, positions
      character(kind=c_char), intent(in) :: place(*)
      integer(c_int64_t), value :: global_size, count
      integer(c_int64_t), intent(in) :: global(*)
    end function c_define_points
    integer(c_int) function c_refuse(output, sentence) bind(c, name="thalweg_fortran_refuse")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: output
      character(kind=c_char), intent(in) :: sentence(*)
    end function c_refuse
    integer(c_int) function c_define_field(output, field) bind(c, name="thalweg_define_field")
      import :: c_field, c_int, c_ptr
      type(c_ptr), value :: output
      type(c_field), intent(in) :: field
    end function c_define_field
    integer(c_int) function c_define_attribute(output, name, text) &
        bind(c, name="thalweg_define_attribute")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: output
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function c_define_attribute
    integer(c_int) function c_define_state(output, field) bind(c, name="thalweg_define_state")
      import :: c_field, c_int, c_ptr
      type(c_ptr), value :: output
      type(c_field), intent(in) :: field
    end function c_define_state
    integer(c_int) function c_refuse_state(output) bind(c, name="thalweg_fortran_refuse_state")
      import :: c_int, c_ptr
      type(c_ptr), value :: output
    end function c_refuse_state
    integer(c_int) function c_end_definition(output) bind(c, name="thalweg_end_definition")
      import :: c_int, c_ptr
      type(c_ptr), value :: output
    end function c_end_definition
    integer(c_int) function c_wants(output, field, time, wanted) &
        bind(c, name="thalweg_fortran_wants")
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: output, field
      real(c_double), value :: time
      integer(c_int), intent(out) :: wanted
    end function c_wants
    integer(c_int) function c_view(array, levels, type, level_first, room, field, view) &
        bind(c, name="thalweg_fortran_view")
      import :: array_view, c_char, c_int, c_int64_t
      type(*), intent(in) :: array(..)
      integer(c_int), value :: levels, type, level_first
      integer(c_int64_t), value :: room
      character(kind=c_char), intent(in) :: field(*)
      type(array_view), intent(out) :: view
    end function c_view
    integer(c_int) function c_put(output, field, view, time) bind(c, name="thalweg_put")
      import :: array_view, c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: output
      character(kind=c_char), intent(in) :: field(*)
      type(array_view), intent(in) :: view
      real(c_double), value :: time
    end function c_put
    integer(c_int) function c_end_time(output, time) bind(c, name="thalweg_end_time")
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: output
      real(c_double), value :: time
    end function c_end_time
    integer(c_int) function c_check(output) bind(c, name="thalweg_check")
      import :: c_int, c_ptr
      type(c_ptr), value :: output
    end function c_check
    integer(c_int) function c_write_state(output, time, views, count) &
        bind(c, name="thalweg_write_state")
      import :: array_view, c_double, c_int, c_ptr
      type(c_ptr), value :: output
      real(c_double), value :: time
      type(array_view), intent(in) :: views(*)
      integer(c_int), value :: count
    end function c_write_state
    integer(c_int) function c_read_state(output, directory, views, count, time) &
        bind(c, name="thalweg_read_state")
      import :: array_view, c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: output
      character(kind=c_char), intent(in) :: directory(*)
      type(array_view), intent(in) :: views(*)
      integer(c_int), value :: count
      real(c_double), intent(out) :: time
    end function c_read_state
    integer(c_int) function c_close(output) bind(c, name="thalweg_close")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: output
    end function c_close
    type(c_ptr) function c_last_error() bind(c, name="thalweg_last_error")
      import :: c_ptr
    end function c_last_error
    subroutine c_exit(status) bind(c, name="exit")
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_exit
    integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function c_strlen
  end interface

contains

  !> Hands a status to the caller, or ends the program with a sentence.
  subroutine give(status, ierr)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status /= 0) then
      write (error_unit, '(2a)') "thalweg: error: ", thalweg_error()
      call c_exit(status)  ! error stop would add a backtrace, and end with 1
    end if
  end subroutine give

  pure function c_text(text) result(terminated)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: terminated
    terminated = trim(text) // c_null_char
  end function c_text

  module procedure open_output
    integer(c_int) :: status
    status = c_open(comm, c_text(experiment), c_text(directory), self%handle)
    if (status == 0) then  ! what an output before this one has left does not count
      self%fields = [field_shape ::]
      self%state = [array_view ::]
      self%room = 0
    end if
    call give(status, ierr)
  end procedure open_output

  module procedure is_compute_rank
    yes = c_role(self%handle) == 0
  end procedure is_compute_rank

  module procedure compute_comm
    comm = c_compute_comm(self%handle)
  end procedure compute_comm

  module procedure serve
    call give(c_serve(self%handle), ierr)
  end procedure serve

  module procedure define_points
    integer(c_int64_t), allocatable :: global_from_0(:)
    integer(c_int64_t), allocatable, target :: positions_from_0(:)
    integer(c_int64_t) :: room
    type(c_ptr) :: where_they_lie
    character(len=80) :: sentence
    if (present(positions)) then
      if (size(positions) /= size(global)) then
        write (sentence, '(i0, a, i0, a)') size(positions), " positions were given for ", &
          size(global), " points"
        call give(c_refuse(self%handle, c_text(sentence)), ierr)
        return
      end if
    end if
    allocate (global_from_0, source=int(global, c_int64_t) - 1)
    where_they_lie = c_null_ptr
    room = size(global, kind=c_int64_t)
    if (present(positions)) then
      allocate (positions_from_0, source=int(positions, c_int64_t) - 1)
      where_they_lie = c_loc(positions_from_0)
      room = max(0_c_int64_t, maxval(int(positions, c_int64_t)))
    end if
    where (place_names == place) self%room = room
    call give(c_define_points(self%handle, c_text(place), global_size, &
      size(global, kind=c_int64_t), global_from_0, where_they_lie), ierr)
  end procedure define_points

  !> The C description; the texts must outlive it.
  subroutine describe(field, name, units, place, standard_name, long_name, levels, type)
    type(c_field), intent(out) :: field
    character(kind=c_char, len=*), intent(in), target :: name, units, place, standard_name, long_name
    integer, intent(in), optional :: levels, type
    field = c_field(c_loc(name), c_loc(standard_name), c_loc(long_name), c_loc(units), c_loc(place), &
      1, of_real64, 0.0_c_double, 0_c_int)
    if (present(levels)) field%levels = levels
    if (present(type)) field%type = type
  end subroutine describe

  module procedure define_field
    type(c_field) :: field
    character(kind=c_char, len=:), allocatable, target :: texts(:)
    integer :: longest, status
    longest = max(len(name), len(units), len(place))
    if (present(standard_name)) longest = max(longest, len(standard_name))
    if (present(long_name)) longest = max(longest, len(long_name))
    allocate (character(kind=c_char, len=longest + 1) :: texts(5))  ! each with its end
    texts = c_null_char
    texts(1) = c_text(name)
    texts(2) = c_text(units)
    texts(3) = c_text(place)
    if (present(standard_name)) texts(4) = c_text(standard_name)
    if (present(long_name)) texts(5) = c_text(long_name)
    call describe(field, texts(1), texts(2), texts(3), texts(4), texts(5), levels, type)
    if (present(height)) field%height = height
    if (present(half_levels)) field%half_levels = merge(1_c_int, 0_c_int, half_levels)
    status = c_define_field(self%handle, field)
    if (status == 0) self%fields = [self%fields, &
      field_shape(trim(name), field%levels, field%type, place_number(place))]
    call give(status, ierr)
  end procedure define_field

  module procedure define_attribute
    call give(c_define_attribute(self%handle, c_text(name), c_text(text)), ierr)
  end procedure define_attribute

  module procedure end_definition
    call give(c_end_definition(self%handle), ierr)
  end procedure end_definition

  !> Levels, type and place of a defined field; an unknown one is refused later, by its name.
  function shape_of(self, name) result(found)
    class(thalweg_output), intent(in) :: self
    character(len=*), intent(in) :: name
    type(field_shape) :: found
    integer :: number
    if (.not. allocated(self%fields)) return  ! not open
    do number = 1, size(self%fields)
      if (self%fields(number)%name == trim(name)) found = self%fields(number)
    end do
  end function shape_of

  !> Finds the values of a field in an array of any rank; gives a status.
  function view_of(self, values, field, name, level_first, view) result(status)
    class(thalweg_output), intent(in) :: self
    type(*), intent(in) :: values(..)
    type(field_shape), intent(in) :: field
    character(len=*), intent(in) :: name
    logical, intent(in), optional :: level_first
    type(array_view), intent(out) :: view
    integer(c_int64_t) :: room
    integer :: status
    room = 0
    if (field%place > 0) room = self%room(field%place)
    status = c_view(values, field%levels, field%type, merge(1, 0, is_set(level_first)), room, &
      c_text(name), view)
  end function view_of

  module procedure wants
    character(kind=c_char, len=:), allocatable, target :: field
    integer(c_int) :: status, wanted
    if (present(name)) then
      field = c_text(name)
      status = c_wants(self%handle, c_loc(field), time, wanted)
    else
      status = c_wants(self%handle, c_null_ptr, time, wanted)
    end if
    yes = wanted > 0
    call give(status, ierr)
  end procedure wants

  module procedure put
    type(array_view) :: view
    integer :: status
    status = view_of(self, values, shape_of(self, name), name, level_first, view)
    if (status == 0) status = c_put(self%handle, c_text(name), view, valid_time)
    call give(status, ierr)
  end procedure put

  module procedure end_time
    call give(c_end_time(self%handle, time), ierr)
  end procedure end_time

  module procedure check
    call give(c_check(self%handle), ierr)
  end procedure check

  module procedure define_state
    type(c_field) :: field
    type(array_view) :: view
    character(kind=c_char, len=:), allocatable, target :: texts(:)
    integer :: status
    allocate (character(kind=c_char, len=max(len(name), len(units), len(place)) + 1) :: texts(5))
    texts = c_null_char
    texts(1) = c_text(name)
    texts(2) = c_text(units)
    texts(3) = c_text(place)
    call describe(field, texts(1), texts(2), texts(3), texts(4), texts(5), levels, type)
    status = view_of(self, values, &
      field_shape(trim(name), field%levels, field%type, place_number(place)), name, level_first, view)
    if (status == 0) then
      status = c_define_state(self%handle, field)
    else
      status = c_refuse_state(self%handle)
    end if
    if (status == 0) self%state = [self%state, view]
    call give(status, ierr)
  end procedure define_state

  module procedure write_state
    call give(c_write_state(self%handle, time, self%state, size(self%state)), ierr)
  end procedure write_state

  module procedure read_state
    call give(c_read_state(self%handle, c_text(directory), self%state, size(self%state), time), ierr)
  end procedure read_state

  module procedure close_output
    call give(c_close(self%handle), ierr)
  end procedure close_output

  module procedure thalweg_error
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: text
    integer :: letter
    text = c_last_error()
    sentence = ""
    if (.not. c_associated(text)) return
    call c_f_pointer(text, letters, [c_strlen(text)])
    sentence = repeat(" ", size(letters))
    do letter = 1, size(letters)
      sentence(letter:letter) = letters(letter)
    end do
  end procedure thalweg_error

  !> In place_names; 0 for a wrong name, which the C interface refuses.
  pure integer function place_number(place)
    character(len=*), intent(in) :: place
    place_number = findloc(place_names, place, dim=1)
  end function place_number

  pure logical function is_set(flag)
    logical, intent(in), optional :: flag
    is_set = .false.
    if (present(flag)) is_set = flag
  end function is_set
end submodule thalweg_bodies
