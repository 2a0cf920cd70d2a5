# SPDX-License-Identifier: Apache-2.0
"""The report tells every run that the tests of this session made, whole, failed or damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.report import write_report
from thalweg.report.binning import flatten
from thalweg.report.rundata import read_run
from thalweg.run.runner import RunRequest, run_case

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT1H"
[[output]]
name = "main"
variables = ["vor"]
interval = "PT30M"
"""


def runs_below(folder: Path) -> list[Path]:
    """Every run directory; of those that were asked for the same and left the same, one."""
    found: dict[str, Path] = {}
    for file in sorted(folder.rglob("experiment.toml")):
        run = file.parent
        if not (run / "files").is_dir():
            continue
        left = sorted(each.name.partition("_")[2] for each in (run / "files").iterdir())
        tables = file.read_text(encoding="utf-8", errors="replace")
        found.setdefault(json.dumps([tables, left, _status(run)]), run)
    return list(found.values())


def _status(run: Path) -> str:
    try:
        return str(json.loads((run / "run.json").read_text()).get("status"))
    except (OSError, ValueError, AttributeError):
        return "unknown"


@pytest.mark.last
def test_every_run_of_this_session_is_told(
    tmp_path_factory: pytest.TempPathFactory, small_run: Path, tmp_path: Path, drawn: list[str]
) -> None:
    runs = runs_below(tmp_path_factory.getbasetemp())
    assert small_run in runs
    failures = [told for run in runs if (told := failure_of_report(run, tmp_path))]
    assert not failures, "\n".join(failures)
    assert {"shares", "timeline", "bytes", "map"} <= set(drawn)


def failure_of_report(run: Path, folder: Path) -> str:
    """'' or what went wrong: a failure of one run does not hide that of another."""
    try:
        write_report([run], folder / "page.html")
    except Exception as error:
        return f"{run}: {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize(
    ("container", "sentence"),
    [
        ("netcdf4", ""),
        ("cdf5", ""),
        ("classic", ""),
        ("zarr", ""),
        ("grib2", "names no mesh: only netCDF and Zarr have room for one"),
        ("raw", "names no mesh: only netCDF and Zarr have room for one"),
    ],
)
def test_the_map_is_drawn_where_the_container_holds_a_mesh(
    container: str, sentence: str, tmp_path: Path, model: Path, drawn: list[str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    overrides = [f"output.main.container={container}"]
    run = run_case(RunRequest(case, 2, overrides, tmp_path / "run", quiet=True))
    html = write_report([run.path], tmp_path / "page.html").read_text()
    assert ("map" in drawn) == (not sentence)
    assert sentence in html


@pytest.mark.parametrize("mode", ["sync", "async", "joint_multifile", "dedicated_multifile"])
def test_a_run_with_checkpoints_is_told(
    mode: str, tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    overrides = [f"restart.mode={mode}", "restart.interval=PT30M", "restart.ranks=1",
                 "io.mode=serial"]  # fmt: skip
    ranks = 3 if mode in ("async", "dedicated_multifile") else 2
    run = run_case(RunRequest(case, ranks, overrides, tmp_path / "run", quiet=True))
    text = page_text(write_report([run.path], tmp_path / "page.html"))
    assert "damaged" not in text
    assert ("2 compute + 1 restart" in text) == (ranks == 3)
    assert "timeline" in drawn


def test_a_run_that_kept_no_events_is_told_without_them(
    tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    run = run_case(RunRequest(case, 3, ["io.events=false"], tmp_path / "run", quiet=True))
    assert not (run.path / "events.jsonl").exists()
    text = page_text(write_report([run.path], tmp_path / "page.html"))
    assert "kept no events ([io] events = false), so there is no timeline" in text
    assert "missing" not in text
    assert drawn == ["shares", "map"]
    assert "integrate" in text, "the timers are there all the same"


def test_no_moment_of_a_compute_rank_is_without_a_word(small_run: Path) -> None:
    """Waiting is drawn as waiting and starting as starting: what no event tells is below 5 %."""
    run = read_run(small_run)
    flat = flatten(run.events)
    seconds = flat.end_s - flat.begin_s
    for rank in run.timing.ranks("compute"):
        mine = flat.rank == rank
        life_s = seconds[mine].sum()
        assert life_s == pytest.approx(flat.end_s[mine].max(), rel=1e-9)
        assert seconds[mine & flat.of_kinds("other")].sum() < 0.05 * life_s
        assert seconds[mine & flat.of_kinds("start")].sum() > 0.0
