# SPDX-License-Identifier: Apache-2.0
"""NICAM's kernels: right against vectors and formulas, the same bits in every target."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
from thalweg.kernels.made_nicam import made_up
from thalweg.kernels.nicam import KERNELS, cases_of
from thalweg.kernels.run import run_case
from thalweg.testing.kernels import written_limiters
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, different, outputs
from thalweg.testing.kernels.written_nicam import Written

SERIAL = WAYS[0]
VECTORS = ROOT.parent / "shared" / "reference" / "nicam"
PREPARING = ("diffusion_weights",)  # no file has what they set: the kernel after them tells
Array = NDArray[Any]
WRITTEN: dict[str, Callable[[Mapping[str, Array]], dict[str, Array]]] = {
    "dyn_diffusion": lambda data: Written(data).diffusion(),
    "dyn_divdamp": lambda data: Written(data).divdamp(),
    "dyn_horiz_adv_flux": lambda data: Written(data).flux(),
    "dyn_horiz_adv_limiter": written_limiters.horizontal_limiter,
    "dyn_vert_adv_limiter": written_limiters.vertical_limiter,
    "dyn_vi_rhow_solver": written_limiters.vertical_solver,
}


def apart(found: Array, right: Array) -> float:
    return float(np.abs(found - right).max() / np.abs(right).max())


@pytest.fixture(scope="module")
def inputs() -> Callable[[str], list[list[Case]]]:
    """Cases of a file of vectors, and of two other grids with what the formulas give for them."""

    @cache
    def of_file(name: str) -> list[list[Case]]:
        made: list[Mapping[str, Array]] = [made_up(4, 2, 5), made_up(6, 5, 6)]
        made = [{**data, **WRITTEN[name](data)} for data in made]
        if VECTORS.is_dir():
            made.append(read_vectors(VECTORS / f"{name}.npz"))
        return [cases_of(name, data) for data in made]

    return of_file


@pytest.mark.parametrize("name", KERNELS)
def test_vectors_and_formulas_are_met(
    name: str, inputs: Callable[[str], list[list[Case]]], compiled: Path
) -> None:
    for case in [case for cases in inputs(name) for case in cases]:
        found = outputs(case, REFERENCE, compiled)
        assert set(case.expected) == set(found) or case.kernel.name in PREPARING
        for output, right in case.expected.items():
            parts = zip(case.parts(output, found[output]), case.parts(output, right), strict=True)
            for part in parts:
                assert apart(*part) <= case.tolerance, (case.kernel.name, output)


@pytest.mark.some(29)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(
    name: str, way: Configuration, inputs: Callable[[str], list[list[Case]]], compiled: Path
) -> None:
    for case in [case for cases in inputs(name) for case in cases]:
        assert not different(case, way, compiled), case.kernel.name


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the reference vectors are not here")
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_written_out_here_is_what_the_vectors_say(name: str) -> None:
    data = read_vectors(VECTORS / f"{name}.npz")
    inner = (..., slice(1, -1), slice(1, -1))
    for output, right in WRITTEN[name](data).items():
        all_of_it = output.endswith("_pl") or name not in ("dyn_diffusion", "dyn_divdamp")
        points = ... if all_of_it else inner
        assert apart(right[points], data[output][points]) <= 1e-11, output


def test_the_limiter_takes_what_its_description_takes(compiled: Path) -> None:
    """At the poles the mask, and not the sign; of a face the value of the arc's anchor."""
    name, data = "dyn_horiz_adv_limiter", dict(made_up(4, 2, 5))
    mask, faces = data["in_cmask_pl"].copy(), data["in_q_a_prev"].copy()
    mask[..., 2] = 1 - mask[..., 2]
    faces[3:] *= 3
    data |= {"in_cmask_pl": mask, "in_q_a_prev": faces}
    for case in cases_of(name, {**data, **WRITTEN[name](data)}):
        found = outputs(case, SERIAL, compiled)
        for output, right in case.expected.items():
            assert apart(found[output], right) <= case.tolerance, output


@pytest.mark.parametrize(
    ("word", "value", "sentence"),
    [
        ("in_q", np.float32, "'in_q' of the data file is float32 instead of float64"),
        ("par_kall", 21.5, "'par_kall' of the data file is 21.5, no whole number"),
    ],
)
def test_numbers_of_another_type_are_refused(word: str, value: Any, sentence: str) -> None:
    data = made_up(4, 2, 5)
    wrong = data[word].astype(value) if isinstance(value, type) else np.array(value)
    with pytest.raises(ThalwegError, match=re.escape(sentence)):
        cases_of("dyn_vert_adv_limiter", {**data, word: wrong})


