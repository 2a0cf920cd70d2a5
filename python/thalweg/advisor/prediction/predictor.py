# SPDX-License-Identifier: Apache-2.0
"""Runs that exist become a predictor: total time, its interval, or what is not known for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from thalweg.advisor.prediction.fit import Fit, fit, fit_form
from thalweg.advisor.prediction.intervals import Noise, at_least_usual, learn_noise
from thalweg.advisor.prediction.parameters import BY_NAME
from thalweg.advisor.prediction.run_facts import Flags, ManyRuns, MeasuredRun, Numbers, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.prediction.splits import GROUP, folds
from thalweg.advisor.shapes import Prediction

# A prediction whose logarithm is not known to this is none: a factor of 1.28 either way.
TOO_OPEN = 0.25
_PARTS = 12  # groups are tried one by one up to this many, and several at once above


@dataclass(frozen=True)
class Predictor:
    fit: Fit
    noise: Noise

    def predict(self, runs: Sequence[RunFacts]) -> list[Prediction]:
        return self.predict_many(ManyRuns.of(runs))

    def predict_many(self, many: ManyRuns) -> list[Prediction]:
        total = self.fit.total_s(many)
        spread = self.fit.prediction_spread(many)
        wide = np.exp(self.noise.half_width(computing_share(many, self.fit), spread))
        reasons = self._reasons(many, spread)
        columns = zip(total.tolist(), (total / wide).tolist(), (total * wide).tolist(), strict=True)
        return [
            Prediction(middle, low, high, reason)
            for (middle, low, high), reason in zip(columns, reasons, strict=True)
        ]

    def told(self, many: ManyRuns) -> Flags:
        """Of which runs is the time known well enough?"""
        return ~(self.fit.prediction_spread(many) > TOO_OPEN)

    def _reasons(self, many: ManyRuns, spread: Numbers) -> list[str]:
        reasons = [""] * len(spread)
        if (spread <= TOO_OPEN).all():
            return reasons
        by_parameter = np.abs(self.fit.contributions(many))
        for at in np.flatnonzero(spread > TOO_OPEN):
            name = self.fit.free[int(by_parameter[at].argmax())]
            reasons[at] = (
                f"the runs that were fitted do not tell '{name}' ({BY_NAME[name].meaning})"
            )
        return reasons


def learn(runs: Sequence[MeasuredRun]) -> Predictor:
    """Parameters from all of these runs, and the interval from predicting each group of them from
    the others (from the fit itself where they are one group).
    """
    return _learn(tuple(runs))


@lru_cache(maxsize=64)  # several splits of a validation leave the same runs to learn from
def _learn(runs: tuple[MeasuredRun, ...]) -> Predictor:
    many = ManyRuns.of([run.facts for run in runs])
    total_s = np.array([run.total_s for run in runs])
    whole = fit(many, total_s)
    groups = folds(runs, GROUP) or [list(range(len(runs)))]
    held_out = [
        list(chain.from_iterable(groups[at::_PARTS])) for at in range(min(_PARTS, len(groups)))
    ]
    misses, shares, spreads = [], [], []
    for fold in held_out:
        rest = sorted(set(range(len(runs))) - set(fold))
        found = whole
        if rest:
            found = fit_form(many.of_positions(rest), total_s[rest], whole.free, whole)
        tried = many.of_positions(fold)
        spread = found.prediction_spread(tried)
        told = spread <= TOO_OPEN
        misses.append((np.log(found.total_s(tried)) - np.log(total_s[fold]))[told])
        shares.append(computing_share(tried, found)[told])
        spreads.append(spread[told])
    columns = [np.concatenate(column) for column in (misses, shares, spreads)]
    noise = learn_noise(columns[0], columns[1], columns[2], len(groups))
    return Predictor(whole, noise if len(groups) > 1 else at_least_usual(noise))


def computing_share(many: ManyRuns, found: Fit) -> Numbers:
    """d log(total) / d log(time of steps): 1 where nothing but steps takes time. [run]"""
    services = predict(many, found.values)
    workers = services.compute_s + services.serial_output_s + services.blocking_restart_s
    of_workers = (workers / services.total_s) ** found.values["sharpness"]
    share: Numbers = of_workers * services.compute_s / workers
    return share
