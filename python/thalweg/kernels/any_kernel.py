# SPDX-License-Identifier: Apache-2.0
"""Cases of a kernel that no file of vectors knows: on made-up inputs, or on arrays by its names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl import Kernel, ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Group, Place, Relation
from thalweg.dsl.grids import arcs, hexagons, triangles
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.kernels.cases import Array, Case, Named
from thalweg.kernels.compiled import bind, written
from thalweg.kernels.icon_like import TABLES, torus
from thalweg.kernels.region import Region
from thalweg.kernels.rhombus import Rhombus

LEVELS = 20
ZEROS = 0.05  # share of values, where there are some
IN_A_GROUP = 24
POINTS = 1000  # of a place of a grid that is not known here
# Functions of the compiler's library: their last places differ from NumPy's, and differences of
# large values make that visible.
NOT_EXACT = {"**", "exp", "log", "sin", "cos", "tan", "atan", "atan2"}
OF_FUNCTIONS = 1e-12  # tolerance of a kernel with one


@dataclass(frozen=True)
class Shape:
    """Of a rhombus of hexagons; other grids have the size that they have."""

    i: int = 40
    j: int = 30
    levels: int = LEVELS


def made_case(kernel: Kernel, seed: int = 1, shape: Shape | None = None) -> Case:
    """On a small grid of the kind that the kernel is for. Parameters and sizes of values are 0.5 to
    1.5; values have both signs and are zero here and there, or have both signs, or are positive:
    the first of these that gives numbers wherever positive ones do.
    """
    return _chosen(kernel, seed, shape or Shape())[1]


def made_kinds(kernel: Kernel) -> tuple[str, ...]:
    """Which of them its values on the small grid are: "signs", "zeros"."""
    return _chosen(kernel, 1, Shape())[0]


def _chosen(kernel: Kernel, seed: int, shape: Shape) -> tuple[tuple[str, ...], Case]:
    positive = _made(kernel, seed, shape, ())
    numbers = _numbers(positive)
    for kinds in (("signs", "zeros"), ("signs",)):
        case = _made(kernel, seed, shape, kinds)
        if np.all(_numbers(case) >= numbers):
            return kinds, case
    return (), positive


def _numbers(case: Case) -> Array:
    """Which values of outputs are numbers and finite."""
    bound = bind(case.kernel, Configuration("numpy"), case.inputs, Path())
    bound.run()
    return np.concatenate([np.isfinite(each).ravel() for each in bound.outputs().values()])


def _made(kernel: Kernel, seed: int, shape: Shape, kinds: Collection[str]) -> Case:
    random, chance = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    sizes, tables = _grid(kernel, random, shape)
    arguments: dict[str, Any] = {}
    for name, each in kernel.ir.arguments.items():
        if each.type.role == "points":
            points = sizes[each.type.place.plural] if each.type.place else 0
            arguments[name] = np.arange(points // 10, points - points // 10)
        elif each.type.role == "parameter":
            arguments[name] = float(random.uniform(0.5, 1.5))
        else:
            values = random.uniform(0.5, 1.5, shape_of(each.type, sizes))
            if "signs" in kinds:
                values *= chance.choice([-1.0, 1.0], values.shape)
            if "zeros" in kinds:
                values *= chance.random(values.shape) > ZEROS  # a negative one has its sign
            arguments[name] = values
    return Case(kernel, sizes, tables, arguments, tolerance=tolerance_of(kernel)).checked()


def tolerance_of(kernel: Kernel) -> float:
    values = ir.walk(kernel.ir.body)
    uses = {each.op for each in values if isinstance(each, ir.Apply)}
    return OF_FUNCTIONS if uses & NOT_EXACT else Case.tolerance


def case_of_arrays(kernel: Kernel, data: Mapping[str, Array]) -> Case:
    """`data`: arguments and tables by name, and `out_NAME` for each output that is known."""
    named = Named(data, "the data file")
    tables = {each.full_name: named[each.full_name] for each in kernel.ir.neighbour_tables()}
    arguments: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    relations = kernel.ir.neighbour_tables()
    for relation in relations:  # of which one sees whether they lie the right way round
        if _lies_right(tables[relation.full_name], relation):
            points = _points(tables[relation.full_name], relation)
            sizes.setdefault(relation.source.plural, points)
    for name, each in kernel.ir.arguments.items():
        kind, value = each.type, named[name]
        if value.dtype.kind not in "fiu":
            raise ThalwegError(f"'{name}' of kernel '{kernel.name}' is of type {value.dtype}")
        arguments[name] = float(value) if kind.role == "parameter" and value.ndim == 0 else value
        if kind.role in ("parameter", "points"):
            continue
        if kind.place and value.ndim:
            sizes.setdefault(kind.place.plural, value.shape[-1])
        at = len(kind.axes)
        if kind.level and value.ndim > at:
            sizes.setdefault("levels", value.shape[at] - kind.level.extra)
    for relation in relations:
        points = _points(tables[relation.full_name], relation)
        sizes.setdefault(relation.source.plural, points)
    right = {name: f"out_{name}" for name in written(kernel) if f"out_{name}" not in arguments}
    expected = {name: named[word] for name, word in right.items() if word in named}
    used = {*tables, *arguments, *right.values()}
    for name in data:
        if name not in used:
            raise ThalwegError(
                f"the data file holds '{name}', which kernel '{kernel.name}' has no use for."
                f"{did_you_mean(name, used)}"
            )
    case = Case(kernel, sizes, tables, arguments, expected, tolerance=tolerance_of(kernel))
    return case.checked()


def _points(table: Array, relation: Relation) -> int:
    """Of the place that has these neighbours; one without an axis is refused later."""
    return int((table.shape or (0,))[-1]) - isinstance(relation, Group)


def _lies_right(table: Array, relation: Relation) -> bool:
    return isinstance(relation, Group) or table.shape[:-1] == (relation.length,)


def shape_of(kind: ArgumentType, sizes: Mapping[str, int]) -> tuple[int, ...]:
    shape = tuple(axis.length for axis in kind.axes)
    shape += (sizes["levels"] + kind.level.extra,) if kind.level else ()
    return shape + ((sizes[kind.place.plural],) if kind.place else ())


def is_on_hexagons(kernel: Kernel) -> bool:
    """Whether a shape can be chosen."""
    places = set(kernel.ir.places())
    return places <= _places(hexagons) and not places <= _places(triangles)


def _grid(
    kernel: Kernel, random: np.random.Generator, shape: Shape
) -> tuple[dict[str, int], dict[str, Array]]:
    relations, places = kernel.ir.neighbour_tables(), set(kernel.ir.places())
    if places <= _places(triangles):
        side = 32
        made = torus(side)
        sizes = {"cells": side * side, "edges": 3 * side * side // 2}
        sizes["vertices"] = side * side // 2
        sizes["edge_levels"] = sizes["edges"] * LEVELS
        sizes |= {"cell_blocks": side * side // 24, "wholes": 1}  # blocks of 24 and 25 cells
        tables = {name: made[word] for name, word in TABLES.items()}
    elif places <= _places(hexagons):
        rhombus = Rhombus(shape.i, shape.j)
        sizes, tables = rhombus.sizes(shape.levels), rhombus.tables()
    elif places <= _places(arcs):
        region = Region(32)
        sizes, tables = region.sizes(LEVELS), region.tables()
    else:
        sizes, tables = dict.fromkeys((each.plural for each in places), POINTS), {}
        for _ in range(len(relations)):  # groups may be groups of groups
            for each in relations:
                if isinstance(each, Group):
                    sizes[each.source.plural] = max(1, sizes[each.target.plural] // IN_A_GROUP)
    for each in relations:
        if each.full_name not in tables:
            tables[each.full_name] = _any_neighbours(each, sizes, random)
    return {"levels": LEVELS, **sizes}, tables


def _places(grid: Any) -> set[Place]:
    return {each for each in vars(grid).values() if isinstance(each, Place)}


def _any_neighbours(
    relation: Relation, sizes: Mapping[str, int], random: np.random.Generator
) -> Array:
    if isinstance(relation, Group):
        groups, points = sizes[relation.source.plural], sizes[relation.target.plural]
        return np.arange(groups + 1) * points // groups
    shape = relation.length, sizes[relation.source.plural]
    return random.integers(0, sizes[relation.target.plural], shape)
