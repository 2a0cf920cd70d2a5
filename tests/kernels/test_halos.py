# SPDX-License-Identifier: Apache-2.0
"""Own points come out right though nothing is known beyond the halo that the pass has found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.dsl import Kernel, ir
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.passes.halos import find_halos
from thalweg.dsl.printing import print_ir
from thalweg.dsl.targets import numpy_target
from thalweg.dsl.translation import argument_names
from thalweg.kernels.any_kernel import Shape, made_case
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.library import all_kernels
from thalweg.testing.kernels.ways import REFERENCE

HEAD = """from thalweg.dsl import Field, InOut, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def tried(
    some: Points[Cell],
    t: InOut[Cell, Level],
    v: Field[Edge, Level],
    p: InOut[Edge, Level],
) -> None:
"""
BODIES = {  # statements, and what is needed of others; then if statements exchange
    "at some points": ("with some:\n        t = 2 * t\n    p = t[Edge.cells.first] + v",
                       {"t": 1}, {}),
    "set in between": ("p = t[Edge.cells.first] - t[Edge.cells.second]\n    t = 0\n"
                       "    p += t[Edge.cells.first]", {"t": 1}, {"t": 1}),
    "two at a time": ("x = sum(sum(t[n, m] for n in Cell.neighbours) for m in Cell.neighbours)\n"
                      "    t = sum(x[n] for n in Cell.neighbours)", {"t": 3}, {"t": 2}),
    "by levels": ("x = v\n    for k in upward(Level[1:]):\n        x[k] = x[k - 1] + v[k]\n"
                  "    t = sum(x[e] for e in Cell.edges)\n    p = t[Edge.cells.first]",
                  {"v": 2}, {}),
}  # fmt: skip
# Points of a group may be those of other ranks: that is no halo.
HALOS = {name: find_halos(each.ir) for name, each in all_kernels().items()}
KNOWN = [name for name, halos in HALOS.items() if halos.alone and not halos.reduced]
SHAPE = Shape(20, 15, 8)  # of hexagons, where halos are of up to three steps


def these(first: int) -> list[Any]:
    """All of the bodies above, and every other kernel that there is."""
    return [*BODIES, *(pytest.param(name, marks=pytest.mark.some(3, first)) for name in KNOWN)]


def made(name: str, folder: Path) -> Kernel:
    if name not in BODIES:
        return all_kernels()[name]
    (folder / "tried.py").write_text(f"{HEAD}    {BODIES[name][0]}\n")
    return load_file(folder / "tried.py")["tried"]


def steps_to(case: Case, random: np.random.Generator) -> dict[str, Array]:
    """Steps from own points, a tenth of all, to each point of every place."""
    places = {each.plural: each for each in case.kernel.ir.places()}
    found = {
        plural: np.where(random.random(case.sizes[plural]) < 0.1, 0, 1000) for plural in places
    }
    for steps in range(20):
        for relation in case.kernel.ir.neighbour_tables():
            table = np.atleast_2d(case.tables[relation.full_name])
            here = found[relation.source.plural] == steps
            there = found[relation.target.plural]
            np.minimum.at(there, table[:, here].ravel(), steps + 1)
    return found


def unknown_beyond(value: Array, steps: Array, depth: int) -> Array:
    return np.where(steps <= depth, value, np.nan)


def values_of(case: Case, steps: dict[str, Array], known: dict[str, int]) -> dict[str, Any]:
    """Arguments, unknown beyond own points or to as many steps as `known` says."""
    found: dict[str, Any] = {}
    for name, value in case.arguments.items():
        kind = case.kernel.ir.arguments[name].type
        is_field = kind.place is not None and kind.role != "points"
        found[name] = np.array(value, copy=True) if isinstance(value, np.ndarray) else value
        if is_field and kind.place:
            found[name] = unknown_beyond(value, steps[kind.place.plural], known.get(name, 0))
    return found


def run(kernel: ir.KernelIR, case: Case, values: dict[str, Any]) -> None:
    """Arrays of `values` are changed."""
    space: dict[str, Any] = {}
    exec(numpy_target.translate(kernel, REFERENCE), space)
    everything = {"levels": case.sizes.get("levels"), **case.sizes, **case.tables, **values}
    with np.errstate(all="ignore"):
        space[kernel.name](*(everything[name] for name in argument_names(kernel)))


def is_right(case: Case, steps: dict[str, Array], found: Any, right: Any) -> list[bool]:
    """Of each output, whether own points have the same bits."""
    ends = []
    for name, each in case.kernel.ir.arguments.items():
        if each.type.is_written and each.type.place:
            own = steps[each.type.place.plural] == 0
            one, other = found[name][..., own], right[name][..., own]
            ends.append(np.array_equal(one, other, equal_nan=True))
    return ends


def copied(arguments: Any) -> dict[str, Any]:
    return {
        name: np.array(value, copy=True) if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


@pytest.mark.parametrize("name", these(0))
def test_own_points_are_right_with_this_halo_and_wrong_with_less(name: str, tmp_path: Path) -> None:
    case = made_case(made(name, tmp_path), shape=SHAPE)
    steps = steps_to(case, np.random.default_rng(3))
    right = copied(case.arguments)
    run(case.kernel.ir, case, right)
    halos = find_halos(case.kernel.ir)
    found = values_of(case, steps, halos.alone)
    run(case.kernel.ir, case, found)
    assert all(is_right(case, steps, found, right)), halos
    if name in BODIES:
        assert halos.alone == BODIES[name][1]
        less = values_of(case, steps, {each: depth - 1 for each, depth in halos.alone.items()})
        run(case.kernel.ir, case, less)
        assert not all(is_right(case, steps, less, right))


@pytest.mark.parametrize("name", these(1))
def test_own_points_are_right_where_statements_exchange(name: str, tmp_path: Path) -> None:
    """Each statement is done alone; what it sets is known at own points only."""
    case = made_case(made(name, tmp_path), shape=SHAPE)
    steps = steps_to(case, np.random.default_rng(4))
    kernel = case.kernel.ir
    halos = find_halos(kernel)
    locals_ = {
        each.name: replace(each, type=replace(each.type, role="inout"))
        for each in kernel.locals.values()
    }
    plurals = {
        name: each.type.place.plural for name, each in kernel.variables.items() if each.type.place
    }
    right, found = copied(case.arguments), values_of(case, steps, halos.exchanged)
    for each in locals_.values():
        kind = each.type
        shape = [axis.length for axis in kind.axes]
        shape += [case.sizes["levels"] + kind.level.extra] if kind.level else []
        shape += [case.sizes[kind.place.plural]] if kind.place else []
        right[each.name], found[each.name] = np.full(shape, np.nan), np.full(shape, np.nan)
    for number, statement in enumerate(kernel.body):
        for each_name, depth in halos.exchanges.get(number, {}).items():
            known = steps[plurals[each_name]] <= depth
            found[each_name] = np.where(known, right[each_name], found[each_name])
        alone = replace(
            kernel, body=(statement,), arguments={**kernel.arguments, **locals_}, locals={}
        )
        run(alone, case, right)
        run(alone, case, found)
        for assign in ir.assigns_of(statement):
            if assign.name in plurals:
                far = steps[plurals[assign.name]]
                found[assign.name] = unknown_beyond(found[assign.name], far, 0)
    assert all(is_right(case, steps, found, right)), halos
    if name in BODIES:
        assert halos.exchanged == BODIES[name][2]


def test_halos_are_shown() -> None:
    told = print_ir(all_kernels()["neighbour_mean_twice"].ir)
    assert "halo      temperature 2\n" in told
    assert "or        temperature 1, and exchanged\n" in told
    assert "before temperature: mean 1\n" in told
