# SPDX-License-Identifier: Apache-2.0
"""Numbers of a kernel, and loops over no level, mean the same in every target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.examples import examples
from thalweg.testing.kernels.ways import REFERENCE, WAYS, outputs

Cli = Callable[..., Any]
HEAD = """from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Block, Cell, Level


@kernel
def tried({arguments}) -> None:
    {body}
"""
FIELDS = "t: Field[Cell, Level], o: Out[Cell, Level]"
BODIES = {
    "half way between two floats": "o = t * 1.0000000596046448 + 16777217",
    "too large for a float": "o = t * 1e300",
    "whole numbers": "o = t * (0 * -1)",
    "signs that follow each other": "o = -(-t) - -(-(-1 * t) ** 2) + -(-1.5) - -(0 - 2)",
    "a division by nothing": "o = where(t > 0, 1 / 0, 7 / 2)",
    "a loop over no level": "o = t\n    for k in Level[1:-2]:\n        o[k] = t[k - 1]",
}


@pytest.mark.some(5)
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", BODIES)
def test_every_target_gives_the_same_bits(
    name: str, precision: str, tmp_path: Path, compiled: Path
) -> None:
    path = tmp_path / "tried.py"
    path.write_text(HEAD.format(arguments=FIELDS, body=BODIES[name]))
    case = made_case(load_file(path)["tried"])
    if "no level" in name:
        fields = {key: value[:2] for key, value in case.arguments.items()}  # type: ignore[index]
        case = replace(case, arguments=fields, sizes={**case.sizes, "levels": 2})
    right = outputs(case, replace(REFERENCE, precision=precision), compiled)["o"]
    for way in WAYS[:2]:
        found = outputs(case, replace(way, precision=precision), compiled)["o"]
        np.testing.assert_array_equal(found, right)
        assert (np.signbit(found) == np.signbit(right))[~np.isnan(right)].all()


FLAGS = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grid import Place
from thalweg.dsl.grids.triangles import Level

Cell = Place("cell", "cells")
Cell.relate("next", Cell, 1)
USE, OFF = True, False


@kernel
def tried(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:
    o = where(USE and not OFF, t, 2 * t) + where(OFF or t > 0, 1, 0) + where(not USE, t, 3)
    o = o + sum(t[n] for n in Cell.next) + max(t[n] for n in Cell.next)
"""


def test_flags_of_a_file_and_a_single_neighbour(tmp_path: Path, compiled: Path) -> None:
    (tmp_path / "tried.py").write_text(FLAGS)
    case = made_case(load_file(tmp_path / "tried.py")["tried"])
    t, other = np.array(case.arguments["t"]), case.tables["cell_next"][0]
    for precision in ("double", "single"):
        right = outputs(case, replace(REFERENCE, precision=precision), compiled)["o"]
        whole = t + np.where(t > 0, 1, 0) + 3 + t[:, other] + t[:, other]
        np.testing.assert_allclose(right, whole, rtol=1e-5, atol=1e-5)
        for way in WAYS[:2]:
            found = outputs(case, replace(way, precision=precision), compiled)["o"]
            np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kernel(lambda t: t)", "'<lambda>' is no kernel"),
        ("@kernel\nclass Wrong:\n    pass", "'Wrong' is no kernel"),
        ("@kernel\n@functools.cache\ndef wrong() -> None:\n    pass", "'wrong' is no kernel"),
        ("@kernel\nasync def wrong() -> None:\n    pass", "a kernel is 'def NAME(…) -> None:'"),
        ('place = Place("cell", "cells")\nplace.relate("none", place, 0)', "has no 'none'"),
    ],
)
def test_what_is_no_function_and_no_neighbour_is_refused(
    text: str, sentence: str, tmp_path: Path
) -> None:
    head = "import functools\nfrom thalweg.dsl import kernel\nfrom thalweg.dsl.grid import Place\n"
    path = tmp_path / "wrong.py"
    path.write_text(f"{head}{text}\n")
    with pytest.raises(ThalwegError) as refused:
        _ = load_file(path)["wrong"].ir
    assert sentence in refused.value.sentence
    assert str(path.name) in refused.value.sentence


AXES = """from thalweg.dsl import InOut, Out, Parameter, kernel
from thalweg.dsl.grids.arcs import XYZ
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def tried(
    p: Parameter["1"], x: InOut[XYZ], o: Out[Cell, Level], all_of_it: Out["1"]
) -> None:
    for i in XYZ:
        twice[i] = 2 * p
        x[i] = x[i] + twice[i]
    x[XYZ.y] += 1
    all_of_it = sum(x[i] for i in XYZ)
    o = twice[XYZ.z] * x[XYZ.y]
"""


def test_values_without_a_place_are_set_part_by_part(
    here: Cli, tmp_path: Path, compiled: Path
) -> None:
    path = tmp_path / "tried.py"
    path.write_text(AXES)
    case = made_case(load_file(path)["tried"])
    right = outputs(case, REFERENCE, compiled)
    p, x = case.arguments["p"], np.array(case.arguments["x"]) + 2 * case.arguments["p"]
    x[1] += 1
    np.testing.assert_array_equal(right["x"], x)
    assert right["all_of_it"] == x[0] + x[1] + x[2]
    assert (right["o"] == 2 * p * x[1]).all()
    for way in examples(WAYS[1::4], WAYS):
        for name, values in outputs(case, way, compiled).items():
            np.testing.assert_array_equal(values, right[name])
    done = here("kernels", "run", path, "--target", "simd")
    assert done.returncode == 0, done.stderr
    assert "+diff[all_of_it] relative=0.000e+00" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "body", "sentence"),
    [
        ("t: Field[Cell], o: Out[Cell]", "o[0] = t", "'o' (cell) has no levels"),
        (
            "t: Field[Cell, Level], o: Out[Cell]",
            "for k in Level:\n        o[k] = t[k]",
            "no levels",
        ),
        (
            "t: Field[Block], o: Out[Block]",
            "o = t + sum(2 for c in Block.cells)",
            "the same for all",
        ),
        (FIELDS, "o = t * 1e400", "larger than any"),
        (FIELDS, '"""Nothing."""', "says nothing"),
    ],
)
def test_what_would_be_another_thing_in_each_is_refused(
    arguments: str, body: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "tried.py"
    path.write_text(HEAD.format(arguments=arguments, body=body))
    with pytest.raises(KernelError) as refused:
        _ = load_file(path)["tried"].ir
    assert sentence in refused.value.sentence
