# SPDX-License-Identifier: Apache-2.0
"""Intervals where next to nothing was repeated: a spread that is assumed, and said in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.advisor.own.learned import OwnRun, learn_own, untaught
from thalweg.advisor.own.page import print_own_proposal
from thalweg.advisor.own.propose import propose_own
from thalweg.advisor.own.rates import FACTORS, notes_of, rates_of
from thalweg.advisor.own.repeats import ASSUMED, spread_of_repeats
from thalweg.advisor.own.situation import OwnChoice, OwnSituation, own_situation
from thalweg.advisor.own_experiment import find_own_streams
from thalweg.advisor.prediction.predictor import learn
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.proposing.machine import fit_machine, load_machine, machine_text
from thalweg.advisor.shapes import NORMAL_80, Nodes
from thalweg.calibrate.machine_file import Machine
from thalweg.config.experiment import Experiment

Calibrated = Callable[..., Machine]
CASE = """
[[output]]
name = "all"
interval = "PT1H"
[machine]
ranks = 4
"""
CHOICE, NODE = OwnChoice("async", 1, (1,)), Nodes(1, 4)


@pytest.fixture
def situation(tmp_path: Path, model: Path) -> OwnSituation:
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    experiment = Experiment.read(path)
    return own_situation(experiment, find_own_streams(experiment, checked=False))


def of_samples(machine: Machine, count: int) -> Machine:
    return replace(machine, parameters=[replace(each, n=count) for each in machine.parameters])


def test_what_was_measured_once_has_no_spread_of_zero(calibrated: Calibrated) -> None:
    machine = calibrated(spread=1.0)
    factors = {name: np.ones(400) for name in FACTORS}
    often, once = (
        rates_of(of_samples(machine, count), factors).cell_level_s[2] for count in (30, 1)
    )
    assert np.std(np.log(often)) < 1e-12
    assert np.std(np.log(once)) == pytest.approx(ASSUMED, rel=0.1)
    assert once[0] == often[0], "the middle stays"
    wide = rates_of(of_samples(calibrated(spread=2.0), 1), factors).cell_level_s[2]
    assert np.std(np.log(wide)) > 2 * ASSUMED
    assert not list(notes_of(of_samples(machine, 30)))
    (note,) = notes_of(of_samples(machine, 1))
    assert "measured fewer than 3 times" in note
    assert "cell_level_step_s" in note
    other = replace(machine, versions={"thalweg": "9.9.9"})
    (note,) = notes_of(of_samples(other, 30))
    assert "was measured with thalweg 9.9.9, and this is" in note


def test_one_run_makes_no_prediction_sharper_than_runs_repeat(
    situation: OwnSituation, calibrated: Calibrated, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = calibrated(spread=1.0, ranks=4, cores=4)

    about_s = untaught(machine).predict(situation, CHOICE, NODE).total_s

    def learned(*times_s: float) -> Any:
        return learn_own(
            machine, [OwnRun("a", situation, CHOICE, NODE, t * about_s) for t in times_s]
        )

    def reach(predictor: Any) -> float:
        told = predictor.predict(situation, CHOICE, NODE)
        return float(np.log(told.high_s / told.total_s))

    once = learned(1.0)
    assert reach(once) > 0.999 * NORMAL_80 * ASSUMED
    assert not once.repeats_known
    alike, apart = learned(1.0, 1.01, 0.99, 1.02), learned(1.0, 1.5, 0.7, 1.2)
    assert alike.repeats_known
    assert apart.repeats_known
    assert reach(alike) < reach(once) < reach(apart)
    for predictor, said in ((once, True), (alike, False)):
        proposal = propose_own(predictor, situation, NODE, lambda _: True)
        print_own_proposal(proposal, situation, "")
        assert ("how far runs repeat is not known" in capsys.readouterr().out) == said


def test_spreads_of_repeats_are_pooled() -> None:
    assert spread_of_repeats([("a", 1.0), ("b", 2.0)]) is None
    assert spread_of_repeats([("a", 1.0), ("a", 1.1)]) is None
    chance = np.random.default_rng(5)
    many = [(key, float(np.exp(key + 0.2 * chance.standard_normal()))) for key in range(200)]
    again = [(key, float(np.exp(key + 0.2 * chance.standard_normal()))) for key in range(200)]
    assert spread_of_repeats([*many, *again]) == pytest.approx(0.2, rel=0.1)


def test_runs_of_icon_of_one_group_do_not_tell_how_far_others_are_off(
    made_up: Callable[..., Any], campaign: Callable[..., list[MeasuredRun]], tmp_path: Path
) -> None:
    """Four runs that the form fits exactly: it is no evidence that the next is as near."""
    group = [run for run in campaign() if run.facts.cells == 81920 and run.facts.nodes == 1
             and run.facts.outputs == 1201 and not run.facts.checkpoints][2:]  # fmt: skip
    machine = fit_machine(group, "few")
    (told,) = machine.predictor.predict([made_up(outputs=1201, io_ranks=6)])
    assert told.high_s / told.total_s > 1.035
    assert machine.predictor.noise.assumed
    path = tmp_path / "few.toml"
    path.write_text(machine_text(machine))
    assert load_machine(path).predictor.noise == machine.predictor.noise
    assert not learn(campaign()[:40]).noise.assumed
