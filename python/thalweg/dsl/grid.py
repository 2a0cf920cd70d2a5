# SPDX-License-Identifier: Apache-2.0
"""What a kernel may say about a grid: places, their neighbours, levels and short axes.

Nothing here has a size or lies in memory: how many cells there are, and which of them are
neighbours, is told when a kernel runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.errors import ThalwegError, did_you_mean


@dataclass(frozen=True, eq=False)
class Axis:
    """A short axis of known length with names: the components of a vector, the kinds of an arc.

    ring: the first comes after the last, so that `s + 1` is always one of them
    """

    name: str
    names: tuple[str, ...]
    ring: bool = False

    @property
    def length(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class LevelAxis:
    """Levels of a column. Level 0 is the first in memory; `extra` is 1 for half levels."""

    name: str
    extra: int = 0


@dataclass(frozen=True, eq=False)
class Relation:
    """The neighbours of every point of `source` among those of `target`, `length` for each.

    An axis, too: a weight for each neighbour has it. `names` are those of single neighbours.
    ring: they are counted around the point, and the first comes after the last
    """

    name: str
    source: Place
    target: Place
    names: tuple[str, ...]
    ring: bool = False

    @property
    def length(self) -> int:
        return len(self.names)

    @property
    def full_name(self) -> str:
        return f"{self.source.name}_{self.name}"


@dataclass(frozen=True, eq=False)
class Group(Relation):
    """Consecutive points of `target` that belong to each point of `source`, at least one.

    Told by the number of the first of each, and in the end one behind the last of all.
    """


@dataclass(eq=False)
class Place:
    """Cells, edges or vertices: what fields may have values on. `Cell.edges` is a relation."""

    name: str
    plural: str
    relations: dict[str, Relation] = field(default_factory=dict)

    def relate(
        self, name: str, target: Place, names: int | Sequence[str], ring: bool = False
    ) -> Relation:
        """Declare the neighbours `name`: how many there are, or what each is called."""
        words = [str(number) for number in range(names)] if isinstance(names, int) else names
        if not words:
            raise ThalwegError(f"a {self.name} has no '{name}': neighbours are one or more")
        self.relations[name] = Relation(name, self, target, tuple(words), ring)
        return self.relations[name]

    def group(self, name: str, target: Place) -> Group:
        """Declare that points of `target` lie in groups, one for each point here."""
        found = Group(name, self, target, ())
        self.relations[name] = found
        return found

    def __getattr__(self, name: str) -> Relation:
        relations: dict[str, Relation] = self.__dict__.get("relations", {})
        if name in relations:
            return relations[name]
        known = ", ".join(relations) or "none"
        raise AttributeError(
            f"a {self.__dict__.get('name', 'place')} has no neighbours '{name}'; it has: {known}."
            f"{did_you_mean(name, relations)}"
        )


ANYWHERE = Place("point", "points")  # of a kernel that any place may call: it has no neighbours
