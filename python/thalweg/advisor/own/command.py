# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise EXPERIMENT.toml --machine M`: what to choose, how long it takes, the patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.advisor.curve import write_curve
from thalweg.advisor.own import patch
from thalweg.advisor.own.event_run import simulate_own
from thalweg.advisor.own.learned import learn_own
from thalweg.advisor.own.memory import known_runs
from thalweg.advisor.own.model_checks import ModelChecks
from thalweg.advisor.own.page import own_proposal_as_json, print_own_proposal
from thalweg.advisor.own.propose import OwnProposal, propose_own
from thalweg.advisor.own.rates import load_calibrated
from thalweg.advisor.own.situation import (
    OwnSituation,
    own_situation,
)
from thalweg.advisor.own_experiment import OwnAnswer, find_own_streams
from thalweg.advisor.proposing.event_run import parse_variation, simulation_text
from thalweg.advisor.shapes import Asked, Nodes, spread_over
from thalweg.advisor.simulation import Simulation
from thalweg.advisor.text_patch import difference, refuse_existing, write_like
from thalweg.calibrate.machine_file import Machine
from thalweg.config.experiment import Experiment
from thalweg.config.text_files import read_text
from thalweg.errors import ThalwegError

_GB = 1e9


@dataclass(frozen=True)
class OwnProposed:
    """patch: None where the file cannot be changed here; a warning tells why."""

    situation: OwnSituation
    proposal: OwnProposal
    answer: OwnAnswer
    patch: str | None
    warnings: list[str]
    simulated: tuple[Simulation, float] | None = None  # and the variation that was asked

    @property
    def files(self) -> int:
        return sum(each.files for each in self.answer.streams)

    @property
    def bytes_in_all(self) -> int:
        sets = self.answer.checkpoints
        streams = sum(each.bytes_in_all for each in self.answer.streams)
        return streams + (sets.bytes_in_all if sets else 0)

    def as_json(self) -> Mapping[str, object]:
        best, alternatives = own_proposal_as_json(self.proposal, self.situation)
        written = {
            "files": self.files,
            "bytes_in_all": self.bytes_in_all,
            "patch": self.patch and f"{self.patch}\n",
            "simulation": self.simulated[0].to_json() if self.simulated else None,
        }
        return {"proposal": {**best, **written}, "alternatives": alternatives}

    def print(self) -> None:
        print()
        sets = " with checkpoints" if self.situation.sets else ""
        written = f"{self.files} files of output, {self.bytes_in_all / _GB:.3f} GB{sets}"
        print_own_proposal(self.proposal, self.situation, written)
        if self.simulated:
            print()
            print(simulation_text(*self.simulated, self.proposal.best.prediction))
        if self.patch is not None:
            print()
            print(self.patch or "the experiment has all of it already: nothing to change")


def propose_for_own(
    path: Path, settings: Sequence[str], experiment: Experiment, answer: OwnAnswer, asked: Asked
) -> OwnProposed:
    """Raises a sentence for what does not go together; nothing is written then."""
    if asked.step:
        raise ThalwegError("--step is for ICON scripts; leave it out for an experiment")
    variation = parse_variation(asked.simulate)
    machine = load_calibrated(asked.machine)
    predictor = learn_own(machine, known_runs(asked.machine, machine))
    nodes = nodes_of(machine, experiment, asked.nodes, asked.ranks_per_node)
    situation = own_situation(experiment, answer)
    model = ModelChecks(experiment, settings, nodes)
    proposal = propose_own(predictor, situation, nodes, model.is_taken)
    warnings = list(proposal.notes)
    choice = proposal.best.choice
    changes = patch.changes_of(experiment, choice, nodes.ranks)
    words = [*settings, *patch.override_words(experiment, changes)]
    refused = bool(model.refusal(choice))  # for its memory: more is asked then
    written = find_own_streams(Experiment.read(path, words), checked=refused)
    text, told = read_text(path), None
    try:
        lines = patch.changed_lines(text, changes)
        again = patch.read_back(path, text, lines, settings)
        patch.refuse_other(path, again, choice, nodes.ranks)
        told = "\n".join(difference(path.name, text, lines))
        if asked.write is not None:
            refuse_existing(asked.write)
            write_like(asked.write, path, text, lines)
            if settings:
                warnings.append(f"'{asked.write}' has nothing of what --set says; give it again")
    except ThalwegError as error:
        if asked.write is not None:
            raise
        by_hand = ", ".join(patch.override_words(experiment, changes))
        warnings.append(f"there is no patch: {error.sentence}; set by hand: {by_hand}")
    if asked.picture is not None:
        write_curve(proposal.curve, proposal.best, asked.picture)
    simulated = None
    if variation is not None:
        simulated = simulate_own(predictor, situation, proposal.best, variation), variation
    return OwnProposed(situation, proposal, written, told, warnings, simulated)


def nodes_of(machine: Machine, experiment: Experiment, nodes: int, ranks_per_node: int) -> Nodes:
    """Not given (0): as many ranks as the experiment has, on nodes as they were calibrated."""
    ranks = experiment.integer("machine", "ranks")
    if nodes < 0 or ranks_per_node < 0:
        raise ThalwegError("--nodes and --ranks-per-node are 1 or more")
    if nodes:
        return Nodes(nodes, ranks_per_node or machine.cores_per_node)
    each = max(machine.cores_per_node, machine.ranks // machine.nodes)
    if ranks_per_node:
        nodes = -(-ranks // ranks_per_node)
        return Nodes(nodes, ranks_per_node, nodes * ranks_per_node - ranks)
    return spread_over(ranks, 1 if machine.nodes == 1 else -(-ranks // each))
