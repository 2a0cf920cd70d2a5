# SPDX-License-Identifier: Apache-2.0
"""A fitted machine, a run script that starts no ICON, and a real Slurm where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor import limits
from thalweg.advisor.command import icon_reader
from thalweg.advisor.prediction.run_table import read_runs
from thalweg.advisor.proposing.command import Asked
from thalweg.advisor.proposing.machine import fit_machine, machine_text
from thalweg.config.checkout import ROOT
from thalweg.submit.command import Follow, submit_new
from thalweg.submit.job_list import JobList, read_job_list
from thalweg.submit.prepare import Wish
from thalweg.testing.local_slurm import LocalSlurm, NoSlurmError
from thalweg.testing.not_icon import RUN_SCRIPT
from thalweg.testing.pages import blocks

Write = Callable[..., JobList]


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fitted to the runs of docs/propose.md."""
    folder = tmp_path_factory.mktemp("machine")
    page = (ROOT / "docs" / "propose.md").read_text(encoding="utf-8")
    (folder / "runs.csv").write_text(blocks(page, "csv")[0])
    fitted = fit_machine(read_runs(folder / "runs.csv"), "runs", 30)
    (folder / "machine.toml").write_text(machine_text(fitted))
    return folder / "machine.toml"


@pytest.fixture
def write(tmp_path: Path, machine: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Test runs of a script in tmp_path, written and not submitted. What a proposal tells of more
    nodes, which takes as long as all else, is looked at for one node only.
    """
    monkeypatch.setattr(limits, "_MOST_NODES", 1)

    def written(
        text: str = RUN_SCRIPT, *, runs: int = 3, nodes: int = 2, ranks: int = 2,
        restart_bytes: str = "", **wish: Any,
    ) -> JobList:  # fmt: skip
        script = tmp_path / "exp.storm"
        script.write_text(text)
        read, told_of = icon_reader(script, [], [], [], restart_bytes, [])
        asked = Asked(machine, nodes, ranks)
        folder = wish.pop("directory", tmp_path / "tests")
        wanted = Wish(folder, runs, **wish)
        assert submit_new(read, told_of, asked, wanted, Follow(dry_run=True)) == 0
        return read_job_list(folder)

    return written


@pytest.fixture(scope="session")
def slurm_of_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalSlurm]:
    try:
        slurm = LocalSlurm(tmp_path_factory.mktemp("slurm") / "of_tests", nodes=2)
    except NoSlurmError as reason:
        pytest.skip(f"no Slurm on this machine: {reason}")
    yield slurm
    slurm.stop()


@pytest.fixture
def slurm(slurm_of_session: LocalSlurm, monkeypatch: pytest.MonkeyPatch) -> LocalSlurm:
    """Two nodes; commands of Slurm that are called here find it."""
    for name, value in slurm_of_session.environment.items():
        monkeypatch.setenv(name, value)
    return slurm_of_session
