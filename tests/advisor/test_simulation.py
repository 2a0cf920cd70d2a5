# SPDX-License-Identifier: Apache-2.0
"""A simulated run agrees with the closed form in its limits, and keeps the laws of queues."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.simulation import (
    Checkpoints,
    Machine,
    Plan,
    Simulation,
    Stream,
    plan_of,
    simulate,
)

VALUES = {**{p.name: p.centre for p in PARAMETERS}, "sharpness": math.inf}
MACHINE = Machine({**VALUES, "all_writers_s_per_gb": 0.0})
STEADY = RunFacts(
    cells=81920, steps=7200, nodes=1, ranks_per_node=128, compute_ranks=124, io_ranks=4,
    outputs=1201, output_bytes=254e6,
)  # fmt: skip
LATE = 0.01  # 1 %: the closed form knows nothing of the last output after the last step


def closed_s(facts: RunFacts, machine: Machine = MACHINE) -> float:
    return float(predict(ManyRuns.of([facts]), machine.values).total_s[0])


def stream(size: float, outputs: int = 100, interval: float = 1.0, partitions: int = 1) -> Stream:
    return Stream("s", size, outputs, interval, partitions=partitions)


def plan(*streams: Stream, **more: object) -> Plan:
    return Plan(81920, 100, 100, streams, **{"io_ranks": 4, **more})  # type: ignore[arg-type]


CASES = {
    "compute bound": STEADY,
    "output bound": replace(STEADY, output_bytes=4e9),
    "output bound, one I/O rank": replace(STEADY, output_bytes=4e9, io_ranks=1),
    "output bound, few partitions": replace(STEADY, output_bytes=4e9, io_ranks=8, partitions=2),
    "output bound, many nodes": replace(
        STEADY, io_ranks=64, outputs=12800, output_bytes=20e9, nodes=16
    ),
    "restart bound": replace(
        STEADY, outputs=0, checkpoints=120, checkpoint_bytes=20e9, restart_mode="async",
        restart_ranks=2,
    ),
    "restart bound, dedicated": replace(
        STEADY, outputs=0, checkpoints=120, checkpoint_bytes=100e9,
        restart_mode="dedicated_multifile", restart_ranks=4,
    ),
    "serial": replace(STEADY, io_ranks=0),
    "serial, far ranks": replace(STEADY, io_ranks=0, compute_ranks=1000),
    "sync": replace(
        STEADY, outputs=0, checkpoints=20, checkpoint_bytes=1e9, restart_mode="sync"
    ),
    "joint": replace(
        STEADY, outputs=0, checkpoints=20, checkpoint_bytes=1e9, restart_mode="joint_multifile"
    ),
    "serial with sync": replace(
        STEADY, io_ranks=0, checkpoints=20, checkpoint_bytes=1e9, restart_mode="sync"
    ),
    "both behind computing": replace(
        STEADY, checkpoints=20, checkpoint_bytes=1e9, restart_mode="async", restart_ranks=1
    ),
    "nothing but steps": replace(STEADY, outputs=0),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_both_forms_agree_in_their_limits(case: str) -> None:
    facts = CASES[case]
    assert simulate(plan_of(facts), MACHINE).total_s == pytest.approx(closed_s(facts), rel=LATE)


def test_a_full_file_system_is_the_limit_of_both() -> None:
    slow = Machine({**VALUES, "all_writers_s_per_gb": 1.0})
    facts = replace(STEADY, io_ranks=400, outputs=12001, output_bytes=4e9)
    found = simulate(plan_of(facts), slow)
    assert found.total_s == pytest.approx(closed_s(facts, slow), rel=LATE)
    assert found.file_system.largest == pytest.approx(1e9)


def test_between_limits_the_closed_form_has_ranks_write_at_the_same_time() -> None:
    # It adds rank and file system; ranks that write in turn overlap, at best to the longer of both.
    slow = Machine({**VALUES, "all_writers_s_per_gb": 0.5})
    facts = replace(STEADY, output_bytes=8e9)
    asked = predict(ManyRuns.of([facts]), slow.values)
    free = predict(ManyRuns.of([facts]), MACHINE.values)
    longest = max(float(free.output_s[0]), 0.5 * 8.0 * facts.outputs)
    found = simulate(plan_of(facts), slow).total_s
    assert longest < found < float(asked.output_s[0]) * 1.001


def test_a_shared_file_is_one_writer_of_many_hands() -> None:
    one = simulate(plan(stream(4e9), mode="shared_file", io_ranks=1), Machine(VALUES))
    many = simulate(plan(stream(4e9), mode="shared_file", io_ranks=16), Machine(VALUES))
    output_s = one.classes[0].busy_share * one.total_s
    fixed_s, shared_s = 100 * VALUES["io_event_s"], 400 * VALUES["all_writers_s_per_gb"]
    assert many.classes[0].busy_share * many.total_s == pytest.approx(
        fixed_s + (output_s - fixed_s - shared_s) / 16 + shared_s
    )


def test_modes_of_teams_are_alike_where_nothing_varies() -> None:
    for partitions in (1, 2, 3, 16, 40):
        asked = stream(4e9, partitions=partitions)
        found = [
            simulate(plan(asked, mode=mode, io_ranks=32), MACHINE).total_s
            for mode in ("file_parallel", "shared_file")
        ]
        assert found[0] == pytest.approx(found[1])


def test_independent_files_hide_a_slow_writer_better_than_a_shared_one() -> None:
    varied = replace(MACHINE, service_variation=0.5)
    asked = stream(200e9)
    shared, own = (
        simulate(plan(asked, mode=mode, io_ranks=16, slots=8), varied, 3).total_s
        for mode in ("shared_file", "file_parallel")
    )
    assert own < 0.9 * shared


def test_compute_ranks_write_in_team_modes_without_io_ranks() -> None:
    found = simulate(plan(stream(40e9), mode="file_parallel", io_ranks=0), MACHINE)
    assert set(found.waiting_by_cause()) == {"output 's'"}
    assert found.classes[0].events == 0
    assert found.written_bytes == 100 * 40e9


def test_blocking_bounds_what_is_under_way_by_slots() -> None:
    for slots in (1, 2, 5):
        found = simulate(plan(stream(40e9, partitions=3), slots=slots), MACHINE)
        assert found.classes[0].under_way.largest == 3 * slots
        assert found.waiting_by_cause()["slot of 's'"] > 0


def test_thin_drops_instead_of_waiting() -> None:
    asked = stream(40e9, partitions=4)
    blocked = simulate(plan(asked), MACHINE)
    thinned = simulate(plan(asked, backpressure="thin"), MACHINE)
    assert thinned.dropped["s"] + thinned.classes[0].events == 100
    assert set(thinned.waiting_by_cause()) == {"end of the last writers"}
    assert thinned.total_s < blocked.total_s
    assert thinned.classes[0].under_way.largest == 8
    assert thinned.written_bytes == thinned.classes[0].events * 40e9


def test_spill_costs_a_local_write_and_keeps_every_output() -> None:
    asked = stream(40e9, partitions=4)
    spilling = Machine(VALUES, spill_s_per_gb=1.0)
    found = simulate(plan(asked, backpressure="spill"), spilling)
    assert found.spilled["s"] > 80
    assert found.classes[0].events == 100
    assert found.waiting_by_cause()["spill of 's'"] == pytest.approx(
        found.spilled["s"] * 40.0 / 100
    )
    assert found.total_s == pytest.approx(simulate(plan(asked), MACHINE).total_s, rel=0.02)


def test_a_node_shares_its_rate_among_its_writers() -> None:
    # 4 writers, 2 on each node, 0.1 GB/s a node: 0.2 GB/s in all.
    slow = Machine(VALUES, node_write_bytes_s=0.1e9)
    found = simulate(plan(stream(1e9, partitions=4), nodes=2), slow)
    assert found.file_system.largest == pytest.approx(0.2e9)
    assert found.total_s == pytest.approx(100 / 0.2, rel=0.03)
    network = Machine(VALUES, node_pull_bytes_s=0.1e9)
    found = simulate(plan(stream(1e9, partitions=4), nodes=2), network)
    assert 100 / 0.2 < found.total_s < 1.1 * 100 / 0.2  # a rank that writes does not pull


def test_two_streams_wait_for_a_rank_that_they_share() -> None:
    small, large = Stream("small", 1e6, 100, 1.0), Stream("large", 40e9, 10, 10.0)
    together = simulate(plan(small, large, io_ranks=1), MACHINE).waiting_by_cause()
    apart = simulate(plan(small, large, io_ranks=2), MACHINE).waiting_by_cause()
    assert together["slot of 'small'"] > 0
    assert "slot of 'small'" not in apart


def test_checkpoints_beside_output_share_the_file_system() -> None:
    full = Machine({**VALUES, "all_writers_s_per_gb": 0.9, "io_s_per_gb": 1.0})
    asked = Checkpoints("async", 1, 20e9, 1, 50.0)
    alone = simulate(plan(stream(0.5e9, partitions=4)), full)
    beside = simulate(plan(stream(0.5e9, partitions=4), checkpoints=asked), full)
    assert beside.classes[0].stay_s > alone.classes[0].stay_s
    assert beside.classes[1].events == 1


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    varied = replace(MACHINE, service_variation=0.4, step_variation=0.1)
    asked = plan(stream(4e9, partitions=4))
    assert simulate(asked, varied, 7) == simulate(asked, varied, 7)
    assert simulate(asked, varied, 7).total_s != simulate(asked, varied, 8).total_s
    assert simulate(asked, MACHINE, 7).total_s == simulate(asked, MACHINE, 8).total_s


def test_a_large_machine_is_a_matter_of_seconds() -> None:
    cells = 20_971_520.0
    asked = Plan(
        cells, 7200, 100_000, (stream(cells * 388 * 8, 1200, 6.0, 1000),),
        Checkpoints("dedicated_multifile", 100, cells * 1333 * 8, 20, 360.0),
        io_ranks=1000, nodes=800,
    )  # fmt: skip
    varied = Machine({**VALUES, "io_s_per_gb": 200.0}, service_variation=0.3)
    found = simulate(asked, varied)
    assert found.classes[0].under_way.largest > 500
    assert found.events < 30_000  # counted, not timed: 0.5 s on the machine it was written on


def test_json_is_plain_and_bounded() -> None:
    found: Simulation = simulate(plan(stream(4e9, outputs=5000, interval=0.02)), MACHINE)
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert told["total_s"] == found.total_s
    assert len(told["stalls"]) <= 1000 < told["stall_count"]
    for series in (told["file_system"], told["classes"][0]["under_way"]):
        assert len(series["times_s"]) == len(series["values"]) <= 1000
    assert sum(told["waiting_by_cause"].values()) == pytest.approx(told["waiting_s"])


def test_a_restart_team_takes_the_mean_that_was_fitted_to_teams() -> None:
    varied = replace(MACHINE, service_variation=0.3)
    asked = Checkpoints("async", 16, 20e9, 100, 1.0)
    steady = simulate(plan(checkpoints=asked), MACHINE).total_s
    assert simulate(plan(checkpoints=asked), varied).total_s == pytest.approx(steady, rel=0.1)
