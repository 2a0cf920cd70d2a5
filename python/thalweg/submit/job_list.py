# SPDX-License-Identifier: Apache-2.0
"""jobs.json of a directory of test runs: what was written, submitted and predicted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.targets import write_whole

NAME = "jobs.json"
_FORMAT = 1


@dataclass
class TestRun:
    """directory and script are below that of the list. job: "" until sbatch told its number.

    asked           sbatch was called for it, at least
    predicted       total_s, low_s, high_s of this short run, and whole_s of the script's whole run
    facts           what the prediction was made of: columns of the table of runs
    """

    __test__ = False  # for pytest: no class of tests

    name: str
    why: str
    directory: str
    script: str
    job_name: str
    predicted: dict[str, float]
    facts: dict[str, float | str]
    changes: list[str] = field(default_factory=list)
    asked: bool = False
    job: str = ""

    @property
    def steps(self) -> float:
        return float(self.facts["steps"])


@dataclass
class JobList:
    """path: of the directory. duration_s: model time of each run. at_once: jobs do not wait for
    one another.
    """

    path: Path
    source: str
    machine: str
    duration_s: float
    at_once: bool
    runs: list[TestRun]

    @property
    def file(self) -> Path:
        return self.path / NAME

    def write(self) -> None:
        write_whole(self.file, json.dumps(self.as_json(), indent=1, ensure_ascii=False) + "\n")

    def as_json(self) -> dict[str, object]:
        return {
            "format": _FORMAT,
            "source": self.source,
            "machine": self.machine,
            "duration_s": self.duration_s,
            "at_once": self.at_once,
            "runs": [asdict(run) for run in self.runs],
        }


def read_job_list(path: Path) -> JobList:
    """Raises a sentence where it is none."""
    file = path / NAME
    if not file.is_file():
        raise ThalwegError(
            f"'{path}' holds no '{NAME}'; give a directory that 'thalweg submit' wrote"
        )
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] != _FORMAT:
            raise ThalwegError(f"'{file}' has format {found['format']}; this reads {_FORMAT}")
        runs = [_run(each) for each in found["runs"]]
        if len({run.directory for run in runs}) < len(runs):
            raise ValueError("two runs have one directory")
        return JobList(
            path, str(found["source"]), str(found["machine"]), float(found["duration_s"]),
            bool(found["at_once"]), runs,
        )  # fmt: skip
    except OSError as error:
        raise ThalwegError(f"'{file}' cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ThalwegError(
            f"'{file}' is damaged ({type(error).__name__}: {error}); submit anew in another "
            "directory"
        ) from None


def _run(given: Mapping[str, object]) -> TestRun:
    run = TestRun(**given)  # type: ignore[arg-type]
    for key in ("total_s", "low_s", "high_s", "whole_s"):
        if not float(run.predicted[key]) > 0.0:
            raise ValueError(f"{key} of run '{run.name}' is {run.predicted[key]}")
    for path in (Path(run.directory), Path(run.script)):
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"'{path}' of run '{run.name}' is elsewhere")
    if not run.steps > 0.0:
        raise ValueError(f"steps of run '{run.name}' are {run.steps:g}")
    return run
