# SPDX-License-Identifier: Apache-2.0
"""Test runs of which Slurm has purged jobs: a controller that forgets after seconds."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.submit.collect import collect
from thalweg.submit.command import Follow, submit_again
from thalweg.submit.job_list import JobList, read_job_list
from thalweg.testing.local_slurm import LocalSlurm, NoSlurmError
from thalweg.testing.not_icon import RUN_SCRIPT

Write = Callable[..., JobList]
QUICK = RUN_SCRIPT.replace("srun -l", "SLURM_NTASKS=4 SLURM_PROCID=0")
SOON_S, LONG_S = 0.1, 120.0
LOOKS_AGAIN_S = 0.5  # at what takes seconds: each look is a process of Slurm
# As versions of Slurm do that take a purged job for a mistake.
STRICT = """#!/bin/bash
case "$*" in *--dependency=*) echo "sbatch: error: Job dependency problem" >&2; exit 1;; esac
exec {sbatch} "$@"
"""


@pytest.fixture(scope="module")
def forgetful_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalSlurm]:
    try:
        slurm = LocalSlurm(tmp_path_factory.mktemp("forgetful") / "slurm", nodes=2, forget_s=2)
    except NoSlurmError as reason:
        pytest.skip(f"no Slurm on this machine: {reason}")
    yield slurm
    slurm.stop()


@pytest.fixture
def forgetful(forgetful_of_module: LocalSlurm, monkeypatch: pytest.MonkeyPatch) -> LocalSlurm:
    for name, value in forgetful_of_module.environment.items():
        monkeypatch.setenv(name, value)
    return forgetful_of_module


def await_purge(slurm: LocalSlurm) -> None:
    end = time.monotonic() + LONG_S
    while slurm.call(["squeue", "--noheader", "--states=all"]).strip():
        assert time.monotonic() < end
        time.sleep(LOOKS_AGAIN_S)


def test_a_job_after_a_purged_one_waits_for_none_and_says_so(
    forgetful: LocalSlurm, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    jobs = write(QUICK, runs=2)
    second = jobs.path / jobs.runs[1].script
    text = second.read_text()
    second.write_text(text.replace("#!/bin/bash", "#!/bin/bash\n#SBATCH --partition=none"))
    with pytest.raises(ThalwegError, match="invalid partition"):
        submit_again(jobs.path, Follow())
    second.write_text(text)
    await_purge(forgetful)
    strict = tmp_path / "bin" / "sbatch"
    strict.parent.mkdir()
    strict.write_text(STRICT.format(sbatch=shutil.which("sbatch")))
    strict.chmod(0o755)
    monkeypatch.setenv("PATH", str(strict.parent), prepend=":")
    assert submit_again(jobs.path, Follow(wait=True, every_s=SOON_S, at_most_s=LONG_S)) == 0
    first, now = (run.job for run in read_job_list(jobs.path).runs)
    said = capfd.readouterr().err
    assert f"submitted as job {now}; it waits for none, since job {first} before it" in said


@pytest.mark.slow
def test_a_purged_job_without_a_log_is_told(
    forgetful: LocalSlurm, write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    """Ended before it began."""
    held = QUICK.replace("#!/bin/bash", "#!/bin/bash\n#SBATCH --hold")
    jobs = write(held, runs=1)
    assert submit_again(jobs.path, Follow()) == 0
    (job,) = (run.job for run in read_job_list(jobs.path).runs)
    forgetful.call(["scancel", job])
    await_purge(forgetful)
    (outcome,) = collect(read_job_list(jobs.path))
    assert outcome.failed
    assert outcome.state.word == "gone"
    assert any(f"Slurm knows job {job} no more" in each for each in outcome.said)
