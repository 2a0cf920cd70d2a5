# SPDX-License-Identifier: Apache-2.0
"""A way of a run of ours event by event: the services of the closed form, one after the other.

The simulation takes its times from a machine's parameters. Here these are units: what the closed
form says of an event stands as so many gigabytes at a second each.
"""

from __future__ import annotations

import math

from thalweg.advisor.own.form import EventTimes, event_times
from thalweg.advisor.own.lanes import lanes_of
from thalweg.advisor.own.learned import OwnPredictor
from thalweg.advisor.own.situation import OwnSituation
from thalweg.advisor.own.ways import OwnWay
from thalweg.advisor.simulation import Checkpoints, Machine, Plan, Simulation, Stream, simulate

_GB = 1e9
_NOTHING = 1.0  # byte: a file without any is none
_SEED = 1


def simulate_own(
    predictor: OwnPredictor, situation: OwnSituation, way: OwnWay, variation: float
) -> Simulation:
    """Outputs of a stream are evenly spaced from the start of the run, checkpoints at the ends of
    their intervals. What cores that ranks share cost is in the steps.
    """
    times = event_times(situation, way.choice, way.nodes, predictor.rates())
    machine = Machine(_values(situation, way, times), service_variation=variation)
    return simulate(_plan(situation, way, times), machine, _SEED)


def _plan(situation: OwnSituation, way: OwnWay, times: EventTimes) -> Plan:
    choice, steps = way.choice, situation.steps
    streams = tuple(
        Stream(
            series.name,
            _GB * (service_s + (file_s if choice.mode == "serial" else 0.0)),
            series.outputs,
            steps / max(1, series.outputs - 1),
            partitions=parts if choice.io_ranks else 1,
        )
        for series, service_s, file_s, parts in zip(
            situation.series, times.output_s, times.file_s, choice.partitions, strict=True
        )
    )
    sets = situation.sets if choice.restart_mode != "none" else 0
    of_files = choice.restart_mode.endswith("multifile")
    checkpoints = Checkpoints(
        choice.restart_mode if sets else "none", choice.restart_ranks,
        _NOTHING if of_files else _GB * times.set_s, sets, steps / max(1, sets),
    )  # fmt: skip
    lanes = lanes_of(situation, choice, way.compute_ranks)
    mode = choice.mode
    if mode == "auto":
        mode = "shared_file" if max(lanes.teams, default=1) > 1 else "async"
    backpressure = situation.experiment.text("io", "backpressure")
    return Plan(
        situation.cells, steps, way.compute_ranks, streams, checkpoints, mode, choice.io_ranks,
        times.slots, backpressure, way.nodes.count,
        max(1, math.ceil(way.nodes.ranks / way.nodes.count)),
    )  # fmt: skip


def _values(situation: OwnSituation, way: OwnWay, times: EventTimes) -> dict[str, float]:
    outputs = sum(series.outputs for series in situation.series)
    files_s = sum(
        series.outputs * file_s
        for series, file_s in zip(situation.series, times.file_s, strict=True)
    )
    return {
        "cell_step_s": times.step_s * way.compute_ranks / situation.cells,
        "shared_cell_step_s": 0.0,
        "fixed_step_s": 0.0,
        "startup_s": times.startup_s,
        "write_s_per_gb": 1.0,
        "output_gather_s": 0.0,
        "restart_gather_s": 0.0,
        "io_s_per_gb": 1.0,
        "io_event_s": files_s / outputs if outputs and way.choice.mode != "serial" else 0.0,
        "async_restart_s_per_gb": 1.0,
        "async_restart_exponent": 0.0,
        "multifile_event_s": times.set_s,
        "all_writers_s_per_gb": 0.0,
        "sharpness": math.inf,
    }
