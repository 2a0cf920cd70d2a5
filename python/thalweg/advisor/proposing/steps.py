# SPDX-License-Identifier: Apache-2.0
"""How long steps of this run take, where the fitted runs had others: levels, or one measured."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from thalweg.advisor.prediction.parameters import Values
from thalweg.advisor.prediction.predictor import Predictor
from thalweg.advisor.proposing.machine import FittedMachine
from thalweg.advisor.proposing.situation import Situation
from thalweg.errors import ThalwegError

_OF_STEPS = ("cell_step_s", "shared_cell_step_s", "fixed_step_s")
_GIVEN = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?)@([0-9]+)", re.IGNORECASE)


@dataclass(frozen=True)
class StepTime:
    """One that the user measured: seconds of a step on so many compute ranks."""

    seconds: float
    compute_ranks: int


def parse_step(word: str) -> StepTime | None:
    if not word:
        return None
    match = _GIVEN.fullmatch(word)
    try:
        seconds, ranks = (float(match[1]), int(match[2])) if match else (0.0, 0)
    except ValueError:
        seconds, ranks = 0.0, 0
    if not 0.0 < seconds < 1e6 or ranks < 1:
        raise ThalwegError(
            f"--step '{word}' is no time of a step; write SECONDS@RANKS, as 0.25@512 for steps of "
            "0.25 s on 512 compute ranks"
        )
    return StepTime(seconds, ranks)


def predictor_of(
    machine: FittedMachine, situation: Situation, step: StepTime | None
) -> tuple[Predictor, list[str]]:
    """For steps of this run, and notes on what was taken for granted."""
    fitted = machine.predictor
    if step is not None and step.compute_ranks > situation.cells:
        raise ThalwegError(
            f"--step: {step.compute_ranks} ranks are more than the {situation.cells} cells of the "
            "run"
        )
    if step is not None:
        values = fitted.fit.values
        told = (
            values["cell_step_s"] * situation.cells / step.compute_ranks
            + values["shared_cell_step_s"] * situation.cells
            + values["fixed_step_s"]
        )
        return _scaled(fitted, step.seconds / told), []
    if not machine.levels:
        return fitted, [
            f"steps are taken to last as those of '{machine.name}', whose levels and physics are "
            "not told; --step SECONDS@RANKS tells yours"
        ]
    if machine.levels == situation.levels:
        return fitted, []
    ratio = situation.levels / machine.levels
    return _scaled(fitted, ratio), [
        f"steps are taken to last {ratio:.3g} times as long as those of '{machine.name}', which "
        f"has {machine.levels} levels; --step SECONDS@RANKS tells yours"
    ]


def _scaled(predictor: Predictor, factor: float) -> Predictor:
    values = dict(predictor.fit.values)
    for name in _OF_STEPS:
        values[name] *= factor
    return replace(predictor, fit=replace(predictor.fit, values=Values(values)))
