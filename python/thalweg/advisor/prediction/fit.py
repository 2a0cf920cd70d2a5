# SPDX-License-Identifier: Apache-2.0
"""Parameters from runs: robust least squares of logarithms, with weak priors, and what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from thalweg.advisor.prediction.parameters import BY_NAME, PARAMETERS, Parameter, Values
from thalweg.advisor.prediction.run_facts import ManyRuns, Numbers
from thalweg.advisor.prediction.service import predict

# Runs with the same settings differ by about this much (logarithm; Levante, physics timer), and
# what is further off counts as its distance, not as its square: some runs were 30 % slow.
NOISE = 0.03
# A parameter is determined where its logarithm is known to a factor of two and the runs tell more
# of it than the prior did.
_KNOWN = 0.7
_LEARNED = 0.8
_STEP = 1e-4  # of a logarithm, for derivatives
_TOLERANCE = 1e-6  # of badness and logarithms, where a fit ends
_EVALUATIONS = 100
REACH = 8.0  # of its spreads that a parameter may end away from its centre


@dataclass(frozen=True)
class Fit:
    """values of all parameters; `free` were fitted, the others are left out or at their centre.

    covariance[free, free]   of natural logarithms
    open                     parameters that are needed and that the runs do not determine
    dropped                  parameters that were left out for the same reason
    """

    values: Values
    free: tuple[str, ...]
    covariance: NDArray[np.float64]
    open: tuple[str, ...]
    dropped: tuple[str, ...]

    def total_s(self, runs: ManyRuns) -> Numbers:
        return predict(runs, self.values).total_s

    def spread(self, name: str) -> float:
        """Standard deviation of its logarithm; 0 where it was left out."""
        if name not in self.free:
            return 0.0
        at = self.free.index(name)
        return float(np.sqrt(self.covariance[at, at]))

    def contributions(self, runs: ManyRuns) -> NDArray[np.float64]:
        """How far predictions follow each parameter, times its spread: array [run, free]."""
        spreads = np.sqrt(np.diag(self.covariance))
        found: NDArray[np.float64] = self._slopes(runs) * spreads
        return found

    def prediction_spread(self, runs: ManyRuns) -> Numbers:
        """Of the logarithm of the total time, from what is not known of parameters: [run]."""
        slopes = self._slopes(runs)
        spread: Numbers = np.sqrt(np.einsum("ri,ij,rj->r", slopes, self.covariance, slopes))
        return spread

    def _slopes(self, runs: ManyRuns) -> NDArray[np.float64]:
        logs = np.log([self.values[name] for name in self.free])
        return _slopes(runs, self.free, logs, dict(self.values))


def fit(runs: ManyRuns, total_s: Numbers, start: Fit | None = None) -> Fit:
    """The simplest form that the runs determine: open terms are left out one by one."""
    free = [parameter.name for parameter in PARAMETERS]
    dropped: list[str] = []
    while True:
        found = fit_form(runs, total_s, free, start)
        worst = [n for n in found.open if BY_NAME[n].without is not None]
        if not worst:
            return Fit(found.values, found.free, found.covariance, found.open, tuple(dropped))
        name = max(worst, key=found.spread)
        free.remove(name)
        dropped.append(name)
        start = found


def fit_form(
    runs: ManyRuns, total_s: Numbers, free: Sequence[str], start: Fit | None = None
) -> Fit:
    """A fit of these parameters; all others are left out."""
    from scipy.optimize import least_squares  # half a second, which a fitted machine need not wait

    asked = [BY_NAME[name] for name in free]
    fixed = {p.name: p.centre if p.without is None else p.without for p in PARAMETERS}
    centres = np.log([p.centre for p in asked])
    spreads = np.array([p.spread for p in asked])
    begin = np.log([start.values[n] or BY_NAME[n].centre for n in free]) if start else centres
    measured = np.log(total_s)

    @lru_cache(maxsize=1)  # both functions are asked at the same place, one after the other
    def misses_at(place: tuple[float, ...]) -> Numbers:
        found: Numbers = np.log(_totals(runs, free, np.array(place), fixed)) - measured
        return found

    def residuals(logs: Numbers) -> Numbers:
        misses = misses_at(tuple(logs.tolist()))
        return np.concatenate([_robust(misses / NOISE), (logs - centres) / spreads])

    def jacobian(logs: Numbers) -> Numbers:
        misses = misses_at(tuple(logs.tolist()))
        slopes = _slopes(runs, free, logs, fixed) * _robust_slope(misses / NOISE)[:, None] / NOISE
        return np.concatenate([slopes, np.diag(1.0 / spreads)])

    found = least_squares(
        residuals, begin, jac=jacobian, x_scale=spreads, method="trf", max_nfev=_EVALUATIONS,
        ftol=_TOLERANCE, xtol=_TOLERANCE,
        bounds=(centres - REACH * spreads, centres + REACH * spreads),
    )  # fmt: skip
    logs = found.x
    misses = np.log(_totals(runs, free, logs, fixed)) - measured
    covariance = _covariance(_slopes(runs, free, logs, fixed), misses, spreads)
    values = Values({**fixed, **dict(zip(free, np.exp(logs).tolist(), strict=True))})
    deviations = np.sqrt(np.diag(covariance))
    still_open = [p.name for p, d in zip(asked, deviations, strict=True) if not _is_known(p, d)]
    return Fit(values, tuple(free), covariance, tuple(still_open), ())


def _totals(runs: ManyRuns, free: Sequence[str], logs: Numbers, fixed: dict[str, float]) -> Numbers:
    return predict(runs, {**fixed, **dict(zip(free, np.exp(logs), strict=True))}).total_s


def _slopes(
    runs: ManyRuns, free: Sequence[str], logs: Numbers, fixed: dict[str, float]
) -> NDArray[np.float64]:
    """d log(total) / d log(parameter): array [run, free]. All machines a step off at once."""
    steps = _STEP * np.eye(len(free))
    tried = np.exp(logs + np.concatenate([steps, -steps]))  # [machine, free]
    several = {name: tried[:, at, None] for at, name in enumerate(free)}
    above, below = np.split(np.log(predict(runs, {**fixed, **several}).total_s), 2)
    slopes: NDArray[np.float64] = (above - below).T / (2.0 * _STEP)
    return slopes


def _robust(misses: Numbers) -> Numbers:
    """Its square is misses^2 near 0 and 2 |misses| far off (pseudo-Huber)."""
    far = np.sqrt(1.0 + misses**2) - 1.0
    loss: Numbers = np.sign(misses) * np.sqrt(2.0 * far)
    return loss


def _robust_slope(misses: Numbers) -> Numbers:
    """Its derivative: 1 at 0."""
    far = np.sqrt(1.0 + misses**2)
    slope: Numbers = np.sqrt((far + 1.0) / 2.0) / far
    return slope


def _covariance(
    slopes: NDArray[np.float64], misses: Numbers, spreads: Numbers
) -> NDArray[np.float64]:
    """Of a normal posterior, where runs far off weigh less; the noise is that of the misses."""
    noise = max(NOISE, 1.4826 * float(np.median(np.abs(misses))))  # 1.4826: of a normal law
    weights = 1.0 / np.sqrt(1.0 + (misses / noise) ** 2)
    information = (slopes * weights[:, None]).T @ slopes / noise**2
    return np.asarray(np.linalg.inv(information + np.diag(1.0 / spreads**2)), np.float64)


def _is_known(parameter: Parameter, deviation: float) -> bool:
    return deviation < min(_KNOWN, _LEARNED * parameter.spread)
