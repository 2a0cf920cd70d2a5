# SPDX-License-Identifier: Apache-2.0
"""`thalweg tune`: proposes, runs the proposal and its neighbours, compares, keeps what it saw."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from thalweg.advisor.own import patch
from thalweg.advisor.own.calibrated import calibrated_in
from thalweg.advisor.own.command import nodes_of
from thalweg.advisor.own.learned import OwnPredictor, OwnRun, learn_own
from thalweg.advisor.own.memory import known_runs, memory_path, remember, run_of
from thalweg.advisor.own.model_checks import ModelChecks
from thalweg.advisor.own.page import own_proposal_as_json, print_own_proposal
from thalweg.advisor.own.propose import OwnProposal, propose_own
from thalweg.advisor.own.rates import load_calibrated
from thalweg.advisor.own.runs import read_own_runs
from thalweg.advisor.own.situation import (
    OwnChoice,
    OwnSituation,
    own_situation,
)
from thalweg.advisor.own.validate_command import factors_of, print_factors
from thalweg.advisor.own_experiment import find_own_streams
from thalweg.advisor.shapes import Nodes, Prediction
from thalweg.advisor.words import many, percent, seconds
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.run.progress import ProgressDisplay
from thalweg.run.runner import RunRequest, run_case
from thalweg.tables import print_table


@dataclass(frozen=True)
class TuneRequest:
    """machine None: calibrate into `out`. nodes, ranks_per_node: 0 = as the experiment has them.

    neighbours   ways that are run beside the proposal and what the experiment has
    """

    experiment: Path
    settings: Sequence[str]
    machine: Path | None
    out: Path
    nodes: int = 0
    ranks_per_node: int = 0
    neighbours: int = 2
    repeats: int = 1
    minutes: float = 3.0
    keep_files: bool = False
    as_json: bool = False
    overwrite: bool = False


@dataclass(frozen=True)
class TunedWay:
    """before, after: predictions without and with the runs of this call. times_s: of its runs."""

    name: str
    choice: OwnChoice
    before: Prediction
    times_s: tuple[float, ...]
    after: Prediction

    @property
    def median_s(self) -> float:
        return float(np.median(self.times_s))


def tune(request: TuneRequest) -> None:
    experiment = Experiment.read(request.experiment, request.settings)
    if experiment.text("restart", "read"):
        raise ThalwegError(
            f"{request.experiment.name} [restart]: read is set, and a run that goes on tells "
            "nothing of a whole one; leave it out"
        )
    answer = find_own_streams(experiment)
    ranks = request.nodes * request.ranks_per_node or experiment.integer("machine", "ranks")
    machine_path = request.machine or calibrated_in(request.out, ranks, request.minutes)
    machine = load_calibrated(machine_path)
    known = known_runs(machine_path, machine)
    nodes = nodes_of(machine, experiment, request.nodes, request.ranks_per_node)
    _refuse_other_nodes(nodes)
    situation = own_situation(experiment, answer)
    before = learn_own(machine, known)
    model = ModelChecks(experiment, request.settings, nodes)
    proposal = propose_own(before, situation, nodes, model.is_taken)
    runs = _run_all(request, proposal, situation, nodes, partial(remember, machine_path, machine))
    after = learn_own(machine, [*known, *(run for _, run in runs)])
    tuned = _tuned(runs, situation, nodes, before, after)
    again = propose_own(after, situation, nodes, model.is_taken)
    if request.as_json:
        print(json.dumps(_as_json(tuned, again, situation, machine_path), indent=1))
    else:
        _print(tuned, again, situation, machine_path)


def learn_from(runs: Path, machine_path: Path, nodes: int, as_json: bool) -> None:
    """Keeps runs that exist beside the machine file, and tells what they correct."""
    machine = load_calibrated(machine_path)
    known = known_runs(machine_path, machine)
    if runs.resolve() == memory_path(machine_path).resolve():
        raise ThalwegError(f"'{runs}' is what '{machine_path}' knows already")
    read, notes = read_own_runs(runs, nodes or 1)
    twice = {(run.group, run.choice, run.total_s) for run in known}
    found = [run for run in read if (run.group, run.choice, run.total_s) not in twice]
    if len(found) < len(read):
        notes = [*notes, f"{many(len(read) - len(found), 'run')} of '{runs}' were known already"]
    for run in found:
        remember(machine_path, machine, run)
    predictor = learn_own(machine, [*known, *found])
    factors = factors_of(predictor)
    if as_json:
        told = [{"name": n, "value": v, "low": low, "high": high} for n, v, low, high in factors]
        content = {"runs": predictor.runs, "factors": told, "notes": notes}
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    print_factors(predictor)
    for note in notes:
        print(f"note: {note}")
    print(f"'{memory_path(machine_path)}' has {many(predictor.runs, 'run')} now")


def _run_all(
    request: TuneRequest, proposal: OwnProposal, situation: OwnSituation, nodes: Nodes,
    keep: Callable[[OwnRun], object],
) -> list[tuple[str, OwnRun]]:  # fmt: skip
    """The ways take turns, so that a slow minute of the machine hits all of them. keep: each run as
    it ends, so that none is lost with a later one.
    """
    ways = _ways(proposal, request.neighbours)
    repeats = range(1, request.repeats + 1)
    _refuse_runs(request, [_folder(request, name, at) for at in repeats for name, _ in ways])
    runs: list[tuple[str, OwnRun]] = []
    count = request.repeats * len(ways)
    with ProgressDisplay("tune") as display:
        for repeat in repeats:
            for name, choice in ways:
                display.show(len(runs) / count, f"{name}: {choice}")
                folder = _folder(request, name, repeat)
                total_s, experiment = _run(request, situation, choice, nodes, folder)
                run = run_of(f"{name} {repeat}", experiment, nodes.count, total_s)
                keep(run)
                runs.append((name, run))
    return runs


def _folder(request: TuneRequest, name: str, repeat: int) -> Path:
    again = f"_repeat_{repeat}" if repeat > 1 else ""
    return request.out / f"{name.replace(' ', '_')}{again}"


def _refuse_runs(request: TuneRequest, folders: Sequence[Path]) -> None:
    """Nobody's run is replaced without a word."""
    there = [folder for folder in folders if folder.exists()]
    if there and not request.overwrite:
        raise ThalwegError(
            f"'{there[0]}' exists, and its run would be replaced; give --out another directory, or "
            "add --overwrite"
        )


