# SPDX-License-Identifier: Apache-2.0
"""A run event by event: stalls, queues and file-system load over time, beside the closed form."""

from thalweg.advisor.simulation.machine import Machine
from thalweg.advisor.simulation.plan import Checkpoints, Plan, Stream, plan_of
from thalweg.advisor.simulation.result import RankClass, Series, Simulation, Stall
from thalweg.advisor.simulation.simulate import simulate

__all__ = [
    "Checkpoints", "Machine", "Plan", "RankClass", "Series", "Simulation", "Stall", "Stream",
    "plan_of", "simulate",
]  # fmt: skip
