# SPDX-License-Identifier: Apache-2.0
"""Processes and restarts of an ICON script: as read, with defaults, and what does not go together.

The run is a day on R2B4 in steps of 10 minutes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.advisor.icon_process_page import parallel_as_json, restart_as_json
from thalweg.advisor.icon_restart import Restart
from thalweg.advisor.icon_streams import Answer

Cli = Callable[..., "CompletedProcess[str]"]
Advise = Callable[..., Answer]
Streams = Callable[..., Answer]
WIND = "ml_varlist = 'u'"
START = "&time_nml ini_datetime_string = '2000-01-01T00:00:00Z' {} /"
CONTROL = "&master_time_control_nml experimentStartDate = '2000-01-01', {} /"
SCRIPT = """cat > NAMELIST_atm << EOF
&parallel_nml
 nproma            = 24
 num_io_procs      = ${num_io_procs}
 num_restart_procs = 4
 num_prefetch_proc = 0
 proc0_shift       = 1
 pio_type          = 1
 use_dp_mpi2io     = .true.
 restart_chunk_size = 10
 io_process_stride = 8
/
&grid_nml dynamics_grid_filename = 'iconR2B04_DOM01.nc' /
&run_nml iforcing = 3, num_lev = 10, dtime = 600., nsteps = 144 /
&io_nml
 restart_write_mode   = "dedicated procs multifile"
 nrestart_streams     = 2
 restart_file_type    = 5
 lnetcdf_flt64_output = .true.
 dt_checkpoint        = 3600.
