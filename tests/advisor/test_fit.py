# SPDX-License-Identifier: Apache-2.0
"""Fits find the parameters that made the runs, and say which ones no run tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from thalweg.advisor.prediction.fit import Fit, fit
from thalweg.advisor.prediction.parameters import PARAMETERS, Values
from thalweg.advisor.prediction.predictor import learn
from thalweg.advisor.prediction.run_facts import ManyRuns, MeasuredRun, RunFacts

Campaign = Callable[..., list[MeasuredRun]]
MakeRun = Callable[..., RunFacts]


def fit_of(runs: list[MeasuredRun]) -> Fit:
    return fit(ManyRuns.of([r.facts for r in runs]), np.array([r.total_s for r in runs]))


def test_the_parameters_that_made_the_runs_are_found(campaign: Campaign, machine: Values) -> None:
    found = fit_of(campaign())
    assert set(found.dropped) == {name for name, value in machine.items() if value == 0.0}
    assert not found.open
    for name in found.free:
        assert found.values[name] == pytest.approx(machine[name], rel=0.01), name


@pytest.mark.parametrize("seed", range(3))
def test_with_noise_they_lie_within_their_spreads(
    campaign: Campaign, machine: Values, seed: int
) -> None:
    found = fit_of(campaign(0.05, seed))
    for name in set(found.free) & {name for name, value in machine.items() if value > 0.0}:
        off = abs(np.log(found.values[name] / machine[name]))
        assert off < 4.0 * found.spread(name), name


def test_a_few_slow_runs_do_not_move_it(campaign: Campaign, machine: Values) -> None:
    runs = campaign(0.02)
    slow = [replace(r, total_s=1.3 * r.total_s) if n % 15 == 0 else r for n, r in enumerate(runs)]
    found = fit_of(slow)
    for name in ("cell_step_s", "write_s_per_gb", "io_s_per_gb", "async_restart_s_per_gb"):
        assert found.values[name] == pytest.approx(machine[name], rel=0.06), name


def test_what_no_run_tells_is_not_predicted(campaign: Campaign, made_up: MakeRun) -> None:
    """Runs without restarts, of one node."""
    runs = [r for r in campaign(0.02) if not r.facts.checkpoints and r.facts.nodes == 1]
    predictor = learn(runs)
    assert {"restart_gather_s", "async_restart_s_per_gb", "output_gather_s"} <= set(
        predictor.fit.open
    )
    asked = {
        "restart_gather_s": made_up(restart_mode="sync", checkpoints=1200),
        "async_restart_s_per_gb": made_up(restart_mode="async", restart_ranks=1, checkpoints=1200),
        "multifile_event_s": made_up(restart_mode="joint_multifile", checkpoints=1200),
        "output_gather_s": made_up(nodes=4, outputs=1201),
        "": made_up(io_ranks=4, outputs=3601),
    }
    for name, told in zip(asked, predictor.predict(list(asked.values())), strict=True):
        assert (f"'{name}'" in told.reason) if name else not told.reason, told.reason


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_handful_of_runs_gives_wide_intervals_and_no_failure(
    campaign: Campaign, count: int
) -> None:
    runs = campaign(0.02)[:count]
    for told in learn(runs).predict([r.facts for r in campaign()]):
        assert 0.0 < told.low_s < told.total_s < told.high_s < np.inf


def test_intervals_hold_four_of_five_runs_that_were_not_fitted(campaign: Campaign) -> None:
    predictor = learn(campaign(0.05))
    other = campaign(0.05, seed=1)
    told = predictor.predict([r.facts for r in other])
    inside = [t.low_s <= r.total_s <= t.high_s for t, r in zip(told, other, strict=True)]
    assert 0.7 <= np.mean(inside) <= 0.9
    assert all(t.low_s < t.total_s < t.high_s for t in told)


def test_the_list_of_parameters_is_whole() -> None:
    """A term that stands at 0 when it is left out; a unit and a meaning for each."""
    assert {p.without for p in PARAMETERS} == {None, 0.0}
    assert all(p.meaning and p.centre > 0.0 and p.spread > 0.0 for p in PARAMETERS)
