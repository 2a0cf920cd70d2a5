# SPDX-License-Identifier: Apache-2.0
"""Pass: no name of a kernel is one that translated code has already."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import product

from thalweg.dsl import ir
from thalweg.dsl.grid import Group
from thalweg.dsl.passes.library_names import is_of_library, may_be_macro
from thalweg.dsl.problem import KernelError, Spot
from thalweg.dsl.translation import size_names, table_names

LONGEST_NAME = 63  # in Fortran 2003
FORTRAN_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}")
# Of C++, C and Fortran's interface to it, of Python, and of functions that translated code calls.
RESERVED = frozenset(
    {
        "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char",
        "class", "compl", "concept", "const", "constexpr", "continue", "decltype", "default",
        "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false",
        "float", "for", "friend", "goto", "if", "import", "in", "inline", "int", "is", "lambda",
        "long", "mutable", "namespace", "new", "noexcept", "not", "np", "nullptr", "operator",
        "or", "part", "pass", "private", "protected", "public", "register", "requires",
        "restrict", "return", "short", "signed", "sizeof", "static", "std", "struct", "switch",
        "template", "this", "throw", "true", "try", "typedef", "typename", "union", "unsigned",
        "using", "virtual", "void", "volatile", "while", "with", "yield", "and_eq", "bitand",
        "bitor", "char8_t", "char16_t", "char32_t", "consteval", "constinit", "const_cast",
        "co_await", "co_return", "co_yield", "dynamic_cast", "not_eq", "or_eq",
        "reinterpret_cast", "static_assert", "static_cast", "thread_local", "typeid", "wchar_t",
        "xor", "xor_eq", "linux", "unix", "range", "max", "of_levels", "of_groups", "JOINED",
        "exp", "log", "sqrt", "abs", "pow", "lane", "block", "to", "NAN", "INFINITY", "HUGE_VAL",
        "errno",
        "row", "quick", "are_quick", "quotient", "reciprocal", "chosen", "lesser", "greater",
        "is_negative", "stream", "stream_one", "fetch", "first_line", "end_streams", "tile",
        "tiles",
        "in_vectors", "in_lines", "tile_count", "tile_sweep", "tile_at", "tile_end", "given_tiles",
        "share", "points_of_part", "parts_on_device", "thread", "point_of_thread",
        "level_of_thread", "thread_index", "thread_part", "divided", "launch", "not_set", "Room",
        "Ranges", "parts_room", "given_parts", "expect", "device_room", "free_room", "copy_in",
        "copy_out", "wait_for_device", "end_of_call", "is_idle", "take_device", "RangesThere",
        "Lists", "place_of_value", "index_of_thread", "part_of_thread", "threads", "most_parts",
        "threadIdx", "blockIdx", "blockDim", "gridDim", "parts", "parts_of", "given", "others",
        "Ranks", "Parts", "Part", "Place", "Partner", "Points", "Told", "Wires", "Hop", "Halo",
        "Reads", "Table", "leave", "arrive", "receive", "move_on", "piece_at", "Label", "together",
        "on_ranks", "kernel_ranks", "kernel_parts",
        "ranks_of", "ranks_of_calls", "ranks_to_call", "calls_on_mpi", "calls_on_onesided",
        "each_rank", "place_of_a_rank", "make_kernel_ranks", "room_of_a_sentence", "ON_DEVICE",
        "SWEEP", "THALWEG_RANKS_mpi", "THALWEG_RANKS_onesided", "THALWEG_RANKS_mpi_cuda",
        "THALWEG_RANKS_onesided_cuda", "Tiles", "made_by_kernels",
        "c_ptr", "c_null_ptr", "c_null_char", "c_char", "c_int", "c_int32_t", "c_int64_t",
        "c_float", "c_double", "iso_c_binding",
    }
)  # fmt: skip
# Of functions that stand where constants do.
RESERVED_OF_CONSTANTS = frozenset(
    {"bytes_of", "carry", "carry_all", "give", "pack", "power_of_one", "powers", "take"}
)
# Of a sweep or an exchange on ranks, by its number.
NUMBERED = re.compile(r"(own|inner|outer|points|pieces|ranks|places|halo)_[0-9]+(_parts)?")
# Of the functions that find tiles and the order of points, which are told the ranges of points.
RESERVED_OF_RANGES = frozenset(
    {
        "whole_tiles", "shares", "share_of", "keep_order", "begin", "end", "within", "sorted",
        "no_later", "no_earlier", "rooms_between", "Numbers",
        "Sweep", "Rooms", "Tiles", "Near", "Steps", "Pairs", "near_of", "steps_from",
        "order_along_curve", "order_block", "Order", "of_none", "no_larger", "set_order",
        "table_pairs", "all_points",
        "near_points", "steps_away", "nearest_landmark", "landmark", "all_steps", "own_steps",
        "along_curve", "i", "j", "n", "each",
    }
)  # fmt: skip


def check_names(kernel: ir.KernelIR) -> None:
    """Raises KernelError for the first name that means another thing in translated code."""
    taken = dict.fromkeys(size_names(kernel), "how many points or levels there are")
    taken |= dict.fromkeys(table_names(kernel), "a table of neighbours")
    for place in kernel.places():
        taken[place.name] = f"the number of a {place.name}"
        taken |= dict.fromkeys(
            [f"{place.name}_room", f"of_{place.name}"],
            f"where values of a {place.name} are kept",
        )
    for relation in kernel.neighbour_tables():
        neighbours = [f"{relation.name}_{each}" for each in relation.names]
        taken |= dict.fromkeys(neighbours, "the number of a neighbour")
        taken |= {f"{each}_at": "where values of a neighbour begin" for each in neighbours}
        taken |= {f"{each}_room": "where a value of a neighbour is kept" for each in neighbours}
    taken |= dict.fromkeys(_further_neighbours(kernel), "the number of a neighbour's neighbour")
    taken |= dict.fromkeys(RESERVED, "a word of the language or a function")
    taken["level"] = "the number of a level"
    for name, variable in kernel.variables.items():
        if variable.type.role in ("points", "local"):
            made = "parts" if variable.type.role == "points" else "room"
            taken[f"{name}_{made}"] = f"made for '{name}'"
        words = product(*(axis.names for axis in variable.type.axes))
        taken |= {"_of_".join([name, *each]): f"one of '{name}'" for each in words if each}
    taken |= dict.fromkeys([kernel.name, f"{kernel.name}_on_a_thread"], "the kernel")
    for each in ir.walk(kernel.body):  # their names stay: they are those of loops
        if isinstance(each, ir.Reduce) and isinstance(each.over, Group) and each.name in taken:
            raise KernelError(
                each.spot,
                f"the name '{each.name}' is taken: in translated code it is {taken[each.name]}",
                hint=f"as in 'own_{each.name}'",
            )
    of_ranges = {
        *RESERVED_OF_RANGES,
        *(
            word
            for place in kernel.places()
            for word in (
                f"begin_of_{place.name}",
                f"rank_of_{place.name}",
                f"outside_{place.name}",
                f"{place.plural}_order",
            )
        ),
    }
    lower = {name.lower(): name for name in (*size_names(kernel), *table_names(kernel))}
    _check_loops(kernel, taken)
    _check_constants(kernel, {*taken, *of_ranges})
    for variable in kernel.variables.values():
        if not FORTRAN_NAME.fullmatch(variable.name):
            raise KernelError(
                variable.spot,
                f"'{variable.name}' is no name in Fortran",
                hint=f"at most {LONGEST_NAME} letters, digits and _, the first a letter",
            )
        if lower.setdefault(variable.name.lower(), variable.name) != variable.name:
            raise KernelError(
                variable.spot,
                f"'{variable.name}' and '{lower[variable.name.lower()]}' are one name in Fortran",
                hint="it has no large and small letters; another name for one of them",
            )
        if variable.type.role == "points" and variable.name in of_ranges:
            taken[variable.name] = "a word of the functions that find tiles and orders"
        if NUMBERED.fullmatch(variable.name):
            taken[variable.name] = "made for ranks"
        _refuse_macro(variable.name, variable.spot)
        if variable.name in taken:
            raise KernelError(
                variable.spot,
                f"the name '{variable.name}' is taken: in translated code it is "
                f"{taken[variable.name]}",
                hint=f"as in 'own_{variable.name}'",
            )
    if not may_be_function(kernel.name):
        spot = next(iter(kernel.arguments.values())).spot
        raise KernelError(
            spot,
            f"a kernel cannot be called '{kernel.name}': translated code has another thing of that "
            "name, or Fortran cannot call it so",
            hint=f"as in 'own_{kernel.name}'"
            if FORTRAN_NAME.fullmatch(f"own_{kernel.name}")
            else f"at most {LONGEST_NAME} letters, digits and _, the first a letter",
        )


def _further_neighbours(kernel: ir.KernelIR) -> Iterator[str]:
    tables = kernel.neighbour_tables()
    for one, other in product(tables, tables):
        if one.target is other.source:
            for first, second in product(one.names, other.names):
                yield f"{one.name}_{first}_{other.name}_{second}"


def may_be_function(name: str) -> bool:
    """Whether translated code may have a function of that name, and Fortran call it."""
    known = name in RESERVED | RESERVED_OF_RANGES | {"kernel"} or is_of_library(name)
    return FORTRAN_NAME.fullmatch(name) is not None and not known


def _refuse_macro(name: str, spot: Spot) -> None:
    if may_be_macro(name):
        small = name.lower()
        raise KernelError(
            spot,
            f"the name '{name}' may be one of C's macros",
            "headers put something else in its place in translated code",
            f"as in '{small if small != name else f'own_{name}'}'",
        )


def _check_loops(kernel: ir.KernelIR, taken: Mapping[str, str]) -> None:
    """A loop over levels has its name in code, where nothing else may have it."""
    for name, spot in _level_loops(kernel):
        _refuse_macro(name, spot)
        if name in taken and name != "level":  # which is what loops without a name are called
            raise KernelError(
                spot,
                f"the name '{name}' is taken: in translated code it is {taken[name]}",
                hint=f"as in 'level_{name}'",
            )
        if name in kernel.variables:
            raise KernelError(
                kernel.variables[name].spot,
                f"'{name}' is a loop over levels, too",
                hint=f"as in 'own_{name}'",
            )


def _level_loops(kernel: ir.KernelIR) -> list[tuple[str, Spot]]:
    loops = [each for each in kernel.body if isinstance(each, ir.ForLevels)]
    reduces = [each for each in ir.walk(kernel.body) if isinstance(each, ir.Reduce)]
    sums = [each for each in reduces if isinstance(each.over, ir.LevelRange)]
    named: list[ir.ForLevels | ir.Reduce] = [*loops, *sums]
    return [(each.name, each.spot) for each in named]


def _check_constants(kernel: ir.KernelIR, taken: Collection[str]) -> None:
    """Code has them by their names, once for all of it."""
    loops = {name for name, _ in _level_loops(kernel)}
    values: dict[str, str] = {}  # as they are written: what is no number is the same as itself
    for each in ir.walk(kernel.body):
        if not isinstance(each, ir.Constant):
            continue
        own = each.name in taken or each.name in kernel.variables or each.name in loops
        own |= each.name in RESERVED_OF_CONSTANTS or each.name.startswith(f"{kernel.name}_")
        if own or is_of_library(each.name):
            raise KernelError(
                each.spot,
                f"a constant cannot be called '{each.name}': translated code has another thing of "
                "that name",
                hint=f"as in 'the_{each.name}'",
            )
        if values.setdefault(each.name, repr(each.value)) != repr(each.value):
            raise KernelError(
                each.spot,
                f"the constant '{each.name}' is {each.value!r} here and {values[each.name]} in "
                "another kernel that is called",
                hint="one of the two wants another name",
            )
