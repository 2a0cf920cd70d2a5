# SPDX-License-Identifier: Apache-2.0
"""DYNAMICO's kernels: right against vectors and formulas, the same bits in every target."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.config.checkout import ROOT
from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Case, read_vectors
from thalweg.kernels.dynamico import KERNELS, cases_of
from thalweg.kernels.made_dynamico import made_up
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, outputs
from thalweg.testing.kernels.written_dynamico import Written

SERIAL = WAYS[0]
VECTORS = ROOT.parent / "shared" / "reference" / "dynamico"
Array = NDArray[Any]
POWERS = ("geopot", "geopot_lagrangian")  # the compiler's pow is not NumPy's


def apart(found: Array, right: Array) -> float:
    assert np.array_equal(np.isnan(found), np.isnan(right))
    return float(np.nanmax(np.abs(found - right)) / np.nanmax(np.abs(right)))


@cache
def inputs(name: str) -> list[Case]:
    """Cases of a file of vectors, and of two other grids with what the formulas give for them."""
    made: list[Mapping[str, Array]] = [made_up(11, 9, 3, 2), made_up(7, 14, 33, 3)]
    made = [{**data, **Written(data).all_of(name)} for data in made]
    if VECTORS.is_dir():
        made.append(read_vectors(VECTORS / f"{name}.npz"))
    return [case for data in made for case in cases_of(name, data)]


@pytest.mark.parametrize("name", KERNELS)
def test_vectors_and_formulas_are_met(name: str, compiled: Path) -> None:
    for case in inputs(name):
        found = outputs(case, REFERENCE, compiled)
        assert set(case.expected) <= set(found)
        for output, right in case.expected.items():
            assert apart(found[output], right) <= case.tolerance, (case.kernel.name, output)


@pytest.mark.parametrize(
    ("name", "word"), [("comp_geopot", "out_boussinesq_pk"), ("comp_caldyn_horiz", "out_energy_pk")]
)
def test_what_a_kernel_leaves_alone_is_unchanged_in_the_file(name: str, word: str) -> None:
    data = made_up(11, 9, 3, 2)
    before = data["in_pk_prev"]
    assert cases_of(name, {**data, word: before})
    with pytest.raises(ThalwegError, match=f"'{word}' of the data file is not 'in_pk_prev'"):
        cases_of(name, {**data, word: 2 * before})


@pytest.mark.parametrize(
    ("word", "right"),
    [("par_ij_omp_end", 73), ("par_ll_endm1", 2), ("off_u_rup", 209), ("off_z_lup", 109)],
)
def test_numbers_that_the_kernels_take_as_given_are_so_in_the_file(word: str, right: int) -> None:
    data = made_up(11, 9, 3, 2)
    assert cases_of("comp_caldyn_vert", {**data, word: np.array(right)})
    with pytest.raises(
        ThalwegError, match=f"'{word}' of the data file is {right + 1}, the kernels want"
    ):
        cases_of("comp_caldyn_vert", {**data, word: np.array(right + 1)})


@pytest.mark.some(19)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(name: str, way: Configuration, compiled: Path) -> None:
    for case in inputs(name):
        right = outputs(case, REFERENCE, compiled)
        for output, found in outputs(case, way, compiled).items():
            same = found.tobytes() == right[output].tobytes()
            near = case.kernel.name in POWERS and apart(found, right[output]) < 1e-15
            assert same or near, (case.kernel.name, output)


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the reference vectors are not here")
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_written_out_here_is_what_the_vectors_say(name: str) -> None:
    data = read_vectors(VECTORS / f"{name}.npz")
    for output, right in Written(data).all_of(name).items():
        if output in data:
            assert apart(right, data[output]) <= 1e-13, output


def of(name: str, kernel: str, data: dict[str, Array]) -> Case:
    return next(each for each in cases_of(name, data) if each.kernel.name == kernel)


def test_air_at_rest_moves_nothing_and_a_constant_temperature_goes_with_the_mass(
    compiled: Path,
) -> None:
    data = made_up(9, 9, 4)
    data["in_theta"] = np.full_like(data["in_theta"], 300.0)
    case = of("comp_caldyn_horiz", "caldyn_horiz", data)
    owned = case.arguments["owned"]
    found = outputs(case, SERIAL, compiled)
    ratio = found["theta_tendency"][:, owned] / found["convergence"][:, owned]
    assert np.abs(ratio / 300.0 - 1).max() < 1e-12
    data["in_u"] = np.zeros_like(data["in_u"])
    found = outputs(of("comp_caldyn_horiz", "caldyn_horiz", data), SERIAL, compiled)
    assert not found["flux"][:, case.arguments["extended_edges"]].any()
    assert not found["convergence"][:, owned].any()


def test_what_one_cell_loses_another_gains(compiled: Path) -> None:
    """Two cells with a common edge: what flows through it counts in both, with either sign."""
    data = made_up(9, 9, 4)
    data["in_u"] = np.zeros_like(data["in_u"])
    data["in_u"][:, 40] = 7.0  # from cell 40 into cell 41
    found = outputs(of("comp_caldyn_horiz", "caldyn_horiz", data), SERIAL, compiled)
    gained = found["convergence"] * data["par_Ai"]
    assert (gained[:, 40] < 0).all()
    assert np.allclose(gained[:, 40], -gained[:, 41], rtol=1e-14)


def test_vertical_transport_keeps_the_sum_of_a_column(compiled: Path) -> None:
    data = made_up(9, 9, 12)
    before = data["in_dtheta_rhodz_prev"]
    found = outputs(of("comp_caldyn_vert", "caldyn_vert", data), SERIAL, compiled)
    added = (found["theta_tendency"] - before).sum(axis=0)
    assert np.abs(added).max() <= 1e-12 * np.abs(found["theta_tendency"]).max()
