# SPDX-License-Identifier: Apache-2.0
"""Typed values of namelist items; what a script leaves open is noted and asked for all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from thalweg.config.namelist import Group, Item, Value
from thalweg.errors import ThalwegError
from thalweg.shell.unresolved import has_unresolved, show_unresolved, unresolved_names


@dataclass
class Open:
    """Names without a value that were needed, with the place that needs each."""

    places: dict[str, str] = field(default_factory=dict)

    def ask(self, name: str, place: str) -> None:
        self.places.setdefault(name, place)

    def refuse(self, cause: str = "") -> None:
        """Raises one sentence on everything that was needed and is not known."""
        if not self.places:
            return
        wanted = ", ".join(f"'{name}' ({place})" for name, place in self.places.items())
        settable = [name for name in self.places if name.isidentifier() or name.isdecimal()]
        how = " ".join(f"--set {name}=VALUE" for name in settable)
        how = f"give {how}" if how else "write the values into the script"
        raise ThalwegError(f"the script leaves open: {wanted}; {how}{cause}")


@dataclass(frozen=True)
class Section:
    """Items of a group."""

    group: Group
    open: Open

    def has(self, name: str) -> bool:
        """Whether an element of the item is given and is not an empty text."""
        item = self.group.items.get(name)
        return item is not None and any(value not in (None, "") for value in item.values)

    def place(self, name: str = "") -> str:
        item = self.group.items.get(name)
        return f"{self.group.file}:{item.line if item else self.group.line}"

    def wrong(self, name: str, what: str) -> ThalwegError:
        return ThalwegError(f"{self.place(name)}: {name} of '&{self.group.name}' {what}")

    def _values(self, name: str) -> list[Value]:
        """An item that holds something open counts as not given, and is asked for."""
        item = self.group.items.get(name)
        if item is None:
            return []
        if self._asks(name, item):
            return []
        return item.values

    def _asks(self, name: str, item: Item) -> bool:
        texts = [value for value in item.values if isinstance(value, str) and has_unresolved(value)]
        for text in texts:
            for each in unresolved_names(text):
                self.open.ask(each, f"{self.group.file}:{item.line}, {name}")
        return bool(texts)

    def is_open(self, name: str) -> bool:
        item = self.group.items.get(name)
        return item is not None and any(
            isinstance(value, str) and has_unresolved(value) for value in item.values
        )

    def known(self) -> Section:
        """Without the items that the script leaves open: they are neither needed nor asked for."""
        items = {name: item for name, item in self.group.items.items() if not self.is_open(name)}
        return Section(replace(self.group, items=items), self.open)

    def integers(self, name: str) -> list[int | None]:
        found: list[int | None] = []
        for value in self._values(name):
            if isinstance(value, float) and value == int(value):
                value = int(value)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise self.wrong(name, f"is '{value}'; give whole numbers")
            found.append(value)
        return found

    def numbers(self, name: str) -> list[float]:
        found: list[float] = []
        for value in self._values(name):
            if isinstance(value, (bool, str)):
                raise self.wrong(name, f"is '{value}'; give numbers")
            if value is not None:
                found.append(value)
        return found

    def elements(self, name: str) -> list[float | None]:
        """numbers() at their places in the array; None where none is given."""
        self.numbers(name)  # refuses what is none
        return [None if isinstance(each, str) else each for each in self._values(name)]

    def texts(self, name: str) -> list[str]:
        found = []
        for value in self._values(name):
            if value is not None and not isinstance(value, str):
                raise self.wrong(name, f"is '{value}'; give text in quotes")
            if value and value.strip():
                found.append(value.strip())
        return found

    def texts_to_blank(self, name: str) -> list[str]:
        """ICON's lists of names end at the first blank one."""
        values = self._values(name)
        self.texts(name)  # refuses what is none
        found = []
        for value in values:
            if value is None or not str(value).strip():
                break
            found.append(str(value).strip())
        return found

    def flags(self, name: str) -> list[bool]:
        values = self._values(name)
        for value in values:
            if value is not None and not isinstance(value, bool):
                raise self.wrong(name, f"is '{value}'; give .TRUE. or .FALSE.")
        return [bool(value) for value in values if value is not None]

    def integer(self, name: str, default: int) -> int:
        values = self.integers(name)
        return default if not values or values[0] is None else values[0]

    def number(self, name: str, default: float) -> float:
        return next(iter(self.numbers(name)), default)

    def text(self, name: str, default: str = "") -> str:
        return next(iter(self.texts(name)), default)

    def flag(self, name: str, default: bool) -> bool:
        return next(iter(self.flags(name)), default)

    def label(self, name: str) -> str:
        """For people: what is open stands as ${NAME}, and is not asked for."""
        item = self.group.items.get(name)
        value = item.values[0] if item and item.values else ""
        return show_unresolved(value) if isinstance(value, str) else str(value)


@dataclass
class Settings:
    """All groups of a model; `section` of a group that is absent is empty, so defaults hold.

    asked        names of groups that were looked for
    is_doubtful  whether all that is here is written, the script does not tell
    """

    groups: list[Group]
    file: str
    open: Open = field(default_factory=Open)
    asked: set[str] = field(default_factory=set)
    is_doubtful: bool = False

    def section(self, name: str) -> Section:
        """The first of a name: ICON looks for each group from the begin of the file, and reads one
        (`position_nml` of mo_namelist).
        """
        self.asked.add(name)
        found = first_of(self.groups, name)
        return Section(found or Group(name, self.file, 1), self.open)

    def unread(self) -> Iterator[str]:
        """A sentence on each group that is there again."""
        for name in sorted(self.asked):
            places = [f"{each.file}:{each.line}" for each in self.groups if each.name == name]
            for place in dict.fromkeys(places[1:]):
                again = "in a loop" if place == places[0] else f"after that at {places[0]}"
                told = f"{place}: '&{name}' is there again, {again}: ICON reads the first one alone"
                if self.is_doubtful:
                    yield f"{told}; which are written the script does not tell: give it by --set"
                else:
                    yield f"{told}; put all items there"

    def repeated(self, name: str) -> list[Section]:
        return [Section(group, self.open) for group in self.groups if group.name == name]

    def has(self, name: str) -> bool:
        return any(group.name == name for group in self.groups)

    def find(self, item: str) -> Section | None:
        """The group that has an item of this name, whichever it is."""
        found = [group for group in self.groups if item in group.items]
        read = [group for group in found if group is first_of(self.groups, group.name)]
        return Section(read[-1], self.open) if read else None


def first_turns(groups: Iterable[Group]) -> dict[int, Group]:
    """id() of each group -> that of the first turn, if a loop wrote it from the same lines."""
    on_line: Counter[tuple[str, int, int]] = Counter()
    first: dict[tuple[str, int, int], Group] = {}
    found = {}
    for each in groups:
        line = (each.file, each.line, each.begins)
        found[id(each)] = first.setdefault((each.file, each.line, on_line[line]), each)
        on_line[line] += 1
    return found


def first_of(groups: Iterable[Group], name: str) -> Group | None:
    return next((group for group in groups if group.name == name), None)
