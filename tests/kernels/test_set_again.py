# SPDX-License-Identifier: Apache-2.0
"""Kernels that set an array more than once in a sweep: what was set last is there afterwards.

GCC 12.2 takes loops apart that set several values, and clears what was added to before: pass
`set_again` finds such loops. Without it all kernels here but the last had wrong values in some way.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.kernels.any_kernel import Shape, made_case
from thalweg.kernels.compiled import translate
from thalweg.testing.kernels.ways import REFERENCE, outputs

HEAD = """from __future__ import annotations

from thalweg.dsl import Field, InOut, constant, kernel
from thalweg.dsl.grids.arcs import XYZ, Arc, Cell, Level

zero = constant(0)


@kernel
def tried(
    face: Field[Arc, XYZ],
    tall_face: Field[Arc, XYZ, Level],
    sign: Field[Cell, Cell.arcs],
    own: Field[Cell, XYZ],
    total: InOut[Cell, XYZ],
    other: InOut[Cell, XYZ],
    column: InOut[Cell, XYZ, Level],
    beside: InOut[Cell, XYZ, Level],
    pieces: InOut[Cell, XYZ, Cell.arcs],
) -> None:
"""
ADDED = """for s in XYZ:
    total[s] = zero
for f in Cell.arcs:
    for s in XYZ:
        total[s] = total[s] + sign[f] * face[f, s]
"""
KEPT_APART = """for s in XYZ:
    total[s] = zero
for f in Cell.arcs:
    for s in XYZ:
        pieces[s, f] = sign[f] * face[f, s]
        total[s] = total[s] + pieces[s, f]
"""
WITH_LEVELS = """for s in XYZ:
    column[s] = zero
for f in Cell.arcs:
    for s in XYZ:
        column[s] = column[s] + sign[f] * tall_face[f, s]
"""
MOVED = """for s in XYZ:
    other[s] = total[s]
    total[s] = zero
for s in XYZ:
    total[s] = total[s] + other[s] * own[s]
other[XYZ.x] = other[XYZ.y]
other[XYZ.y] = zero
"""
CHOSEN = """for s in XYZ:
    total[s] = zero
    other[s] = own[s]
for f in Cell.arcs:
    for s in XYZ:
        total[s] = where(face[f, s] > 0, total[s] + sign[f] * other[s], total[s])
"""
OF_A_LOCAL = """for s in XYZ:
    sums[s] = 0 * own[s]
for f in Cell.arcs:
    for s in XYZ:
        sums[s] = sums[s] + sign[f] * face[f, s]
for s in XYZ:
    total[s] = sums[s]
"""
KNOWN = {
    "added": ADDED,
    "pieces": KEPT_APART,
    "levels": WITH_LEVELS,
    "moved": MOVED,
    "chosen": CHOSEN,
    "local": OF_A_LOCAL,
}
LAYOUTS = ("level_innermost", "point_innermost", "blocked")
WAYS = [
    *(Configuration(target, each) for target in ("serial", "openmp", "simd") for each in LAYOUTS),
    Configuration("simd", "blocked", 16, stores="streaming"),
    Configuration("cuda", "point_innermost"),
]
KEPT_WHOLE = "no-tree-loop-distribution"


IDS = [f"{way.target}-{way.layout}-{way.stores}" for way in WAYS]


def read(body: str, folder: Path) -> Kernel:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (folder / "tried.py").write_text(HEAD + lines)
    return load_file(folder / "tried.py")["tried"]


def wrong(kernel: Kernel, ways: list[Configuration], folder: Path) -> list[str]:
    """Outputs that are not those of NumPy, each with its way."""
    case = made_case(kernel, shape=Shape(12, 9, 5))
    right = outputs(case, REFERENCE, folder)
    return [
        f"{name}: {way}"
        for way in ways
        for name, found in outputs(case, way, folder).items()
        if not np.array_equal(found, right[name])
    ]


@pytest.mark.some(18)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_what_is_added_to_is_cleared_before(
    way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    for name, body in KNOWN.items():
        assert not wrong(read(body, tmp_path), [way], compiled), name


def drawn(seed: int) -> str:
    """Three to five statements on two arrays: they are cleared, copied, added to."""
    draw = random.Random(seed)
    has_levels = draw.random() < 0.4
    names = ("column", "beside") if has_levels else ("total", "other")
    lines: list[str] = []
    for _ in range(draw.randrange(3, 6)):
        x, y = draw.sample(names, 2)
        value = draw.choice(("zero", "own[s]", f"{y}[s]", f"2 * {y}[s]", f"{x}[s] + own[s]"))
        more = draw.choice((f"where({y}[s] > 0, own[s], {x}[s])", f"own[s] * {y}[s]"))
        face = "tall_face" if has_levels else "face"
        one, two, three = (f"XYZ.{each}" for each in draw.sample("xyz", 3))
        above = f"for k in Level[1:]:\n        {x}[s, k] = {x}[s, k] + {y}[s, k - 1]"
        aside = f"pieces[s, f] = sign[f] * face[f, s]\n        {x}[s] = {x}[s] + pieces[s, f]"
        added = f"{x}[s] = {x}[s] + sign[f] * {face}[f, s]"
        lines.append(
            draw.choice(
                (
                    f"for s in XYZ:\n    {x}[s] = {value}",
                    f"for s in XYZ:\n    {x}[s] = {value}\n    {y}[s] = zero",
                    f"for s in XYZ:\n    {x}[s] = {x}[s] + {more}",
                    f"for s in XYZ:\n    {above if has_levels else f'{x}[s] = {value}'}",
                    f"{x}[{one}] = {draw.choice(('zero', f'{y}[{two}]', f'{x}[{three}]'))}",
                    f"for f in Cell.arcs:\n    for s in XYZ:\n        {added}",
                    f"for f in Cell.arcs:\n    for s in XYZ:\n        "
                    f"{added if has_levels else aside}",
                )
            )
        )
    return "\n".join(lines)


@pytest.mark.some(24)
@pytest.mark.parametrize("seed", range(24))
def test_whatever_is_set_again_is_what_numpy_has(seed: int, tmp_path: Path, compiled: Path) -> None:
    body = drawn(seed)
    ways = [WAYS[0], WAYS[7], WAYS[(8, 9)[seed % 2]]]
    assert not wrong(read(body, tmp_path), ways, compiled), body


def is_kept_whole(body: str, folder: Path, way: Configuration = WAYS[7]) -> bool:
    return KEPT_WHOLE in translate(read(body, folder), way)


def test_only_loops_that_need_their_order_are_kept_whole(tmp_path: Path) -> None:
    for way in WAYS:
        assert all(is_kept_whole(body, tmp_path, way) for body in KNOWN.values()), way
    for body in (
        "for s in XYZ:\n    total[s] = total[s] + own[s]",  # one statement for each place
        "for s in XYZ:\n    half = total[s] / 2\n    total[s] = half * half",
        "for s in XYZ:\n    total[s] = own[s]\n    other[s] = own[s]",
        "for s in XYZ:\n    total[s] = own[s]\n    other[s] = 2 * total[s]",  # known without memory
        "for s in XYZ:\n    column[s] = own[s]\n    total[s] = own[s]",
    ):
        assert not is_kept_whole(body, tmp_path), body
