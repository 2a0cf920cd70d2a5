# SPDX-License-Identifier: Apache-2.0
"""Streams that meet on an I/O rank: what ICON's compute ranks wait then, and how it is avoided."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.advisor.proposing.meetings import Outputs, outputs_of, stalls_s
from thalweg.advisor.proposing.partitions import ranks_of, refused_places, share_apart
from thalweg.advisor.proposing.situation import Series
from thalweg.advisor.simulation import Machine, Plan, Stream, simulate
from thalweg.advisor.simulation.service import output_service, start_and_step_s

VALUES = {**{each.name: each.centre for each in PARAMETERS}, "startup_s": 0.0}
VALUES |= {"all_writers_s_per_gb": 0.0}
MACHINE = Machine(VALUES)
CELLS, STEPS = 81920, 240

SCRIPT = """start_date="2008-09-01T00:00:00Z"
end_date="2008-09-11T00:00:00Z"
cat > NAMELIST_tc << EOF
&parallel_nml num_io_procs = 2 /
&grid_nml
 dynamics_grid_filename = 'iconR02B05_G.nc'
/
&run_nml
 num_lev = 30
 dtime   = 120.
/
&output_nml
 output_filename = 'often'
 output_interval = 'PT12M'
 output_start    = '2008-09-01T00:00:00Z'
 output_end      = '2008-09-11T00:00:00Z'
 file_interval   = 'P1D'
 ml_varlist      = 'pres_sfc'
/
&output_nml
 output_filename = 'large'
 output_interval = 'P5D'
 output_start    = '2008-09-01T00:00:00Z'
 output_end      = '2008-09-11T00:00:00Z'
 file_interval   = 'P10D'
 ml_varlist      = 'u', 'v', 'w', 'temp', 'pres'
 PLACED
