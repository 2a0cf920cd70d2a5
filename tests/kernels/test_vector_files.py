# SPDX-License-Identifier: Apache-2.0
"""What a file of vectors says is compared whole, or refused: nothing in it is passed over."""

from __future__ import annotations

import numpy as np
import pytest

from thalweg.errors import ThalwegError
from thalweg.kernels import dynamico, made_dynamico, made_nicam, nicam
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.assigned import assigned
from thalweg.kernels.cases import Array
from thalweg.kernels.library import find_kernel
from thalweg.kernels.run import run_case
from thalweg.testing.kernels import written_limiters
from thalweg.testing.kernels.ways import REFERENCE
from thalweg.testing.kernels.written_dynamico import Written
from thalweg.testing.kernels.written_nicam import Written as WrittenNicam


def limiter() -> dict[str, Array]:
    made = made_nicam.made_up(6, 5, 6)
    return {**made, **written_limiters.horizontal_limiter(made)}


def flux() -> dict[str, Array]:
    made = made_nicam.made_up(6, 5, 6)
    return {**made, **WrittenNicam(made).flux()}


def worst(name: str, data: dict[str, Array]) -> float:
    outcomes = [run_case(each, REFERENCE, 1) for each in nicam.cases_of(name, data)]
    return max(apart for each in outcomes for apart in each.differences.values())


@pytest.mark.parametrize(
    ("word", "row"), [("out_etamass_rhodz", 0), ("out_etamass_qv", 2), ("out_etamass_theta", 1)]
)
def test_what_no_kernel_assigns_is_as_it_was_to_the_last_bit(word: str, row: int) -> None:
    data = made_dynamico.made_up(11, 9, 3, 2)
    data |= Written(data).all_of("comp_pvort")
    changed = data[word].copy()
    changed[row, 0] = np.nextafter(changed[row, 0], np.inf)
    assert dynamico.cases_of("comp_pvort", data)
    with pytest.raises(ThalwegError, match=f"'{word}' of the data file is not .* where nothing is"):
        dynamico.cases_of("comp_pvort", {**data, word: changed})


def test_fluxes_of_other_forms_are_those_of_the_energy_form() -> None:
    data = made_dynamico.made_up(11, 9, 3, 2)
    data |= Written(data).all_of("comp_caldyn_horiz")
    data = {name: each for name, each in data.items() if not name.startswith("out_enstrophy_h")}
    for case in dynamico.cases_of("comp_caldyn_horiz", data):
        assert case.expected["flux"].tobytes() == data["out_energy_hflux"].tobytes()
        assert run_case(case, REFERENCE, 1).passed


def test_a_mask_is_true_or_false() -> None:
    data = limiter()
    twice = {name: -2.5 * data[name] for name in ("in_cmask", "in_cmask_pl")}
    assert worst("dyn_horiz_adv_limiter", {**data, **twice}) <= nicam.TOLERANCE


def test_a_bound_that_is_none_hides_no_other_one() -> None:
    data = limiter()
    right = data["out_Qout_prev"].copy()
    right[..., 2, 3, 3] = 1e200
    wrong = right.copy()
    wrong[..., 1, 4, 4] += 1e-9
    both = [
        run_case(nicam.cases_of("dyn_horiz_adv_limiter", {**data, "out_Qout_prev": each})[0],
                 REFERENCE, 1).case
        for each in (right, wrong)
    ]  # fmt: skip
    parts = [case.parts("bounds", case.expected["bounds"]) for case in both]
    assert max(np.abs(parts[0][0]).max(), np.abs(parts[0][-1]).max()) < 1e6
    assert max(np.abs(part).max() for part in parts[0]) == 1e200
    told = [case.parts("bounds", case.expected["bounds"])[0] for case in both]
    assert np.abs(told[0] - told[1]).max() > 1e-10


@pytest.mark.parametrize(
    ("name", "word", "change", "told"),
    [
        ("flux", "in_GRD_xr", "levels", "'in_GRD_xr' differs from level to level"),
        ("flux", "out_flx_h_pl", "first", "'out_flx_h_pl' of the data file is not 0 at the poles"),
        ("flux", "par_lall", 3, "'par_lall' of the data file is 3, the kernels want 1"),
        ("flux", "par_vlayer", 7, "'par_vlayer' of the data file is 7, the kernels want 5"),
        ("limiter", "out_q_a_pl", "first", "is not 'in_q_a_prev_pl' at the poles themselves"),
    ],
)
def test_what_the_kernels_do_not_know_is_refused(
    name: str, word: str, change: str | int, told: str
) -> None:
    data = flux() if name == "flux" else limiter()
    if change == "levels":  # of the region and of the poles
        for each, axis in ((word, -3), (f"{word}_pl", -2)):
            data[each] = np.repeat(data[each], 7, axis=axis)
            np.moveaxis(data[each], axis, 0)[3] += 1.0
    elif change == "first":
        data[word] = data[word].copy()
        data[word][..., 0] += 1.0
    else:
        data[word] = np.array(change)
    kernel = "dyn_horiz_adv_flux" if name == "flux" else "dyn_horiz_adv_limiter"
    with pytest.raises(ThalwegError, match=told):
        nicam.cases_of(kernel, data)


def test_a_weight_for_the_sixth_face_of_the_pentagon_is_refused() -> None:
    data = made_nicam.made_up(6, 5, 6)
    data["in_coef_diff"][0, 1, 4, 1, 1] = 1e-9
    with pytest.raises(ThalwegError, match="the sixth face of the pentagon"):
        nicam.cases_of("dyn_divdamp", data)


def test_what_is_to_be_set_is_no_number_before() -> None:
    """So that a kernel which sets too little is seen, though zeros must come out."""
    made = made_nicam.made_up(6, 5, 6)
    for name, output in (("dyn_divdamp", "damping"), ("dyn_horiz_adv_flux", "centroid")):
        (case,) = nicam.cases_of(name, made)
        there = assigned(case.kernel, output, case.arguments)
        assert np.isnan(case.arguments[output][there]).all(), output
        assert there.any()


def test_levels_and_slots_that_are_set_are_known() -> None:
    case = made_case(find_kernel("caldyn_vert"))
    found = {
        name: assigned(case.kernel, name, case.arguments)
        for name in ("vertical_flux", "momentum_flux", "convergence", "pressure_tendency")
    }
    owned = case.arguments["owned"]
    assert found["vertical_flux"].any(axis=1).tolist() == [False, *[True] * 19, False]
    assert np.array_equal(np.flatnonzero(found["vertical_flux"][3]), owned)
    assert found["convergence"].any(axis=1).tolist() == [*[True] * 19, False]
    assert np.array_equal(np.flatnonzero(found["pressure_tendency"]), owned)
