# SPDX-License-Identifier: Apache-2.0
"""The machine of a simulation: the closed form's parameters, and what only single events need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.errors import ThalwegError

_INFINITE = ("sharpness", "file_system_bytes_s", "node_write_bytes_s", "node_pull_bytes_s")

_MOST = {
    "pull_share": 1.0, "restart_pull_share": 1.0, "service_variation": 100.0,
    "step_variation": 100.0,
}  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """values: one for each parameter of the closed form (`prediction/parameters.py`).

    pull_share           [1] of an I/O rank's time per byte that is getting; the rest is writing.
                         0.19: median of the 36 visible Levante runs with async output that log
                         both (0.08 to 0.33)
    restart_pull_share   [1] the same of restart ranks; 0.07: median of 16 such runs (0.02 to 0.12)
    service_variation    [1] standard deviation over mean of the time of one output on one rank
                         (lognormal); 0: every output takes the same time
    step_variation       [1] the same of one step of all compute ranks together (gamma)
    node_write_bytes_s   [bytes/s] what the writers of a node reach together
    node_pull_bytes_s    [bytes/s] what they pull together
    file_system_bytes_s  [bytes/s] what all reach together; None: from `all_writers_s_per_gb`
    put_s_per_gb         [s GB-1] a compute rank copies its part into a slot
    spill_s_per_gb       [s GB-1] a compute rank writes its part to a node-local disk
    message_s            [s] an I/O rank asks one compute rank; `io_event_s` has it where it was
                         fitted to runs
    settle_s             [s] writers of a shared file agree on an output that is whole
    """

    values: Mapping[str, float]
    pull_share: float = 0.19
    restart_pull_share: float = 0.07
    service_variation: float = 0.0
    step_variation: float = 0.0
    node_write_bytes_s: float = math.inf
    node_pull_bytes_s: float = math.inf
    file_system_bytes_s: float | None = None
    put_s_per_gb: float = 0.0
    spill_s_per_gb: float = 0.0
    message_s: float = 0.0
    settle_s: float = 0.0

    @property
    def whole_bytes_s(self) -> float:
        """What all writers reach together."""
        if self.file_system_bytes_s is not None:
            return self.file_system_bytes_s
        each_s = self.values["all_writers_s_per_gb"]
        return 1e9 / each_s if each_s > 0.0 else math.inf

    def check(self) -> None:
        """ThalwegError: a number that no machine has."""
        for parameter in PARAMETERS:
            if parameter.name not in self.values:
                raise ThalwegError(f"machine: '{parameter.name}' has no value; give one")
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "values"}
        for name, value in {**self.values, **own}.items():
            if value is None:
                continue
            rate = name.endswith("bytes_s") or name == "sharpness"
            if not (value > 0.0 if rate else value >= 0.0) or (
                math.isinf(value) and name not in _INFINITE
            ):
                wanted = "above 0" if rate else "0 or more, and finite"
                raise ThalwegError(f"machine: '{name}' = {value}; it must be {wanted}")
        for name, most in _MOST.items():
            if own[name] > most:
                raise ThalwegError(f"machine: '{name}' = {own[name]}; it must be at most {most:g}")
