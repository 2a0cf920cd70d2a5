# SPDX-License-Identifier: Apache-2.0
"""Pass: no name of a kernel is one that translated code has already."""

from __future__ import annotations

import re
from itertools import product

from thalweg.dsl import ir
from thalweg.dsl.grid import Group
from thalweg.dsl.problem import KernelError
from thalweg.dsl.translation import size_names, table_names

FORTRAN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
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
        "using", "virtual", "void", "volatile", "while", "with", "yield", "exp", "log", "sqrt",
        "abs", "pow", "lane", "block", "to", "NAN", "INFINITY", "HUGE_VAL", "errno",
        "row", "quick", "are_quick", "quotient", "reciprocal", "chosen", "lesser", "greater",
        "is_negative", "stream", "fetch", "first_line", "end_streams", "tile", "tiles",
        "in_vectors", "tile_count", "tile_sweep", "tile_at", "tile_end", "given_tiles",
        "share", "points_of_part", "parts_on_device", "thread", "point_of_thread",
        "level_of_thread", "thread_index", "thread_part", "divided", "launch", "not_set", "Room",
        "Ranges", "parts_room", "given_parts", "expect", "device_room", "free_room", "copy_in",
        "copy_out", "index_of_thread", "part_of_thread", "threads", "threadIdx", "blockIdx",
        "blockDim", "gridDim",
    }
)  # fmt: skip
# Of the functions that find tiles and the order of points, which are told the ranges of points.
RESERVED_OF_RANGES = frozenset(
    {
        "whole_tiles", "shares", "share_of", "keep_order", "begin", "end", "within", "sorted",
        "no_later", "no_earlier", "rooms_between", "Numbers",
        "Sweep", "Rooms", "Tiles", "Near", "Steps", "Pairs", "near_of", "steps_from",
        "order_along_curve", "no_larger", "set_order", "table_pairs", "all_points",
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
    taken |= dict.fromkeys(RESERVED, "a word of the language or a function")
    taken["level"] = "the number of a level"
    for name, variable in kernel.variables.items():
        if variable.type.role in ("points", "local"):
            made = "parts" if variable.type.role == "points" else "room"
            taken[f"{name}_{made}"] = f"made for '{name}'"
        words = product(*(axis.names for axis in variable.type.axes))
        taken |= {"_of_".join([name, *each]): f"one of '{name}'" for each in words if each}
    taken[kernel.name] = "the kernel"
    for each in ir.walk(kernel.body):  # their names stay: they are those of loops
        if isinstance(each, ir.Reduce) and isinstance(each.over, Group) and each.name in taken:
            raise KernelError(
                each.spot,
                f"the name '{each.name}' is taken: in translated code it is {taken[each.name]}",
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
    for variable in kernel.variables.values():
        if not FORTRAN_NAME.fullmatch(variable.name):
            raise KernelError(
                variable.spot,
                f"'{variable.name}' is no name in Fortran",
                hint="at most 63 letters, digits and _, the first a letter",
            )
        if lower.setdefault(variable.name.lower(), variable.name) != variable.name:
            raise KernelError(
                variable.spot,
                f"'{variable.name}' and '{lower[variable.name.lower()]}' are one name in Fortran",
            )
        if variable.type.role == "points" and variable.name in of_ranges:
            taken[variable.name] = "a word of the functions that find tiles and orders"
        if variable.name in taken:
            raise KernelError(
                variable.spot,
                f"the name '{variable.name}' is taken: in translated code it is "
                f"{taken[variable.name]}",
                hint=f"as in 'own_{variable.name}'",
            )
    if kernel.name in RESERVED | RESERVED_OF_RANGES:
        spot = next(iter(kernel.arguments.values())).spot
        raise KernelError(spot, f"a kernel cannot be called '{kernel.name}': it is a word of C++")