/
EOF
"""


def restart_of(streams: Streams, **words: str) -> Restart:
    restart: Restart = streams(WIND, **words).processes[0].restart
    return restart


def test_every_item_is_read(advise: Advise) -> None:
    (found,) = advise(SCRIPT, "num_io_procs=12").processes
    parallel = parallel_as_json(found)
    names = ("nproma", "num_io_procs", "num_restart_procs", "num_prefetch_proc", "proc0_shift",
             "pio_type", "use_dp_mpi2io", "restart_chunk_size", "io_process_stride")  # fmt: skip
    lines = {name: f"exp.test:{line}" for line, name in enumerate(names, 3)}
    assert parallel.pop("from") == {**lines, "num_io_procs_radar": "default"}
    assert parallel == {
        "num_io_procs": 12, "num_restart_procs": 4, "nproma": 24, "num_prefetch_proc": 0,
        "num_io_procs_radar": 0, "proc0_shift": 1, "pio_type": 1, "use_dp_mpi2io": True,
        "restart_chunk_size": 10,
        "io_process_stride": 8,
    }  # fmt: skip
    restart = restart_as_json(found.restart)
    sources = restart.pop("from")
    assert isinstance(sources, dict)
    assert sources["nrestart_streams"] == "exp.test:17"
    assert restart == {
        "restart_write_mode": "dedicated procs multifile", "nrestart_streams": 2,
        "restart_file_type": 5, "lnetcdf_flt64_output": True, "dt_checkpoint": 3600.0,
        "write_last_restart": False, "mode": "dedicated procs multifile", "writers": 4,
        "checkpoint_interval_s": 3600.0,
        "restart_interval_s": None, "sets": 23, "bytes_per_set": None, "bytes_in_all": None,
    }  # fmt: skip


def test_what_is_not_given_has_the_default_that_is_certain(streams: Streams) -> None:
    (found,) = streams(WIND).processes
    assert found.parallel.values == {
        "num_io_procs": 0, "num_restart_procs": 0, "nproma": None, "num_prefetch_proc": 1,
        "num_io_procs_radar": 0, "proc0_shift": 0, "pio_type": 1, "use_dp_mpi2io": False,
        "restart_chunk_size": -1,
        "io_process_stride": -1,
    }  # fmt: skip
    assert found.parallel.sources["num_io_procs"] == "default"
    assert found.parallel.sources["nproma"] == "not given, and its default is not certain"
    assert found.restart.items.values["restart_file_type"] == 4
    assert (found.restart.mode, found.restart.writers, found.restart.sets) == ("sync", 1, 0)


def test_what_the_script_leaves_open_is_asked_for_by_name(advise: Advise) -> None:
    answer = advise(SCRIPT)
    (found,) = answer.processes
    assert found.parallel.values["num_io_procs"] is None
    assert found.parallel.sources["num_io_procs"] == "open: ${num_io_procs}"
    (asked,) = [each for each in answer.warnings if "leaves open" in each]
    assert "'num_io_procs' (exp.test:4, num_io_procs)" in asked
    assert asked.endswith("give --set num_io_procs=VALUE")
    open_interval = CONTROL.format("checkpointTimeIntval = '${interval}'")
    answer = advise(SCRIPT.replace("&io_nml", f"{open_interval}\n&io_nml"), "num_io_procs=1")
    (asked,) = [each for each in answer.warnings if "leaves open" in each]
    assert asked.endswith("give --set interval=VALUE")


@pytest.mark.parametrize(
    ("mode", "processes", "expected", "writers"),
    [
        ("", 0, "sync", 1),
        ("", 3, "async", 3),
        ("sync", 0, "sync", 1),
        ("async", 2, "async", 2),
        ("joint procs multifile", 0, "joint procs multifile", None),
        ("joint procs multifile", 5, "joint procs multifile", 5),
        ("dedicated procs multifile", 4, "dedicated procs multifile", 4),
    ],
)
def test_a_mode_and_its_writers(
    streams: Streams, mode: str, processes: int, expected: str, writers: int | None
) -> None:
    words = f"restart_write_mode = '{mode}' dt_checkpoint = 7200."
    groups = f"&parallel_nml num_restart_procs = {processes} /"
    answer = streams(WIND, io=words, groups=groups)
    restart = answer.processes[0].restart
    assert (restart.mode, restart.writers) == (expected, writers)
    assert not [each for each in answer.warnings if "ICON stops" in each]


@pytest.mark.parametrize(
    ("io", "groups", "sets"),
    [
        ("", "", 0),
        ("dt_checkpoint = 43200.", "", 1),  # at the end of the experiment there is none
        ("dt_checkpoint = 7200.", "", 11),
        ("dt_checkpoint = 50000.", "", 1),
        ("dt_checkpoint = 200000.", "", 0),
        ("dt_checkpoint = 7200. write_last_restart = .true.", "", 12),
        ("dt_checkpoint = 50000. write_last_restart = .true.", "", 2),
        ("write_last_restart = .true.", "", 1),
        ("write_last_restart = T", START.format("dt_restart = 86400."), 1),
        ("dt_checkpoint = 7200.", START.format("dt_restart = 86400."), 12),
        ("dt_checkpoint = 7200.", START.format("dt_restart = 43200."), 6),
        ("dt_checkpoint = 50000.", START.format("dt_restart = 43200."), 1),
        ("", START.format("dt_restart = 86400."), 1),
        ("", START.format("dt_restart = 864000."), 0),
        ("", CONTROL.format("checkpointTimeIntval = 'PT6H'"), 3),
        ("", CONTROL.format("checkpointTimeIntval = 'PT6H', restartTimeIntval = 'P1D'"), 4),
        ("", CONTROL.format("checkpointTimeIntval = 'P1M'"), 0),
        ("", CONTROL.format("checkpointTimeIntval = 'PT0S'"), 0),
        ("dt_checkpoint = 7200.",
         "&master_nml lrestart_write_last = F / " + START.format("dt_restart = 43200."), 11),
    ],
)  # fmt: skip
def test_sets_of_a_day(streams: Streams, io: str, groups: str, sets: int) -> None:
    assert restart_of(streams, io=io, groups=groups).sets == sets


def test_a_month_is_as_long_as_the_calendar_says(streams: Streams) -> None:
    control = CONTROL.format("experimentStopDate = '2001-01-01', checkpointTimeIntval = 'P1M'")
    assert restart_of(streams, groups=control, run="nsteps = -1").sets == 11


def test_sets_are_those_of_the_measured_runs(streams: Streams) -> None:
    """10 days; jobs as long as the experiment (../shared/reference/levante, events_logged)."""
    for interval_s, sets in ((720, 1200), (43200, 20)):
        words = {
            "io": f"dt_checkpoint = {interval_s}.",
            "groups": START.format("dt_restart = 864000."),
            "run": "dtime = 120 nsteps = 7200",
        }
        assert restart_of(streams, **words).sets == sets


def test_a_run_without_output_writes_no_restart(streams: Streams) -> None:
    words = {"io": "dt_checkpoint = 7200.", "run": "output = 'none'"}
    assert restart_of(streams, **words).sets == 0


@pytest.mark.parametrize(
    ("io", "groups", "sentence"),
    [
        ("restart_write_mode = 'async'", "", "needs restart processes"),
        ("restart_write_mode = 'dedicated procs multifile'", "", "needs restart processes"),
        ("restart_write_mode = 'sync'", "&parallel_nml num_restart_procs = 2 /",
         "'sync' takes no restart processes, and num_restart_procs is 2: ICON stops"),
        ("restart_write_mode = 'asynch'", "", "Did you mean 'async'?"),
        ("", "&parallel_nml num_restart_procs = 2 /", "would wait for nothing"),
        ("restart_file_type = 2", "", "restart_file_type is 2, which does not exist; give 4 or 5"),
        ("nrestart_streams = 0", "", "nrestart_streams is 0; give 1 or more"),
        ("nrestart_streams = 4", "", "'sync' takes 1"),
        ("", "&parallel_nml num_io_procs = 257 /", "is 257, more than 256: ICON stops"),
        ("", "&parallel_nml num_io_procs = -1 /", "num_io_procs is -1, and ICON takes it as 0"),
        ("", "&parallel_nml num_prefetch_proc = 2 /", "there is one such process or none"),
        ("", "&parallel_nml proc0_shift = -1 /", "proc0_shift is -1; give 0 or more: ICON stops"),
        ("", "&parallel_nml pio_type = 3 /", "pio_type is 3, which does not exist; give 1 or 2"),
        ("lnetcdf_flt64_output = T", "&parallel_nml use_dp_mpi2io = F /",
         "8 bytes a value travel to the I/O processes"),
        ("dt_checkpoint = 7200.", CONTROL.format("checkpointTimeIntval = 'PT1H'"),
         "ICON stops where they differ"),
        ("", CONTROL.format("restartTimeIntval = 'P1D'") + "&time_nml dt_restart = 3600. /",
         "ICON stops where they differ"),
        ("dt_checkpoint = 1000.", "", "no multiple of the time step of 600 s"),
        ("dt_checkpoint = 7200.", "&nonhydrostatic_nml divdamp_order = 24 /",
         "does not go with divdamp_order = 24"),
        ("dt_checkpoint = 7200.", "", "give --bytes-per-restart BYTES"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_told(
    streams: Streams, io: str, groups: str, sentence: str
) -> None:
    warnings = streams(WIND, io=io, groups=groups).warnings
    assert len([each for each in warnings if sentence in each]) == 1, warnings


def test_a_checkpoint_at_the_start_of_a_nest_is_told(streams: Streams) -> None:
    words = {
        "grids": "'iconR02B04_G.nc', 'nest.nc'",
        "grid": "start_time = 0., 7200.",
        "io": "dt_checkpoint = 7200.",
    }
    warnings = streams(WIND, cells=("2=1000",), **words).warnings
    assert any("falls on the start of nest 2: ICON stops" in each for each in warnings)


def test_what_goes_together_is_not_told(streams: Streams) -> None:
    groups = CONTROL.format("checkpointTimeIntval = 'PT2H'")
    groups += "&parallel_nml num_io_procs = 100, num_restart_procs = 2 /"
    words = "dt_checkpoint = 7200., nrestart_streams = 1, restart_write_mode = 'async'"
    told = streams(WIND, io=words, groups=groups).warnings
    assert [each for each in told if "--bytes-per-restart" not in each] == []


def test_the_page_and_json_tell_processes_and_restarts(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "exp.test").write_text(SCRIPT)
    words = ["advise", "exp.test", "--set=num_io_procs=3", "--bytes-per-restart=1000000000"]
    lines = [line.split() for line in here(*words, cwd=tmp_path).stdout.splitlines()]
    assert ["num_io_procs", "3", "exp.test:4"] in lines
    assert ["restart", "sets", "23", "intervals", "and", "end", "of", "the", "run"] in lines
    assert ["GB", "of", "restart", "sets", "23.000", "--bytes-per-restart"] in lines
    told = json.loads(here(*words, "--json", cwd=tmp_path).stdout)
    assert told["parallel"]["num_io_procs"] == 3
    assert told["restart"]["bytes_in_all"] == 23_000_000_000


@pytest.mark.parametrize(
    ("words", "text", "sentence"),
    [
        (["--bytes-per-restart=many"], SCRIPT, "'many' is no number of bytes"),
        ([], SCRIPT.replace("= 24", "= few"), "'few' is neither a number"),
        ([], SCRIPT.replace("proc0_shift       = 1", "proc0_shift = 'x'"), "give whole numbers"),
        ([], SCRIPT.replace("3600.", "'PT1H'"), "give numbers"),
    ],
)
def test_wrong_processes_are_one_sentence(
    here: Cli, tmp_path: Path, words: list[str], text: str, sentence: str
) -> None:
    (tmp_path / "exp.test").write_text(text)
    result = here("advise", tmp_path / "exp.test", "--set=num_io_procs=3", *words)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
