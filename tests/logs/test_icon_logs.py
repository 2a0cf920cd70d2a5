# SPDX-License-Identifier: Apache-2.0
"""LOG files of ICON become rows with the values that stand in them, or one sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.logs.icon_line import parse_icon_duration
from thalweg.logs.icon_log import read_icon_log
from thalweg.testing.icon_logs import (
    COMPUTE,
    MANY,
    OLDER,
    ONE,
    got,
    icon_lines,
    many,
    one,
    ranks_line,
    table,
)

WriteLog = Callable[..., Path]
Lines = list[tuple[int, str]]


def report(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    return [(0, f" {title}"), *((0, line) for line in table(columns, rows))]


def test_a_log_of_many_ranks_is_read(write_log: WriteLog) -> None:
    row = read_icon_log(write_log(icon_lines()))
    assert row["job"] == "4711"
    assert [row[f"{role}ranks"] for role in ("", "compute_", "io_", "restart_")] == [8, 6, 2, 0]
    assert (row["steps"], row["time_step_s"], row["step_s"]) == (7200, 120.0, 1.0)
    assert row["simulated_s"] == 864000.0
    assert "lines of time steps end at step 5" in str(row["notes"]), "each has a line or not"
    assert (row["total_s"], row["total_max_s"]) == (5970.156, 5970.311)
    assert (row["output_s"], row["physics_s"], row["exchange_s"]) == (15.5, 2500.0, 800.25)
    assert (row["init_s"], row["ordered_sum_s"], row["restart_s"]) == (3.25, 61.5, None)
    assert (row["io_output_s"], row["io_output_max_s"], row["io_output_calls"]) == (42.0, 44.0, 44)
    assert (row["output_events"], row["output_event_bytes"]) == (40, 64e6)
    assert row["output_event_values"] == 8e6
    assert row["output_event_get_s"] == pytest.approx(0.016)
    assert row["output_event_write_s"] == pytest.approx(0.08)
    assert row["output_rate_logged"] == pytest.approx(32e6 / 0.08)
    assert row["checkpoint_events"] is None


def test_ranks_that_print_at_once_are_told_apart(write_log: WriteLog) -> None:
    """Lines of two reports take turns, as in a pipe that several ranks write to."""
    compute = [(0, " Timer report, ranks 0-5"), *((0, line) for line in table(MANY, COMPUTE))]
    rows = [one("wrt_output", 22, 41.5)]
    io = [(6, " Timer report"), *((6, line) for line in table(ONE, rows))]
    mixed = [line for pair in zip(compute, io, strict=False) for line in pair]
    mixed += compute[len(io) :]
    row = read_icon_log(write_log([(0, ranks_line(6, 1)), *mixed]))
    assert (row["total_s"], row["io_output_s"], row["io_output_calls"]) == (5970.156, 41.5, 22)


def test_a_report_of_one_rank_has_no_columns_of_ranks(write_log: WriteLog) -> None:
    rows = [one("total", 1, 5999.5), one(" L wrt_output", 21, 93.0)]
    row = read_icon_log(write_log(report("Timer report", ONE, rows)))
    assert (row["total_s"], row["total_max_s"], row["output_s"]) == (5999.5, 5999.5, 93.0)


def test_reports_of_every_pe_are_put_together(write_log: WriteLog) -> None:
    lines = [(0, ranks_line(2, 1))]
    heads = ("# calls", "t_min", "t_average", "t_max", "t_total")
    head = " th name" + "".join(f"{each:>14s}" for each in heads)
    for pe, (timer, total) in enumerate((("total", 100.0), ("total", 104.0), ("wrt_output", 9.5))):
        times = "     33.3333s     33.3333s     33.3333s      01m40s"
        lines += [(pe, "-" * 90), (pe, f" Timer report of PE {pe}"), (pe, head), (pe, "-" * 90)]
        lines += [(pe, f" 00 {timer:29s}{3:6d}{times}{total:14.5f}"), (pe, "-" * 90)]
    row = read_icon_log(write_log(lines))
    assert (row["total_s"], row["total_max_s"], row["io_output_s"]) == (102.0, 104.0, 9.5)


def test_older_reports_tell_the_mean_by_that_of_a_call(write_log: WriteLog) -> None:
    """There is no `total avg (s)`; "00m59s" would be coarse, 20.6 s have five digits."""
    rows = [many("total", 6, 20.5, 20.7, 20.6, 6)[: len(OLDER)]]
    row = read_icon_log(write_log(report("Timer report, ranks 0-5", OLDER, rows)))
    assert (row["total_s"], row["total_max_s"]) == (pytest.approx(20.6), 20.7)


def test_a_mean_of_hours_and_minutes_is_not_taken_for_a_sum(write_log: WriteLog) -> None:
    rows = [many("total", 6, 4020.0, 4070.0, 4045.0, 6)[: len(OLDER)]]
    row = read_icon_log(write_log(report("Timer report, ranks 0-5", OLDER, rows)))
    assert (row["total_s"], row["total_max_s"]) == (None, 4070.0)
    assert any("total_s is left empty" in note for note in row.texts("notes"))


@pytest.mark.parametrize(
    ("text", "seconds", "unit_s"),
    [
        ("0.03164s", 0.03164, 1e-5),
        ("12.345s", 12.345, 1e-3),
        ("01m23s", 83.0, 1.0),
        ("01h39m", 5940.0, 60.0),
        ("02d03h", 183600.0, 3600.0),
    ],
)
def test_durations_have_the_seconds_of_their_units(
    text: str, seconds: float, unit_s: float
) -> None:
    assert parse_icon_duration(text) == (seconds, pytest.approx(unit_s))


def test_durations_that_icon_could_not_write_are_unknown() -> None:
    assert parse_icon_duration(">99d") is None
    for text in ("1m", "s", "01m23", "nans", "1e3s", "-1.0s"):
        with pytest.raises(ValueError, match=text):
            parse_icon_duration(text)


def test_single_precision_on_the_way_counts_four_bytes(write_log: WriteLog) -> None:
    row = read_icon_log(write_log([(2, got(32e6, 0.016, 0.08, 32e6))]))
    assert (row["output_event_bytes"], row["output_event_values"]) == (32e6, 8e6)


@pytest.mark.parametrize("of", ["Restart: ", "Checkpointing: "])
def test_restart_ranks_count_true_bytes(write_log: WriteLog, of: str) -> None:
    lines = [(0, ranks_line(6, 0, 2)), (6, got(800e6, 0.1, 0.8, 800e6, of))]
    lines += report("Timer report, ranks 0-5", MANY, COMPUTE)
    rows = [many("write_restart", 4, 2.0, 2.5, 2.25, 2)]
    rows += [many(" L write_restart_wait", 4, 1.0, 1.5, 1.25, 2)]
    lines += [(6, " Timer report, ranks 6-7"), *((6, line) for line in table(MANY, rows))]
    row = read_icon_log(write_log(lines))
    assert (row["checkpoint_events"], row["checkpoint_event_bytes"]) == (1, 800e6)
    assert row["checkpoint_rate_logged"] == 1000e6
    assert (row["restart_mode"], row["output_events"]) == ("async", None)
    assert (row["restart_rank_write_s"], row["restart_rank_wait_s"]) == (2.25, 1.25)


@pytest.mark.parametrize(("restart", "mode"), [(0, "joint"), (2, "dedicated")])
def test_multifile_checkpoints_have_gb_of_two_to_the_thirty(
    write_log: WriteLog, restart: int, mode: str
) -> None:
    line = (
        " :writeRestartInternal: restart: finished: 0.8331299GB of data in 0.5595000s (1.489GB/s)"
    )
    row = read_icon_log(write_log([(0, ranks_line(6, 0, restart)), (0, line)]))
    assert row["checkpoint_event_bytes"] == 0.8331299 * 2**30
    assert (row["checkpoint_event_write_s"], row["checkpoint_event_get_s"]) == (0.5595, None)
    assert row["restart_mode"] == f"{mode}_multifile"


def test_a_number_too_wide_for_its_field_is_unknown(write_log: WriteLog) -> None:
    """f10.3 has room for less than 10^6: a get of nearly no time has such a rate."""
    quick = got(64e6, 0.0, 0.08, 32e6).replace("64000000.000", "*" * 10)
    assert "*" * 10 in quick
    row = read_icon_log(write_log([(6, quick), (6, quick.replace("0.080 s", "*" * 10 + " s"))]))
    assert (row["output_event_bytes"], row["output_event_get_s"]) == (64e6, 0.0)
    assert (row["output_event_write_s"], row["output_event_values"]) == (None, None)


def test_a_run_that_was_killed_has_no_times(write_log: WriteLog) -> None:
    row = read_icon_log(write_log(icon_lines()[:20]))
    assert row["total_s"] is None
    assert row["output_events"] is not None
    assert any("no timer report of compute ranks" in note for note in row.texts("notes"))


def test_components_of_a_coupled_model_are_not_added_up(write_log: WriteLog) -> None:
    lines = report("Timer report, ranks 0-5", MANY, COMPUTE)
    rows = [many("total", 4, 900.0, 901.0, 900.5, 4)]
    lines += [(6, " Timer report, ranks 6-9"), *((6, line) for line in table(MANY, rows))]
    row = read_icon_log(write_log([(0, ranks_line(6)), (6, ranks_line(4)), *lines]))
    assert (row["total_s"], row["ranks"]) == (5970.156, None)
    assert any("2 components" in note for note in row.texts("notes"))


def test_a_timer_told_twice_is_not_told(write_log: WriteLog) -> None:
    rows = [*COMPUTE, many("exch_data", 6, 1.0, 2.0, 1.5, 6)]
    row = read_icon_log(write_log(report("Timer report, ranks 0-5", MANY, rows)))
    assert (row["exchange_s"], row["total_s"]) == (None, 5970.156)


BROKEN = [
    (lambda text: text[:70], "a timer has 12 values after its name"),
    (lambda text: text.replace("5970.156", "nan"), "'nan' is no value of a timer report"),
    (lambda text: text.replace("[1]", "[x]", 1), "'[x]' is no value of a timer report"),
    (lambda text: text.replace("01h39m", "01h39"), "'01h39' is no value of a timer report"),
    (lambda text: text.replace("5970.311", "12.0"), "'5970.001 to 12.0' is no value of a timer"),
]


@pytest.mark.parametrize(("harm", "sentence"), BROKEN)
def test_a_broken_timer_is_told_with_its_line(
    write_log: WriteLog, harm: Callable[[str], str], sentence: str
) -> None:
    lines = icon_lines()
    number = next(n for n, (_, text) in enumerate(lines) if text.startswith(" total"))
    lines[number] = (0, harm(lines[number][1]))
    path = write_log(lines)
    with pytest.raises(ThalwegError) as error:
        read_icon_log(path)
    assert error.value.sentence.startswith(f"{path}:{number + 1}: ")
    assert sentence in error.value.sentence
    assert error.value.exit_code == 2


@pytest.mark.parametrize("part", [" s [", "64.000", "time write:"])
def test_a_broken_line_of_bytes_and_rates_is_told(write_log: WriteLog, part: str) -> None:
    broken = got(64e6, 0.016, 0.08, 32e6).replace(part, "x")
    path = write_log([(0, ranks_line(6, 2)), (6, broken), (6, "more")])
    with pytest.raises(ThalwegError, match=r":2: the line about bytes and rates is broken"):
        read_icon_log(path)


def test_two_runs_in_one_log_are_refused(write_log: WriteLog) -> None:
    lines = report("Timer report, ranks 0-5", MANY, COMPUTE)
    with pytest.raises(ThalwegError, match="a second timer report of the same ranks"):
        read_icon_log(write_log([*lines, *lines]))


def test_a_report_without_timers_tells_nothing(write_log: WriteLog) -> None:
    row = read_icon_log(write_log(report("Timer report, ranks 0-5", MANY, COMPUTE)[:4]))
    assert row["total_s"] is None
    assert any("at line 1 has no end: the log is cut off" in note for note in row.texts("notes"))
