# SPDX-License-Identifier: Apache-2.0
"""`thalweg scaling`: real ranks of a small grid, its lines, its picture, job files, refusals."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.testing.pages import Cli

needs_mpi = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")


@needs_mpi
def test_times_of_a_call_are_told_and_drawn(cli: Cli, tmp_path: Path) -> None:
    words = ["scaling", "caldyn_vert", "--target", "mpi", "--cells", "12x24", "--levels", "3"]
    told = cli(*words, "--repetitions", "1", "--ranks", "1,3", "-o", "found", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    rows = [line for line in told.stdout.splitlines() if " ranks, " in line]
    names = [re.split(r" {2,}", line)[0] for line in rows]
    assert names == [
        "strong, mpi, 1 ranks, 1 threads",
        "strong, mpi, 3 ranks, 1 threads",
        "strong, mpi, 3 ranks, 1 threads, without overlap",
        "weak, mpi, 1 ranks, 1 threads",
        "weak, mpi, 3 ranks, 1 threads",
        "weak, mpi, 3 ranks, 1 threads, without overlap",
        "few, mpi, 2 ranks, 1 threads, without overlap",
        "many, mpi, 2 ranks, 1 threads, without overlap",
    ]
    assert "mpi: a cell and level " in told.stdout
    assert (tmp_path / "found" / "scaling.png").read_bytes().startswith(b"\x89PNG")
    again = cli("scaling", "--from", "found", "--json", cwd=tmp_path)
    lines = json.loads(again.stdout)["lines"]
    assert [each["cells"] for each in lines] == [288, 288, 288, 288, 864, 864, 512, 768]
    for each in lines:
        assert (each["bytes"] > 0) == (each["messages"] > 0) == (each["ranks"] > 1)
        assert each["median"] > 0
        assert each["commit"]
        assert each["machine"]


def test_a_script_for_each_number_of_nodes(cli: Cli, tmp_path: Path) -> None:
    words = ["scaling", "pvort", "--jobs", "1,4", "--ranks-per-node", "64", "-o", "jobs here"]
    words += ["--cells", "96x512"]
    told = cli(*words, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    script = tmp_path / "jobs here" / "scaling_4.sh"
    text = script.read_text()
    assert "#SBATCH --nodes=4\n" in text
    assert "thalweg scaling pvort " in text
    assert "--ranks 1,256 -o 'jobs here'" in text
    subprocess.run(["bash", "-n", script], check=True)
    assert "thalweg scaling --from 'jobs here'" in told.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gradient"], "kernel 'gradient' is not one on hexagons alone"),
        (
            ["--target", "mpl"],
            "--target 'mpl' is no target on ranks; choose mpi, onesided or both.",
        ),
        (["--ranks", "1,0"], "--ranks: '0' is no number from 1 to 4096"),
        (["--ranks", "2,,3"], "--ranks: '' is no number from 1 to 4096"),
        (["--cells", "96"], "--cells: '96' is no I x J, as 96x192"),
        (["--cells", "9x8", "--ranks", "5"], "5 ranks are too many for a grid of 8 rows"),
        (
            ["--jobs", "1,9", "--ranks-per-node", "11"],
            "99 ranks are too many for a grid of 192 rows",
        ),
        (["--from", "nowhere"], "'nowhere/scaling.jsonl' has no line of thalweg scaling"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    words: list[str], sentence: str, cli: Cli, tmp_path: Path
) -> None:
    told = cli("scaling", *words, cwd=tmp_path)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr.startswith(f"thalweg: error: {sentence}")
    assert list(tmp_path.iterdir()) == []
