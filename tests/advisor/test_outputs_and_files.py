# SPDX-License-Identifier: Apache-2.0
"""How often a stream writes, and into how many files. The run is a day in steps of 10 minutes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from thalweg.advisor.icon_streams import Answer
from thalweg.errors import ThalwegError

Streams = Callable[..., Answer]
WINDS = "ml_varlist = 'u', 'v'"
START = "&time_nml ini_datetime_string = '2000-01-01T00:00:00Z' /"
HOURLY = "output_bounds = 0, 86400, 3600"


def counts(streams: Streams, items: str, groups: str = START, **words: str) -> tuple[int, int]:
    stream = streams(f"{items} {WINDS}", bare=True, groups=groups, **words).streams[0]
    return stream.outputs, stream.files


@pytest.mark.parametrize(
    ("items", "outputs"),
    [
        (HOURLY, 25),
        ("output_bounds = 0, 24, 3 output_time_unit = 3", 9),
        ("output_bounds = 0, 1, 1 output_time_unit = 4", 2),
        ("output_bounds = 0, 1440, 30 output_time_unit = 2", 49),
        ("output_bounds = 0., 21600., 3600., 28800., 86400., 14400.", 12),
        ("output_bounds = 0., 0., 9999. include_last = .false.", 1),
        ("output_bounds = 0., 0., 9999.", 1),
        ("output_bounds = 0, 999999, 43200", 3),
        ("output_bounds = 3600, 86400, 3600", 24),
        ("output_interval = 'PT6H'", 5),
        ("output_interval = 'PT7H'", 5),
        ("output_interval = 'PT7H' include_last = .false.", 4),
        ("output_interval = 'PT6H' include_last = .false.", 5),
        ("output_interval = 'PT7H' output_end = '2000-01-01T15:00'", 3),
        ("output_interval = 'PT6H' output_start = '>2000-01-01'", 4),
        ("output_interval = 'PT6H' output_end = '<2000-01-02'", 4),
        ("output_interval = 'PT6H' output_start = '2000-01-01T03:00:00Z'", 5),
        ("output_interval = 'PT6H' output_start = '1999-12-31T03:00:00Z'", 5),
        ("output_interval = 'PT1H', 'PT6H' output_start = '2000-01-01', '2000-01-01T12:00' "
         "output_end = '2000-01-01T12:00', '2000-01-02'", 15),
        ("output_interval = 'P1D' output_start = '2000-01-02T01:00'", 0),
        ("output_interval = 'PT5M'", 145),
        ("output_interval = 'PT25M'", 59),
    ],
)  # fmt: skip
def test_outputs_are_those_of_the_calendar(streams: Streams, items: str, outputs: int) -> None:
    assert counts(streams, f"{items} steps_per_file = 0")[0] == outputs


def test_months_are_as_long_as_they_are(streams: Streams) -> None:
    year = "nsteps = -1 dtime = 600"
    groups = START + "&master_time_control_nml experimentStopDate = '2001-01-01T00:00:00Z' /"
    monthly = "output_interval = 'P1M' file_interval = 'P3M'"
    assert counts(streams, monthly, groups, run=year) == (13, 5)
    assert counts(streams, "output_interval = 'P1D' file_interval = 'P1M'", groups, run=year) == (
        367,
        13,
    )


@pytest.mark.parametrize(
    ("items", "files"),
    [
        ("steps_per_file = 0", 1),
        ("steps_per_file = 4", 6),
        ("steps_per_file = 4 filetype = 2", 7),
        ("steps_per_file = 4 steps_per_file_inclfirst = .false.", 7),
        ("steps_per_file = 4 filetype = 2 steps_per_file_inclfirst = .true.", 7),
        ("steps_per_file = 1", 24),
        ("steps_per_file = 100", 1),
        ("file_interval = 'PT6H'", 5),
        ("file_interval = 'P1D'", 2),
        ("file_interval = 'P1Y'", 1),
        ("file_interval = 'PT6H' stream_partitions_ml = 2", 9),
        ("steps_per_file = 4 stream_partitions_ml = 3", 25),
    ],
)
def test_files_are_counted(streams: Streams, items: str, files: int) -> None:
    assert counts(streams, f"{HOURLY} {items}") == (25, files)


@pytest.mark.parametrize(("filetype", "files"), [(4, 10), (2, 11)])
def test_41_outputs_in_files_of_4(streams: Streams, filetype: int, files: int) -> None:
    items = f"output_bounds = 0, 86400, 2160 steps_per_file = 4 filetype = {filetype}"
    assert counts(streams, items, run="dtime = 360 nsteps = 240") == (41, files)


@pytest.mark.parametrize(
    ("partitions", "files"), [(1, 11), (2, 21), (4, 41), (8, 81), (16, 161), (32, 320)]
)
def test_partitions_have_the_files_that_were_counted_on_levante(
    streams: Streams, partitions: int, files: int
) -> None:
    """10 days, an output every 12 minutes, daily files (../shared/reference/levante)."""
    items = "output_bounds = 0, 864000, 720 file_interval = 'P1D' "
    items += f"stream_partitions_ml = {partitions}"
    assert counts(streams, items, run="dtime = 120 nsteps = 7200") == (1201, files)


def test_partitions_add_no_last_output(streams: Streams) -> None:
    items = "output_interval = 'PT7H' steps_per_file = 0"
    assert counts(streams, items)[0] == 5
    assert counts(streams, f"{items} stream_partitions_ml = 2")[0] == 4


def test_a_job_ends_where_its_restart_is_written(streams: Streams) -> None:
    groups = "&time_nml ini_datetime_string = '2000-01-01' dt_restart = 43200. /"
    assert counts(streams, f"{HOURLY} steps_per_file = 0", groups)[0] == 13
    groups = "&master_time_control_nml experimentStartDate = '2000-01-01' "
    groups += "experimentStopDate = '2000-01-03' restartTimeIntVal = 'PT6H' /"
    items = "output_interval = 'PT1H' steps_per_file = 0"
    answer = streams(f"{items} {WINDS}", bare=True, groups=groups, run="nsteps = -1")
    assert answer.streams[0].outputs == 7
    assert any("a job ends at 2000-01-01T06:00:00Z" in warning for warning in answer.warnings)


def test_a_lead_time_ends_a_run(streams: Streams) -> None:
    groups = "&master_time_control_nml experimentStartDate = '2000-01-01' "
    groups += "forecastLeadTime = 'PT12H' /"
    items = "output_interval = 'PT1H' steps_per_file = 0"
    assert counts(streams, items, groups, run="nsteps = -1")[0] == 13


def test_the_step_may_be_an_interval_and_small_as_its_planet(streams: Streams) -> None:
    run = "modelTimeStep = 'PT20M'"
    assert counts(streams, f"{HOURLY} steps_per_file = 0", run=run)[0] == 25
    small = "grid_rescale_factor = 0.5 lrescale_timestep = .true."
    assert counts(streams, f"{HOURLY} steps_per_file = 0", grid=small)[0] == 13


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ("output_interval = '-PT1H'", "output_interval of '&output_nml' is '-PT1H'"),
        ("output_interval = 'PT0S'", "give one longer than 0"),
        ("output_interval = 'soon'", "'soon' is no ISO 8601 interval"),
        ("output_bounds = 0, 1", "has 2 numbers; give three each"),
        ("output_bounds = 0, 100, -5", "has the step -5; give one above 0"),
        ("output_bounds = 0, 1, 1 output_interval = 'P1D'", "keep one"),
        ("output_bounds = 0, 1, 1 output_time_unit = 9", "give 1 to 6"),
        ("output_start = '2000-01-01'", "is not given, nor output_bounds"),
        ("output_interval = 'P1D' output_end = '2000-99-01'", "is no date"),
        ("output_interval = 'PT0.001S'", "more than 10000000 outputs"),
        ("output_interval = 'P1D' file_interval = 'P1'", "'P1' is no ISO 8601 interval"),
        (
            f"{HOURLY} stream_partitions_ml = 0",
            "stream_partitions_ml of '&output_nml' is 0; give 1 to 10000",
        ),
        (f"{HOURLY} filetype = 3", "filetype of '&output_nml' is 3; give 2, 4, 5"),
        ("output_bounds = 'a', 1, 2", "is 'a'; give numbers"),
    ],
)
def test_wrong_times_are_refused_with_their_line(
    streams: Streams, items: str, sentence: str
) -> None:
    with pytest.raises(ThalwegError) as error:
        counts(streams, items)
    assert error.value.sentence.startswith("exp.test:8: ")
    assert sentence in error.value.sentence


@pytest.mark.parametrize(
    ("items", "warning"),
    [
        ("", "has neither steps_per_file nor file_interval"),
        ("steps_per_file = 1 file_interval = 'P1D'", "has both steps_per_file and file_interval"),
        ("steps_per_file = 1 operation = 'mean' stream_partitions_ml = 2", "ICON refuses together"),
        ("steps_per_file = 1 pe_placement_ml = 0, 1", "1 partitions and places for 2"),
        ("steps_per_file = 1 stream_partitions_ml = 2 pe_placement_ml = 0, 7",
         "placed on I/O rank 7; num_io_procs gives ranks 0 to 3"),
    ],
)  # fmt: skip
def test_what_icon_refuses_is_said_before(streams: Streams, items: str, warning: str) -> None:
    groups = START + "&parallel_nml num_io_procs = 4 /"
    answer = streams(f"{HOURLY} {items} {WINDS}", bare=True, groups=groups)
    assert [each for each in answer.warnings if warning in each], answer.warnings
    quiet = streams(f"{HOURLY} steps_per_file = 1 {WINDS}", bare=True, groups=groups)
    assert quiet.warnings == []


def test_times_between_steps_are_told(streams: Streams) -> None:
    answer = streams(f"output_interval = 'PT25M' steps_per_file = 0 {WINDS}", bare=True)
    assert any("no multiple of the time step of 600 s" in each for each in answer.warnings)
