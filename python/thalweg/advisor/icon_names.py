# SPDX-License-Identifier: Apache-2.0
"""From a varlist to variables: groups, tiles, "-name", the dictionary, and names that are wrong."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from thalweg.advisor.icon_conditions import Conditions, Known
from thalweg.advisor.icon_sample import Sample
from thalweg.advisor.icon_variables import Variable, all_variables, averaged, known_groups
from thalweg.errors import did_you_mean

GRID_PREFIX = "grid:"  # coordinates of the mesh, which output_grid asks for
UNCOVERED = "is no variable of the atmosphere"  # and may yet exist
WATER_TILES = 3  # beside land tiles where there is more than one of these
_FORCING = {"nwp": 3, "land_nwp": 3, "aes": 2}  # iforcing with which the lists of an area exist
_LEVELS_WORD = {"pl": "pressure", "hl": "height", "il": "isentropic"}
# Groups of ICON whose members are in no table here: those of ART, plugins, the ocean, waves, others
_FILLED_ELSEWHERE = (
    "art_", "comin_", "echam_timemean", "hamocc_", "ice_", "meteogram", "oce_", "ocean_",
    "wave_", "wind_10m",
)  # fmt: skip
_TILED = "_t_*"
_MOST_TILES = 1000
_MOST_GUESSED = 20  # wrong names that a close one is looked for; each takes 20 ms


@dataclass
class Resolved:
    """variables   once each, in the order of the list
    unknown        name -> why the model would stop at it
    doubtful       group -> members that exist under conditions that the script does not tell
    removed        names behind a minus
    sampled        name -> file of --sample that its levels are taken from
    """

    variables: dict[str, Variable] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    doubtful: dict[str, list[str]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    sampled: dict[str, str] = field(default_factory=dict)


@functools.cache
def _variables(means: bool) -> tuple[list[Variable], dict[str, list[Variable]]]:
    """All that ICON can have, and by their names in small letters. means: lflux_avg."""
    rows = [replace(row, name=averaged(row.name, means=means)) for row in all_variables()]
    by_name: dict[str, list[Variable]] = {}
    for row in rows:
        by_name.setdefault(row.name.lower(), []).append(row)
    return rows, by_name


class Names:
    """Of one domain. `tracers` are names that users gave.

    dictionary  small letters -> name of ICON; None where it is missing
    sample      variables of files of earlier runs, for names that are not in the table
    full        levels of the domain
    """

    def __init__(
        self,
        conditions: Conditions,
        dictionary: Mapping[str, str] | None,
        tracers: Sequence[str],
        sample: Sample,
        full: int,
    ) -> None:
        self.conditions = conditions
        self.sample, self.full = sample, full
        self.dictionary = dictionary or {}
        self._dictionary_misses = dictionary is None
        self.tracers = tracers
        settings = conditions.settings
        land = settings.section("lnd_nml")
        tiles = land.integer("ntiles", 1)
        if not 1 <= tiles <= _MOST_TILES:
            raise land.wrong("ntiles", f"is {tiles}; give 1 to {_MOST_TILES}")
        self.land_tiles = tiles * (2 if tiles > 1 and land.flag("lsnowtile", False) else 1)
        self.all_tiles = self.land_tiles + (WATER_TILES if tiles > 1 else 0)
        means = settings.section("io_nml").flag("lflux_avg", True)
        self._rows, self._by_name = _variables(means)
        self._guesses = 0
        others = self._other_variables()
        self._absent = f"{UNCOVERED} ({others})" if others else ""

    def _other_variables(self) -> str:
        """What may have a variable that is in no table here."""
        land = self.conditions.settings.find("aes_phy_config(1)%ljsb")
        jsbach = land is not None and land.flag("aes_phy_config(1)%ljsb", False)
        jsbach = jsbach or self.conditions.number("inwp_surface") == 2
        art = self.conditions.settings.section("run_nml").flag("lart", False)
        parts = ["the dictionary is missing"] * self._dictionary_misses
        parts += ["those of JSBACH are not known here"] * jsbach
        return ", ".join(parts + ["those of ART are not known here"] * art)

    def resolve(self, names: Iterable[str], level_type: str, *, remapped: bool) -> Resolved:
        """remapped: to longitudes and latitudes, where groups have cells only."""
        done = Resolved()
        for word in names:
            minus = word.startswith("-")
            name = self._translated(word.removeprefix("-").strip())
            if name.lower().startswith(GRID_PREFIX):
                done.removed |= {name.lower()} if minus else set()
                continue
            target = Resolved() if minus else done
            if name.lower().startswith("group:"):
                self._add_group(name[6:].lower(), level_type, remapped, target)
            elif name.lower().startswith("tiles:"):
                self._add_tiles(name[6:].lower(), level_type, target)
            else:
                self._add_name(name, level_type, remapped, target)
            if minus:
                done.removed |= set(target.variables) | {name.lower()}
        for name in done.removed:
            done.variables.pop(name, None)
            done.unknown.pop(name, None)
        return done

    def translated(self, words: Iterable[str]) -> set[str]:
        """Every name that a list asks for itself, in small letters."""
        return {self._translated(word).lower() for word in words if not word.startswith("-")}

    def _translated(self, name: str) -> str:
        return self.dictionary.get(name.lower(), name)

    def _truth(self, row: Variable, *, named: bool = False) -> Known:
        wanted = _FORCING.get(row.area)
        if wanted is not None:
            forcing = self.conditions.number("iforcing")
            if forcing is not None and forcing != wanted:
                return False
        return self.conditions.holds(row.exists_if, row.name, named=named)

    def _add_name(self, name: str, level_type: str, remapped: bool, done: Resolved) -> None:
        rows = self._by_name.get(name.lower()) or list(self._patterned(name.lower()))
        found = None if rows else self.sample.get(name.lower())
        if found is not None and found.place in (("", "lonlat") if not remapped else ()):
            done.unknown[name] = "has no axis of mesh points in the sample"
            return
        if found is not None:
            done.variables[name.lower()] = found.variable(self.full)
            done.sampled[name.lower()] = found.file
            return
        fits = [(self._truth(row, named=True), row) for row in rows if row.is_on(level_type)]
        chosen = next((row for truth, row in fits if truth), None)
        chosen = chosen or next((row for truth, row in fits if truth is None), None)
        if chosen is not None:
            done.variables[name.lower()] = chosen
        elif fits:
            conditions = " or ".join(dict.fromkeys(self._condition(row) for _, row in fits))
            done.unknown[name] = f"exists only if {conditions}"
        elif rows:
            word = _LEVELS_WORD.get(level_type, "model")
            done.unknown[name] = f"cannot be written on {word} levels"
        else:
            absent = self._absent or "is no variable that ICON writes"
            done.unknown[name] = f"{absent}.{self._guess(name)}".rstrip(".")

    def _condition(self, row: Variable) -> str:
        wanted = _FORCING.get(row.area)
        parts = [f"iforcing={wanted}"] * (wanted is not None) + [row.exists_if] * bool(
            row.exists_if
        )
        each = [one.strip() for part in parts for one in part.split(";")]
        return " and ".join(f"({one})" if " or " in one else one for one in each)

    def _guess(self, name: str) -> str:
        self._guesses += 1
        if self._guesses > _MOST_GUESSED:
            return ""
        known = [row for row in self._by_name if "*" not in row and "<" not in row]
        return did_you_mean(name, [*known, *self.tracers])

    def _patterned(self, name: str) -> Iterator[Variable]:
        """Rows for several variables: tiles have numbers up to theirs, tracers their names."""
        if name in (tracer.lower() for tracer in self.tracers):
            like = self._by_name["qv"][0]
            yield replace(like, name=name, exists_if="")
        for row in self._rows:
            pattern = row.pattern()
            found = pattern.fullmatch(name) if pattern and row.name != "<tracer>" else None
            if found is None:
                continue
            if row.name.endswith(_TILED):
                number = found[1]
                if number.isdecimal() and 1 <= int(number) <= self._tiles(row):
                    yield row
            elif row.name.strip("<>") != "gas" and self._names_one(row, found[1]):
                yield row

    def _names_one(self, row: Variable, part: str) -> bool:
        """Whether a copy of the row may be called so."""
        if "<tracer>" in row.name:
            return part in (tracer.lower() for tracer in self.tracers)
        return part.isdecimal() or (row.copies != "ntracer" and "extra_" not in row.name)

    def _tiles(self, row: Variable) -> int:
        return self.all_tiles if "water" in row.copies else self.land_tiles

    def _add_tiles(self, name: str, level_type: str, done: Resolved) -> None:
        rows = [row for row in self._by_name.get(f"{name}{_TILED}", []) if row.is_on(level_type)]
        if not rows:
            done.unknown[f"tiles:{name}"] = "has no tiles"
        for row in rows[:1]:
            for tile in range(1, self._tiles(row) + 1):
                done.variables[f"{name}_t_{tile}"] = row

    def _add_group(self, group: str, level_type: str, remapped: bool, done: Resolved) -> None:
        if group != "all" and group not in known_groups():
            guess = did_you_mean(group, known_groups())
            absent = f"{UNCOVERED} alone: other parts of ICON and plugins fill it"
            if not group.startswith(_FILLED_ELSEWHERE):
                absent = self._absent or "does not exist"
            done.unknown[f"group:{group}"] = f"{absent}.{guess}".rstrip(".")
            return
        for row in self._rows:
            member = group == "all" or group in row.groups
            if not member or not row.is_on(level_type) or (remapped and row.place != "cell"):
                continue
            truth = self._truth(row)
            if truth is False:
                continue
            names = list(self._members(row))
            if truth is None or not names:
                done.doubtful.setdefault(group, []).append(row.name)
            else:
                done.variables.update((name, row) for name in names)

    def _members(self, row: Variable) -> Iterator[str]:
        """Names of the variables of a row; none where the script does not tell them."""
        name = row.name.lower()
        if name.endswith(_TILED):
            yield from (f"{name[:-1]}{tile}" for tile in range(1, self._tiles(row) + 1))
        elif "<tracer>" in name:
            yield from (name.replace("<tracer>", tracer.lower()) for tracer in self.tracers)
        elif row.pattern() is None:
            yield name
