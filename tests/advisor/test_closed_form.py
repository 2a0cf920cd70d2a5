# SPDX-License-Identifier: Apache-2.0
"""Properties of the closed form: what no machine may break, whatever its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.advisor.prediction.parameters import PARAMETERS, Values
from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.testing.examples import examples

MakeRun = Callable[..., RunFacts]
MODES = ("sync", "async", "joint_multifile", "dedicated_multifile")


@st.composite
def machines(draw: st.DrawFn) -> Values:
    """Each parameter within a factor of a hundred of where fits begin."""
    powers = {p.name: draw(st.floats(-2.0, 2.0)) for p in PARAMETERS}
    powers["sharpness"] = draw(st.floats(-0.5, 0.7))
    return Values({p.name: p.centre * 10.0 ** powers[p.name] for p in PARAMETERS})


@st.composite
def runs(draw: st.DrawFn) -> RunFacts:
    mode = draw(st.sampled_from(("none", *MODES)))
    has_ranks = mode in {"async", "dedicated_multifile"}
    io_ranks, restart_ranks = draw(st.integers(0, 40)), draw(st.integers(1, 40)) * has_ranks
    nodes = draw(st.integers(1, 1000))
    cells = draw(st.integers(1_000, 10**8))
    return RunFacts(
        cells=cells,
        steps=draw(st.integers(1, 10**5)),
        nodes=nodes,
        ranks_per_node=128,
        compute_ranks=128 * nodes - io_ranks - restart_ranks,
        io_ranks=io_ranks,
        restart_ranks=restart_ranks,
        restart_mode=mode,
        outputs=draw(st.integers(0, 5000)),
        checkpoints=draw(st.integers(1, 2000)) * (mode != "none"),
        output_bytes=cells * draw(st.floats(1.0, 1e5)),
        checkpoint_bytes=cells * draw(st.floats(1.0, 1e5)),
    )


def time_of(machine: Values, run: RunFacts) -> float:
    return float(predict(ManyRuns.of([run]), machine).total_s[0])


@settings(max_examples=examples(40, 100))
@given(machines(), runs(), st.floats(1.0, 100.0))
def test_more_bytes_are_never_faster(machine: Values, run: RunFacts, factor: float) -> None:
    for name in ("output_bytes", "checkpoint_bytes"):
        larger = replace(run, **{name: factor * getattr(run, name)})
        assert time_of(machine, larger) >= time_of(machine, run) * (1.0 - 1e-9)


@settings(max_examples=examples(40, 100))
@given(machines(), runs())
def test_more_events_and_more_steps_are_never_faster(machine: Values, run: RunFacts) -> None:
    for name in ("outputs", "steps"):
        more = replace(run, **{name: 2 * getattr(run, name) + 1})
        assert time_of(machine, more) >= time_of(machine, run) * (1.0 - 1e-9)


@settings(max_examples=examples(40, 100))
@given(machines(), runs(), st.integers(1, 5))
def test_more_ranks_of_their_own_never_write_slower(
    machine: Values, run: RunFacts, more: int
) -> None:
    """For as many compute ranks: that dedicated ranks are taken from these is another thing."""
    several = replace(
        run, io_ranks=run.io_ranks * (1 + more), restart_ranks=run.restart_ranks * (1 + more)
    )
    before, after = (predict(ManyRuns.of([each]), machine) for each in (run, several))
    assert after.output_s[0] <= before.output_s[0] * (1.0 + 1e-9)
    assert after.restart_s[0] <= before.restart_s[0] * (1.0 + 1e-9)


@settings(max_examples=examples(40, 100))
@given(machines(), runs())
def test_a_run_is_longer_than_its_longest_service_and_shorter_than_all(
    machine: Values, run: RunFacts
) -> None:
    found = predict(ManyRuns.of([run]), machine)
    workers = found.compute_s + found.serial_output_s + found.blocking_restart_s
    services = np.array([workers[0], found.output_s[0], found.restart_s[0]])
    assert services.max() * (1.0 - 1e-9) <= found.total_s[0] <= services.sum() * (1.0 + 1e-9)


def test_more_ranks_than_partitions_are_idle(machine: Values, made_up: MakeRun) -> None:
    eight = made_up(io_ranks=8, outputs=3601)
    two = predict(ManyRuns.of([replace(eight, partitions=2.0)]), machine)
    eight_busy = predict(ManyRuns.of([eight]), machine)
    assert two.output_s[0] == pytest.approx(4.0 * eight_busy.output_s[0])


def test_serial_output_and_sync_restarts_add_to_steps(machine: Values, made_up: MakeRun) -> None:
    """And cost more on more nodes, where every step costs less."""
    alone = time_of(machine, made_up())
    outputs = 1201 * (1.2 * 0.25428 + 0.0)  # one node: no far ranks
    assert time_of(machine, made_up(outputs=1201)) == pytest.approx(alone + outputs, rel=1e-3)
    sync = {"restart_mode": "sync", "checkpoints": 1200}
    assert time_of(machine, made_up(nodes=4, **sync)) > time_of(machine, made_up(**sync))


def test_a_file_of_each_rank_beats_one_file_where_checkpoints_are_many(
    machine: Values, made_up: MakeRun
) -> None:
    times = {
        mode: time_of(
            machine, made_up(nodes=2, restart_mode=mode, restart_ranks=8, checkpoints=1200)
        )
        for mode in ("async", "dedicated_multifile")
    }
    assert times["dedicated_multifile"] < 0.7 * times["async"]
