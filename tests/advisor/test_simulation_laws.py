# SPDX-License-Identifier: Apache-2.0
"""Random plans keep the laws of queues; hostile ones are refused or end, never a traceback."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.advisor.simulation import Checkpoints, Machine, Plan, Stream, simulate
from thalweg.advisor.simulation.plan import BACKPRESSURES, MODES
from thalweg.errors import ThalwegError
from thalweg.testing.examples import examples

VALUES = {p.name: p.centre for p in PARAMETERS}
FREE = Machine({**VALUES, "all_writers_s_per_gb": 0.0})
ROUNDING = 1e-9
sizes = st.one_of(st.just(0.0), st.floats(1e6, 1e11))
streams = st.builds(
    Stream, st.sampled_from(["a", "b"]), sizes, st.integers(0, 30), st.floats(0.1, 50.0),
    st.floats(0.0, 60.0), st.integers(1, 40),
)  # fmt: skip
checkpoints = st.builds(
    Checkpoints, st.sampled_from(["none", "sync", "async", "joint_multifile",
    "dedicated_multifile"]), st.integers(1, 8), sizes, st.integers(0, 5), st.floats(1.0, 60.0),
)  # fmt: skip
plans = st.builds(
    Plan, cells=st.integers(1, 10**6), steps=st.integers(0, 100),
    compute_ranks=st.integers(1, 10**5), streams=st.lists(streams, max_size=3).map(tuple),
    checkpoints=checkpoints, mode=st.sampled_from(MODES), io_ranks=st.integers(1, 40),
    slots=st.integers(1, 3), backpressure=st.sampled_from(BACKPRESSURES), nodes=st.integers(1, 5),
)  # fmt: skip
rates = st.one_of(st.just(math.inf), st.floats(1e6, 1e13))
machines = st.builds(
    Machine, st.just(VALUES), service_variation=st.floats(0.0, 2.0),
    step_variation=st.floats(0.0, 2.0), node_write_bytes_s=rates, node_pull_bytes_s=rates,
    file_system_bytes_s=st.one_of(st.none(), rates), put_s_per_gb=st.floats(0.0, 1.0),
    spill_s_per_gb=st.floats(0.0, 1.0), message_s=st.floats(0.0, 1e-3),
    settle_s=st.floats(0.0, 0.1),
)  # fmt: skip


@settings(max_examples=examples(60, 150))
@given(plans, machines, st.integers(0, 99))
def test_bytes_are_conserved_times_add_and_little_is_right(
    plan: Plan, machine: Machine, seed: int
) -> None:
    found = simulate(plan, machine, seed)
    put = sum(s.size_bytes * s.due(plan.steps) for s in plan.streams)
    put += plan.checkpoints.size_bytes * plan.checkpoints.stream.due(plan.steps)
    sent = sum(c.size_bytes for c in found.classes)
    assert sent <= found.written_bytes * (1 + ROUNDING)
    if plan.backpressure != "thin":
        assert found.written_bytes == pytest.approx(put)
        assert not found.dropped
    assert found.file_system.mean * found.total_s == pytest.approx(found.written_bytes, rel=1e-5)
    assert found.file_system.largest <= machine.whole_bytes_s * (1 + ROUNDING)

    assert found.total_s == pytest.approx(found.compute_s + found.waiting_s)
    ends = 0.0
    for stall in found.stalls:
        assert stall.seconds > 0
        assert stall.begin_s >= ends * (1 - ROUNDING)
        ends = stall.begin_s + stall.seconds
    for each in found.classes:
        assert each.under_way.mean * found.total_s == pytest.approx(each.events * each.stay_s)
        assert 0 <= each.busy_share <= 1 + ROUNDING
        assert min(each.under_way.values, default=0) >= -ROUNDING


@settings(max_examples=examples(25, 60))
@given(streams, st.sampled_from(["async", "file_parallel", "shared_file"]), st.integers(1, 20))
def test_another_io_rank_never_makes_it_slower(stream: Stream, mode: str, ranks: int) -> None:
    totals = []
    for count in (ranks, ranks + 1):
        partitions = count if mode == "async" else 1
        asked = replace(stream, partitions=partitions)
        totals.append(simulate(Plan(1e5, 60, 100, (asked,), mode=mode, io_ranks=count), FREE))
    # A team reads from fewer compute ranks each, and one more may be idle: equal, never slower.
    assert totals[1].total_s <= totals[0].total_s * (1 + ROUNDING)


@settings(max_examples=examples(40, 100))
@given(plans, st.integers(0, 2), st.floats(1.0, 5.0))
def test_more_bytes_are_never_faster(plan: Plan, which: int, factor: float) -> None:
    asked = replace(plan, backpressure="block")
    larger = replace(
        asked,
        streams=tuple(
            replace(s, size_bytes=s.size_bytes * (factor if i == which else 1.0))
            for i, s in enumerate(asked.streams)
        ),
    )
    before, after = simulate(asked, FREE), simulate(larger, FREE)
    assert after.total_s >= before.total_s * (1 - ROUNDING)


@settings(max_examples=examples(25, 60))
@given(streams, st.integers(1, 20), st.integers(1, 3), st.sampled_from(["block", "thin"]))
def test_slots_bound_what_is_under_way(s: Stream, ranks: int, slots: int, pressure: str) -> None:
    plan = Plan(1e5, 60, 100, (s,), io_ranks=ranks, slots=slots, backpressure=pressure)
    assert simulate(plan, FREE).classes[0].under_way.largest <= s.partitions * slots


HOSTILE = {
    "zero steps": Plan(100, 0, 1, (Stream("a", 1e9, 5, 1.0),), io_ranks=1),
    "no streams": Plan(100, 10, 1),
    "nothing at all": Plan(1, 0, 1, mode="serial"),
    "zero bytes": Plan(100, 10, 1, (Stream("a", 0.0, 5, 1.0),), io_ranks=1),
    "a byte": Plan(100, 10, 10**6, (Stream("a", 1.0, 5, 1.0),), mode="shared_file",
                   io_ranks=10**6),
    "more partitions than outputs": Plan(
        100, 10, 1, (Stream("a", 1e9, 2, 1.0, partitions=10**9),), io_ranks=3
    ),
    "partitions without a common divisor": Plan(
        100, 10, 1, tuple(Stream("a", 1e9, 2, 1.0, partitions=n) for n in (97, 89, 83)),
        mode="file_parallel", io_ranks=96,
    ),
    "all at once": Plan(100, 1, 1, (Stream("a", 1e3, 2000, 1e-12),), io_ranks=3),
    "after the end": Plan(100, 1, 1, (Stream("a", 1e3, 5, 1.0, first_step=9.0),), io_ranks=1),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_odd_plans_end(case: str) -> None:
    nothing = Machine({**dict.fromkeys(VALUES, 0.0), "sharpness": math.inf})
    tiny = Machine(VALUES, file_system_bytes_s=1e-3)
    for machine in (FREE, nothing, tiny):
        found = simulate(HOSTILE[case], machine)
        assert math.isfinite(found.total_s)


BAD_PLANS = {
    "mode 'asynch' does not exist": Plan(100, 10, 1, mode="asynch"),
    "Did you mean 'spill'": Plan(100, 10, 1, backpressure="spil"),
    "restart mode 'none ' does not": Plan(100, 10, 1, checkpoints=Checkpoints("none ")),
    "steps = nan": Plan(100, math.nan, 1),
    "steps = inf": Plan(100, math.inf, 1),
    "cells = 0": Plan(0, 10, 1),
    "slots = 0": Plan(100, 10, 1, slots=0),
    "compute_ranks = -1": Plan(100, 10, -1),
    "size_bytes = nan": Plan(100, 10, 1, (Stream("a", math.nan, 1, 1.0),), io_ranks=1),
    "partitions = 0": Plan(100, 10, 1, (Stream("a", 1, 1, 1.0, partitions=0),), io_ranks=1),
    "interval_steps = 0": Plan(100, 10, 1, (Stream("a", 1, 1, 0),), io_ranks=1),
    "needs I/O ranks": Plan(100, 10, 1, (Stream("a", 1, 1, 1.0),)),
    "needs restart ranks": Plan(100, 10, 1, checkpoints=Checkpoints("async")),
    "pieces": Plan(
        100,
        100,
        1,
        tuple(Stream("a", 1, 99, 1.0, partitions=n) for n in (1, 997, 991)),
        mode="file_parallel",
        io_ranks=10**8,
    ),
    "at most 2000000": Plan(100, 1e9, 1, (Stream("a", 1, 10**9, 1.0),), io_ranks=1),
}


@pytest.mark.parametrize("sentence", BAD_PLANS)
def test_a_plan_that_no_run_can_do_is_refused_in_one_sentence(sentence: str) -> None:
    with pytest.raises(ThalwegError, match=sentence.replace("(", r"\(")) as error:
        simulate(BAD_PLANS[sentence], FREE)
    assert error.value.exit_code == 2
    assert "\n" not in error.value.sentence


def test_what_would_take_many_minutes_is_refused() -> None:
    asked = Plan(100, 10**5, 1, (Stream("a", 1, 10**5, 1.0, 0.0, 10**5),), io_ranks=10**5,
                 nodes=10**4)  # fmt: skip
    with pytest.raises(ThalwegError, match="leave rates of nodes infinite"):
        simulate(asked, replace(FREE, node_write_bytes_s=1e9))


@pytest.mark.parametrize(
    "bad",
    [
        {"pull_share": 1.5}, {"pull_share": -1.0}, {"node_write_bytes_s": 0.0},
        {"node_pull_bytes_s": math.nan}, {"service_variation": math.inf},
        {"file_system_bytes_s": -1.0}, {"values": {}}, {"message_s": math.nan},
        {"values": {**VALUES, "cell_step_s": math.inf}}, {"service_variation": 1e200},
        {"values": {**VALUES, "cell_step_s": 1e200}}, {"values": {**VALUES, "io_s_per_gb": 1e300}},
    ],
)  # fmt: skip
def test_a_machine_that_cannot_be_is_refused(bad: dict[str, object]) -> None:
    asked = Plan(100, 10, 1, (Stream("a", 1e9, 5, 1.0),), io_ranks=1)
    with pytest.raises(ThalwegError, match=r"machine: |would take"):
        simulate(asked, replace(FREE, **bad))  # type: ignore[arg-type]
