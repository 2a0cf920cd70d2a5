# SPDX-License-Identifier: Apache-2.0
"""The table of ICON's variables that may be written, as rows; names with placeholders spelt out."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "variables"
_FILES = ("dynamics", "nwp", "aes", "land")
_CHOICE = re.compile(r"\{([^}]*)\}")
_LEVEL_TYPES = {"pl": ("P", "n_p_levels"), "il": ("I", "n_i_levels"), "hl": ("Z", "")}
# Surface types of a field "x_{wtr|ice|lnd}" have names of their own; tiles and tracers numbers.
_AVERAGED = "a|acc"


@dataclass(frozen=True)
class Variable:
    """place     cell, edge, vertex, lonlat, or scalar (one value per level)
    levels       1, nlev, nlev+1, nsoil, ...
    extra        a further dimension, "?" where its length is not known
    copies       what a row with * or <...> in its name is repeated over
    bits         of a GRIB2 value where lgribout_24bit is set; 16 otherwise
    kind         real (float64 if asked for), float32 or int32
    vertical     P, Z, I: may be asked for on pressure, height or isentropic levels
    exists_if    a condition on namelist items, in words of icon_conditions.py
    """

    name: str
    area: str
    place: str
    levels: str
    extra: str
    copies: str
    bits: int
    kind: str
    constant: bool
    vertical: str
    groups: tuple[str, ...]
    exists_if: str

    def is_on(self, level_type: str) -> bool:
        """Whether a varlist of this level type (ml, pl, hl, il) may name it."""
        if level_type == "ml":
            return self.levels not in ("n_p_levels", "n_i_levels")
        letter, own = _LEVEL_TYPES[level_type]
        return letter in self.vertical or self.levels == own

    def pattern(self) -> re.Pattern[str] | None:
        """Of the names of a row for several variables."""
        return _pattern(self.name)


@cache
def _pattern(name: str) -> re.Pattern[str] | None:
    if "*" not in name and "<" not in name:
        return None
    text = re.escape(name.lower()).replace(r"\*", r"(\w+)")
    return re.compile(re.sub(r"<[^>]*>", r"(\\w+)", text.replace(r"\<", "<").replace(r"\>", ">")))


@cache
def all_variables() -> tuple[Variable, ...]:
    """Every row of the table; choices such as x_{wtr|ice|lnd} are rows of their own, but for means
    and sums since the start of the run, of which a run has one ("{a|acc}").
    """
    rows: list[Variable] = []
    for name in _FILES:
        with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            lines = [line for line in file if not line.startswith("#")]
        for row in csv.DictReader(lines):
            rows += _spelt_out(_variable(row))
    return tuple(rows)


def _variable(row: dict[str, str]) -> Variable:
    return Variable(
        name=row["name"],
        area=row["area"],
        place=row["place"],
        levels=row["levels"],
        extra=row["extra"],
        copies=row["copies"],
        bits=int(row["bits"]),
        kind=row["type"],
        constant=row["constant"] == "yes",
        vertical=row["vertical"],
        groups=tuple(row["groups"].split()),
        exists_if=row["exists_if"],
    )


def _spelt_out(variable: Variable) -> list[Variable]:
    """Tracers have names of users: rows for "prw|cllvi|..." keep their first names only."""
    name = variable.name
    choice = _CHOICE.search(name)
    if choice and choice[1] != _AVERAGED:
        names = [name.replace(choice[0], word) for word in choice[1].split("|")]
    elif "|" in name and not choice:
        head = "tend_" if name.startswith("tend_") else ""
        tail = "_phy" if "suffix _phy" in name else ""
        names = [
            f"{head}{word.removeprefix('tend_')}{tail}"
            for word in name.partition(",")[0].split("|")
        ]
    else:
        return [replace(variable, name=name.rstrip("?"))]
    return [replace(variable, name=each, copies="") for each in names]


def averaged(name: str, *, means: bool) -> str:
    """ "{a|acc}sob_s" -> "asob_s" where fluxes since the start are means, else "accsob_s"."""
    return name.replace("{a|acc}", "a" if means else "acc")


@cache
def known_groups() -> frozenset[str]:
    return frozenset(group for row in all_variables() for group in row.groups)
