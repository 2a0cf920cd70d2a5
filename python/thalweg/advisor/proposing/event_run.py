# SPDX-License-Identifier: Apache-2.0
"""A proposal run event by event: when compute ranks would stand still, and for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from thalweg.advisor.proposing.situation import Situation
from thalweg.advisor.proposing.ways import Way
from thalweg.advisor.shapes import VALUE_BYTES, Prediction
from thalweg.advisor.simulation import Machine, Simulation, Stream, simulate
from thalweg.advisor.simulation.plan import plan_of
from thalweg.errors import ThalwegError

_MOST_VARIATION = 10.0
_SEED = 1


def parse_variation(word: str) -> float | None:
    """ "" is not asked for. Raises a sentence."""
    if not word:
        return None
    try:
        found = float(word)
    except ValueError:
        found = -1.0
    if not 0.0 <= found <= _MOST_VARIATION:
        raise ThalwegError(
            f"--simulate '{word}' is no variation; give the standard deviation of the time of an "
            "output over its mean, as 0 or 0.3"
        )
    return found


def simulate_way(
    situation: Situation, way: Way, values: Mapping[str, float], variation: float
) -> Simulation:
    """Streams each with their own outputs, when they come."""
    plan = plan_of(way.facts)
    streams = tuple(
        Stream(
            each.name,
            each.values * VALUE_BYTES,
            each.outputs,
            1.0,
            partitions=parts if way.choice.io_ranks else 1,
            at_steps=tuple(each.at_steps(situation.steps).tolist()),
        )
        for each, parts in zip(situation.series, way.partitions, strict=True)
    )
    machine = Machine(values, service_variation=variation)
    return simulate(replace(plan, streams=streams), machine, _SEED)


def simulation_text(found: Simulation, variation: float, told: Prediction) -> str:
    """told: by the closed form"""
    causes = ", ".join(
        f"{cause} {seconds:.3g} s" for cause, seconds in found.waiting_by_cause().items()
    )
    lines = [
        f"simulated, times of outputs varying by {100 * variation:g} %: {found.total_s:.0f} s, of "
        f"them {found.compute_s:.0f} s of steps; {_beside(found.total_s, told)}"
    ]
    if causes:
        lines.append(f"  compute ranks wait for: {causes}")
    lines += [
        f"  {each.name}: {each.under_way.mean:.2g} under way on average, "
        f"{each.under_way.largest:g} at most; ranks busy {100 * each.busy_share:.0f} % of the time"
        for each in found.classes
    ]
    return "\n".join(lines)


def _beside(total_s: float, told: Prediction) -> str:
    place = "within" if told.low_s <= total_s <= told.high_s else "outside"
    off = 100.0 * (total_s / told.total_s - 1.0)
    return f"{off:+.0f} % of the closed form's {told.total_s:.0f} s, {place} its interval"
