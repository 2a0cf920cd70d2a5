# SPDX-License-Identifier: Apache-2.0
"""The 80 % interval of a prediction, from how far predictions of unseen runs were off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thalweg.advisor.prediction.run_facts import Numbers
from thalweg.advisor.shapes import NORMAL_80, reach_of

# Logarithms; where runs tell little: steps repeat within 3 %, writing within 8 % (Levante).
_CENTRES = (0.03, 0.08)
# Runs of a group are off together, and count as this many: groups that are new were inside in 68 %
# where each counted by itself, in 75 % so, and in 82 % where a group counted once (Levante).
_OF_A_GROUP = 2
_FREEDOM = 4.0  # of Student's law, whose tails bear runs that are far off


@dataclass(frozen=True)
class Noise:
    """How far runs are off, as standard deviations of the logarithm of their time.

    computing, moving   of the time of steps, and of the time that bytes take
    reach               so many of them make the interval
    assumed             no run was predicted from others: they are no less than is usual
    """

    computing: float
    moving: float
    reach: float
    assumed: bool = False

    def half_width(self, computing_share: Numbers, open_spread: Numbers) -> Numbers:
        """Of the interval of log(total): [run]. Arguments as those of `learn_noise`."""
        return self.reach * _spread(self.computing, self.moving, computing_share, open_spread)


def learn_noise(
    misses: Numbers, computing_share: Numbers, open_spread: Numbers, groups: int
) -> Noise:
    """
    misses           log(predicted / measured) of runs that were not fitted: [run]
    computing_share  d log(total) / d log(time of steps), the rest is that of moving bytes: [run]
    open_spread      of log(predicted), from what is not known of parameters: [run]
    groups           of runs, which are off together
    """
    from scipy.optimize import minimize  # as in fit.py

    centres = np.log(_CENTRES)

    def badness(logs: Numbers) -> float:
        computing, moving = np.exp(logs).tolist()
        spread = _spread(computing, moving, computing_share, open_spread)
        tails = (_FREEDOM + 1.0) / 2.0 * np.log1p((misses / spread) ** 2 / _FREEDOM)
        return float(np.sum(tails + np.log(spread)) + 0.5 * np.sum((logs - centres) ** 2))

    found = minimize(badness, centres, method="Nelder-Mead", options={"xatol": 1e-2})
    computing, moving = np.exp(found.x).tolist()
    scores = np.abs(misses) / _spread(computing, moving, computing_share, open_spread)
    return Noise(computing, moving, reach_of(scores.tolist(), _OF_A_GROUP * groups))


def at_least_usual(noise: Noise) -> Noise:
    """Of runs that were fitted themselves: their misses tell less than those of others would."""
    computing, moving = _CENTRES
    return Noise(
        max(computing, noise.computing), max(moving, noise.moving), max(NORMAL_80, noise.reach),
        assumed=True,
    )  # fmt: skip


def _spread(
    computing: float, moving: float, computing_share: Numbers, open_spread: Numbers
) -> Numbers:
    of_steps = computing * computing_share
    of_bytes = moving * (1.0 - computing_share)
    spread: Numbers = np.sqrt(of_steps**2 + of_bytes**2 + open_spread**2)
    return spread
