# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise SCRIPT --machine M --nodes N`: what to choose, what it takes, and the patch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.proposing.event_run import (
    parse_variation,
    simulate_way,
    simulation_text,
)
from thalweg.advisor.proposing.machine import FittedMachine, load_machine
from thalweg.advisor.proposing.page import (
    alternatives_as_json,
    print_proposal,
    proposal_as_json,
    warnings_of,
)
from thalweg.advisor.proposing.patch import changed_lines, patch_text, write_copy
from thalweg.advisor.proposing.propose import Proposal, propose
from thalweg.advisor.proposing.situation import Nodes, Situation, situation_of
from thalweg.advisor.proposing.steps import parse_step, predictor_of
from thalweg.advisor.simulation import Simulation
from thalweg.config.run_script import RunScript
from thalweg.errors import ThalwegError

_MOST_RANKS = 2**24


@dataclass(frozen=True)
class Asked:
    """Words of the command. nodes, ranks_per_node: 0 = not given."""

    machine: Path
    nodes: int
    ranks_per_node: int
    step: str = ""
    write: Path | None = None
    picture: Path | None = None
    simulate: str = ""


@dataclass(frozen=True)
class Written:
    """By the run as proposed. files: of output; bytes_in_all: with restart sets."""

    files: int
    bytes_in_all: int


@dataclass(frozen=True)
class Proposed:
    situation: Situation
    proposal: Proposal
    patch: str
    warnings: list[str]
    written: Written
    simulated: tuple[Simulation, float] | None = None

    def as_json(self) -> Mapping[str, object]:
        return {
            "proposal": {
                **proposal_as_json(self.proposal, self.situation),
                "files": self.written.files,
                "bytes_in_all": self.written.bytes_in_all,
                "patch": self.patch,
                "simulation": self.simulated[0].to_json() if self.simulated else None,
            },
            "alternatives": alternatives_as_json(self.proposal, self.situation),
        }

    def print(self) -> None:
        print()
        print_proposal(self.proposal, self.situation)
        written = self.written
        print(f"{written.files} files of output, {written.bytes_in_all / 1e9:.3f} GB with restarts")
        if self.simulated:
            print(simulation_text(*self.simulated))
        if self.patch:
            print()
            print(self.patch)


def propose_for(
    script: RunScript,
    answer: Answer,
    asked: Asked,
    told_of: Callable[[Sequence[str]], Answer],
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
    changed = changed_lines(script, answer.streams, proposal.best)
    files = _read_back(told_of(changed), proposal, script)
    simulated = None
    if variation is not None:
        values = predictor.fit.values
        simulated = simulate_way(situation, proposal.best, values, variation), variation
    if asked.write is not None:
        write_copy(asked.write, changed, script.path)
    if asked.picture is not None:
        from thalweg.advisor.proposing.picture import write_curve

        write_curve(proposal, asked.picture)
    warnings = [*situation.notes, *notes, *warnings_of(proposal)]
    return Proposed(situation, proposal, patch_text(script, changed), warnings, files, simulated)


def _read_back(again: Answer, proposal: Proposal, script: RunScript) -> Written:
    """What the changed script would write: it must say what is proposed."""
    found, best = situation_of(again), proposal.best
    wanted = (best.choice, best.partitions if best.choice.io_ranks else found.partitions)
    if (found.chosen, found.partitions) != wanted:
        raise ThalwegError(
            f"{script.path.name}: the lines of the proposal do not count there, as the script sets "
            f"them elsewhere, too: it has {found.chosen} instead of {best.choice}; make one of them"
        )
    sets = found.sets * found.bytes_per_set
    return Written(
        sum(stream.files for stream in again.streams),
        sum(stream.bytes_in_all for stream in again.streams) + sets,
    )


def _nodes(asked: Asked, machine: FittedMachine) -> Nodes:
    if asked.nodes < 1:
        raise ThalwegError("--machine needs the size of the allocation; give --nodes N")
    least, most = machine.ranges["ranks_per_node"]
    each = asked.ranks_per_node or (int(least) if least == most else 0)
    if each < 1:
        raise ThalwegError(
            "how many ranks a node has is not told; give --ranks-per-node P (128 on Levante)"
        )
    if asked.nodes * each > _MOST_RANKS:
        raise ThalwegError(
            f"{asked.nodes} nodes with {each} ranks each are more than {_MOST_RANKS} ranks: no "
            "machine has as many"
        )
    return Nodes(asked.nodes, each)
