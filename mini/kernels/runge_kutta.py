# SPDX-License-Identifier: Apache-2.0
"""Updates of a Runge-Kutta stage: the state the next stage starts from, and the sum."""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Parameter, kernel
from thalweg.dsl.grid import LevelAxis

Value = LevelAxis("value")  # of a field, one after the other


@kernel
def first_stage(
    base: Field[Value],
    tendency: Field[Value, "s-1"],
    sum_step: Parameter["s"],
    stage_step: Parameter["s"],
    total: Out[Value],
    stage: Out[Value],
) -> None:
    """Steps are the weights of the scheme times the time step."""
    total = base + sum_step * tendency
    stage = base + stage_step * tendency


@kernel
def next_stage(
    base: Field[Value],
    tendency: Field[Value, "s-1"],
    sum_step: Parameter["s"],
    stage_step: Parameter["s"],
    total: InOut[Value],
    stage: Out[Value],
) -> None:
    """The same in later stages."""
    total += sum_step * tendency
    stage = base + stage_step * tendency


@kernel
def last_stage(
    total: Field[Value],
    tendency: Field[Value, "s-1"],
    sum_step: Parameter["s"],
    base: Out[Value],
) -> None:
    """The step is done: nothing starts from here but the next one."""
    base = total + sum_step * tendency
