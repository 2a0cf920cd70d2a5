# SPDX-License-Identifier: Apache-2.0
"""What limited a run, its metrics and its timer table, on timing tables made up for the purpose."""

from __future__ import annotations

import pytest

from thalweg.files.timing import Timer, Timing
from thalweg.run.limits import BUSY_SHARE, WAIT_SHARE, busy_shares, find_limit
from thalweg.run.metrics import SECONDS_PER_YEAR, measure
from thalweg.run.timer_table import timer_table

PARENTS = {
    "total": "", "model_init": "total", "integrate": "total", "halo_exchange": "integrate",
    "output": "integrate", "output_copy": "output", "output_wait": "output",
    "output_close": "total", "io_total": "", "io_idle": "io_total", "io_write": "io_total",
}  # fmt: skip


def timing(roles: str, **totals_s: list[float]) -> Timing:
    """roles: one letter per rank, c or i; totals: seconds per rank. Each timer was called once."""
    timers = []
    for name, seconds in totals_s.items():
        calls = tuple(int(each > 0.0) for each in seconds)
        each = tuple(seconds)
        timers.append(Timer(name, PARENTS[name], calls, each, each, each))
    return Timing(tuple({"c": "compute", "i": "io"}[role] for role in roles), tuple(timers))


def test_a_busy_io_rank_is_named() -> None:
    table = timing(
        "cciii",
        total=[100.0, 100.0, 0.0, 0.0, 0.0],
        output=[13.0, 13.0, 0.0, 0.0, 0.0],
        output_wait=[13.0, 11.0, 0.0, 0.0, 0.0],
        io_total=[0.0, 0.0, 100.0, 100.0, 100.0],
        io_idle=[0.0, 0.0, 60.0, 3.0, 50.0],
    )
    assert busy_shares(table) == pytest.approx({2: 0.4, 3: 0.97, 4: 0.5})
    sentence = "I/O rank 3 was busy 97 % of the time, compute ranks waited 12 % of theirs"
    assert find_limit(table).sentence == f"output: {sentence}"


def test_waiting_below_the_threshold_is_computing() -> None:
    def limit(wait_s: float) -> str:
        zeros = [0.0, 100.0]
        return find_limit(
            timing("ci", total=[100.0, 0.0], output_wait=[wait_s, 0.0], io_total=zeros,
                   io_idle=[0.0, 10.0])
        ).kind  # fmt: skip

    assert limit(100.0 * WAIT_SHARE - 0.1) == "compute"
    assert limit(100.0 * WAIT_SHARE) == "output"


def test_waiting_for_an_idle_io_rank_is_not_called_busy() -> None:
    idle_s = 100.0 * (1.0 - BUSY_SHARE) + 1.0
    table = timing(
        "ci", total=[100.0, 0.0], output_close=[20.0, 0.0], io_total=[0.0, 100.0],
        io_idle=[0.0, idle_s],
    )  # fmt: skip
    limit = find_limit(table)
    assert limit.kind == "output"
    assert "mostly at the end" in limit.sentence
    assert "I/O rank 1 was busy 79 %" in limit.sentence


def test_serial_output_names_rank_0() -> None:
    table = timing("cc", total=[50.0, 50.0], output_wait=[20.0, 20.0], io_write=[15.0, 0.0])
    sentence = "rank 0 gathered and wrote 30 % of its time, compute ranks waited 40 % of theirs"
    assert find_limit(table).sentence == f"output: {sentence}"


@pytest.mark.parametrize(
    ("timer", "seconds", "kind"),
    [
        ("output_copy", 11.0, "copying"),
        ("model_init", 51.0, "start"),
        ("halo_exchange", 31.0, "exchange"),
        ("halo_exchange", 29.0, "compute"),
    ],
)
def test_other_limits_have_their_thresholds(timer: str, seconds: float, kind: str) -> None:
    assert find_limit(timing("c", total=[100.0], **{timer: [seconds]})).kind == kind


def test_ranks_that_share_cores_are_told_apart_from_imbalance() -> None:
    table = timing("cc", total=[100.0, 100.0], halo_exchange=[40.0, 40.0])
    assert find_limit(table, cores=1).sentence.endswith("as 2 ranks shared 1 cores")
    assert "shared" not in find_limit(table, cores=2).sentence


def test_metrics_follow_cpmip() -> None:
    table = timing(
        "cci",
        total=[90.0, 100.0, 0.0],
        output=[20.0, 10.0, 0.0],
        output_wait=[10.0, 8.0, 0.0],
        output_close=[5.0, 5.0, 0.0],
    )
    metrics = measure(table, simulated_s=86400.0, bytes_written=6_000_000_000, files=2)
    assert metrics["run_time_s"] == 100.0
    years = 86400.0 / SECONDS_PER_YEAR
    assert metrics["sypd"] == pytest.approx(years * 864.0)
    assert metrics["chsy"] == pytest.approx(3 * 100.0 / 3600.0 / years)
    assert metrics["data_intensity"] == pytest.approx(6.0 / (300.0 / 3600.0))
    assert metrics["output_cost"] == pytest.approx(100.0 / 80.0)
    assert metrics["wait_percent"] == pytest.approx(9.0)


def test_the_timer_table_counts_only_ranks_that_called() -> None:
    table = timing(
        "cci", total=[2.0, 4.0, 0.0], integrate=[1.0, 3.0, 0.0], io_total=[0.0, 0.0, 5.0]
    )
    lines = timer_table(table).splitlines()
    assert [line.split()[0] for line in lines] == ["name", lines[1], "total", "L", "io_total"]
    assert lines[2].split() == ["total", "2", "2", "2s", "3s", "4s", "2.000", "3.000", "4.000"]
    assert lines[3].startswith(" L integrate")
    assert len({len(line) for line in lines}) == 1, "columns are aligned"
