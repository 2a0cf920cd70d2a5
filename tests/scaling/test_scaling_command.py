# SPDX-License-Identifier: Apache-2.0
"""`thalweg scaling`: real ranks of a small grid, its lines, its picture, job files, refusals."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.lab import rank_trials
from thalweg.testing.pages import Cli

needs_mpi = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")


def trials(ranks: int) -> dict[str, int]:
    """Names and cells of what is timed on one rank and on so many."""
    return {
        "strong, mpi, 1 ranks, 1 threads": 288,
        f"strong, mpi, {ranks} ranks, 1 threads": 288,
        f"strong, mpi, {ranks} ranks, 1 threads, without overlap": 288,
        "weak, mpi, 1 ranks, 1 threads": 288,
        f"weak, mpi, {ranks} ranks, 1 threads": 288 * ranks,
        f"weak, mpi, {ranks} ranks, 1 threads, without overlap": 288 * ranks,
        "few, mpi, 2 ranks, 1 threads, without overlap": 512,
        "many, mpi, 2 ranks, 1 threads, without overlap": 768,
    }


@needs_mpi
@pytest.mark.filterwarnings("ignore:No artists with labels")  # the panel of a kind left out
@pytest.mark.parametrize(
    ("ranks", "kinds"),
    [
        (2, ("strong", "few", "many")),
        pytest.param(3, ("strong", "weak", "few", "many"), marks=pytest.mark.slow),
    ],
    ids=["some_kinds_on_2", "all_kinds_on_3"],
)
def test_times_of_a_call_are_told_and_drawn(
    ranks: int,
    kinds: tuple[str, ...],
    here: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each trial starts ranks twice: that takes the time, so some kinds of them do."""
    all_trials, cells = rank_trials.trials_of, trials(ranks)

    def trials_of(wish: rank_trials.Wish) -> list[rank_trials.Trial]:
        found = all_trials(wish)
        assert [each.name for each in found] == list(cells)
        return [each for each in found if each.kind in kinds]

    monkeypatch.setattr(rank_trials, "trials_of", trials_of)
    words = ["caldyn_vert", "--target", "mpi", "--cells", "12x24", "--levels", "3"]
    words += ["--repetitions", "1", "--ranks", f"1,{ranks}", "-o", "found"]
    told = here("scaling", *words, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    rows = [line for line in told.stdout.splitlines() if " ranks, " in line]
    wanted = [name for name in cells if name.partition(",")[0] in kinds]
    assert [re.split(r" {2,}", line)[0] for line in rows] == wanted
    assert "mpi: a cell and level " in told.stdout
    assert (tmp_path / "found" / "scaling.png").read_bytes().startswith(b"\x89PNG")
    again = here("scaling", "--from", "found", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    lines = json.loads(again.stdout)["lines"]
    assert [each["cells"] for each in lines] == [cells[name] for name in wanted]
    for each in lines:
        assert (each["bytes"] > 0) == (each["messages"] > 0) == (each["ranks"] > 1)
        assert each["median"] > 0
        assert each["commit"]
        assert each["machine"]


@pytest.mark.slow
@needs_mpi
def test_ranks_with_a_gpu_each(here: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their threads one after the other on the CPU: what they compute and exchange is the same."""
    words = ["pvort", "--target", "mpi", "--cells", "12x24", "--levels", "3", "--gpus"]
    words += ["--ranks", "2", "--repetitions", "1", "--no-probes", "-o", "found"]
    told = here("scaling", *words, cwd=tmp_path)
    assert (told.returncode, list(tmp_path.iterdir())) == (2, [])
    assert told.stderr.startswith("thalweg: error: --gpus needs a GPU, and there is none here")
    assert here("scaling", *words, "--threads", "2", cwd=tmp_path).returncode == 2
    monkeypatch.setattr("thalweg.cli.scaling.has_gpu", lambda: True)
    told = here("scaling", *words, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "strong, mpi with GPUs, 2 ranks, 1 threads" in told.stdout
    again = here("scaling", "--from", "found", "--json", cwd=tmp_path)
    lines = json.loads(again.stdout)["lines"]
    assert {each["target"] for each in lines} == {"mpi with GPUs"}
    assert all((each["bytes"] > 0) == (each["ranks"] > 1) for each in lines)
    script = here("scaling", *words, "--jobs", "2", "--ranks-per-node", "4", cwd=tmp_path)
    assert script.returncode == 0, script.stderr
    text = (tmp_path / "found" / "scaling_2.sh").read_text()
    assert "#SBATCH --ntasks-per-node=4\n#SBATCH --cpus-per-task=1\n" in text
    assert "#SBATCH --gpus-per-node=4\n" in text
    assert " --gpus " in text


def test_a_script_for_each_number_of_nodes(cli: Cli, tmp_path: Path) -> None:
    words = ["scaling", "pvort", "--jobs", "1,4", "--ranks-per-node", "64", "-o", "jobs here"]
    words += ["--cells", "96x512", "--threads", "1,2"]
    told = cli(*words, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    script = tmp_path / "jobs here" / "scaling_4.sh"
    text = script.read_text()
    assert "#SBATCH --nodes=4\n" in text
    assert "thalweg scaling pvort " in text
    assert "#SBATCH --ntasks-per-node=64\n#SBATCH --cpus-per-task=2\n" in text
    assert "--ranks 256 --no-probes -o 'jobs here'" in text
    first = tmp_path / "jobs here" / "scaling_1.sh"
    assert "--ranks 1,64 -o 'jobs here'" in first.read_text()
    for each in (first, script):
        subprocess.run(["bash", "-n", each], check=True)
    assert "thalweg scaling --from 'jobs here'" in told.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gradient"], "kernel 'gradient' is not one on hexagons alone"),
        (
            ["--target", "mpl"],
            "--target 'mpl' is no target on ranks; choose mpi, onesided or both.",
        ),
        (["--ranks", "1,0"], "--ranks: '0' is no number from 1 to 100000"),
        (["--ranks", "2,,3"], "--ranks: '' is no number from 1 to 100000"),
        (["--cells", "96"], "--cells: '96' is no I x J, as 96x192"),
        (["--cells", "1000001x8"], "--cells: '1000001' is no number from 1 to 1000000"),
        (
            ["--cells", "1000000x1000000", "--ranks", "100"],
            "1000000 x 1000000 cells on 100 ranks are more points a rank than the 2147483647 that",
        ),
        (
            ["--cells", "20000x20000", "--ranks", "20", "--target", "mpi"],
            "strong, mpi, 20 ranks, 1 threads: 20 ranks a node need about ",
        ),
        (["--jobs", "1000", "--ranks-per-node", "128"], "1000 nodes with 128 ranks each are more"),
        (["--cells", "9x8", "--ranks", "5"], "5 ranks are too many for a grid of 8 rows"),
        (
            ["--jobs", "1,9", "--ranks-per-node", "11"],
            "99 ranks are too many for a grid of 192 rows",
        ),
        (["--from", "nowhere"], "'nowhere/scaling.jsonl' does not exist"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    words: list[str], sentence: str, here: Cli, tmp_path: Path
) -> None:
    told = here("scaling", *words, cwd=tmp_path)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr.startswith(f"thalweg: error: {sentence}")
    assert list(tmp_path.iterdir()) == []


def test_lines_of_two_grids_are_in_two_folders(here: Cli, tmp_path: Path) -> None:
    line = {"bench": "scaling", "kernel": "pvort", "kind": "strong", "target": "mpi", "ranks": 1,
            "threads": 1, "overlaps": True, "cells": 32, "levels": 1, "row": 4, "median": 1.0,
            "machine": {"cores": 2}}  # fmt: skip
    other = {**line, "kind": "weak", "ranks": 2, "cells": 112, "row": 7}
    lines = tmp_path / "scaling.jsonl"
    lines.write_text(f"{json.dumps(line)}\n{json.dumps(other)}\n")
    told = here("scaling", "--from", ".", cwd=tmp_path)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    grids = "pvort, 4x8 cells, 1 levels; pvort, 7x8 cells, 1 levels"
    assert f"'scaling.jsonl' has lines of several kernels or grids: {grids}; " in told.stderr
    lines.write_text(f"{json.dumps(line)}\n")
    words = ["pvort", "--cells", "6x8", "--levels", "1", "-o", "."]
    told = here("scaling", *words, cwd=tmp_path)  # before anything is measured
    assert told.returncode == 2
    assert "pvort, 4x8 cells, 1 levels; pvort, 6x8 cells, 1 levels" in told.stderr
    del line["row"]
    lines.write_text(f"{json.dumps(line)}\n")
    told = here("scaling", "--from", ".", cwd=tmp_path)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert "has a line without 'row'" in told.stderr
