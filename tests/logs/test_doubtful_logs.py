# SPDX-License-Identifier: Apache-2.0
"""Reports of ICON that are cut off or wrong in themselves become no wrong numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.logs.beliefs import believe
from thalweg.logs.icon_log import read_icon_log
from thalweg.testing.icon_logs import MANY, OLDER, ONE, got, many, one, table

WriteLog = Callable[..., Path]
Lines = list[tuple[int, str]]
EIGHT = [
    many("total", 8, 100.0, 101.0, 100.5, 8),
    many(" L wrt_output", 16, 5.0, 6.0, 5.5, 8),
    many(" L integrate_nh", 800, 80.0, 90.0, 85.0, 8),
]


def lines_of(
    columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", rank: int = 0
) -> Lines:
    return [(rank, f" Timer report{title}"), *((rank, line) for line in table(columns, rows))]


def test_a_mean_above_or_below_all_ranks_is_not_believed(write_log: WriteLog) -> None:
    """Versions of ICON print the sum of one I/O rank divided by the eight that compute."""
    wrong = [*one("wrt_output", 2, 14.332)[:-1], "1.791"]
    log = [*lines_of(MANY, EIGHT, ", ranks 0-7"), *lines_of(ONE, [wrong], rank=8)]
    row = read_icon_log(write_log(log))
    assert row["io_output_s"] == row["io_output_max_s"] == 14.332
    (note,) = row.texts("notes")
    assert "'wrt_output': mean 1.791 s, maximum 14.332 s" in note
    assert "minimum, maximum and calls are believed" in note


def test_a_wrong_mean_of_many_is_replaced_by_that_of_calls(write_log: WriteLog) -> None:
    wrong = many("wrt_output", 400, 40.0, 44.0, 42.0, 2)  # 0.21 s a call
    wrong[-2] = "10.500"  # 84 s divided by 8
    log = [*lines_of(MANY, EIGHT, ", ranks 0-7"), *lines_of(MANY, [wrong], ", ranks 8-9", 8)]
    row = read_icon_log(write_log(log))
    assert row["io_output_s"] == pytest.approx(42.0, rel=1e-3)


def test_ranks_that_never_used_a_timer_count_in_its_mean(write_log: WriteLog) -> None:
    """ "# PEs" are those with calls: 2 of 8 ranks wrote for 42 s each."""
    rows = [EIGHT[0], many(" L wrt_output", 4, 40.0, 44.0, 42.0, 2)]
    row = read_icon_log(write_log(lines_of(MANY, rows, ", ranks 0-7")))
    assert row["output_s"] == pytest.approx(42.0 * 2 / 8)


@pytest.mark.parametrize("letters", [1, 3, 5])
def test_the_last_number_of_a_cut_log_is_not_told(write_log: WriteLog, letters: int) -> None:
    rows = [one("total", 1, 5970.156), one(" L wrt_output", 2, 14.332)]
    path = write_log(lines_of(ONE, rows))
    text = path.read_text()
    end = text.index("14.332", text.rindex("wrt_output")) + len("14.332")
    last = text.rindex("14.332", end) + len("14.332")
    path.write_text(text[: last - letters])
    row = read_icon_log(path)
    assert (row["total_s"], row["output_s"]) == (5970.156, None)
    assert any("has no end: the log is cut off" in note for note in row.texts("notes"))


@pytest.mark.parametrize("letters", [20, 45, 60])
def test_a_log_cut_within_its_last_line_says_so(write_log: WriteLog, letters: int) -> None:
    io = lines_of(MANY, [many("wrt_output", 44, 40.0, 44.0, 42.0, 2)], ", ranks 8-9", 8)
    path = write_log([*lines_of(MANY, EIGHT, ", ranks 0-7"), *io])
    text = path.read_text()
    line = text.rindex("wrt_output")
    path.write_text(text[: text.index("\n", line) - letters])
    row = read_icon_log(path)
    assert (row["total_s"], row["io_output_s"]) == (100.5, None)
    assert any("has no end: the log is cut off" in note for note in row.texts("notes"))
    path.write_text(path.read_text() + "\nslurmstepd: error: *** STEP 1.0 CANCELLED ***\n")
    assert read_icon_log(path)["total_s"] == 100.5
    path.write_text(path.read_text() + "8: more\n")
    with pytest.raises(ThalwegError, match="the line is cut or two reports are mixed"):
        read_icon_log(path)


def test_a_log_may_be_cut_off_anywhere(write_log: WriteLog) -> None:
    """At each letter: what is told is what the whole log tells, or nothing."""
    got_line = got(64e6, 0.016, 0.02, 32e6)
    path = write_log([(8, got_line), *lines_of(MANY, EIGHT, ", ranks 0-7")])
    text, whole = path.read_text(), read_icon_log(path)
    columns = ("total_s", "output_s", "steps", "output_event_bytes", "compute_ranks")
    for end in range(len(got_line) // 2, len(text), 7):
        path.write_text(text[:end])
        row = read_icon_log(path)
        assert all(row[name] in (None, whole[name]) for name in columns), end


@pytest.mark.parametrize("rate", ["Infinity", "+Inf", "NaN", "********"])
def test_a_rate_of_no_seconds_is_not_told(write_log: WriteLog, rate: str) -> None:
    line = (
        " Got     64.000 MB, time get:      0.016 s [  4000.000 MB/s], "
        f"time write:      0.000 s [   {rate} MB/s], times copy:      0.031 s"
    )
    row = read_icon_log(write_log([*lines_of(MANY, EIGHT, ", ranks 0-7"), (8, line)]))
    assert (row["output_events"], row["output_rate_logged"]) == (1, None)
    assert row["output_event_bytes"] == 64e6


def test_a_log_cut_between_two_timers_says_so(write_log: WriteLog) -> None:
    whole = lines_of(MANY, EIGHT, ", ranks 0-7")
    last = next(i for i, (_, text) in enumerate(whole) if "integrate_nh" in text)
    row = read_icon_log(write_log(whole[: last + 1]))
    assert (row["total_s"], row["output_s"], row["steps"]) == (100.5, 5.5, None)
    assert any("has no end" in note for note in row.texts("notes"))


def test_ranks_and_steps_are_told_by_reports_alone(write_log: WriteLog) -> None:
    io = lines_of(MANY, [many("wrt_output", 44, 40.0, 44.0, 42.0, 2)], ", ranks 8-9", 8)
    row = read_icon_log(write_log([*lines_of(MANY, EIGHT, ", ranks 0-7"), *io]))
    assert [row[f"{role}ranks"] for role in ("", "compute_", "io_", "restart_")] == [10, 8, 2, None]
    assert row["steps"] == 100, "calls are summed over ranks"


def test_ranks_in_all_are_not_guessed_from_compute_ranks(write_log: WriteLog) -> None:
    row = read_icon_log(write_log(lines_of(MANY, EIGHT, ", ranks 0-7")))
    assert (row["compute_ranks"], row["ranks"], row["io_ranks"]) == (8, None, None)
    row.tell(darshan_ranks=8)
    believe(row)
    assert (row["ranks"], row["io_ranks"], row["restart_ranks"]) == (8, 0, 0)
    assert row.texts("notes") == ()


def test_darshan_with_fewer_ranks_than_compute_is_of_another_run(write_log: WriteLog) -> None:
    row = read_icon_log(write_log(lines_of(MANY, EIGHT, ", ranks 0-7")))
    row.tell(darshan_ranks=4)
    believe(row)
    assert row["ranks"] is None
    assert any("tells of 8 ranks, Darshan saw 4" in note for note in row.texts("notes"))


def test_darshan_of_a_much_longer_job_is_of_another_run(write_log: WriteLog) -> None:
    row = read_icon_log(write_log(lines_of(MANY, EIGHT, ", ranks 0-7")))
    row.tell(darshan_ranks=8, darshan_run_s=900.0, darshan_output_bytes=10**9)
    believe(row)
    assert row["output_bytes"] is None
    assert any("Darshan saw 900 s" in note for note in row.texts("notes"))


def test_lines_of_async_restarts_are_no_number_of_checkpoints(write_log: WriteLog) -> None:
    """Each domain has its own line."""
    domains = [(9, got(893.584e6, 0.06, 0.75, 893.584e6, "Restart: "))] * 2
    row = read_icon_log(write_log([*lines_of(MANY, EIGHT, ", ranks 0-7"), *domains]))
    assert (row["checkpoint_events"], row["checkpoints"]) == (2, None)
    assert row["restart_mode"] == "async"


def test_older_reports_of_timers_of_one_rank_of_many_keep_their_mean(write_log: WriteLog) -> None:
    rows = [many("total", 8, 100.0, 101.0, 100.5, 8)[: len(OLDER)]]
    row = read_icon_log(write_log(lines_of(OLDER, rows, ", ranks 0-7")))
    assert row["total_max_s"] == 101.0
    assert row["total_s"] is None or 100.0 <= row["total_s"] <= 101.0
