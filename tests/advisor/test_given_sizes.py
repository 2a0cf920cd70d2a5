# SPDX-License-Identifier: Apache-2.0
"""Sizes and counts that somebody gives reach the prediction; nests and idle ranks are in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.prediction.run_table import read_runs as read_measured
from thalweg.advisor.proposing.situation import Situation, situation_of
from thalweg.errors import ThalwegError
from thalweg.logs.parquet import read_table
from thalweg.logs.sources import read_runs
from thalweg.testing.icon_logs import icon_lines, write_lines

Advise = Callable[..., Answer]
Cli = Callable[..., Any]
SCRIPT = """&grid_nml dynamics_grid_filename = 'iconR2B04_DOM01.nc'{grids} {grid} /
&run_nml iforcing = 3 num_lev = 10 dtime = 360. nsteps = 240 {run} /
&io_nml lnetcdf_flt64_output = {wide} /
&gribout_nml /
&parallel_nml num_io_procs = 1 num_restart_procs = {restart} /
&time_nml ini_datetime_string = '2000-01-01T00:00:00Z' /
&output_nml output_filename = 's' output_bounds = 0, 86400, 3600 steps_per_file = 0
 filetype = {filetype} ml_varlist = {variables} /
"""


def text(**words: object) -> str:
    given = {"grids": "", "grid": "", "run": "", "wide": ".false.", "restart": 0, "filetype": 4,
             "variables": "'temp'"}  # fmt: skip
    return SCRIPT.format(**{**given, **words})


@pytest.mark.parametrize(
    ("words", "width"),
    [({}, 4), ({"wide": ".true."}, 8), ({"filetype": 2}, 2), ({"filetype": 5}, 4)],
)
@pytest.mark.parametrize("variables", ["'temp', 'unheard_of'", "'unheard_of'", "'temp'"])
def test_a_given_size_is_what_is_predicted_with(
    advise: Advise, variables: str, words: dict[str, object], width: int
) -> None:
    answer = advise(text(variables=variables, **words), given={"s": 8_000_000})
    (series,) = situation_of(answer).series
    assert series.values == 8_000_000 // width
    assert answer.streams[0].bytes_per_output == 8_000_000


def test_a_stream_of_which_something_is_unknown_gives_no_prediction(advise: Advise) -> None:
    answer = advise(text(variables="'temp', 'unheard_of'"))
    with pytest.raises(ThalwegError, match="has variables of unknown size"):
        situation_of(answer)


def cells_of(advise: Advise, **words: object) -> Situation:
    return situation_of(advise(text(**words), cells=("2=10000", "3=4000")))


@pytest.mark.parametrize(
    ("grid", "run", "work"),
    [
        ("", "", 2 * 10000 + 4 * 4000),
        ("dynamics_parent_grid_id = 0, 1, 1", "", 2 * 10000 + 2 * 4000),
        ("dynamics_parent_grid_id = 0, 1, 2", "", 2 * 10000 + 4 * 4000),
        ("start_time(3) = 21600. end_time(3) = 64800.", "", 2 * 10000 + 2 * 4000),
        ("", "lvert_nest = .true. num_lev(2) = 5, 5", 10000 + 2 * 4000),
    ],
)
def test_nests_count_by_their_work(advise: Advise, grid: str, run: str, work: int) -> None:
    grids = ", 'a_DOM02.nc', 'b_DOM03.nc'"
    assert cells_of(advise, grids=grids, grid=grid, run=run).cells == 20480 + work


def test_restart_processes_without_restarts_are_idle_and_go(
    here: Cli, tmp_path: Path, made_up_machine: str
) -> None:
    script, machine = tmp_path / "exp.idle", tmp_path / "machine.toml"
    script.write_text(text(restart=63))
    machine.write_text(made_up_machine)
    words = ("--machine", machine, "--nodes", 1, "--ranks-per-node", 128, "--json")
    done = here("advise", script, *words)
    assert done.returncode == 0, done.stderr
    proposal = json.loads(done.stdout)["proposal"]
    assert proposal["now"]["compute_ranks"] == 64
    assert proposal["compute_ranks"] > 100
    assert "num_restart_procs = 0" in proposal["patch"]


def test_what_logs_do_not_tell_the_script_of_their_runs_does(here: Cli, tmp_path: Path) -> None:
    log = write_lines(tmp_path / "LOG.exp.a.run.1.o", icon_lines())
    (row,) = read_runs([log])
    script, out = tmp_path / "exp.a", tmp_path / "runs.parquet"
    script.write_text(text().replace("nsteps = 240", f"nsteps = {row['steps'] or 240}"))
    done = here("logs", "import", log, "--script", script, "-o", out)
    assert done.returncode == 0, done.stderr
    (found,) = read_table(out)
    assert (found["cells"], found["outputs"], found["checkpoints"]) == (20480, 25, 0)
    assert (found["levels"], found["restart_mode"]) == (10, "none")
    assert found["total_s"] == row["total_s"]


def test_a_script_of_another_run_is_refused(here: Cli, tmp_path: Path) -> None:
    table, out = tmp_path / "runs.csv", tmp_path / "runs.parquet"
    table.write_text("run,steps,ranks,total_s\na,7,4,10\n")
    (tmp_path / "exp.a").write_text(text())
    done = here("logs", "import", table, "--script", tmp_path / "exp.a", "-o", out)
    assert done.returncode == 2
    assert "steps 7 and not 240 as in 'exp.a': it is a run of another script" in done.stderr
    assert not out.exists()


def test_values_stand_for_bytes_that_moved_as_four(table: Path) -> None:
    head, *rows = table.read_text().splitlines()
    at = head.split(",").index("mb_per_event_logged")
    halved = [f"{head},output_event_values"]
    for row in rows:
        cells = row.split(",")
        values = f"{float(cells[at]) * 1e6 / 8:g}" if cells[at] and row.endswith("io") else ""
        cells[at] = f"{float(cells[at]) / 2:g}" if values else cells[at]
        halved.append(",".join([*cells, values]))
    (half := table.with_name("half.csv")).write_text("\n".join(halved) + "\n")
    for one, other in zip(read_measured(table), read_measured(half), strict=True):
        assert one.facts.output_bytes == pytest.approx(other.facts.output_bytes, rel=1e-4)


def test_an_empty_count_is_not_none(table: Path) -> None:
    head, first, *rows = table.read_text().splitlines()
    cells = first.split(",")
    cells[head.split(",").index("n_outputs")] = ""
    table.write_text("\n".join([head, ",".join(cells), *rows]) + "\n")
    with pytest.raises(ThalwegError, match=r"'n_outputs' .* is empty; give 0 where the run had"):
        read_measured(table)