/
EOF
"""


def series(name: str, outputs: int, values: int = 1, **more: Any) -> Series:
    return Series(name, outputs, values, outputs, (ord(name[0]), "ml"), **more)


def run_of(*streams: Series, steps: int) -> Outputs:
    return outputs_of([each.at_steps(steps) for each in streams], steps)


def test_a_large_output_holds_up_what_comes_often() -> None:
    """By hand: steps of 1 s, a small output of 0.5 s after each and one large of 8 s after 4."""
    often = series("a", 21, steps=np.arange(21))
    large = series("b", 1, steps=np.array([4]))
    both, seconds = run_of(often, large, steps=20), (0.5, 8.0)
    # On one rank the next small output waits until second 4 + 8.5: seven and a half seconds.
    assert stalls_s(both, ((0,), (0,)), seconds, 1.0) == pytest.approx(7.5 + 0.5)  # the last one
    assert stalls_s(both, ((0,), (1,)), seconds, 1.0) == pytest.approx(0.5)
    # With two partitions every other small output goes by.
    assert stalls_s(both, ((0, 1), (0,)), seconds, 1.0) == pytest.approx(6.5 + 0.5)
    at_the_end = run_of(series("b", 1, steps=np.array([20])), steps=20)
    assert stalls_s(at_the_end, ((0,),), (10.0,), 1.0) == pytest.approx(10.0)


STREAMS = st.lists(
    st.tuples(
        st.integers(1, 60), st.sampled_from([0, 5e7, 4e8, 3e9]), st.integers(1, 4),
        st.integers(0, 200), st.integers(1, 40),
    ),
    min_size=1, max_size=4,
)  # fmt: skip


@given(STREAMS, st.integers(1, 5))
def test_it_is_what_happens_event_by_event(
    drawn: list[tuple[int, float, int, int, int]], io_ranks: int
) -> None:
    found, streams = [], []
    for number, (outputs, size, partitions, first, interval) in enumerate(drawn):
        steps = np.arange(first, STEPS + 1, interval)[:outputs]
        found.append(series("abcd"[number], len(steps), steps=steps))
        streams.append(
            Stream(
                "abcd"[number],
                size,
                len(steps),
                1.0,
                partitions=partitions,
                at_steps=tuple(steps.tolist()),
            )
        )
    plan = Plan(CELLS, STEPS, 252, tuple(streams), io_ranks=io_ranks, slots=1, by_steps=True)
    start_s, step_s = start_and_step_s(plan, MACHINE)
    services = [output_service(plan, MACHINE, each, 1) for each in streams]
    each_s = [one.fixed_s + one.pull_s + one.write_s for one in services]
    ranks = ranks_of(found, [each[2] for each in drawn], io_ranks)
    walked = run_of(*found, steps=STEPS)
    busy_s = np.zeros(io_ranks)
    for stream, its_ranks, one_s in zip(found, ranks, each_s, strict=True):
        for number in range(stream.outputs):
            busy_s[its_ranks[number % len(its_ranks)]] += one_s
    total_s = max(STEPS * step_s, busy_s.max()) + stalls_s(walked, ranks, each_s, step_s)
    assert simulate(plan, MACHINE).total_s - start_s == pytest.approx(total_s, rel=1e-6)


def test_places_are_taken_first_and_the_others_go_round_what_is_left() -> None:
    often = series("a", 9, placement=(1, -1, 3))
    rare = series("b", 9)
    assert ranks_of((often, rare), (3, 2), 4, placed=True) == ((1, 0, 3), (2, 0))
    assert ranks_of((often, rare), (3, 2), 4) == ((0, 1, 2), (3, 0))
    assert ranks_of((often,), (3,), 1) == ((0, 0, 0),)


def test_partitions_apart_have_ranks_of_their_own() -> None:
    often, rare = series("a", 1000, 50), series("b", 10, 4000)
    mean = replace(series("c", 10, 9000), most_partitions=1)
    for io_ranks in range(3, 40):
        parts = share_apart((often, rare, mean), io_ranks)
        ranks = [rank for each in ranks_of((often, rare, mean), parts, io_ranks) for rank in each]
        assert len(ranks) == len(set(ranks))
        assert parts[2] == 1
    assert share_apart((often, rare, mean), 2) == ()
    twins = (replace(often, item=(7, "ml")), replace(rare, item=(7, "ml")))
    assert share_apart(twins, 7) == (3, 3)  # two domains of one output_nml


def test_of_a_long_run_pieces_stand_for_all() -> None:
    """Large outputs come in its last tenth alone, every hundred steps."""
    often = series("a", 60_001, steps=np.arange(60_001))
    large = series("b", 60, steps=np.arange(54_000, 60_000, 100))
    last = series("c", 1, steps=np.array([60_000]))
    seconds, ranks = (0.5, 8.0, 50.0), ((0,), (0,), (1,))
    steps = [each.at_steps(60_000) for each in (often, large, last)]
    whole = stalls_s(outputs_of(steps, 60_000, 10**6), ranks, seconds, 1.0)
    assert whole == pytest.approx(60 * 7.5 + 50)
    pieces = outputs_of(steps, 60_000)
    assert len(pieces.pieces) == 11
    assert stalls_s(pieces, ranks, seconds, 1.0) == pytest.approx(whole, rel=0.05)
    everywhere = [steps[0], np.arange(0, 60_000, 100), steps[2]]
    both = [stalls_s(outputs_of(everywhere, 60_000, n), ranks, seconds, 1.0) for n in (10**6, 9999)]
    assert both[1] == pytest.approx(both[0], rel=0.1)


def test_places_at_which_icon_stops_are_told() -> None:
    placed = series("a", 9, placement=(1, 0))
    assert refused_places((placed,), 2) == ""
    assert "is none of 1 I/O ranks" in refused_places((placed,), 1)
    assert "-2 is none of" in refused_places((series("a", 9, placement=(-2,)),), 4)
    assert "none is left" in refused_places((placed, series("b", 9)), 2)
    assert refused_places((placed, series("b", 9)), 3) == ""


def test_the_proposal_keeps_a_large_stream_apart(
    here: Callable[..., Any], tmp_path: Path, made_up_machine: str
) -> None:
    script, machine = tmp_path / "exp.tc", tmp_path / "machine.toml"
    machine.write_text(made_up_machine)

    def advise(placed: str = "", *words: object) -> Any:
        script.write_text(SCRIPT.replace("PLACED", placed))
        done = here("advise", script, "--machine", machine, "--nodes", 2, "--json",
                    "--bytes-per-output", "large=40000000000", *words)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    answer = advise("", "--simulate", 0)
    best, now = answer["proposal"], answer["proposal"]["now"]
    # The simulation knows nothing of how the closed form was made longer.
    assert best["simulation"]["total_s"] == pytest.approx(best["total_s"], rel=0.02)
    assert best["io_ranks"] >= 2
    assert best["stalls_s"] == pytest.approx(now["stalls_s"], rel=0.01)  # of the last output
    together = advise("pe_placement_ml = 0\n stream_partitions_ml = 1")["proposal"]["now"]
    apart = advise("pe_placement_ml = 1\n stream_partitions_ml = 1")["proposal"]["now"]
    assert apart["stalls_s"] == pytest.approx(now["stalls_s"])  # as ICON deals them itself
    # ICON gives what is not placed to the ranks that nothing is placed on: rank 1.
    assert together["stalls_s"] == pytest.approx(now["stalls_s"])
    script_of_one = SCRIPT.replace("num_io_procs = 2", "num_io_procs = 1").replace("PLACED", "")
    script.write_text(script_of_one)
    done = here("advise", script, "--machine", machine, "--nodes", 2, "--json",
                "--bytes-per-output", "large=40000000000")  # fmt: skip
    one = json.loads(done.stdout)["proposal"]["now"]
    assert one["stalls_s"] > 2 * now["stalls_s"]
    assert one["total_s"] > 1.05 * best["total_s"]
    assert any("I/O ranks that have outputs of several" in each for each in answer["warnings"])
