# SPDX-License-Identifier: Apache-2.0
"""`thalweg scaling`: real ranks of a small grid, its lines, its picture, job files, refusals."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from thalweg.cli import main
from thalweg.lab import rank_trials
from thalweg.testing.pages import Cli

needs_mpi = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")


TRIALS = {  # and cells
    "strong, mpi, 1 ranks, 1 threads": 288,
    "strong, mpi, 2 ranks, 1 threads": 288,
    "strong, mpi, 2 ranks, 1 threads, without overlap": 288,
    "weak, mpi, 1 ranks, 1 threads": 288,
    "weak, mpi, 2 ranks, 1 threads": 576,
    "weak, mpi, 2 ranks, 1 threads, without overlap": 576,
    "few, mpi, 2 ranks, 1 threads, without overlap": 512,
    "many, mpi, 2 ranks, 1 threads, without overlap": 768,
}


@needs_mpi
@pytest.mark.filterwarnings("ignore:No artists with labels")  # the panel of a kind left out
@pytest.mark.parametrize(
    "kinds",
    [
        ("strong", "few", "many"),
        pytest.param(("strong", "weak", "few", "many"), marks=pytest.mark.slow),
    ],
    ids="-".join,
)
def test_times_of_a_call_are_told_and_drawn(
    kinds: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each trial starts ranks twice: that takes the time, so some kinds of them do."""
    all_trials = rank_trials.trials_of

    def trials_of(wish: rank_trials.Wish) -> list[rank_trials.Trial]:
        found = all_trials(wish)
        assert [each.name for each in found] == list(TRIALS)
        return [each for each in found if each.kind in kinds]

    def called(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["thalweg", "scaling", *words])
        with pytest.raises(SystemExit) as end:
            main()
        told = capsys.readouterr()
        assert end.value.code == 0, told.err
        return told.out

    monkeypatch.setattr(rank_trials, "trials_of", trials_of)
    monkeypatch.chdir(tmp_path)
    words = ["caldyn_vert", "--target", "mpi", "--cells", "12x24", "--levels", "3"]
    told = called(*words, "--repetitions", "1", "--ranks", "1,2", "-o", "found")
    rows = [line for line in told.splitlines() if " ranks, " in line]
    wanted = [name for name in TRIALS if name.partition(",")[0] in kinds]
    assert [re.split(r" {2,}", line)[0] for line in rows] == wanted
    assert "mpi: a cell and level " in told
    assert (tmp_path / "found" / "scaling.png").read_bytes().startswith(b"\x89PNG")
    lines = json.loads(called("--from", "found", "--json"))["lines"]
    assert [each["cells"] for each in lines] == [TRIALS[name] for name in wanted]
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
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["thalweg", "scaling", *words])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr().err
    assert (end.value.code, told.count("\n")) == (2, 1)
    assert told.startswith(f"thalweg: error: {sentence}")
    assert list(tmp_path.iterdir()) == []
