# SPDX-License-Identifier: Apache-2.0
"""What a Fortran model calls, beside a kernel on ranks: ranks_interface.py has it in C."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.dsl.targets.fortran_text import interface

SAID = [
    "integer(c_int64_t), value :: room",
    "character(kind=c_char), intent(inout) :: said(room)  ! of C: up to c_null_char",
]
RANKS = [
    "integer(c_int), value :: comm  ! a communicator, as `use mpi` has it",
    "integer(c_int64_t), value :: places",
    "type(c_ptr), intent(in) :: names(places)  ! c_loc of 'cells' // c_null_char",
    "integer(c_int64_t), intent(in) :: totals(places), own(places)",
    "type(c_ptr), intent(in) :: owners(places)  ! c_loc of integer(c_int32_t), from 0",
    "type(c_ptr), intent(in) :: globals(places)  ! c_loc of integer(c_int64_t), from 0",
    "real(c_double), value :: limit_s",
    *SAID,
]
ABOUT_RANKS = """For all kernels of this target. Collective. Points of each place: own ones first.
owners, globals: whose each is, and its number in the whole grid; -2 as the owner of the last
ones: each rank has them for itself. A wait of more than limit_s ends the program with a
sentence. c_null_ptr, and why, on all ranks, if one refuses."""
ABOUT_PARTS = """What the kernel is called with for these tables, as long as they stay. c_null_ptr,
and why, if the halo is not deep enough; together = 1, which is collective: on all ranks if it
is not on one."""
ABOUT_FIELDS = """A field, its c_loc, that travels again only after a kernel has set it, or
`changed` was called for it: on all ranks or on none. Others travel whenever a kernel reads them
at neighbours."""
ABOUT_TOLD = """Since the beginning: seconds of packing and of waiting; exchanges, messages and
bytes that left. Points are computed while values travel, unless `overlaps` is 0."""
A_POINTER = "type(c_ptr), value :: "


def interfaces(name: str, sizes: Sequence[str], declared: Sequence[str]) -> list[str]:
    """`sizes`: of places, with tables; `declared`: as Fortran declares them."""
    ranks = ["comm", "places", "names", "totals", "own", "owners", "globals", "limit_s"]
    said = ["said", "room"]
    together = ["integer(c_int), value :: together", *SAID]
    parts = [f"type(c_ptr) :: {name}_parts", f"{A_POINTER}ranks", *declared, *together]
    field = [f"{A_POINTER}ranks, field"]
    told = [f"{A_POINTER}ranks", "real(c_double), intent(out) :: figures(5)"]
    on = [f"{A_POINTER}ranks", "integer(c_int), value :: on"]
    made = [f"type(c_ptr) :: {name}_ranks", *RANKS]
    return [
        *_comment(ABOUT_RANKS),
        *interface("function", f"{name}_ranks", [*ranks, *said], made),
        *interface("subroutine", f"{name}_free_ranks", ["ranks"], [f"{A_POINTER}ranks"]),
        *_comment(ABOUT_PARTS),
        *interface("function", f"{name}_parts", ["ranks", *sizes, "together", *said], parts),
        *interface("subroutine", f"{name}_free_parts", ["parts"], [f"{A_POINTER}parts"]),
        *_comment(ABOUT_FIELDS),
        *interface("subroutine", f"{name}_keeps", ["ranks", "field"], field),
        *interface("subroutine", f"{name}_changed", ["ranks", "field"], field),
        *_comment(ABOUT_TOLD),
        *interface("subroutine", f"{name}_told", ["ranks", "figures"], told),
        *interface("subroutine", f"{name}_overlaps", ["ranks", "on"], on),
    ]


def _comment(text: str) -> list[str]:
    return [f"! {line}" for line in text.splitlines()]
