# SPDX-License-Identifier: Apache-2.0
"""From a script and its proposal to a directory with test runs that wait to be submitted."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from thalweg.advisor.command import Told
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.prediction.predictor import Predictor
from thalweg.advisor.proposing.command import Proposed
from thalweg.advisor.proposing.situation import situation_of
from thalweg.advisor.proposing.steps import parse_step, predictor_of
from thalweg.advisor.proposing.ways import ways_of
from thalweg.config.run_script import RunScript
from thalweg.config.text_files import read_text
from thalweg.errors import ThalwegError
from thalweg.submit.batch_lines import Job, with_batch_lines
from thalweg.submit.job_list import JobList, TestRun
from thalweg.submit.length import Length, length_of
from thalweg.submit.own_directory import leaves_directory, writes_elsewhere
from thalweg.submit.shorten import assigns, short_lines, with_variable
from thalweg.submit.trials import Trial, choose_trials

# A job's limit: the predicted time three times, and what a model takes to start on a busy system.
_LIMIT_TIMES = 3.0
_LIMIT_MORE_S = 900.0
WORK = "work"  # in the directory of a run, where the script has a variable for it


@dataclass(frozen=True)
class Wish:
    """Words of the command. limit_s: of each job, 0 = as predicted. variable: of the script."""

    directory: Path
    most_runs: int
    duration: str = ""
    step: str = ""
    limit_s: float = 0.0
    at_once: bool = False
    variable: str = "EXPDIR"
    keep_directory: bool = False
    links: Sequence[Path] = ()


@dataclass(frozen=True)
class Prepared:
    """warnings: what to look at. length: of every run."""

    jobs: JobList
    length: Length
    warnings: list[str]


@dataclass(frozen=True)
class _Written:
    run: TestRun
    lines: list[str]


def prepare(
    script: RunScript, answer: Answer, told_of: Told, proposed: Proposed, wish: Wish
) -> Prepared:  # fmt: skip
    """Writes them. Raises a sentence before anything is written, or where the disk refuses."""
    _refuse_directory(wish.directory)
    trials = choose_trials(proposed.proposal, wish.most_runs)
    length = length_of(answer, proposed.situation, [each.way for each in trials], wish.duration)
    nodes = proposed.proposal.nodes
    machine = proposed.proposal.machine
    predictor, _ = predictor_of(machine, proposed.situation, parse_step(wish.step))
    warnings: list[str] = []
    written: list[_Written] = []
    label = secrets.token_hex(3)  # names tell jobs of one call from those of another
    lines = read_text(script.path).lines
    variable = wish.variable if wish.variable and assigns(lines, wish.variable) else ""
    away = list(leaves_directory(script.path.name, lines, variable))
    for trial in trials:
        lines, said, again = short_lines(script, answer, told_of, trial, length)
        folder = (wish.directory / trial.name).resolve()
        if variable:
            value = shlex.quote(str(folder / WORK))
            lines = with_variable(lines, variable, value)
            said.append(f"{variable}={value}")
            again = told_of({script.path.name: lines})
        left = [*away, *writes_elsewhere(again, folder)]
        if left and not wish.keep_directory:
            raise ThalwegError(
                f"{'; '.join(left)}: test runs may write over each other there and over other "
                "runs; set the place by a variable that --directory-variable names, or add "
                "--keep-directory"
            )
        warnings += [each for each in [*left, *again.warnings] if each not in answer.warnings]
        run = _run(script, trial, predictor, again, proposed, f"{label}-{trial.name}")
        run.changes = said
        limit_s = wish.limit_s or _LIMIT_TIMES * run.predicted["total_s"] + _LIMIT_MORE_S
        job = Job(run.job_name, nodes.count, nodes.ranks_per_node, limit_s, folder,
                  f"LOG.{run.job_name}.%j.o")  # fmt: skip
        written.append(_Written(run, with_batch_lines(script.path.name, lines, job)))
    warnings += _numbers_of_ranks(script, written[0].lines, nodes.ranks)
    jobs = JobList(
        wish.directory, str(script.path.resolve()), machine.name, length.run_ms / 1000.0,
        wish.at_once, [each.run for each in written],
    )  # fmt: skip
    _write(script, jobs, written, wish)
    return Prepared(jobs, length, list(dict.fromkeys(warnings)))


def _run(
    script: RunScript, trial: Trial, predictor: Predictor, again: Answer, proposed: Proposed,
    label: str,
) -> TestRun:  # fmt: skip
    """The short run is predicted by itself: outputs and checkpoints of a step differ in it."""
    situation = situation_of(again)
    (way,) = ways_of(
        predictor, situation, proposed.proposal.nodes, [trial.way.choice], situation.partitions
    )
    told = way.prediction
    if told.reason:
        raise ThalwegError(f"the test run '{trial.name}' cannot be predicted: {told.reason}")
    stem = re.sub(r"[^\w.-]", "_", script.path.name)[:60]
    facts = asdict(way.facts)
    facts["ranks"], facts["levels"] = proposed.proposal.nodes.ranks, situation.levels
    predicted = {"total_s": told.total_s, "low_s": told.low_s, "high_s": told.high_s}
    predicted["whole_s"] = trial.way.prediction.total_s
    return TestRun(
        trial.name, trial.why, trial.name, f"{trial.name}/{stem}", f"{stem}-{label}", predicted,
        facts,
    )  # fmt: skip


_RANKS = re.compile(
    r"\b(?:srun|mpirun|mpiexec)\b[^#;|]*?\s(?:-n|-np|--ntasks[= ])\s*(?:([0-9]+)|\$\{?(\w+)\}?)"
)


def _numbers_of_ranks(script: RunScript, lines: Sequence[str], ranks: int) -> Iterator[str]:
    """Of programs that are started, as a number or a variable whose value is known."""
    for line in lines:
        match = _RANKS.search("" if line.lstrip().startswith("#") else line)
        number = (match[1] or script.variables.known(match[2]) or "") if match else ""
        if number.isdecimal() and int(number) != ranks:
            yield (
                f"{script.path.name}: '{line.strip()}' starts {number} ranks, and the nodes have "
                f"{ranks}"
            )


def _refuse_directory(path: Path) -> None:
    if path.exists():
        raise ThalwegError(f"'{path}' exists; give --directory another name")
    if not path.absolute().parent.is_dir():
        raise ThalwegError(f"the directory '{path.parent}' does not exist; give another name")


def _write(
    script: RunScript, jobs: JobList, written: Sequence[_Written], wish: Wish
) -> None:  # fmt: skip
    text = read_text(script.path)
    try:
        jobs.path.mkdir()
        for each in written:
            folder = jobs.path / each.run.directory
            folder.mkdir()
            for target in wish.links:
                (folder / target.name).symlink_to(target.resolve())
            path = jobs.path / each.run.script
            path.write_bytes(text.line_end.join(each.lines).encode(text.encoding))
            path.chmod(script.path.stat().st_mode & 0o777 | 0o100)
    except OSError as error:
        raise ThalwegError(f"'{jobs.path}' cannot be written: {error.strerror}") from None
    jobs.write()