def _refuse_other_nodes(nodes: Nodes) -> None:
    """The runs are kept with their nodes: they must be where they are said to be."""
    told = os.environ.get("SLURM_JOB_NUM_NODES") or "1"
    if not (told.isascii() and told.isdigit() and len(told) < 10):
        raise ThalwegError(f"SLURM_JOB_NUM_NODES is '{told[:20]}', which is no number of nodes")
    here = int(told)
    if nodes.count > here:
        raise ThalwegError(
            f"the runs would be on {many(nodes.count, 'node')}, and this allocation has {here}; "
            "give --nodes and --ranks-per-node that it has"
        )


def _ways(proposal: OwnProposal, neighbours: int) -> list[tuple[str, OwnChoice]]:
    """Each choice once."""
    named = [("proposed", proposal.best.choice)]
    if proposal.now is not None:
        named.append(("now", proposal.now.choice))
    near = [way.choice for way in proposal.alternatives]
    named += [(f"or {number}", choice) for number, choice in enumerate(near, 1)]
    found: dict[OwnChoice, str] = {}
    for name, choice in named:
        if choice not in found and (not name.startswith("or") or _others(found) < neighbours):
            found[choice] = name
    return [(name, choice) for choice, name in found.items()]


def _others(found: dict[OwnChoice, str]) -> int:
    return sum(name.startswith("or") for name in found.values())


