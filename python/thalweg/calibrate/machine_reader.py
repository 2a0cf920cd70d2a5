# SPDX-License-Identifier: Apache-2.0
"""Reads machine.toml: refuses another version, what is missing, and what no machine can do."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any, TypeVar

from thalweg.calibrate.machine_file import FORMAT, Fact, Figure, Machine, NotSeparated
from thalweg.calibrate.quantities import BY_NAME, MEASURED, PARAMETERS
from thalweg.config import toml
from thalweg.errors import ThalwegError, did_you_mean

_TABLES = ("format", "machine", "versions", "how", "parameter", "measured", "not_separated")
_FIGURE_KEYS = ("name", "ranks", "unit", "median", "p05", "p95", "n")
_TYPES = {str: "a text", int: "a whole number", float: "a number", dict: "a table", list: "a list",
          datetime.datetime: "a date and time"}  # fmt: skip
Wanted = TypeVar("Wanted")


def read_machine(path: Path) -> Machine:
    """Raises one sentence that names the file and the key."""
    try:
        content = toml.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ThalwegError(
            f"the machine file '{path}' does not exist; make one with 'thalweg calibrate'"
        ) from None
    except OSError as error:
        raise ThalwegError(f"the machine file '{path}' cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ThalwegError(f"the machine file '{path}' is no TOML: {error}") from error
    return _Reader(path, content).machine()


class _Reader:
    def __init__(self, path: Path, content: dict[str, Any]) -> None:
        self.path, self.content = path, content

    def refuse(self, what: str) -> ThalwegError:
        return ThalwegError(f"machine file '{self.path}': {what}")

    def machine(self) -> Machine:
        version = self.content.get("format")
        if version is None:
            raise self.refuse(
                f"'format' is missing, so it is no machine file; this version reads {FORMAT}"
            )
        if version != FORMAT or isinstance(version, bool):
            raise self.refuse(
                f"'format' is {version!r}, but this version reads {FORMAT}; make it again with "
                "'thalweg calibrate'"
            )
        for key in self.content:
            if key not in _TABLES:
                raise self.refuse(f"'{key}' is not known.{did_you_mean(key, _TABLES)}")
        about = self.get(self.content, "machine", dict, "")
        nodes = self.count(about, "nodes", "[machine] ")
        ranks = self.count(about, "ranks", "[machine] ")
        if ranks < nodes:
            raise self.refuse(f"[machine] 'ranks' is {ranks}, fewer than {nodes} nodes")
        name = self.get(about, "name", str, "[machine] ")
        if not name:
            raise self.refuse("[machine] 'name' is empty")
        machine = Machine(
            name, self.get(about, "date", datetime.datetime, "[machine] "), nodes, ranks,
            self.count(about, "cores_per_node", "[machine] "),
            {key: str(value) for key, value in self.table("versions").items()},
            self.table("how"),
            [self.figure("parameter", i, each, ranks)
             for i, each in enumerate(self.entries("parameter"), 1)],
            [self.figure("measured", i, each, ranks)
             for i, each in enumerate(self.entries("measured"), 1)],
            [self.not_separated(i, each)
             for i, each in enumerate(self.entries("not_separated"), 1)],
        )  # fmt: skip
        self.check_complete(machine)
        return machine

    def check_complete(self, machine: Machine) -> None:
        known: set[tuple[str, int]] = set()
        for figure in machine.parameters:
            if (figure.name, figure.ranks) in known:
                raise self.refuse(
                    f"parameter '{figure.name}' on {figure.ranks} ranks is there twice"
                )
            known.add((figure.name, figure.ranks))
        for each in machine.not_separated:
            if (each.parameter, each.ranks) in known:
                raise self.refuse(
                    f"parameter '{each.parameter}' on {each.ranks} ranks has a value, and is in "
                    "'not_separated' as well"
                )
        for quantity in PARAMETERS:
            if machine.parameter(quantity.name) is None and not machine.why_not(quantity.name):
                raise self.refuse(
                    f"parameter '{quantity.name}' is missing, and 'not_separated' has no reason"
                )

    def figure(self, kind: str, number: int, entry: object, ranks: int) -> Figure:
        where = f"{kind} {number}"
        if not isinstance(entry, dict):
            raise self.refuse(f"{where} is no table")
        name = self.get(entry, "name", str, f"{where}: ")
        where = f"{where} ('{name}'): "
        quantity = BY_NAME.get(name) if kind == "parameter" else None
        units = {q.name: q.unit for q in PARAMETERS} if kind == "parameter" else MEASURED
        if name not in units:
            raise self.refuse(f"{where}'name' is not known.{did_you_mean(name, units)}")
        unit = self.get(entry, "unit", str, where)
        if unit != units[name]:
            raise self.refuse(f"{where}'unit' is '{unit}', but must be '{units[name]}'")
        least, most = (quantity.least, quantity.most) if quantity else (0.0, math.inf)
        values = [self.number(entry, key, where, least, most) for key in ("p05", "median", "p95")]
        if values != sorted(values):
            raise self.refuse(
                f"{where}'p05', 'median', 'p95' are {', '.join(f'{v:g}' for v in values)}, which "
                "are not in this order"
            )
        its_ranks = self.count(entry, "ranks", where)
        if its_ranks > ranks:
            raise self.refuse(f"{where}'ranks' is {its_ranks}, more than [machine] 'ranks' {ranks}")
        facts = {key: value for key, value in entry.items() if key not in _FIGURE_KEYS}
        for key, value in facts.items():
            if not isinstance(value, str | int | float):
                raise self.refuse(f"{where}'{key}' is neither a number nor a text")
        return Figure(name, its_ranks, unit, values[1], values[0], values[2],
                      self.count(entry, "n", where), facts)  # fmt: skip

    def not_separated(self, number: int, entry: object) -> NotSeparated:
        where = f"not_separated {number}: "
        if not isinstance(entry, dict):
            raise self.refuse(f"{where}is no table")
        name = self.get(entry, "parameter", str, where)
        if name not in BY_NAME:
            raise self.refuse(
                f"{where}'parameter' '{name}' is not known.{did_you_mean(name, BY_NAME)}"
            )
        reason = self.get(entry, "reason", str, where)
        if not reason:
            raise self.refuse(f"{where}'reason' is empty")
        return NotSeparated(
            name, reason, self.count(entry, "ranks", where) if "ranks" in entry else 0
        )

    def get(self, table: dict[str, Any], key: str, kind: type[Wanted], where: str) -> Wanted:
        if key not in table:
            raise self.refuse(f"{where}'{key}' is missing")
        value = table[key]
        if isinstance(value, bool) or not isinstance(value, kind):
            raise self.refuse(f"{where}'{key}' is {value!r}, but must be {_TYPES[kind]}")
        return value

    def count(self, table: dict[str, Any], key: str, where: str) -> int:
        value = self.get(table, key, int, where)
        if value < 1:
            raise self.refuse(f"{where}'{key}' is {value}, but must be at least 1")
        return value

    def number(
        self, table: dict[str, Any], key: str, where: str, least: float, most: float
    ) -> float:
        value = table.get(key)
        number = float(value) if isinstance(value, int) else self.get(table, key, float, where)
        if isinstance(value, bool) or not math.isfinite(number):
            raise self.refuse(f"{where}'{key}' is {value!r}, but must be a number")
        if number <= 0.0 or not least <= number <= most:
            limits = f"between {least:g} and {most:g}" if least else "above 0"
            raise self.refuse(f"{where}'{key}' is {number:g}, but must be {limits}")
        return number

    def table(self, key: str) -> dict[str, Fact]:
        table: dict[str, Fact] = self.get(self.content, key, dict, "")
        for name, value in table.items():
            if not isinstance(value, str | int | float):
                raise self.refuse(f"[{key}] '{name}' is neither a number nor a text")
        return table

    def entries(self, key: str) -> list[object]:
        return list(self.get(self.content, key, list, "")) if key in self.content else []
