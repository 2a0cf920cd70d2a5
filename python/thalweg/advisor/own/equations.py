# SPDX-License-Identifier: Apache-2.0
"""How much work the equations of an experiment are: work.py has what each part costs."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.advisor.own import work
from thalweg.advisor.own.time_steps import stages
from thalweg.config.experiment import Experiment


@dataclass(frozen=True)
class Work:
    """In steps of a cell and level of the shallow-water model as it is calibrated.

    stages       Runge-Kutta's of a step
    step         a step of CALIBRATED_STAGES stages
    once         what a step does beside its stages
    diagnostics  sums over the sphere, at each output
    derive       a value of an output out of the state
    init         a cell of a rank: mesh, weights and initial state
    computes     steps are bound by arithmetic: other cores do not slow them down as they do those
                 of shallow water, which move values
    doubt        how many times as wide the logarithm of a step is spread as of a calibrated one
    """

    stages: int
    step: float
    once: float
    diagnostics: float
    derive: float
    init: float
    computes: bool = False
    doubt: float = 1.0

    @property
    def of_a_step(self) -> float:
        return self.stages / work.CALIBRATED_STAGES * self.step + self.once


def work_of(experiment: Experiment) -> Work:
    once = work.SWEEP * experiment.number("model", "extra_work")
    if experiment.text("model", "equations") == "primitive":
        if experiment.number("model", "hyperdiffusion") > 0.0:
            once += work.HYPERDIFFUSION
        air = (work.AIR, once, work.AIR_DIAGNOSTICS, work.AIR_DERIVE, work.AIR_INIT)
        return Work(stages(experiment), *air, computes=True, doubt=2.0)
    step = work.DYNAMICS + work.TRACER * experiment.integer("model", "tracers")
    return Work(stages(experiment), step, once, work.DIAGNOSTICS, work.DERIVE, work.INIT)
