# SPDX-License-Identifier: Apache-2.0
"""A machine that runs can be predicted for: fitted to runs that exist, from a table or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.advisor.prediction.fit import REACH, Fit
from thalweg.advisor.prediction.intervals import Noise
from thalweg.advisor.prediction.parameters import BY_NAME, PARAMETERS, Parameter, Values
from thalweg.advisor.prediction.predictor import Predictor, learn
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.prediction.run_table import read_runs
from thalweg.config import toml
from thalweg.errors import ThalwegError

FORMAT = 1
_KIND = "fitted"  # machine files of calibrations that measure have none
_MOST_NOISE = (3.0, 3.0, 30.0)  # of computing, moving, reach: beyond them a time means nothing
_MOST_VARIANCE = 100.0  # of a logarithm: ten factors of e
_RANGES = (
    "cells", "nodes", "ranks_per_node", "compute_ranks", "io_ranks", "restart_ranks", "outputs",
    "checkpoints", "output_bytes", "checkpoint_bytes",
)  # fmt: skip
# Said where the interval is assumed (intervals.py).
ONE_GROUP = ", of one group: how far others are off is not told, and taken to be as on Levante"


@dataclass(frozen=True)
class FittedMachine:
    """name      of the table that was fitted, or what the user calls it
    levels       that the fitted runs had; 0 = not told
    ranges       least and most of each fact among those that have any; 0 and 0: none has
    """

    name: str
    predictor: Predictor
    runs: int
    levels: int
    ranges: dict[str, tuple[float, float]]


def fit_machine(runs: Sequence[MeasuredRun], name: str, levels: int = 0) -> FittedMachine:
    ranges = {}
    for fact in _RANGES:
        values = [float(getattr(run.facts, fact)) for run in runs]
        given = [value for value in values if value > 0.0] or [0.0]
        ranges[fact] = (min(given), max(given))
    return FittedMachine(name, learn(runs), len(runs), levels, ranges)


def load_machine(path: Path) -> FittedMachine:
    """A file that `calibrate --from` wrote, or a table of runs, which is fitted now."""
    if path.suffix.lower() != ".toml":
        return fit_machine(read_runs(path), path.stem)
    try:
        content = toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThalwegError(
            f"the machine file '{path}' cannot be read ({error.strerror}); make one with "
            "'thalweg calibrate --from RUNS -o machine.toml'"
        ) from None
    except ValueError as error:
        raise ThalwegError(f"the machine file '{path}' is no TOML: {error}") from None
    return _Reader(path, content).machine()


def machine_text(machine: FittedMachine) -> str:
    """The file, as `load_machine` reads it."""
    fit, noise = machine.predictor.fit, machine.predictor.noise
    parameters = []
    for parameter in PARAMETERS:
        spread = fit.spread(parameter.name)
        value = fit.values[parameter.name]
        entry: dict[str, Any] = {"name": parameter.name, "value": value, "unit": parameter.unit}
        entry["spread"] = spread
        parameters.append(entry)
    return toml.dumps(
        {
            "format": FORMAT,
            "kind": _KIND,
            "name": machine.name,
            "runs": machine.runs,
            "levels": machine.levels,
            "left_out": list(fit.dropped),
            "not_separated": list(fit.open),
            "noise": {
                "computing": noise.computing,
                "moving": noise.moving,
                "reach": noise.reach,
                "assumed": noise.assumed,
            },
            "ranges": {name: list(ends) for name, ends in machine.ranges.items()},
            "parameter": parameters,
            "fit": {"free": list(fit.free), "covariance": fit.covariance.tolist()},
        }
    )


class _Reader:
    def __init__(self, path: Path, content: dict[str, Any]) -> None:
        self.path, self.content = path, content

    def refuse(self, what: str) -> ThalwegError:
        return ThalwegError(f"machine file '{self.path}': {what}")

    def machine(self) -> FittedMachine:
        version = self.content.get("format")
        if version != FORMAT or isinstance(version, bool):
            raise self.refuse(
                f"'format' is {version!r}, but this version reads {FORMAT}; make it again with "
                "'thalweg calibrate --from RUNS'"
            )
        if self.content.get("kind") != _KIND:
            raise self.refuse(
                "it was measured with the mini-model, and tells nothing of how long ICON's steps "
                "take; make one of ICON's runs with 'thalweg calibrate --from RUNS'"
            )
        free = self.texts("fit", "free")
        values = Values(self.values(free))
        covariance = self.covariance(len(free))
        fit = Fit(values, tuple(free), covariance, tuple(self.texts("", "not_separated")),
                  tuple(self.texts("", "left_out")))  # fmt: skip
        runs, levels = (self.whole(key) for key in ("runs", "levels"))
        name = self.content.get("name")
        if not isinstance(name, str) or not name.isprintable():
            raise self.refuse(f"'name' is {name!r}; a text on one line is needed")
        return FittedMachine(name, Predictor(fit, self.noise()), runs, levels, self.ranges())

    def noise(self) -> Noise:
        """Logarithms, and so many of them: exp(their product) is what a time may be off by."""
        table = self.table("noise")
        numbers = [self.number(table, key) for key in ("computing", "moving", "reach")]
        for number, key, most in zip(numbers, ("computing", "moving", "reach"), _MOST_NOISE,
                                     strict=True):  # fmt: skip
            if not 0.0 < number <= most:
                raise self.refuse(f"'{key}' is {number:g}; above 0 and up to {most:g} is possible")
        assumed = table.get("assumed", False)  # as before it was told
        if not isinstance(assumed, bool):
            raise self.refuse(f"'assumed' is {assumed!r}; true or false is needed")
        computing, moving, reach = numbers
        return Noise(computing, moving, reach, assumed)

    def values(self, free: Sequence[str]) -> dict[str, float]:
        """They lie where a fit may end, or are left out."""
        entries = self.content.get("parameter")
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            raise self.refuse("'parameter' is no list of tables")
        found = {}
        for entry in entries:
            name = entry.get("name")
            if name not in BY_NAME:
                raise self.refuse(f"parameter {name!r} is not known to this version")
            if entry.get("unit") != BY_NAME[name].unit:
                raise self.refuse(f"'unit' of '{name}' must be '{BY_NAME[name].unit}'")
            if name in found:
                raise self.refuse(f"parameter '{name}' is there twice")
            found[name] = self.number(entry, "value")
            if not _is_possible(BY_NAME[name], found[name], name in free):
                raise self.refuse(f"'value' of '{name}' is {found[name]:g}, which no fit gives")
        if missing := [name for name in BY_NAME if name not in found]:
            raise self.refuse(f"parameter '{missing[0]}' is missing")
        return found

    def table(self, name: str) -> dict[str, Any]:
        found = self.content.get(name)
        if not isinstance(found, dict):
            raise self.refuse(f"table '{name}' is missing")
        return found

    def texts(self, table: str, key: str) -> list[str]:
        found = (self.table(table) if table else self.content).get(key)
        if not isinstance(found, list) or not all(each in BY_NAME for each in found):
            raise self.refuse(f"'{key}' is no list of parameters")
        if len(set(found)) < len(found):
            raise self.refuse(f"'{key}' has a parameter twice")
        return found

    def whole(self, key: str) -> int:
        found = self.number(self.content, key)
        if found != int(found):
            raise self.refuse(f"'{key}' is {found:g}; a whole number is needed")
        return int(found)

    def number(self, table: dict[str, Any], key: str) -> float:
        found = table.get(key)
        is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
        if found is not None and is_number and 0.0 <= found < 1e300:
            return float(found)
        raise self.refuse(f"'{key}' is {found!r}; a number from 0 on is needed")

    def covariance(self, size: int) -> np.ndarray:
        rows = self.table("fit").get("covariance")
        try:
            found = np.array(rows, dtype=float).reshape(size, size)
        except (TypeError, ValueError):
            raise self.refuse(f"'covariance' is no table of {size} x {size} numbers") from None
        if (
            not (np.abs(found) <= _MOST_VARIANCE).all()
            or not np.allclose(found, found.T, atol=1e-9)
            or (np.linalg.eigvalsh(found) < -1e-9).any()
        ):
            raise self.refuse("'covariance' has numbers that none can have")
        return found

    def ranges(self) -> dict[str, tuple[float, float]]:
        table = self.table("ranges")
        found = {}
        for name in _RANGES:
            ends = table.get(name)
            if not isinstance(ends, list) or len(ends) != 2:
                raise self.refuse(f"'{name}' of 'ranges' is no pair of numbers")
            least, most = (self.number({name: end}, name) for end in ends)
            if least > most:
                raise self.refuse(f"'{name}' of 'ranges' begins at {least:g} and ends at {most:g}")
            found[name] = (least, most)
        return found


def _is_possible(parameter: Parameter, value: float, free: bool) -> bool:
    if not free and value == parameter.without:
        return True
    return value > 0.0 and abs(np.log(value / parameter.centre)) <= REACH * parameter.spread + 1e-6
