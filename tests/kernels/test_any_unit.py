# SPDX-License-Identifier: Apache-2.0
"""A kernel that others call may have arguments in any unit; constants may be computed of others."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.constants import constant
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.dsl.units import unit_text
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import REFERENCE, outputs

HEAD = """from thalweg.dsl import Field, Out, Parameter, constant, kernel
from thalweg.dsl.grids.triangles import Cell, Level

gas = constant(287.0, "J kg-1 K-1")
heat = constant(1004.0, "J kg-1 K-1")
kappa = 1 - gas / heat
twice = -(2 * heat + gas) ** 2 - heat * heat


@kernel
def laplacian(
    value: Field[Cell, Level, "any"],
    length: Parameter["m"],
    result: Out[Cell, Level, "any m-2"],
) -> None:
    result = (sum(value[n] for n in Cell.neighbours) - 3 * value) / length**2


"""
CALLED = """@kernel
def called(
    rho: Field[Cell, Level, "kg m-3"], length: Parameter["m"], flat: Field[Cell],
    b: Out[Cell, Level, "{unit}"],
) -> None:
"""


def load(tmp_path: Path, text: str, name: str = "called"):  # type: ignore[no-untyped-def]
    (tmp_path / "tried.py").write_text(HEAD + text)
    return load_file(tmp_path / "tried.py")[name]


def test_a_kernel_is_called_for_values_in_two_units(tmp_path: Path, compiled: Path) -> None:
    body = "    laplacian(rho, length, once)\n    laplacian(once, length, b)\n"
    kernel = load(tmp_path, CALLED.format(unit="kg m-7") + body)
    assert unit_text(kernel.ir.locals["once"].type.unit) == "kg m-5"
    case = made_case(kernel)
    rho, length = case.arguments["rho"], case.arguments["length"]
    near = case.tables["cell_neighbours"]

    def laplacian(value: np.ndarray) -> np.ndarray:
        return ((value[:, near[0]] + value[:, near[1]] + value[:, near[2]]) - 3 * value) / length**2

    found = outputs(case, REFERENCE, compiled)["b"]
    assert np.allclose(found, laplacian(laplacian(rho)), rtol=1e-14)
    assert outputs(made_case(load(tmp_path, "", "laplacian")), REFERENCE, compiled)


@pytest.mark.parametrize(
    ("unit", "body", "told"),
    [
        ("kg m-6", "laplacian(rho, length, b)",
         "'result' of kernel 'laplacian' is cell, level in 'kg m-5', this is cell"),
        ("kg m-5", "laplacian(rho, length, c)\n    b = c * length", "the expression in 'kg m-4'"),
        ("kg m-5", "laplacian(rho, 2.0, b)", 'constant(2.0, "m") in the file has that unit'),
        ("kg m-3", "b = rho * twice", "the expression in"),
    ],
)  # fmt: skip
def test_units_are_checked_all_the_same(unit: str, body: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(KernelError, match=re.escape(told)):
        _ = load(tmp_path, f"{CALLED.format(unit=unit)}    {body}\n").ir


def test_constants_of_constants_have_their_unit_and_value(tmp_path: Path, compiled: Path) -> None:
    body = "    b = rho * kappa + rho * (twice / heat / heat)\n"
    case = made_case(load(tmp_path, CALLED.format(unit="kg m-3") + body))
    rho = case.arguments["rho"]
    twice = -((2 * 1004.0 + 287.0) ** 2) - 1004.0 * 1004.0
    right = rho * (1 - 287.0 / 1004.0) + rho * (twice / 1004.0 / 1004.0)
    assert np.array_equal(outputs(case, REFERENCE, compiled)["b"], right)


def test_zero_has_any_unit_and_a_root_of_less_than_zero_is_none(tmp_path: Path) -> None:
    lowest = """@kernel
def at_least(low: Parameter["any"], x: Field[Cell, Level, "any"], y: Out[Cell, Level, "any"]):
    y = max(x, low)


"""
    body = "    at_least(0, rho, b)\n"
    assert load(tmp_path, lowest + CALLED.format(unit="kg m-3") + body).ir
    with pytest.raises(ThalwegError, match=r"-2\.0 to the power 0\.5 is no real number"):
        load(tmp_path, "C = constant(-2.0) ** 0.5\n" + CALLED + "    b = rho\n")


def test_zero_has_the_unit_of_what_it_is_added_to() -> None:
    heat = constant(2.5, "J kg-1")
    assert sum([heat, heat]) == heat + 0 + heat == 2 * heat
    assert 0 - heat == -heat
    assert heat - 0 == heat


@pytest.mark.parametrize("line", ["warm = t", "copied(t, warm)", "o = half * t\n    half = t"])
def test_a_constant_of_the_file_is_not_set(line: str, tmp_path: Path) -> None:
    """Statements before would have its number, later ones another."""
    (tmp_path / "tried.py").write_text(
        "from thalweg.dsl import Field, Out, constant, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell\n\n"
        "warm = constant(300, 'K')\nhalf = 0.5\n\n\n"
        "@kernel\ndef copied(t: Field[Cell, 'K'], o: Out[Cell, 'K']) -> None:\n    o = t\n\n\n"
        "@kernel\ndef tried(t: Field[Cell, 'K'], o: Out[Cell, 'K']) -> None:\n"
        f"    {line}\n    o = t\n"
    )
    with pytest.raises(ThalwegError, match="is a constant of the file"):
        _ = load_file(tmp_path / "tried.py")["tried"].ir


def test_constants_of_two_units_are_not_added(tmp_path: Path) -> None:
    with pytest.raises(ThalwegError, match=r"tried\.py:19: .*constants in .* cannot be added"):
        load(tmp_path, 'mixed = gas + constant(1.0, "m")\n' + CALLED + "    b = rho\n")


def test_a_local_value_of_a_called_kernel_hides_no_constant(tmp_path: Path, compiled: Path) -> None:
    (tmp_path / "tried.py").write_text(
        "from thalweg.dsl import Field, Out, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell\n\n"
        "doubled_m = 3.0\n\n\n"
        "@kernel\ndef doubled(a: Field[Cell], b: Out[Cell]) -> None:\n"
        "    m = a * 2\n    b = m\n\n\n"
        "@kernel\ndef tried(t: Field[Cell], o: Out[Cell], p: Out[Cell]) -> None:\n"
        "    doubled(t, p)\n    o = t * doubled_m\n"
    )
    case = made_case(load_file(tmp_path / "tried.py")["tried"])
    found = outputs(case, REFERENCE, compiled)
    assert np.array_equal(found["o"], 3.0 * case.inputs.arguments["t"])


def test_other_numbers_of_a_file_are_no_constants_of_a_kernel(tmp_path: Path) -> None:
    """Of a loop in the file, or a flag: a local value may be called so."""
    (tmp_path / "tried.py").write_text(
        "from thalweg.dsl import Field, Out, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell\n\n"
        "for i in range(3):\n    pass\nflag = True\n\n\n"
        "@kernel\ndef tried(t: Field[Cell], o: Out[Cell]) -> None:\n"
        "    i = 2 * t\n    flag = i * i\n    o = i + flag\n"
    )
    assert set(load_file(tmp_path / "tried.py")["tried"].ir.locals) == {"i", "flag"}
