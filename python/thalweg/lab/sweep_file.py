# SPDX-License-Identifier: Apache-2.0
"""A sweep file: a base experiment, lists of values per setting, and the combinations of them."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from thalweg.config import toml
from thalweg.config.overrides import Override
from thalweg.config.toml import TomlTable, TomlValue
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.run.native_lists import of_kind

_KEYS = ("base", "repetitions", "compute_ranks", "keep_files", "set", "vary")
Settings: TypeAlias = dict[str, TomlValue]


@dataclass(frozen=True)
class Sweep:
    """A checked sweep file.

    base           the experiment that is changed
    fixed          "table.key" -> value of every trial
    varied         "table.key" -> values; a trial for every combination
    compute_ranks  0 = [machine] ranks of the experiment are all ranks
    keep_files     output files of finished trials are kept
    """

    path: Path
    base: Path
    fixed: Settings
    varied: dict[str, list[TomlValue]]
    repetitions: int = 1
    compute_ranks: int = 0
    keep_files: bool = False

    @staticmethod
    def read(path: Path) -> Sweep:
        table = _table(path)
        base = path.parent / str(table.get("base", ""))
        if "base" not in table or not base.is_file():
            raise ThalwegError(
                f"{path.name} [sweep]: base must name an experiment file beside it, "
                f"but '{table.get('base', '')}' is none"
            )
        fixed, given = _flat(_settings(path, table, "set")), _flat(_settings(path, table, "vary"))
        varied: dict[str, list[TomlValue]] = {}
        for key, values in given.items():
            if not isinstance(values, list) or not values:
                raise ThalwegError(
                    f"{path.name} [sweep.vary]: '{key}' must be a list of values, "
                    "for example [1, 2, 4]"
                )
            varied[key] = values
        for key in [*fixed, *varied]:
            Override.parse(f"{key}=")  # a sentence about an unknown table
        return Sweep(
            path, base, fixed, varied,
            _count(path, table, "repetitions", 1), _count(path, table, "compute_ranks", 0),
            bool(table.get("keep_files", False)),
        )  # fmt: skip

    def combinations(self) -> list[Settings]:
        """Every different one; in a mode without I/O ranks all numbers of them are the same."""
        without_io_ranks = {
            each["name"] for each in of_kind("output mode") if each["ranks"] == "none"
        }
        found: dict[str, Settings] = {}
        for values in itertools.product(*self.varied.values()):
            chosen = dict(zip(self.varied, values, strict=True))
            mode = chosen.get("io.mode", self.fixed.get("io.mode"))
            if "io.ranks" in chosen and mode in without_io_ranks:
                chosen["io.ranks"] = 0
            if chosen.get("restart.mode") == "none":
                chosen = {k: v for k, v in chosen.items()
                          if not k.startswith("restart.") or k == "restart.mode"}  # fmt: skip
            found.setdefault(json.dumps(chosen, sort_keys=True), chosen)
        return list(found.values())

    def digest(self) -> str:
        """Of everything but the varied values: results of another base are not taken for done."""
        text = self.base.read_text(encoding="utf-8")
        text += json.dumps([self.fixed, self.compute_ranks], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _flat(table: TomlTable, prefix: str = "") -> Settings:
    """To TOML, io.mode = ... is a table in a table and "io.mode" = ... is not: the same to us."""
    flat: Settings = {}
    for key, value in table.items():
        flat |= (
            _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
        )
    return flat


def override_words(settings: Settings) -> list[str]:
    """As `--set` takes them."""
    return [f"{key}={_word(value)}" for key, value in settings.items()]


def _word(value: TomlValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _table(path: Path) -> TomlTable:
    try:
        content = toml.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ThalwegError(
            f"sweep file '{path}' cannot be read ({error.strerror}); check its path"
        ) from error
    except ValueError as error:
        raise ThalwegError(f"{path.name}: {error}; correct this line (see toml.io)") from error
    table = content.get("sweep")
    if not isinstance(table, dict):
        raise ThalwegError(f"{path.name} has no table [sweep]; see examples/sweep_small.toml")
    for key in table:
        if key not in _KEYS:
            raise ThalwegError(
                f"{path.name} [sweep]: key '{key}' does not exist; choose one of: "
                f"{', '.join(_KEYS)}.{did_you_mean(key, _KEYS)}"
            )
    return table


def _settings(path: Path, table: TomlTable, key: str) -> TomlTable:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ThalwegError(f"{path.name}: '{key}' must be a table; write [sweep.{key}]")
    return value


def _count(path: Path, table: TomlTable, key: str, least: int) -> int:
    value = table.get(key, least)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ThalwegError(
            f"{path.name} [sweep]: {key} is {value!r}, but must be a whole number of at least "
            f"{least}"
        )
    return value
