# SPDX-License-Identifier: Apache-2.0
"""The Fortran module through which a model calls a translated kernel."""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group
from thalweg.dsl.layout import levels_of
from thalweg.dsl.translation import is_ordered, is_tiled, plan_of, size_names

WIDTH = 100  # columns of a line


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """One module with one interface; arrays have the shapes that the layout gives them.

    With tiles two more, to find those of a grid and to give them back.
    """
    real = "c_float" if configuration.is_single else "c_double"
    sizes, tables = size_names(kernel), kernel.neighbour_tables()
    names = [*sizes, *(each.full_name for each in tables)]
    declared = [f"integer(c_int64_t), value :: {', '.join(sizes)}"]
    grid = list(names)  # what tiles are found from
    for each in tables:
        points = each.source.plural
        shape = f"{each.length}, {points}" if configuration.memory.block == 1 else (
            f"{points}, {each.length}")  # fmt: skip
        shape = f"{points} + 1" if isinstance(each, Group) else shape
        declared.append(f"integer(c_int32_t), intent(in) :: {each.full_name}({shape})  ! from 0")
    declared_of_grid = list(declared)
    for name, variable in kernel.arguments.items():
        kind = variable.type
        names.append(name)
        if kind.role == "parameter":
            declared.append(f"real({real}), value :: {name}")
        elif kind.role == "points":
            names.append(f"{name}_parts")
            ranges = [
                f"integer(c_int64_t), value :: {name}_parts",
                f"integer(c_int64_t), intent(in) :: {name}(2, {name}_parts)  "
                "! first from 0, one behind the last",
            ]
            declared += ranges
            declared_of_grid += ranges
            grid += [name, f"{name}_parts"]
        else:
            intent = "inout" if kind.is_written else "in"
            shape = _shape(kind, configuration)
            declared.append(f"real({real}), intent({intent}) :: {name}({shape})")
    kinds = [real, "c_int32_t", "c_int64_t"]
    tiled = is_tiled(kernel, plan_of(kernel, configuration), configuration)
    lines = [f"! {line}".rstrip() for line in kernel.doc.splitlines()]
    if tiled:
        kinds.append("c_ptr")
        names.insert(0, "tiles")
        declared.insert(0, f"type(c_ptr), value :: tiles  ! of {kernel.name}_tiles")
    lines += _interface("subroutine", kernel.name, names, declared, kinds)
    if tiled:
        own = ["c_int32_t", "c_int64_t", "c_ptr"]
        result = [*declared_of_grid, f"type(c_ptr) :: {kernel.name}_tiles"]
        lines += ["! Tiles of a grid, for as long as its tables and ranges stay as they are."]
        lines += _interface("function", f"{kernel.name}_tiles", grid, result, own)
        given = ["type(c_ptr), value :: tiles"]
        lines += _interface("subroutine", f"{kernel.name}_free_tiles", ["tiles"], given, ["c_ptr"])
    if is_ordered(kernel, configuration):
        orders = [f"{place.plural}_order" for place in kernel.places()]
        set_ = [
            f"integer(c_int32_t), intent(out) :: {order}({place.plural})  ! from 0"
            for order, place in zip(orders, kernel.places(), strict=True)
        ]
        own = ["c_int32_t", "c_int64_t"]
        lines += ["! For each place its points as they follow each other: new number -> old."]
        names, declared = [*grid, *orders], [*declared_of_grid, *set_]
        lines += _interface("subroutine", f"{kernel.name}_order", names, declared, own)
    return "\n".join(
        [
            f"! {kernel.origin}",
            "! No argument that is set may lie in the memory of another one.",
            f"module {kernel.name}_kernel",
            f"  use, intrinsic :: iso_c_binding, only: {', '.join(kinds)}",
            "  implicit none",
            "  interface",
            *(f"    {line}" for line in lines),
            "  end interface",
            f"end module {kernel.name}_kernel",
            "",
        ]
    )


def _interface(
    what: str, name: str, arguments: list[str], declared: list[str], kinds: list[str]
) -> list[str]:
    return [
        *_folded(f"{what} {name}(", arguments, ") bind(c)"),
        f"  import :: {', '.join(kinds)}",
        *(f"  {line}" for line in declared),
        f"end {what} {name}",
    ]


def _shape(kind: ArgumentType, configuration: Configuration) -> str:
    """The first dimension is the innermost."""
    block = configuration.memory.block
    points = [kind.place.plural] if kind.place else []
    levels = [levels_of(kind).strip("()")] if kind.level else []
    axes = [str(axis.length) for axis in reversed(kind.axes)]
    if block == 1:
        words = [*levels, *axes, *points]
    elif configuration.layout == "blocked" and points:
        words = [str(block), *levels, *axes, f"({points[0]} + {block - 1}) / {block}"]
    else:
        words = [*points, *levels, *axes]
    return ", ".join(words) or "1"


def _folded(begin: str, names: list[str], end: str) -> list[str]:
    lines = [begin]
    for number, name in enumerate(names):
        word = name + (", " if number + 1 < len(names) else end)
        if len(lines[-1]) + len(word) > WIDTH - 8:
            lines[-1] = lines[-1].rstrip() + " &"
            lines.append("    ")
        lines[-1] += word
    return lines
