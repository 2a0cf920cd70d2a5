# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of our own experiment: bytes of a set, how many a run writes, how many are kept."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.advisor.icon_meshes import Mesh
from thalweg.advisor.own_files import PAGE_BYTES
from thalweg.config.experiment import Experiment
from thalweg.run.native_lists import of_kind

_NUMBER_BYTES = 8  # the state is float64 in memory, and in a part
_MS = 1000
# Words of the index of a part (src/restart/part.hpp); 3 for each run of points beside them, whose
# number the decomposition tells: of a place, no more than of its points.
_HEAD_WORDS, _WORDS_EACH = 11, 3


@dataclass(frozen=True)
class Checkpoints:
    """files: of a set, with its manifest. bytes_per_set: values of the state, without the rest."""

    mode: str
    ranks: int
    interval_s: float
    sets: int
    kept: int
    files: int
    values_per_set: int
    bytes_per_set: int
    header_bytes: int

    @property
    def bytes_in_all(self) -> int:
        return self.sets * self.bytes_per_set

    @property
    def bytes_kept(self) -> int:
        return self.kept * self.bytes_per_set


def own_checkpoints(experiment: Experiment, mesh: Mesh, io_ranks: int) -> Checkpoints | None:
    """None where the run writes none."""
    restart = experiment.tables["restart"]
    name = restart.text("mode")
    mode = next(each for each in of_kind("restart mode") if each["name"] == name)
    if name == "none":
        return None
    ranks = restart.integer("ranks") if mode["ranks"] != "none" else 0
    compute = max(experiment.integer("machine", "ranks") - io_ranks - ranks, 1)
    interval_ms = max(round(restart.number("interval") * _MS), 1)
    sets = round(experiment.number("time", "duration") * _MS) // interval_ms
    fields, values = _state(experiment, mesh)
    written = 1 if not mode["own_files"] else min(ranks, compute) if ranks else compute
    return Checkpoints(
        name,
        ranks,
        restart.number("interval"),
        sets,
        min(sets, restart.integer("keep")),
        written + 1,
        values,
        values * _NUMBER_BYTES,
        _header_bytes(mesh, fields, compute),
    )


def _state(experiment: Experiment, mesh: Mesh) -> tuple[int, int]:
    """Number of prognostic fields, and of their values."""
    levels = experiment.integer("model", "levels")
    if experiment.text("model", "equations") == "primitive":
        # velocity on edges, pressure of the ground and potential temperature on vertices
        return 3, levels * (mesh.edges + mesh.vertices) + mesh.vertices
    tracers = experiment.integer("model", "tracers")
    # velocity on edges, thickness and each tracer's mass on vertices
    return 2 + tracers, levels * (mesh.edges + (1 + tracers) * mesh.vertices)


def _header_bytes(mesh: Mesh, fields: int, compute: int) -> int:
    """At most: an index for each compute rank, and each field up to the next page."""
    runs = mesh.cells + mesh.edges + mesh.vertices
    words = compute * (_HEAD_WORDS + _WORDS_EACH * fields) + _WORDS_EACH * runs
    return words * _NUMBER_BYTES + compute * (1 + fields) * PAGE_BYTES
