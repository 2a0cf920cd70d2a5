# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise SCRIPT --machine M --nodes N`: what to choose, what it takes, and the patch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from thalweg.advisor.curve import write_curve
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.proposing.as_json import alternatives_as_json, proposal_as_json
from thalweg.advisor.proposing.changes import changes_of
from thalweg.advisor.proposing.event_run import (
    parse_variation,
    simulate_way,
    simulation_text,
)
from thalweg.advisor.proposing.machine import FittedMachine, load_machine
from thalweg.advisor.proposing.page import print_proposal, warnings_of
from thalweg.advisor.proposing.patch import (
    Lines,
    changed_lines,
    patch_text,
    refuse_copy,
    text_of,
    used_elsewhere,
    write_copy,
)
from thalweg.advisor.proposing.propose import Proposal, propose
from thalweg.advisor.proposing.situation import Situation, kept_whole, situation_of
from thalweg.advisor.proposing.steps import parse_step, predictor_of
from thalweg.advisor.shapes import Asked, Nodes
from thalweg.advisor.simulation import Simulation
from thalweg.config.run_script import RunScript
from thalweg.errors import ThalwegError

_MANY_FILES = 8  # times as many as before, which is told


@dataclass(frozen=True)
class Written:
    """By the run as proposed. files: of output; bytes_in_all: with restart sets."""

    files: int
    bytes_in_all: int


@dataclass(frozen=True)
class Proposed:
    """patch and written: None where the script cannot be changed here; a warning tells why."""

    situation: Situation
    proposal: Proposal
    patch: str | None
    warnings: list[str]
    written: Written | None
    simulated: tuple[Simulation, float] | None = None

    def as_json(self) -> Mapping[str, object]:
        written = self.written
        return {
            "proposal": {
                **proposal_as_json(self.proposal, self.situation),
                "files": written.files if written else None,
                "bytes_in_all": written.bytes_in_all if written else None,
                "patch": self.patch and f"{self.patch}\n",
                "simulation": self.simulated[0].to_json() if self.simulated else None,
            },
            "alternatives": alternatives_as_json(self.proposal, self.situation),
        }

    def print(self) -> None:
        print()
        print_proposal(self.proposal, self.situation, self._written_text())
        if self.simulated:
            print()
            print(simulation_text(*self.simulated, self.proposal.best.prediction))
        if self.patch is not None:
            print()
            print(self.patch or "the script has all of it already: nothing to change")

    def _written_text(self) -> str:
        if self.written is None:
            return ""
        sets = " with restart sets" if self.situation.sets else ""
        size = f"{self.written.bytes_in_all / 1e9:.3f} GB{sets}"
        return f"{self.written.files} files of output, {size}"


def propose_for(
    script: RunScript,
    answer: Answer,
    asked: Asked,
    told_of: Callable[[Lines], Answer],
) -> Proposed:
    """told_of: what a script with these lines would write. Raises a sentence for what does not go
    together; nothing is written then.
    """
    step, variation = parse_step(asked.step), parse_variation(asked.simulate)
    machine = load_machine(asked.machine)
    nodes = _nodes(asked, machine)
    situation = situation_of(answer)
    predictor, notes = predictor_of(machine, situation, step)
    proposal = propose(machine, predictor, situation, nodes)
    warnings = [*situation.notes, *notes, *warnings_of(proposal)]
    if proposal.best.choice.io_ranks:
        warnings += kept_whole(answer.streams)
    groups = answer.runs[0].settings.groups
    changes = changes_of(groups, answer.streams, proposal.best)
    patch, written = None, None
    changed: Lines = {}
    try:
        changed = changed_lines(script, groups, changes)
        again = told_of(changed)
        written = _read_back(again, proposal, script)
        patch = patch_text(script, changed)
        warnings += [*_else_changed(answer, again), *used_elsewhere(script, changed)]
        warnings += [
            f"'{name}' is no UTF-8, and the patch is: --write makes a copy that is as it was"
            for name in changed if text_of(script, name).encoding == "latin-1"
        ]  # fmt: skip
        if asked.write is not None:
            refuse_copy(asked.write, script, changed)
    except ThalwegError as error:
        if asked.write is not None:
            raise
        by_hand = "; ".join(dict.fromkeys(map(str, changes)))
        warnings.append(f"there is no patch: {error.sentence}; set by hand: {by_hand}")
    if asked.picture is not None:
        write_curve(proposal.curve, proposal.best, asked.picture)
    simulated = None
    if variation is not None:
        values = predictor.fit.values
        simulated = simulate_way(situation, proposal.best, values, variation), variation
    if asked.write is not None:
        write_copy(asked.write, script, changed)
    return Proposed(situation, proposal, patch, warnings, written, simulated)


def _read_back(again: Answer, proposal: Proposal, script: RunScript) -> Written:
    """What the changed script would write: it must say what is proposed."""
    found, best = situation_of(again), proposal.best
    if (found.chosen, found.partitions) != (best.choice, best.partitions):
        raise ThalwegError(
            f"{script.path.name}: with the lines of the proposal it would still have "
            f"{found.chosen or 'what is open'} and partitions {found.partitions}, since it sets "
            "them elsewhere, too"
        )
    return Written(
        sum(stream.files for stream in again.streams),
        sum(stream.bytes_in_all for stream in again.streams) + found.sets * found.bytes_per_set,
    )


def _else_changed(before: Answer, after: Answer) -> Iterator[str]:
    """With partitions ICON takes steps_per_file as 1."""
    for old, new in zip(before.streams, after.streams, strict=True):
        if new.files > _MANY_FILES * old.files:
            whose = "each output" if new.files == new.outputs else "each partition"
            yield (
                f"stream '{new.name}' would have {new.files} files instead of {old.files}: with "
                f"partitions {whose} has its own; a longer file_interval makes fewer"
            )


def _nodes(asked: Asked, machine: FittedMachine) -> Nodes:
    if asked.nodes < 0:
        raise ThalwegError(f"--nodes {asked.nodes} is no number of nodes")
    if asked.nodes < 1:
        raise ThalwegError("--machine needs the size of the allocation; give --nodes N")
    if asked.ranks_per_node < 0:
        raise ThalwegError(f"--ranks-per-node {asked.ranks_per_node} is no number of ranks")
    least, most = machine.ranges["ranks_per_node"]
    each = asked.ranks_per_node or (int(least) if least == most else 0)
    if each < 1:
        raise ThalwegError(
            "how many ranks a node has is not told; give --ranks-per-node P (128 on Levante)"
        )
    return Nodes(asked.nodes, each)
