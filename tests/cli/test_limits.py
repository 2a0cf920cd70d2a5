# SPDX-License-Identifier: Apache-2.0
"""What limited a run, its metrics and its timer table, on timing tables made up for the purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.files.timing import Timer, Timing
from thalweg.run.limits import BUSY_SHARE, busy_shares, find_limit
from thalweg.run.metrics import SECONDS_PER_YEAR, measure
from thalweg.run.timer_table import timer_table

TIMERS = {  # name: (parent, category), as in include/thalweg/timers.hpp
    "total": ("", "other"), "model_init": ("total", "start"), "integrate": ("total", "compute"),
    "halo_exchange": ("integrate", "exchange"), "output": ("integrate", "send"),
    "output_copy": ("output", "copy"), "output_wait": ("output", "wait"),
    "output_close": ("total", "wait"), "io_total": ("", "other"), "io_idle": ("io_total", "idle"),
    "io_write": ("io_total", "write"), "restart": ("integrate", "wait"),
}  # fmt: skip


def timing(roles: str, **own_s: list[float]) -> Timing:
    """roles: one letter per rank, c or i; own_s: own seconds of timers per rank, each called once.

    A total is the own time and that of all timers below.
    """

    def total_s(name: str, rank: int) -> float:
        below = (each for each in own_s if TIMERS[each][0] == name)
        return own_s[name][rank] + sum(total_s(each, rank) for each in below)

    timers = []
    for name, seconds in own_s.items():
        totals = tuple(total_s(name, rank) for rank in range(len(roles)))
        calls = tuple(int(each > 0.0) for each in totals)
        timers.append(Timer(name, *TIMERS[name], calls, totals, tuple(seconds), totals, totals))
    return Timing(tuple({"c": "compute", "i": "io"}[role] for role in roles), tuple(timers))


def test_the_limit_is_what_took_most_of_the_time() -> None:
    """Two runs that differ by a percent of waiting are not told to be of two kinds."""
    for waited_s, words in ((5.6, "5.6 %"), (4.7, "4.7 %")):
        table = timing("ci", integrate=[100.0 - waited_s, 0.0], output_wait=[waited_s, 0.0],
                       io_total=[0.0, 60.0], io_idle=[0.0, 40.0])  # fmt: skip
        limit = find_limit(table)
        assert limit.kind == "compute"
        assert f"and waited for output {words}; I/O rank 1 was busy 60 % of its own" in (
            limit.sentence
        )


@pytest.mark.parametrize(
    ("timer", "kind"),
    [
        ("output_copy", "copying"),
        ("output_wait", "output"),
        ("output_close", "output"),
        ("restart", "output"),
        ("output", "output"),
        ("model_init", "start"),
        ("total", "start"),
        ("halo_exchange", "exchange"),
        ("integrate", "compute"),
    ],
)
def test_every_timer_counts_by_its_category(timer: str, kind: str) -> None:
    largest = {timer: [40.0]}
    others = {name: [15.0] for name in ("integrate", "halo_exchange") if name != timer}
    assert find_limit(timing("c", **largest, **others)).kind == kind


def test_a_busy_io_rank_is_named() -> None:
    table = timing(
        "cciii",
        integrate=[40.0, 40.0, 0.0, 0.0, 0.0],
        output_wait=[60.0, 60.0, 0.0, 0.0, 0.0],
        io_total=[0.0, 0.0, 40.0, 97.0, 50.0],
        io_idle=[0.0, 0.0, 60.0, 3.0, 50.0],
    )
    assert busy_shares(table) == pytest.approx({2: 0.4, 3: 0.97, 4: 0.5})
    assert find_limit(table).sentence == (
        "output: compute ranks waited for output 60 % of their time; "
        "I/O rank 3 was busy 97 % of its own: another one would help"
    )


def test_an_io_rank_with_time_left_is_not_called_busy() -> None:
    idle_s = 100.0 * (1.0 - BUSY_SHARE) + 1.0
    table = timing("ci", output_close=[20.0, 0.0], io_total=[0.0, 100.0 - idle_s],
                   io_idle=[0.0, idle_s])  # fmt: skip
    assert find_limit(table).sentence.endswith("I/O rank 1 was busy 79 % of its own")


def test_a_compute_rank_that_writes_is_named() -> None:
    table = timing("cc", integrate=[20.0, 20.0], output_wait=[5.0, 30.0], io_write=[25.0, 0.0])
    assert find_limit(table).sentence == (
        "output: compute ranks waited for output 60 % of their time; "
        "rank 0 gathered and wrote 50 % of its own"
    )


def test_ranks_that_share_cores_are_told_apart_from_imbalance() -> None:
    table = timing("cc", integrate=[60.0, 60.0], halo_exchange=[90.0, 90.0])
    assert "as 2 ranks shared 1 cores" in find_limit(table, cores=1).sentence
    assert "shared" not in find_limit(table, cores=2).sentence


def test_every_moment_of_a_rank_has_one_category(small_run: Path) -> None:
    """Making files lay outside every timer once: 6.3 of 15.8 ms of a tiny run."""
    table = Timing.read(small_run / "timing.json")
    for rank, role in enumerate(table.roles):
        life_s = table.total_s("total" if role == "compute" else "io_total", rank)
        own_s = table.own_s(rank)
        assert sum(own_s.values()) == pytest.approx(life_s, rel=1e-6)
    created = table.timer("io_create")
    assert created is not None
    assert created.calls == (0, 0, 4)  # one file of "main", three of "flat"
    assert set(table.own_s(0)) <= {kind.name for kind in table.kinds}


def test_a_timer_lasts_as_long_as_those_within_it(small_run: Path) -> None:
    table = Timing.read(small_run / "timing.json")
    for rank in range(len(table.roles)):
        for parent in table.timers:
            within_s = sum(t.total_s[rank] for t in table.timers if t.parent == parent.name)
            assert within_s <= parent.total_s[rank] + 1e-6, (parent.name, rank)


def test_metrics_follow_cpmip() -> None:
    table = timing(
        "cci",
        total=[0.0, 5.0, 0.0],
        integrate=[67.0, 80.0, 0.0],
        output=[1.0, 1.0, 0.0],
        output_copy=[4.0, 2.0, 0.0],
        output_wait=[10.0, 7.0, 0.0],
        output_close=[5.0, 5.0, 0.0],
        io_write=[3.0, 0.0, 90.0],
    )
    metrics = measure(table, simulated_s=86400.0, bytes_written=6_000_000_000, files=2)
    assert metrics["run_time_s"] == 100.0
    years = 86400.0 / SECONDS_PER_YEAR
    assert metrics["sypd"] == pytest.approx(years * 864.0)
    assert metrics["chsy"] == pytest.approx(3 * 100.0 / 3600.0 / years)
    assert metrics["data_intensity"] == pytest.approx(6.0 / (300.0 / 3600.0))
    assert metrics["wait_s"] == pytest.approx((19.0 + 13.0) / 2)  # and what rank 0 wrote itself
    assert metrics["wait_percent"] == pytest.approx(16.0)
    assert metrics["closing_s"] == pytest.approx(5.0)
    assert metrics["copy_s"] == pytest.approx(3.0)
    assert metrics["output_cost"] == pytest.approx(100.0 / 81.0)


def test_the_timer_table_counts_only_ranks_that_called() -> None:
    table = timing(
        "cci", total=[1.0, 1.0, 0.0], integrate=[1.0, 3.0, 0.0], io_total=[0.0, 0.0, 5.0]
    )
    lines = timer_table(table).splitlines()
    assert [line.split()[0] for line in lines] == ["name", "total", "L", "io_total"]
    assert lines[1].split() == ["total", "2", "2", "2s", "3s", "4s", "2.000", "3.000", "4.000"]
    assert lines[2].startswith(" L integrate")
    assert len({len(line) for line in lines}) == 1, "columns are aligned"
