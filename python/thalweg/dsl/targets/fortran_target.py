# SPDX-License-Identifier: Apache-2.0
"""The Fortran module through which a model calls a translated kernel."""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group
from thalweg.dsl.layout import levels_of
from thalweg.dsl.translation import size_names

WIDTH = 100  # columns of a line


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """One module with one interface; arrays have the shapes that the layout gives them."""
    real = "c_float" if configuration.is_single else "c_double"
    sizes, tables = size_names(kernel), kernel.neighbour_tables()
    names = [*sizes, *(each.full_name for each in tables)]
    declared = [f"integer(c_int64_t), value :: {', '.join(sizes)}"]
    for each in tables:
        points = each.source.plural
        shape = f"{each.length}, {points}" if configuration.memory.block == 1 else (
            f"{points}, {each.length}")  # fmt: skip
        shape = f"{points} + 1" if isinstance(each, Group) else shape
        declared.append(f"integer(c_int32_t), intent(in) :: {each.full_name}({shape})  ! from 0")
    for name, variable in kernel.arguments.items():
        kind = variable.type
        names.append(name)
        if kind.role == "parameter":
            declared.append(f"real({real}), value :: {name}")
        elif kind.role == "points":
            names.append(f"{name}_parts")
            declared.append(f"integer(c_int64_t), value :: {name}_parts")
            declared.append(
                f"integer(c_int64_t), intent(in) :: {name}(2, {name}_parts)  "
                "! first from 0, one behind the last"
            )
        else:
            intent = "inout" if kind.is_written else "in"
            shape = _shape(kind, configuration)
            declared.append(f"real({real}), intent({intent}) :: {name}({shape})")
    head = _folded(f"subroutine {kernel.name}(", names, ") bind(c)")
    return "\n".join(
        [
            f"! {kernel.file}:{kernel.line}",
            f"module {kernel.name}_kernel",
            f"  use, intrinsic :: iso_c_binding, only: {real}, c_int32_t, c_int64_t",
            "  implicit none",
            "  interface",
            *(f"    ! {line}".rstrip() for line in kernel.doc.splitlines()),
            *(f"    {line}" for line in head),
            f"      import :: {real}, c_int32_t, c_int64_t",
            *(f"      {line}" for line in declared),
            f"    end subroutine {kernel.name}",
            "  end interface",
            f"end module {kernel.name}_kernel",
            "",
        ]
    )


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
