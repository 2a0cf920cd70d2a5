# SPDX-License-Identifier: Apache-2.0
"""What runs correct of a prediction from a calibration alone, and the interval around it.

Nine factors of a machine, none of a configuration: the time of steps, of starting, of moving
values, of making files, of writing, how far ranks that share cores delay each other, what steps
cost where they do (a system balances them once well and once badly), what I/O ranks on these cores
take from them, and what a value of a large output costs more. They begin at 1, and runs move them
as far as they tell (least squares of logarithms of total times, with a normal prior).
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from thalweg.advisor.own.form import services_of
from thalweg.advisor.own.lanes import lanes_of
from thalweg.advisor.own.rates import FACTORS, Draws, Rates, rates_of
from thalweg.advisor.own.repeats import ASSUMED, spread_of_repeats
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.shapes import NORMAL_80, Nodes, Prediction, reach_of
from thalweg.calibrate.machine_file import Machine

# Standard deviations of logarithms, before any run is known: a factor of 1.2 for steps, which were
# calibrated themselves, of 1.5 to 2 for what work.py takes from another machine.
_PRIOR = {"steps": 0.15, "around": 0.5, "moving": 0.4, "files": 0.4, "writing": 0.4,
          "sharing": 0.7, "crowded": 0.2, "beside": 0.5, "large": 0.2}  # fmt: skip
_REPEATS = 0.03  # runs of one experiment repeat so far; what is farther off counts by its distance
_OWN_MISS = 0.05  # of the form itself, where all rates are right
_DRAWS = 128
_CHOSEN = (("io", "mode"), ("io", "ranks"), ("restart", "mode"), ("restart", "ranks"),
           ("machine", "ranks"), ("output", "partitions"))  # fmt: skip
_SMALL = 1e-3  # step of a difference quotient
_PARTS = 6  # groups are held out one by one up to this many; it takes as many fits
Column = NDArray[np.float64]


@dataclass(frozen=True)
class OwnRun:
    """A run that exists. total_s: its run_time_s, the longest `total` of a compute rank."""

    name: str
    situation: OwnSituation
    choice: OwnChoice
    nodes: Nodes
    total_s: float

    @cached_property
    def group(self) -> Hashable:
        """Runs with the same are one decision: one experiment on as many ranks, but for what is
        chosen.
        """
        given = self.situation.experiment
        content = [
            {(name, key): value for key, value in table.values.items()}
            for name, table in given.tables.items()
        ] + [
            {("output", key): value for key, value in each.values.items()} for each in given.outputs
        ]
        kept = [{str(k): v for k, v in each.items() if k not in _CHOSEN} for each in content]
        return json.dumps(kept, sort_keys=True, default=str), self.nodes


@dataclass(frozen=True)
class OwnPredictor:
    """middle, covariance: of logarithms of FACTORS. reach: half-width of an interval in standard
    deviations, and no narrower than `least`, of a logarithm. runs: that it learned from.
    """

    machine: Machine
    middle: Column
    covariance: Column
    reach: float = NORMAL_80
    runs: int = 0
    least: float = 0.0
    repeats_known: bool = True

    def rates(self, draws: int = 1) -> Rates:
        """draw 0 is the middle."""
        chance = np.random.default_rng(1)
        away = chance.multivariate_normal(np.zeros(len(FACTORS)), self.covariance, draws - 1)
        logs = self.middle + np.vstack([np.zeros(len(FACTORS)), away])
        return rates_of(self.machine, dict(zip(FACTORS, np.exp(logs).T, strict=True)))

    def predict(self, situation: OwnSituation, choice: OwnChoice, nodes: Nodes) -> Prediction:
        return self.predict_with(self.rates(_DRAWS), situation, choice, nodes)

    def predict_with(
        self, rates: Rates, situation: OwnSituation, choice: OwnChoice, nodes: Nodes
    ) -> Prediction:
        """rates: of this predictor, once for many ways."""
        total = services_of(situation, choice, nodes, rates).total
        return self.interval_of(total)

    def interval_of(self, total: Draws) -> Prediction:
        middle = float(total[0])
        wide = math.exp(max(self.least, self.reach * spread_of(total)))
        return Prediction(middle, middle / wide, middle * wide)


def spread_of(total: Draws) -> float:
    """Standard deviation of the logarithm, that of the form itself included."""
    drawn = float(np.std(np.log(total[1:]))) if len(total) > 1 else 0.0
    return math.hypot(drawn, _OWN_MISS)


def untaught(machine: Machine) -> OwnPredictor:
    """From the calibration alone."""
    spreads = np.array([_PRIOR[name] for name in FACTORS])
    return OwnPredictor(machine, np.zeros(len(FACTORS)), np.diag(spreads**2))


def learn_own(machine: Machine, runs: Sequence[OwnRun]) -> OwnPredictor:
    """Factors from all runs, and the interval from predicting each group of them from the others.
    Without runs: as untaught.
    """
    if not runs:
        return untaught(machine)
    found = _fitted(machine, runs)
    if len(folds(runs)) < 2:  # nothing is predicted from something else: what was fitted, at least
        rates = found.rates(_DRAWS)
        told = [found.predict_with(rates, r.situation, r.choice, r.nodes) for r in runs]
        missed = [_score(run, each) for run, each in zip(runs, told, strict=True)]
        spread = spread_of_repeats(((run.group, run.choice), run.total_s) for run in runs)
        least = NORMAL_80 * (ASSUMED if spread is None else spread)
        reach = max(NORMAL_80, reach_of(missed))
        return replace(found, reach=reach, least=least, repeats_known=spread is not None)
    scores = [_score(run, told) for _, run, told in _tried(machine, runs, found)]
    return replace(found, reach=reach_of(scores))


def held_out(machine: Machine, runs: Sequence[OwnRun]) -> list[tuple[OwnRun, Prediction]]:
    """Each run with what the other groups tell of it, its interval as wide as they need theirs;
    one group: what the calibration tells.
    """
    tried = _tried(machine, runs, _fitted(machine, runs))
    scored = [(fold, _score(run, told)) for fold, run, told in tried]
    reach = {
        fold: reach_of([score for other, score in scored if other != fold])
        for fold in {fold for fold, _ in scored}
    }
    return [(run, _as_wide(told, reach[fold])) for fold, run, told in tried]


def _tried(
    machine: Machine, runs: Sequence[OwnRun], whole: OwnPredictor
) -> list[tuple[int, OwnRun, Prediction]]:
    """Fold, run, and its prediction from the other folds with an interval of NORMAL_80; in the
    order of runs. whole: fitted to all of them, near which the others are looked for.
    """
    found: dict[int, tuple[int, OwnRun, Prediction]] = {}
    for number, fold in enumerate(folds(runs)):
        others = [run for at, run in enumerate(runs) if at not in set(fold)]
        predictor = _fitted(machine, others, whole.middle) if others else untaught(machine)
        rates = predictor.rates(_DRAWS)
        known: dict[Hashable, Prediction] = {}
        for at in fold:
            run = runs[at]
            key = (run.group, run.choice)
            if key not in known:
                known[key] = predictor.predict_with(rates, run.situation, run.choice, run.nodes)
            found[at] = (number, run, known[key])
    return [found[at] for at in sorted(found)]


def _score(run: OwnRun, told: Prediction) -> float:
    """How many standard deviations it is off."""
    deviation = math.log(told.high_s / told.total_s) / NORMAL_80
    return abs(math.log(told.total_s / run.total_s)) / deviation


def _as_wide(told: Prediction, reach: float) -> Prediction:
    wide = (told.high_s / told.total_s) ** (reach / NORMAL_80)
    return Prediction(told.total_s, told.total_s / wide, told.total_s * wide)


def folds(runs: Sequence[OwnRun]) -> list[list[int]]:
    """Positions of runs that are predicted together: groups, never on both sides."""
    groups: dict[Hashable, list[int]] = {}
    for at, run in enumerate(runs):
        groups.setdefault(run.group, []).append(at)
    each = list(groups.values())
    parts = min(_PARTS, len(each))
    return [list(chain.from_iterable(each[at::parts])) for at in range(parts)]


def _fitted(
    machine: Machine, runs: Sequence[OwnRun], begin: Column | None = None
) -> OwnPredictor:  # fmt: skip
    """begin: logarithms of factors; none: those of the calibration."""
    from scipy.optimize import least_squares  # only where there are runs: it loads slowly

    start = untaught(machine)
    prior = np.sqrt(np.diag(start.covariance))
    distinct, row = _distinct(runs)
    lanes = [lanes_of(r.situation, r.choice, r.nodes.ranks - r.choice.ranks) for r in distinct]
    measured = np.log([run.total_s for run in runs])

    def logs_at(columns: Column) -> Column:
        """Logarithms of total times: [run, draw] for columns of factors [factor, draw]."""
        factors: Mapping[str, Draws] = dict(zip(FACTORS, np.exp(columns), strict=True))
        rates = rates_of(machine, factors, spread=False)
        totals = [
            services_of(run.situation, run.choice, run.nodes, rates, its).total
            for run, its in zip(distinct, lanes, strict=True)
        ]
        found: Column = np.log(np.array(totals))[row]
        return found

    def residuals(at: Column) -> Column:
        misses = (logs_at(at[:, None])[:, 0] - measured) / _REPEATS
        robust = np.sign(misses) * np.sqrt(2.0 * (np.sqrt(1.0 + misses**2) - 1.0))
        return np.concatenate([robust, at / prior])

    def slopes(at: Column) -> Column:
        """Of plain misses, all factors moved in one call."""
        moved = at[:, None] + _SMALL * np.hstack([np.zeros((len(at), 1)), np.eye(len(at))])
        logs = logs_at(moved)
        misses = (logs[:, 0] - measured) / _REPEATS
        bent = _slope_of_robust(misses)
        of_runs = bent[:, None] * (logs[:, 1:] - logs[:, :1]) / _SMALL / _REPEATS
        return np.vstack([of_runs, np.diag(1.0 / prior)])

    first = start.middle if begin is None else begin
    found = least_squares(residuals, first, jac=slopes, method="lm", max_nfev=60, ftol=1e-5)
    jacobian = slopes(found.x)
    covariance: Column = np.linalg.inv(jacobian.T @ jacobian).astype(np.float64)
    return OwnPredictor(machine, found.x, covariance, NORMAL_80, len(runs))


def _slope_of_robust(misses: Column) -> Column:
    """d/dm of sign(m) sqrt(2 (sqrt(1 + m^2) - 1)), which is 1 at 0 and falls as 1/sqrt(2 m)."""
    root = np.sqrt(1.0 + misses**2)
    size = np.sqrt(2.0 * np.maximum(root - 1.0, 0.0))
    safe = np.maximum(size, 1e-12)
    found: Column = np.where(size > 1e-6, np.abs(misses) / (root * safe), 1.0)
    return found


def _distinct(runs: Sequence[OwnRun]) -> tuple[list[OwnRun], list[int]]:
    """Runs that differ in what they do, and for each run which of them it repeats."""
    known: dict[Hashable, int] = {}
    distinct: list[OwnRun] = []
    row = []
    for run in runs:
        key = (run.group, run.choice)
        if key not in known:
            known[key] = len(distinct)
            distinct.append(run)
        row.append(known[key])
    return distinct, row
