# SPDX-License-Identifier: Apache-2.0
"""The Fortran module through which a model calls a translated kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group, Relation
from thalweg.dsl.layout import levels_of
from thalweg.dsl.passes.names import LONGEST_NAME
from thalweg.dsl.targets.fortran_on_ranks import interfaces
from thalweg.dsl.targets.fortran_text import interface, kinds_of
from thalweg.dsl.targets.ranks_target import exchanged_arguments
from thalweg.dsl.translation import is_ordered, is_tiled, plan_of, size_names
from thalweg.errors import ThalwegError


@dataclass
class _Arguments:
    """Names and declarations: of the tables and ranges of a grid, of all."""

    grid: list[str] = field(default_factory=list)
    of_grid: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)

    def add(self, *lines: str, names: Sequence[str], is_grid: bool) -> None:
        self.names += names
        self.declared += lines
        self.grid += names if is_grid else ()
        self.of_grid += lines if is_grid else ()


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """One module with one interface; arrays have the shapes that the layout gives them.

    With tiles two more, to find those of a grid and to give them back; on ranks, those through
    which a model says whose its points are.
    """
    name, all_ = kernel.name, _arguments(kernel, configuration)
    tiled = is_tiled(kernel, plan_of(kernel, configuration), configuration)
    first = "tiles" if tiled else "parts" if configuration.is_on_ranks else ""
    made = f"{name}_free_{first.replace('parts', 'ranks')}" if first else f"{name}_kernel"
    _check_lengths([*all_.names, made], name)
    begin = [f"type(c_ptr), value :: {first}  ! of {name}_{first}"] if first else []
    lines = [f"! {line}".rstrip() for line in kernel.doc.splitlines()]
    lines += ["! Collective."] if configuration.is_on_ranks else []
    names = [first, *all_.names] if first else all_.names
    lines += interface("subroutine", name, names, [*begin, *all_.declared])
    if configuration.is_on_ranks:
        places, tables = _arguments_of_parts(kernel, configuration)
        lines += interfaces(name, places, tables)
    if tiled:
        result = [*all_.of_grid, f"type(c_ptr) :: {name}_tiles"]
        lines += ["! Tiles of a grid, for as long as its tables and ranges stay as they are."]
        lines += interface("function", f"{name}_tiles", all_.grid, result)
        given = ["type(c_ptr), value :: tiles"]
        lines += interface("subroutine", f"{name}_free_tiles", ["tiles"], given)
    if is_ordered(kernel, configuration):
        orders = [f"{place.plural}_order" for place in kernel.places()]
        set_ = [
            f"integer(c_int32_t), intent(out) :: {order}({place.plural})  ! from 0"
            for order, place in zip(orders, kernel.places(), strict=True)
        ]
        names, declared = [*all_.grid, *orders], [*all_.of_grid, *set_]
        lines += ["! For each place its points as they follow each other: new number -> old."]
        lines += interface("subroutine", f"{name}_order", names, declared)
    return "\n".join(
        [
            f"! {kernel.origin}",
            "! No argument that is set may lie in the memory of another one.",
            f"module {kernel.name}_kernel",
            f"  use, intrinsic :: iso_c_binding, only: {', '.join(kinds_of(lines))}",
            "  implicit none",
            "  interface",
            *(f"    {line}" for line in lines),
            "  end interface",
            f"end module {kernel.name}_kernel",
            "",
        ]
    )


def _arguments(kernel: ir.KernelIR, configuration: Configuration) -> _Arguments:
    real, found = "c_float" if configuration.is_single else "c_double", _Arguments()
    travel = exchanged_arguments(kernel, configuration) if configuration.is_on_ranks else []
    sizes = size_names(kernel)
    least = kernel.least_levels if "levels" in sizes else 1
    about = f"  ! levels: {least} at least" if least > 1 else ""
    found.add(*(f"{line}{about}" for line in _sizes(sizes)), names=sizes, is_grid=True)
    for table in kernel.neighbour_tables():
        found.add(_table(table, configuration), names=[table.full_name], is_grid=True)
    for name, variable in kernel.arguments.items():
        kind = variable.type
        if kind.role == "parameter":
            found.add(f"real({real}), value :: {name}", names=[name], is_grid=False)
        elif kind.role == "points":
            found.add(
                f"integer(c_int64_t), value :: {name}_parts",
                f"integer(c_int64_t), intent(in) :: {name}(2, {name}_parts)  "
                "! first from 0, one behind the last",
                names=[name, f"{name}_parts"],
                is_grid=True,
            )
        else:
            intent = "inout" if kind.is_written or name in travel else "in"
            shape = _shape(kind, configuration)
            line = f"real({real}), intent({intent}) :: {name}({shape})"
            found.add(line, names=[name], is_grid=False)
    return found


def _arguments_of_parts(
    kernel: ir.KernelIR, configuration: Configuration
) -> tuple[list[str], list[str]]:
    """Names of sizes and tables, and their declarations."""
    places, tables = [place.plural for place in kernel.places()], kernel.neighbour_tables()
    names = [*places, *(table.full_name for table in tables)]
    return names, [*_sizes(places), *(_table(table, configuration) for table in tables)]


def _check_lengths(names: Sequence[str], kernel: str) -> None:
    for name in names:
        if len(name) > LONGEST_NAME:
            raise ThalwegError(
                f"kernel '{kernel}': Fortran has no name of more than {LONGEST_NAME} letters, and "
                f"its module would have '{name}'; give a shorter one"
            )


def _sizes(names: Sequence[str]) -> list[str]:
    return [f"integer(c_int64_t), value :: {', '.join(names)}"] if names else []


def _table(table: Relation, configuration: Configuration) -> str:
    points = table.source.plural
    words = [str(table.length), points]
    shape = ", ".join(words if configuration.memory.block == 1 else reversed(words))
    shape = f"{points} + 1" if isinstance(table, Group) else shape
    return f"integer(c_int32_t), intent(in) :: {table.full_name}({shape})  ! from 0"


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
