# SPDX-License-Identifier: Apache-2.0
"""`thalweg cpmip` of runs, logs and tables; wrong input is one sentence and exit code 2."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thalweg.config.checkout import ROOT
from thalweg.cpmip.post_processing import read_rate
from thalweg.cpmip.quantities import QUANTITIES
from thalweg.testing.icon_logs import icon_lines, write_lines

Cli = Callable[..., "CompletedProcess[str]"]
LEVANTE = ROOT.parent / "shared" / "reference" / "levante" / "runs_visible.csv"
TABLE = """run,ranks,worker_ranks,total_s,worker_wrt_output_s,worker_write_restart_s,simulated_s
one,8,6,3600.0,300.0,300.0,864000
two,4,4,0,1.0,1.0,864000
"""


def objects(result: CompletedProcess[str]) -> list[dict[str, Any]]:
    assert result.returncode == 0, result.stderr
    told: list[dict[str, Any]] = json.loads(result.stdout)
    return told


def refused(result: CompletedProcess[str]) -> str:
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("thalweg: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_real_run_tells_what_its_run_json_noted(here: Cli, small_run: Path) -> None:
    (told,) = objects(here("cpmip", small_run, "--measure-read", "--json"))
    metrics = json.loads((small_run / "run.json").read_text())["metrics"]
    assert told["run_time_s"] == metrics["run_time_s"]
    assert told["simulated_s"] == 7200.0
    assert told["sypd_years_per_day"] == pytest.approx(metrics["sypd"])
    assert told["chsy_core_hours_per_year"] == pytest.approx(metrics["chsy"])
    assert told["data_intensity_gb_per_core_hour"] == pytest.approx(metrics["data_intensity"])
    assert told["data_output_cost_ratio"] == pytest.approx(metrics["output_cost"])
    assert told["resolution_points"] == 1280 * 3
    assert "keeps no restart set" in told["not_known"]["complexity_fields"]
    assert told["write_rate_mb_per_s"] > 0.0
    assert told["read_rate_mb_per_s"] > 0.0
    assert told["post_processing_hours_per_year"] > 0.0
    assert set(told) > {each.name for each in QUANTITIES}


def test_trials_whose_output_was_removed_have_its_figures_and_one_note(
    here: Cli, small_run: Path, tmp_path: Path
) -> None:
    for number in range(5):
        trial = tmp_path / "trials" / f"{number}"
        shutil.copytree(small_run, trial, ignore=shutil.ignore_patterns("*.nc", "*.log"))
        assert not list((trial / "files").iterdir())
    metrics = json.loads((small_run / "run.json").read_text())["metrics"]
    for told in objects(here("cpmip", tmp_path / "trials", "--json")):
        assert told["data_intensity_gb_per_core_hour"] == pytest.approx(metrics["data_intensity"])
        assert told["output_gb_per_year"] > 0.0
        assert told["sources"]["output_gb"] == "run.json"
    for words in (("cpmip",), ("logs", "import")):
        lines = here(*words, tmp_path / "trials").stdout.splitlines()
        (note,) = (line for line in lines if "files/" in line)
        assert note.startswith("note: 5 runs: files/ is empty: run.json is believed")


def test_a_run_with_checkpoints_has_fields_of_its_state(
    here: Cli, small_case: Path, model: Path, tmp_path: Path
) -> None:
    changes = ["restart.mode=sync", "restart.interval=PT1H", "time.duration=PT1H"]
    words = [word for each in changes for word in ("--set", each)]
    assert here("run", small_case, *words, "-o", tmp_path / "run").returncode == 0
    (told,) = objects(here("cpmip", tmp_path / "run", "--json"))
    manifest = next((tmp_path / "run" / "restart").glob("*/manifest.json"))
    assert told["complexity_fields"] == len(json.loads(manifest.read_text())["fields"]) >= 2


def test_the_parquet_table_of_a_log_tells_the_same_as_the_log(here: Cli, tmp_path: Path) -> None:
    log = write_lines(tmp_path / "LOG.exp.storm.run.4711.o", icon_lines())
    table = tmp_path / "runs.parquet"
    assert here("logs", "import", log, "-o", table).returncode == 0
    words = ("--read-rate", "500", "--json")
    of_log, of_table = (objects(here("cpmip", path, *words)) for path in (log, table))
    assert of_log == of_table
    assert of_log[0]["sypd_years_per_day"] == pytest.approx(864e3 / 5970.311 / 365.25)
    assert of_log[0]["data_output_cost_ratio"] == pytest.approx(5970.311 / (5970.311 - 15.5))
    again = objects(here("cpmip", table, table, *words))
    assert len(again) == 1, "the same file twice is one table"


def test_threads_of_a_log_count_as_cores(here: Cli, tmp_path: Path) -> None:
    lines = [(0, "+ export OMP_NUM_THREADS=4"), *icon_lines()]
    log = write_lines(tmp_path / "LOG.o", lines)
    log.write_text("+ export OMP_NUM_THREADS=4\n" + log.read_text())
    (told,) = objects(here("cpmip", log, "--json"))
    assert told["parallelization_cores"] == 8 * 4


def test_a_table_has_a_row_a_run_and_reasons_under_it(here: Cli, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(TABLE)
    result = here("cpmip", path)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[1].split()[:5] == ["one", "0.6571", "292.2", "?", "8"]
    assert lines[2].split()[:5] == ["two", "?", "?", "?", "4"]
    zero = "run time, SYPD, CHSY, output cost, with I/O ranks: its timer total is 0 s (two)"
    assert f"not known: {zero}" in lines
    assert "not known: JPSY: no energy is measured" in lines
    assert any("a year has 365.25 days" in line for line in lines)


def test_a_file_gets_the_json_and_is_not_replaced_unasked(here: Cli, tmp_path: Path) -> None:
    path, out = tmp_path / "runs.csv", tmp_path / "cost.json"
    path.write_text(TABLE)
    result = here("cpmip", path, "-o", out)
    assert result.stdout.endswith(f"'{out}': 2 runs\n")
    assert json.loads(out.read_text()) == objects(here("cpmip", path, "--json"))
    assert "exists; choose another name" in refused(here("cpmip", path, "-o", out))
    assert here("cpmip", path, "-o", out, "--overwrite").returncode == 0
    assert sorted(tmp_path.iterdir()) == [out, path]


def test_a_failed_run_is_told_as_one(here: Cli, small_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "failed"
    shutil.copytree(small_run, run)
    (run / "run.json").write_text('{"status": "failed"}')
    (told,) = objects(here("cpmip", run, "--json"))
    assert told["sypd_years_per_day"] is None
    assert "the run is 'failed'" in told["not_known"]["sypd_years_per_day"]
    (told,) = objects(here("cpmip", run, "--json", "--simulated", "PT1H"))
    assert told["sypd_years_per_day"] > 0.0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", "{"), ("run.json", "[]"), ("timing.json", "{"), ("timing.json", '{"a": 1}'),
        ("timing.json", None), ("experiment.toml", "a ="),
    ],
)  # fmt: skip
def test_a_damaged_run_is_one_sentence(
    here: Cli, small_run: Path, tmp_path: Path, name: str, content: str | None
) -> None:
    run = tmp_path / "broken"
    shutil.copytree(small_run, run)
    (run / name).unlink()
    if content is not None:
        (run / name).write_text(content)
    assert name in refused(here("cpmip", run))


@pytest.mark.parametrize(
    "total", ['["x", 1.0, 1.0]', "[1.0]", "[null, null, null]", "[1" + 400 * "0" + ", 1, 1]"]
)
def test_times_that_are_none_are_one_sentence(
    here: Cli, small_run: Path, tmp_path: Path, total: str
) -> None:
    run = tmp_path / "broken"
    shutil.copytree(small_run, run)
    timing = json.loads((run / "timing.json").read_text())
    next(e for e in timing["timers"] if e["name"] == "total")["total_s"] = json.loads(total)
    (run / "timing.json").write_text(json.dumps(timing))
    assert "is not a table of timers" in refused(here("cpmip", run))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--simulated", "P1Y"], "--simulated: 'P1Y' is not a duration"),
        (["--simulated", "-PT1H"], "a millisecond or more is needed"),
        (["--simulated", "PT0.0001S"], "a millisecond or more"),
        (["--cores", "0"], "cores"),
        (["--cores", "9" * 400], "cores"),
        (["--cores", "9"], "runs of different numbers of ranks"),
        (["--cores", "9", "--cores-per-node", "9"], "not both"),
        (["--read-rate", "0"], "--read-rate is 0"),
        (["--read-rate", "nan"], "--read-rate is nan"),
        (["--read-rate", "5", "--measure-read"], "not both"),
        (["--write-rate", "-1"], "--write-rate is -1"),
        (["--write-share", "inf"], "--write-share is inf"),
        (["-o", "/nowhere/at/all.json"], "does not exist"),
    ],
)
def test_wrong_options_are_one_sentence(
    here: Cli, tmp_path: Path, words: list[str], sentence: str
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(TABLE)
    assert sentence in refused(here("cpmip", path, *words))


def test_wrong_paths_and_tables_are_one_sentence(here: Cli, tmp_path: Path) -> None:
    assert "does not exist" in refused(here("cpmip", tmp_path / "nowhere"))
    assert "holds no log" in refused(here("cpmip", tmp_path))
    empty = tmp_path / "runs.csv"
    empty.write_text("run,total_s\n")
    assert "a head and no runs" in refused(here("cpmip", empty))


PARQUETS: dict[str, tuple[dict[str, list[Any]] | bytes, str]] = {
    "damaged": (b"PAR1 and no more", "cannot be read as a Parquet file"),
    "empty": ({"run": [], "total_s": []}, "is a table without runs"),
    "other": ({"name": ["a"]}, "has no column 'run'"),
    "nameless": ({"run": [None], "total_s": [1.0]}, "row 1: the run has no name"),
    "words": ({"run": ["a"], "total_s": ["fast"]}, "row 1: total_s is 'fast'"),
    "negative": ({"run": ["a", "b"], "total_s": [1.0, -1.0]}, "row 2: total_s is '-1.0'"),
    "nan": ({"run": ["a"], "total_s": [float("nan")]}, "row 1: total_s is 'nan'"),
    "bytes": ({"run": [b"a"], "total_s": [1.0]}, "row 1: run is 'b'a''; text is needed"),
    "parts": ({"run": ["a"], "total_s": [1.0], "ranks": [1.5]}, "row 1: ranks is '1.5'"),
}


@pytest.mark.some(3)
@pytest.mark.parametrize("name", PARQUETS)
def test_a_parquet_file_that_is_no_table_of_runs_is_one_sentence(
    here: Cli, tmp_path: Path, name: str
) -> None:
    content, sentence = PARQUETS[name]
    path = tmp_path / f"{name}.parquet"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        pq.write_table(pa.table(content), path)
    said = refused(here("cpmip", path))
    assert str(path) in said
    assert sentence in said


def test_a_run_without_output_has_no_rate_of_reading(small_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "emptied"
    shutil.copytree(small_run, run)
    for each in (run / "files").iterdir():
        each.unlink()
    assert read_rate(run) is None
    assert read_rate(tmp_path / "gone") is None


def test_the_runs_on_levante_have_speed_and_cost(here: Cli) -> None:
    """Ten days each, as their page says; 128 ranks a node, one core a rank."""
    if not LEVANTE.is_file():
        pytest.skip(f"the figures measured on Levante are not on this machine: {LEVANTE}")
    without = objects(here("cpmip", LEVANTE, "--json"))
    assert all("--simulated" in each["not_known"]["sypd_years_per_day"] for each in without)
    for each in objects(here("cpmip", LEVANTE, "--simulated", "P10D", "--json")):
        assert each["parallelization_cores"] == 128 * each["nodes"]
        assert 0.1 < each["sypd_years_per_day"] < 20.0
        assert each["data_output_cost_ratio"] > 1.0
        core_hours = each["node_hours_per_year"] * 128.0
        assert each["chsy_core_hours_per_year"] == pytest.approx(core_hours)
