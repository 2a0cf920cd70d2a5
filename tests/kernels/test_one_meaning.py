# SPDX-License-Identifier: Apache-2.0
"""What every target would take for another thing, or read beside an array, is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.kernels.any_kernel import made_case

KERNEL = """from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, kernel
from thalweg.dsl.grid import LevelAxis
from thalweg.dsl.grids.arcs import XYZ, Cell, Level

HalfLevel = LevelAxis("half_level", extra=1)


@kernel
def with_old(old: Field[Cell, Level], made: InOut[Cell, Level]) -> None:
    made = old - old[0]


@kernel
def tried(
    t: Field[Cell, Level],
    faces: Field[Cell, HalfLevel],
    flat: InOut[Cell],
    wind: Field[Cell, XYZ, Level],
    a: InOut[Cell, Level],
    b: InOut[Cell, XYZ, Level],
    around: InOut[Cell, Cell.neighbours],
) -> None:
"""
REFUSED = {
    # In C++ a point goes through all levels before its neighbour begins.
    "for k in upward(Level[1:]):\n        a[k] = t[k]\n"
    "        flat = sum(a[n, k] for n in Cell.neighbours)":
        "'a' is read at neighbours while it is set",
    "for k in downward(Level):\n        b[XYZ.x, k] = sum(a[n, k] for n in Cell.neighbours)\n"
    "        a[k] = t[k]": "'a' is read at neighbours while it is set",
    "for n in Cell.neighbours:\n        around[n] = sum(around[m, n] for m in Cell.neighbours)":
        "'around' is read at neighbours while it is set",
    "a = faces": "'a' has levels, the expression half_levels",
    "c = faces\n    c = t": "'c' has half_levels, the expression levels",
    "a[0] = t": "'a' is set at one level, the expression has all of them",
    "for k in Level:\n        flat = t[k]": "'flat' has no levels and is set at each of them",
    "for k in Level:\n        flat = flat + 1": "'flat' has no levels and is set at each of them",
    "for s in XYZ:\n        for r in XYZ:\n            b[s, r] = wind[s]": "has fewer axes",
    "for s in XYZ:\n        for r in XYZ:\n            c[s, r] = wind[s] * wind[r]":
        "'c' has 'component' twice",
    "for k in Level[1:]:\n        a[k] = t[k, k - 1]": "this names two levels",
    "for k in Level[1:]:\n        a[k, k - 1] = t[k]": "this names two levels",
    "flat = sum(flat for k in Level)": "a sum over levels of what is the same for all of them",
    "flat = max(2 * t[0] for k in Level)": "a max over levels of what is the same for all of them",
    "a = max(t)": "'max' is called in another way",
    "a[0] = t[99999999999999999999]": "a kernel counts 100 at most",
    "for k in Level[9999999999:]:\n        a[k] = t[k]": "a kernel counts 100 at most",
    "flat = sum(t[k] for k in Level[3:1])": "this goes over no level",
    "for k in Level[-1:-1]:\n        a[k] = t[k]": "this goes over no level",
    "flat = max(t[k] for k in Level[-2:1])": "this goes over no level",
    "a = a - a[0]": "'a' is read at one level while all of them are set",
    "c = t\n    c = c - c[0] + c[-1]": "'c' is read at one level while all of them are set",
    "b[XYZ.x] = b[XYZ.x] - b[XYZ.x, 0]": "'b' is read at one level while all of them are set",
    "with_old(a, a)": "'a' is read at one level while all of them are set",
    "flat = sum(t[k] for k in downward(Level))": "a sum over levels goes upward",
    "flat = min(t[k] for k in downward(Level[1:]))": "a min over levels goes upward",
    "a = where(t > 0, True, t)": "a number is wanted here, this is a condition",
    "a = max(t, True)": "a number is wanted here, this is a condition",
    "c = t > 0\n    c = t": "'c' is a condition, this is a number",
    "c = t\n    c = t > 0": "'c' holds numbers, this is a condition",
    "c = t > 0\n    a = c + t": "a number is wanted here, this is a condition",
    "c = t > 0\n    a = c": "'a' holds numbers, this is a condition",
    "c = t > 0\n    with_old(c, a)": "this is a condition",
    "EOF = t\n    a = EOF": "the name 'EOF' may be one of C's macros",
    "for FP_NAN in Level:\n        a[FP_NAN] = t[FP_NAN]": "the name 'FP_NAN' may be one of C's",
    "flat = sum(t[EOF] for EOF in Level)": "the name 'EOF' may be one of C's macros",
}  # fmt: skip


@pytest.mark.parametrize("body", REFUSED)
def test_what_has_no_one_meaning_is_refused(body: str, tmp_path: Path) -> None:
    (tmp_path / "tried.py").write_text(f"{KERNEL}    {body}\n")
    with pytest.raises(KernelError) as refused:
        _ = load_file(tmp_path / "tried.py")["tried"].ir
    assert REFUSED[body] in refused.value.sentence


def test_a_field_has_no_axis_twice(tmp_path: Path) -> None:
    text = KERNEL.replace("wind: Field[Cell, XYZ,", "wind: Field[Cell, XYZ, XYZ,")
    (tmp_path / "tried.py").write_text(f"{text}    a = t\n")
    with pytest.raises(KernelError, match="'component' stands twice"):
        _ = load_file(tmp_path / "tried.py")["tried"].ir


def test_a_sum_wants_a_level_to_begin_with(tmp_path: Path) -> None:
    body = "    flat = sum(t[k] for k in Level[2:-1])\n"
    (tmp_path / "tried.py").write_text(KERNEL + body)
    assert load_file(tmp_path / "tried.py")["tried"].ir.least_levels == 4


def test_a_loop_with_an_order_may_set_what_has_no_levels(tmp_path: Path) -> None:
    body = "    for k in upward(Level):\n        flat = flat + t[k]\n"
    (tmp_path / "tried.py").write_text(KERNEL + body)
    assert made_case(load_file(tmp_path / "tried.py")["tried"]).kernel.ir.least_levels == 1


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("t: Field[Cell], *, o: Out[Cell]", "the head of a kernel cannot say this"),
        ("t: Field[Cell], /, o: Out[Cell]", "the head of a kernel cannot say this"),
        ("t: Field[Cell], o: Out[Cell], **more", "the head of a kernel cannot say this"),
        ("t: Field[Cell], o: Out[Cell] = 3", "the head of a kernel cannot say this"),
        ("t: Field[1 / 0], o: Out[Cell]", "this is no type of a field: division by zero"),
        ("t: Field[Cell, 'K', 'm'], o: Out[Cell]", "'m' is a second unit"),
        ("t: Parameter[Cell, 'K'], o: Out[Cell]", "a parameter is one number"),
        ("t: Points[Cell, Level], o: Out[Cell]", "points are those of one place"),
        ("t: Field[Cell, Arc], o: Out[Cell]", "'arc' stands beside 'cell'; values lie on one"),
        ("t: Field[Cell, Level, Level], o: Out[Cell]", "'level' stands beside 'level'"),
    ],
)
def test_a_head_says_all_of_its_arguments_and_nothing_else(
    head: str, told: str, tmp_path: Path
) -> None:
    text = f"{KERNEL.partition('@kernel')[0]}@kernel\ndef tried({head}) -> None:\n    o = t\n"
    (tmp_path / "tried.py").write_text(
        text.replace("import Field,", "import Field, Parameter, Points,").replace(
            "XYZ, Cell,", "XYZ, Arc, Cell,"
        )
    )
    with pytest.raises(KernelError) as refused:
        _ = load_file(tmp_path / "tried.py")["tried"].ir
    assert told in refused.value.sentence
