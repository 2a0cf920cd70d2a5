# SPDX-License-Identifier: Apache-2.0
"""`thalweg sweep` runs every combination once, goes on where it stopped, and is drawn."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from thalweg.lab import sweep_file as sweep_file_module
from thalweg.lab.results import append_line, read_lines, spread
from thalweg.lab.sweep_file import Sweep

Cli = Callable[..., "CompletedProcess[str]"]
SWEEP = """
[sweep]
base = "small.toml"
compute_ranks = 2
[sweep.set]
time.duration = "PT30M"
output.flat.interval = "PT30M"
[sweep.vary]
io.mode = ["serial", "async"]
io.ranks = [1, 2, 0]
"""
# serial, async with 1, async with 2; async with 0 I/O ranks does not fit
COMPLETE, SKIPPED = 3, 1


@pytest.fixture
def sweep_file(small_case: Path) -> Path:
    path = small_case.parent / "matrix.toml"
    path.write_text(SWEEP)
    return path


def results(folder: Path) -> list[dict[str, Any]]:
    return read_lines(folder / "RESULTS.jsonl")


def statuses(folder: Path) -> list[str]:
    return sorted(line["status"] for line in results(folder))


def test_every_combination_is_run_once_and_the_sweep_is_drawn(
    cli: Cli, sweep_file: Path, model: Path
) -> None:
    out = sweep_file.parent / "out"
    first = cli("sweep", sweep_file, "--out", out)
    assert first.returncode == 0, first.stderr
    assert statuses(out) == ["complete"] * COMPLETE + ["skipped"] * SKIPPED
    (skipped,) = [line for line in results(out) if line["status"] == "skipped"]
    assert "ranks of at least 1" in skipped["reason"]
    for line in results(out):
        assert line["machine"]["cores"] >= 1
        assert line["settings"]["io.mode"] in ("serial", "async")
    before = (out / "RESULTS.jsonl").read_bytes()

    again = cli("sweep", sweep_file, "--out", out)
    assert again.returncode == 0, again.stderr
    assert (out / "RESULTS.jsonl").read_bytes() == before

    report = cli("report", out)
    assert report.returncode == 0, report.stderr
    page = (out / "report.html").read_text()
    assert "Fastest: " in page
    assert "ranks of at least 1" in page
    assert len(list((out / "report_images").glob("*.png"))) == 1


def test_only_what_is_missing_is_run_again(cli: Cli, sweep_file: Path, model: Path) -> None:
    """A line torn by a kill is no result; the trials of whole lines are not repeated."""
    out = sweep_file.parent / "out"
    assert cli("sweep", sweep_file, "--out", out).returncode == 0
    whole = (out / "RESULTS.jsonl").read_text().splitlines(keepends=True)
    (out / "RESULTS.jsonl").write_text("".join(whole[:2]) + whole[2][:40])
    told = cli("sweep", sweep_file, "--out", out, "--json")
    assert told.returncode == 0, told.stderr
    ran = [json.loads(line) for line in told.stdout.splitlines()]
    ran = [line["settings"] for line in ran if line["status"] == "complete"]
    kept = [json.loads(line)["settings"] for line in whole[:2]]
    assert len(ran) == COMPLETE - len(kept)
    assert not [settings for settings in ran if settings in kept]
    assert statuses(out) == ["complete"] * COMPLETE + ["skipped"] * SKIPPED


def test_an_interrupted_sweep_goes_on(sweep_file: Path, cli: Cli, model: Path) -> None:
    out = sweep_file.parent / "out"
    command = [sys.executable, "-m", "thalweg", "sweep", str(sweep_file), "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # how many trials there are
        process.stdout.readline()  # the first one is done: the second is under way
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    done = statuses(out)
    if process.returncode == 0:  # it came too late: the trials take half a second each
        pytest.skip("the sweep was over before it could be interrupted")
    assert process.returncode == 130, error
    assert b"interrupted" in error
    assert 1 <= done.count("complete") < COMPLETE
    assert cli("sweep", sweep_file, "--out", out).returncode == 0
    assert statuses(out) == ["complete"] * COMPLETE + ["skipped"] * SKIPPED


def test_another_base_is_another_sweep(cli: Cli, sweep_file: Path, model: Path) -> None:
    out = sweep_file.parent / "out"
    sweep_file.write_text(SWEEP.replace('["serial", "async"]', '["serial"]'))
    assert cli("sweep", sweep_file, "--out", out).returncode == 0
    sweep_file.write_text(sweep_file.read_text().replace("PT30M", "PT1H"))
    assert cli("sweep", sweep_file, "--out", out).returncode == 0
    assert statuses(out) == ["complete", "complete"]
    assert len({line["digest"] for line in results(out)}) == 2


def test_a_failed_trial_is_told_and_tried_again(cli: Cli, sweep_file: Path, model: Path) -> None:
    out = sweep_file.parent / "out"
    sweep_file.write_text(SWEEP.replace('["serial", "async"]', '["serial"]'))
    out.mkdir()
    (out / "trial_000").write_text("in the way")
    failed = cli("sweep", sweep_file, "--out", out)
    assert failed.returncode == 1
    assert statuses(out) == ["failed"]
    assert "trial_000" in results(out)[0]["reason"]
    (out / "trial_000").unlink()
    assert cli("sweep", sweep_file, "--out", out).returncode == 0
    assert statuses(out) == ["complete", "failed"]


@pytest.mark.parametrize(
    ("line", "wrong", "sentence"),
    [
        ("[sweep]", "[sweeep]", "base must name an experiment file"),
        (SWEEP, "levels = 3", "matrix.toml has no table [sweep]"),
        ('base = "small.toml"', 'base = "nowhere.toml"', "'nowhere.toml' is none"),
        ("compute_ranks = 2", "compute_rank = 2", "'compute_rank' does not exist"),
        ("compute_ranks = 2", "compute_ranks = -2", "at least 0"),
        ("io.ranks = [1, 2, 0]", "io.ranks = 1", "'io.ranks' must be a list"),
        ("io.ranks = [1, 2, 0]", "oi.ranks = [1]", "table 'oi' does not exist"),
        ("time.duration", "time.durration", "key 'durration' does not exist"),
        ("compute_ranks = 2", "compute_ranks = = 2", "correct this line"),
    ],
)
def test_wrong_sweep_files_are_one_sentence(
    line: str,
    wrong: str,
    sentence: str,
    here: Cli,
    sweep_file: Path,
) -> None:
    sweep_file.write_text(SWEEP.replace(line, wrong, 1))
    result = here("sweep", sweep_file, cwd=sweep_file.parent)
    assert result.returncode == 2, result.stderr
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (sweep_file.parent / "sweeps").exists()


def test_combinations_are_different_from_each_other(sweep_file: Path, model: Path) -> None:
    """In mode serial, numbers of I/O ranks are all the same."""
    combinations = Sweep.read(sweep_file).combinations()
    assert len(combinations) == COMPLETE + SKIPPED
    assert len({json.dumps(each, sort_keys=True) for each in combinations}) == len(combinations)


def test_whether_a_mode_has_io_ranks_is_what_its_table_says(
    sweep_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a mode that is added tomorrow, too."""
    modes = [{"name": "serial", "ranks": "none"}, {"name": "lonely", "ranks": "none"}]
    modes += [{"name": "async", "ranks": "required"}]
    monkeypatch.setattr(sweep_file_module, "of_kind", lambda _: modes)
    sweep_file.write_text(sweep_file.read_text().replace('"serial", ', '"serial", "lonely", '))
    found = [each.values() for each in Sweep.read(sweep_file).combinations()]
    assert [set(each) for each in found if "lonely" in each] == [{"lonely", 0}]
    assert len(found) == 1 + COMPLETE + SKIPPED


def test_percentiles_are_linear_between_samples() -> None:
    assert spread([3.0, 1.0, 2.0]) == {"n": 3, "median": 2.0, "p05": 1.1, "p95": 2.9}


def test_a_line_after_a_torn_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "RESULTS.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": ')
    append_line(path, {"c": 3})
    assert read_lines(path) == [{"a": 1}, {"c": 3}]
