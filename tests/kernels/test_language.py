# SPDX-License-Identifier: Apache-2.0
"""A kernel that makes no sense is refused with its file and line, the place marked, and a hint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.dsl.units import over, parse_unit, times, unit_text
from thalweg.errors import ThalwegError
from thalweg.kernels.library import find_kernel

HEAD = """from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Parameter, constant, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level

gravity = constant(9.80665, "m s-2")


@kernel
def tried(
    t: Field[Cell, Level, "K"],
    flux: Field[Edge, Level, "K"],
    weight: Field[Cell, Cell.edges],
    flat: Field[Cell, "K"],
    dt: Parameter["s"],
    o: Out[Cell, Level, "K"],
    both: InOut[Cell, Level, "K"],
) -> None:
"""
LINE = HEAD.count("\n") + 1  # of the first statement

# What is written: what is said, what is marked, and a word of the hint.
REFUSED = {
    "o = fluxx": ("'fluxx' is not known here", "fluxx", "Did you mean 'flux'?"),
    "o = flux": ("'o' has values on cells, the expression values on edges", "o = flux", "sum("),
    "o = t + flux": ("values on cells and on edges meet here", "t + flux", "neighbours"),
    "o = flux[Cell.edges.right]": ("'right' is none of 'edges'", "Cell.edges.right", "0, 1, 2"),
    "o = flux[Cell.edges[3]]": ("'Cell.edges[3]' names no neighbour", "Cell.edges[3]", "field[e]"),
    "o = sum(flux[e] for e in Cell.edgs)": (
        "a cell has no neighbours 'edgs'", "Cell.edgs", "Did you mean 'edges'?"),
    "o = sum(t[e] for e in Cell.edges)": ("has no 'edges'", "t[e]", "it has: cell, level"),
    "o = weight * t": ("has several values here", "weight", "which of 'edges'"),
    "o = t[0, 1 + 1]": ("'1 + 1' names no neighbour and no level", "1 + 1", "field[k - 1]"),
    "o = t * dt": ("'o' is in 'K', the expression in 'K s'", "o = t * dt", "'s-1'"),
    "o = t + gravity": ("'K' and 'm s-2' meet here", "t + gravity", "'K-1 m s-2'"),
    "o = exp(t)": ("'exp' of 'K'", "exp(t)", "reference value"),
    "o = t ** dt": ("an exponent has no unit", "t ** dt", ""),
    "o = t ** (1 / 0)": ("to a power that is no number", "t ** (1 / 0)", "reference value"),
    "o = t ** (dt / dt)": ("to a power that is no number", "t ** (dt / dt)", "reference value"),
    "o = where(0 < flat < 1, t, t)": (
        "a kernel compares two values at a time", "0 < flat < 1", "a < b and b < c"),
    "o = tanh(t)": ("function 'tanh' is not known", "tanh", "choose one of"),
    "o = t[flat]": ("'flat' names no neighbour", "flat", "no index is a value"),
    "o = sum(weight[e] * t[e] for e in Cell.edges)": (
        "has no 'edges'", "t[e]", "t[Cell.neighbours[e]] is of the neighbour"),
    "o = sum(t[Edge.cells.first, n] for n in Cell.neighbours)": (
        "has no 'neighbours'", "t[Edge.cells.first, n]", "the step that is nearest to 't' comes"),
    "if t > 0:\n        o = t": ("a kernel cannot say this", "if t > 0:", "where("),
    "o = t > 0": ("'o' holds numbers, this is a condition", "o = t > 0", "where("),
    "o = t * (t > 0)": ("a number is wanted here", "t * (t > 0)", "where("),
    "o = sum(t[n] > flat for n in Cell.neighbours)": (
        "a number is wanted here", "t[n] > flat", "where(condition, 1, 0)"),
    "o = max(t[k] > 0 for k in Level)": ("a number is wanted here", "t[k] > 0", "where("),
    "for k in Level[flat:]:\n        o[k] = t[k]": ("'flat' names no level", "flat", "Level[1:-1]"),
    "for k in Level[:1.5]:\n        o[k] = t[k]": ("'1.5' names no level", "1.5", "Level[1:-1]"),
    "o = t * sum(t[k] for k in Level[dt:])": ("'dt' names no level", "dt", "Level[1:-1]"),
    "o = max((t[k] for k in Level), default=0)": (
        "'max' is called in another way", "max((t[k] for k in Level), default=0)", ""),
    "for k in any(Level):\n        o[k] = t[k]": (
        "cannot go over 'any(Level)'", "any(Level)", "upward"),
    "o = where(t, t, 0)": ("a condition is wanted here", "where(t, t, 0)", "mass > 0"),
    "o = sine(t)": ("function 'sine' is not known", "sine", "choose one of"),
    "o = sqrt(t, t)": ("'sqrt' is called in another way", "sqrt(t, t)", "1 values"),
    "o = o + t": ("'o' is read before it is set", "o", "InOut"),
    "o = later\n    later = t": ("'later' is not known here", "later", ""),
    "t = flat": ("'t' is read only", "t", "InOut"),
    "o[Cell.neighbours[0]] = t": (
        "sets values here, at a level, and nowhere else", "o[Cell.neighbours[0]]", "go over"),
    "both = both[Cell.neighbours[0]]": (
        "is read at neighbours while it is set", "both[Cell.neighbours[0]]", "another field"),
    "for k in Level[1:]:\n        both[k] = both[k - 1]": (
        "is read at another level while it is set", "both[k - 1]", "upward("),
    "for k in Level:\n        o[k] = t[k - 1]": (
        "no level before the first", "t[k - 1]", "Level[1:]"),
    "for k in Level[:-1]:\n        o[k] = t[k + 2]": (
        "no level after the last", "t[k + 2]", "Level[:-1]"),
    "o = flat[0]": ("names no neighbour and no level", "0", ""),
    "local = flat\n    o = local[0]": ("'local' (cell) has no levels", "local[0]", ""),
    "for k in Level:\n        o[k] = sum(t[j] for j in Level)": (
        "a sum over levels in a loop over them", "sum(t[j] for j in Level)", "is set before"),
    "for k in Level[::2]:\n        o[k] = t": ("cannot go over", "Level[::2]", "upward(Level)"),
    "for k in range(9):\n        o[k] = t": ("cannot go over", "range(9)", "upward(Level)"),
    "for t in Level:\n        o[t] = flat": ("'t' stands for another thing here", "t", ""),
    "o = sum(flux[t] for t in Cell.edges)": ("'t' stands for another thing here", "t", ""),
    "while t > 0:\n        o = t": ("a kernel cannot say this", "while t > 0:", "name ="),
    "o = [t]": ("a kernel cannot say this", "[t]", "fields"),
    "o = sum(t[k] for k in Level)[0]": ("is not known here", "sum(t[k] for k in Level)", ""),
    "o = t * 1e400": ("larger than any", "1e400", ""),
    "one[0] = flat": (
        "is set at one level, and nothing says how many it has", "one[0] = flat", "at all levels"),
    "one = flat\n    one[0] = flat": ("'one' (cell) has no levels", "one[0] = flat", ""),
    "flat2 = flat\n    flat2 = t": ("'flat2' has no levels", "flat2 = t", "adds them up"),
}  # fmt: skip


def read(folder: Path, text: str) -> Kernel:
    path = folder / "tried.py"
    path.write_text(text)
    return load_file(path)["tried"]


@pytest.mark.parametrize("statement", REFUSED)
def test_what_makes_no_sense_is_refused_and_marked(statement: str, tmp_path: Path) -> None:
    sentence, marked, hint = REFUSED[statement]
    with pytest.raises(KernelError) as caught:
        _ = read(tmp_path, f"{HEAD}    {statement}\n").ir
    spot, said = caught.value.spot, caught.value.sentence
    assert sentence in said
    assert hint in said
    assert spot.text[spot.column : spot.end] == marked.split("\n")[0]
    assert said.startswith(f"{tmp_path / 'tried.py'}:{spot.line}: ")
    assert LINE <= spot.line <= LINE + statement.count("\n")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ('t: Field[Cell, "Kelvin"], o: Out[Cell]', "unit 'Kelvin' is not known"),
        ('t: Field[Cell, "metres s-1"], o: Out[Cell]', "Did you mean 'm'?"),
        ('t: Field[Cell, "hPa"], o: Out[Cell]', "Units have no prefixes here: write 'Pa'"),
        ('t: Field[Cell, "g"], o: Out[Cell]', "unit 'g' is not known"),
        ("t: Field[Cell, 3], o: Out[Cell]", "is neither a place, an axis, levels nor a unit"),
        ("t: Field[Cel], o: Out[Cell]", "'Cel' is not defined. Did you mean 'Cell'?"),
        ("t: int, o: Out[Cell]", "this is no type of a field"),
        ("t, o: Out[Cell]", "argument 't' has no type"),
        ("t: Field[Cell], o: Field[Cell]", "kernel 'tried' sets nothing"),
        ("t: Field[Cell], o: Out[Cell], p: Out[Cell]", "'p' is never set"),
    ],
)
def test_a_wrong_type_is_refused(arguments: str, sentence: str, tmp_path: Path) -> None:
    head = HEAD.split("@kernel")[0]
    with pytest.raises(KernelError, match=f"tried.py:[0-9]+: .*{sentence}"):
        _ = read(tmp_path, f"{head}@kernel\ndef tried({arguments}) -> None:\n    o = t\n").ir


def test_the_fewest_levels_are_known(tmp_path: Path) -> None:
    assert read(tmp_path, f"{HEAD}    o = t\n").ir.least_levels == 1
    assert read(tmp_path, f"{HEAD}    o = t[3]\n").ir.least_levels == 4
    assert read(tmp_path, f"{HEAD}    o = t[-3]\n").ir.least_levels == 3
    loop = "    for k in Level[-4:]:\n        o[k] = t[k - 1]\n"
    assert read(tmp_path, f"{HEAD}{loop}").ir.least_levels == 5


@pytest.mark.parametrize(
    ("expression", "unit"),
    [("t ** -2", "K-2"), ("t ** (1 / 2)", "K1/2"), ("t ** (-3 / 2) * t", "K-1/2"), ("t**2", "K2")],
)
def test_an_exponent_may_be_written_as_formulas_have_it(
    expression: str, unit: str, tmp_path: Path
) -> None:
    head = HEAD.split("@kernel")[0]
    body = f"    inner = {expression}\n    o = inner\n"
    with pytest.raises(KernelError, match=f"the expression in '{re.escape(unit)}'"):
        _ = read(
            tmp_path,
            f'{head}@kernel\ndef tried(t: Field[Cell, "K"], o: Out[Cell]) -> None:\n{body}',
        ).ir


def test_units_are_multiplied_and_written() -> None:
    force = times(parse_unit("kg"), parse_unit("m s-2"))
    assert force == parse_unit("N")
    assert unit_text(over(parse_unit("Pa"), parse_unit("kg m-3"))) == "m2 s-2"
    assert unit_text(over(force, force)) == "1"
    assert parse_unit("rad s-1") == parse_unit("s-1")  # SI: a radian is a number


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gradien", "Did you mean 'gradient'?"),
        ("nowhere.py", "'nowhere.py' does not exist"),
        ("{empty}", "holds no kernel"),
        (
            "{broken}",
            "broken.py:1: Python cannot read this file: invalid syntax\n  | def f(:\n  |       ^",
        ),
        ("{two}", "has 2 kernels; name one, as in {two}:first"),
        ("", "kernel '' does not exist"),
        ("{ends}", "ends.py:3: Python cannot read this file: division by zero"),
        ("{imports}", "imports.py:2: Python cannot read this file: cannot import name 'Cells'"),
    ],
)
def test_a_kernel_that_does_not_exist_is_a_sentence(
    name: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "broken.py").write_text("def f(:\n")
    one = "@kernel\ndef {}(t: Field[Cell], o: Out[Cell]) -> None:\n    o = t\n"
    head = HEAD.split("@kernel")[0]
    (tmp_path / "two.py").write_text(head + one.format("first") + one.format("second"))
    (tmp_path / "ends.py").write_text(
        "def half(x):\n    # in another function\n    return 1 / x\n\nhalf(0)\n"
    )
    (tmp_path / "imports.py").write_text("\nfrom thalweg.dsl.grids.triangles import Cells\n")
    names = ("empty", "broken", "two", "ends", "imports")
    files = {each: str(tmp_path / f"{each}.py") for each in names}
    with pytest.raises(ThalwegError) as caught:
        find_kernel(name.format(**files))
    assert sentence.format(**files) in caught.value.sentence