def of(name: str, kernel: str, data: Mapping[str, Array]) -> Case:
    return next(each for each in cases_of(name, data) if each.kernel.name == kernel)


def test_a_constant_is_not_diffused_and_what_is_linear_is_added(compiled: Path) -> None:
    data = made_up(5, 3)
    first = outputs(of("dyn_diffusion", "diffusion", data), SERIAL, compiled)["tendency"]
    flat = {f"in_scl{end}": np.full_like(data[f"in_scl{end}"], 7.5) for end in ("", "_pl")}
    constant = outputs(of("dyn_diffusion", "diffusion", {**data, **flat}), SERIAL, compiled)
    assert np.abs(constant["tendency"]).max() <= 1e-14 * np.abs(first).max()
    shifted = {f"in_scl{end}": 2.0 * data[f"in_scl{end}"] + 7.5 for end in ("", "_pl")}
    twice = outputs(of("dyn_diffusion", "diffusion", {**data, **shifted}), SERIAL, compiled)
    assert np.allclose(twice["tendency"], 2 * first, rtol=0, atol=1e-12 * np.abs(first).max())


def test_what_leaves_a_cell_enters_its_neighbour(compiled: Path) -> None:
    data = made_up(5, 3)
    case = of("dyn_horiz_adv_flux", "horizontal_flux", data)
    found = outputs(case, SERIAL, compiled)["flux"] / case.arguments["inverse_area"]
    table, orientation = case.tables["cell_arcs"], case.arguments["orientation"]
    for arc in np.unique(table[orientation < 0]):
        out = found.swapaxes(1, 2)[(table == arc) & (orientation > 0)]
        into = found.swapaxes(1, 2)[(table == arc) & (orientation < 0)]
        assert len(out) == len(into) == 1
        assert np.allclose(out, -into, rtol=1e-14)


@pytest.mark.parametrize("name", ["horizontal_limiter", "vertical_limiter"])
def test_a_constant_tracer_stays_what_it_is(name: str, compiled: Path) -> None:
    """And limited values are those of before where these lie within the bounds."""
    data = made_up(5, 6)
    for each in ("q", "q_a_prev", "q_h_prev", "Qout_post"):
        for end in ("", "_pl"):
            data[f"in_{each}{end}"] = np.full_like(data[f"in_{each}{end}"], 0.25)
    for end in ("", "_pl"):
        data[f"in_d{end}"] *= 0.0
    vectors = "dyn_horiz_adv_limiter" if name[0] == "h" else "dyn_vert_adv_limiter"
    found = outputs(of(vectors, name, data), SERIAL, compiled)["face_value"]
    there = found != 0.0  # cells around a pole have no faces
    assert np.abs(found[there] - 0.25).max() < 1e-14


def test_the_sign_bit_of_zero_decides_what_flows_in(compiled: Path) -> None:
    """A Courant number of -0 at a lower face lets the value below into the bounds."""
    data = made_up(4, 3)
    data["in_ck"][1] = 0.2
    data["in_d"][...] = 0.0
    data["in_q_h_prev"][...] = 1.0
    results = []
    for zero in (0.0, -0.0):
        data["in_ck"][0] = zero
        results.append(
            outputs(of("dyn_vert_adv_limiter", "vertical_limiter", data), SERIAL, compiled)
        )
    regular = 6 * 6
    assert (results[0]["face_value"] != results[1]["face_value"])[2, :regular].any()


@pytest.mark.parametrize(
    ("name", "word", "where"),
    [
        ("dyn_divdamp", "out_ddivdy", (0, 0, 2, 2)),  # a component that is small beside the others
        ("dyn_diffusion", "out_dscl_pl", (0, 2, 0)),  # a pole where little is set
    ],
)
def test_each_array_of_a_file_has_its_own_scale(
    name: str, word: str, where: tuple[int, ...]
) -> None:
    made = made_up(6, 5, 6)
    data = {**made, **WRITTEN[name](made)}
    small = data[word] * 0.0
    small[where] = 1e-20
    outcomes = [run_case(each, REFERENCE, 1) for each in cases_of(name, {**data, word: small})]
    assert max(apart for each in outcomes for apart in each.differences.values()) > 1e10
