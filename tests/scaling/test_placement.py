# SPDX-License-Identifier: Apache-2.0
"""Where ranks run: on cores of their own in a Slurm job that has them; a real job of a script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT
from thalweg.lab.rank_trials import start_ranks
from thalweg.run import machine, slurm_job
from thalweg.testing.local_slurm import LocalSlurm, NoSlurmError
from thalweg.testing.pages import Cli

needs_mpi = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
SHARED = ["--oversubscribe", "--bind-to", "none"]


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two nodes with four tasks and eight cores each, as salloc and sbatch tell it."""
    told = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_TASKS_PER_NODE": "4(x2)"}
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(slurm_job, "core_count", lambda: 8)


@needs_mpi
@pytest.mark.usefixtures("job")
@pytest.mark.parametrize(
    ("ranks", "threads", "is_bound", "of_node", "nodes"),
    [
        (1, 8, True, 1, 1), (8, 2, True, 4, 2), (8, 3, False, 4, 2), (3, 4, False, 3, 1),
        (9, 1, False, 4, 3),
    ],
)  # fmt: skip
def test_ranks_have_cores_of_their_own_where_a_job_has_them(
    ranks: int, threads: int, is_bound: bool, of_node: int, nodes: int
) -> None:
    """A node's four tasks come first: three ranks of four threads are on one with eight cores."""
    launch = start_ranks(ranks, threads)
    words = launch.command(ranks, ["program"])
    wanted = ["--map-by", f"slot:PE={threads}", "--bind-to", "core"] if is_bound else SHARED
    assert words[1 : 1 + len(wanted)] == wanted
    assert (slurm_job.ranks_of_node(ranks), launch.nodes) == (of_node, nodes)
    assert launch.environment()["OMP_NUM_THREADS"] == str(threads)


@needs_mpi
@pytest.mark.parametrize("tasks", ["", "4(x2),1", "many"])
@pytest.mark.usefixtures("job")
def test_nodes_that_take_fewer_ranks_are_not_filled(
    tasks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_TASKS_PER_NODE", tasks)
    assert not slurm_job.has_cores(4, 1)


@needs_mpi
def test_without_a_job_ranks_share_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    launch = start_ranks(2, 1)
    assert launch.command(2, ["program"])[1:4] == SHARED
    assert launch.nodes == 1


def test_memory_is_that_of_the_machine_at_most() -> None:
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < machine.memory_bytes() <= most
    assert 1 <= machine.core_count() <= len(os.sched_getaffinity(0))


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSlurm]:
    try:
        found = LocalSlurm(tmp_path / "slurm", nodes=1)
    except NoSlurmError as reason:
        pytest.skip(f"no Slurm on this machine: {reason}")
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    yield found
    found.stop()


@needs_mpi
@pytest.mark.slow
@pytest.mark.usefixtures("slurm")
def test_a_script_runs_as_a_job(here: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one node with as many ranks as this machine has cores, each with its own."""
    ranks = min(2, machine.core_count())
    words = ["scaling", "caldyn_vert", "--jobs", "1", "--ranks-per-node", str(ranks)]
    words += ["--target", "mpi", "--cells", "12x24", "--levels", "3", "--repetitions", "1"]
    told = here(*words, "-o", "jobs here", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    script, folder = tmp_path / "jobs here" / "scaling_1.sh", tmp_path / "jobs here"
    sent = ["sbatch", "--wait", str(script)]
    done = subprocess.run(
        sent, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    log = (folder / "scaling_1.log").read_text()
    assert done.returncode == 0, log
    lines = [json.loads(line) for line in (folder / "scaling.jsonl").read_text().splitlines()]
    assert {each["ranks"] for each in lines} == {1, 2, ranks}
    assert "scaling.png" in log
