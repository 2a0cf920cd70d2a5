# SPDX-License-Identifier: Apache-2.0
"""What the model says to an experiment with another choice: each choice is asked about once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.advisor.own import patch
from thalweg.advisor.own.situation import OwnChoice
from thalweg.advisor.shapes import Nodes
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.run.directory import default_directory
from thalweg.run.runner import check_experiment


@dataclass(frozen=True)
class ModelChecks:
    """settings: of --set. said: why the model refuses a choice, "" where it does not."""

    experiment: Experiment
    settings: Sequence[str]
    nodes: Nodes
    said: dict[OwnChoice, str] = field(default_factory=dict)

    def refusal(self, choice: OwnChoice) -> str:
        if choice not in self.said:
            self.said[choice] = self._ask(choice)
        return self.said[choice]

    def is_taken(self, choice: OwnChoice) -> bool:
        """Memory that this machine lacks, another has."""
        sentence = self.refusal(choice)
        return not sentence or "this run needs at least" in sentence

    def _ask(self, choice: OwnChoice) -> str:
        changes = patch.changes_of(self.experiment, choice, self.nodes.ranks)
        words = [*self.settings, *patch.override_words(self.experiment, changes)]
        changed = Experiment.read(self.experiment.path, words)
        try:
            check_experiment(changed, default_directory(changed), self.nodes.ranks)
        except ThalwegError as error:
            return error.sentence
        return ""