def _run(
    request: TuneRequest, situation: OwnSituation, choice: OwnChoice, nodes: Nodes, folder: Path
) -> tuple[float, Experiment]:
    changes = patch.changes_of(situation.experiment, choice, nodes.ranks)
    words = [*request.settings, *patch.override_words(situation.experiment, changes)]
    run = run_case(
        RunRequest(request.experiment, nodes.ranks, words, folder, overwrite=True, quiet=True)
    )
    total_s = float(run.summary()["metrics"]["run_time_s"])
    if not request.keep_files:
        for each in (run.files_path, run.path / "restart"):
            shutil.rmtree(each, ignore_errors=True)
        run.files_path.mkdir()
    return total_s, run.experiment()


def _tuned(
    runs: Sequence[tuple[str, OwnRun]], situation: OwnSituation, nodes: Nodes,
    before: OwnPredictor, after: OwnPredictor,
) -> list[TunedWay]:  # fmt: skip
    found = []
    for name in dict.fromkeys(name for name, _ in runs):
        its = [run for each, run in runs if each == name]
        choice = its[0].choice
        times = tuple(run.total_s for run in its)
        told = [each.predict(situation, choice, nodes) for each in (before, after)]
        found.append(TunedWay(name, choice, told[0], times, told[1]))
    return found


def _print(
    tuned: Sequence[TunedWay], again: OwnProposal, situation: OwnSituation, machine: Path
) -> None:
    columns = ("", "way", "predicted", "80 % between", "measured", "off by", "inside",
               "with these runs")  # fmt: skip
    rows = [
        [
            each.name, str(each.choice), seconds(each.before.total_s),
            f"{seconds(each.before.low_s)} {seconds(each.before.high_s)}", seconds(each.median_s),
            percent(each.before.total_s / each.median_s - 1.0),
            "yes" if each.before.low_s <= each.median_s <= each.before.high_s else "no",
            seconds(each.after.total_s),
        ]
        for each in tuned
    ]  # fmt: skip
    print_table(columns, rows, right=(*columns[2:6], columns[7]))
    for line in conclusion(tuned):
        print(line)
    print(f"kept in '{memory_path(machine)}': advise --machine {machine} counts these runs, too")
    print()
    print_own_proposal(again, situation, "")
    for note in again.notes:
        print(f"warning: {note}")


def conclusion(tuned: Sequence[TunedWay]) -> Iterator[str]:
    """Which was the shortest, and what is not told apart from it by how far runs repeat."""
    best = min(tuned, key=lambda each: each.median_s)
    repeats = len(best.times_s)
    of = f"by the median of {repeats} runs each" if repeats > 1 else "of one run each"
    yield f"shortest, {of}: {best.name} ({best.choice}), {seconds(best.median_s)}"
    if best is not tuned[0]:
        longer = percent(tuned[0].median_s / best.median_s - 1.0)
        yield f"the proposal took {longer} longer"
    others = [each for each in tuned if each is not best]
    if repeats == 1:
        if others:
            yield "how far runs of one way differ was not measured: --repeats 3 tells"
        return
    near = [each.name for each in others if min(each.times_s) <= max(best.times_s)]
    took = f"{seconds(min(best.times_s))} to {seconds(max(best.times_s))}"
    if near:
        yield f"not told apart from it, whose runs took {took}: {', '.join(near)}"
    elif others:
        yield f"all runs of the others took longer than any of its: {took}"


def _as_json(
    tuned: Sequence[TunedWay], again: OwnProposal, situation: OwnSituation, machine: Path
) -> dict[str, object]:
    best, alternatives = own_proposal_as_json(again, situation)
    return {
        "ways": [
            {
                "name": each.name,
                "choice": str(each.choice),
                "predicted_s": each.before.total_s,
                "low_s": each.before.low_s,
                "high_s": each.before.high_s,
                "measured_s": list(each.times_s),
                "predicted_with_these_runs_s": each.after.total_s,
            }
            for each in tuned
        ],
        "proposal": best,
        "alternatives": alternatives,
        "warnings": list(again.notes),
        "machine": str(machine),
        "runs_kept": str(memory_path(machine)),
    }
