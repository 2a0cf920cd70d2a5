# SPDX-License-Identifier: Apache-2.0
"""How a kernel declares its arguments: Field, Out, InOut, Parameter and Points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thalweg.dsl.grid import Axis, Group, LevelAxis, Place, Relation
from thalweg.dsl.units import ONE, Unit, parse_unit


@dataclass(frozen=True)
class ArgumentType:
    """What an argument has values on, in which unit. `role`: in, out, inout, parameter, points;
    local for what is none. `truth`: a local condition, no number.
    """

    role: str
    place: Place | None = None
    axes: tuple[Axis | Relation, ...] = ()
    level: LevelAxis | None = None
    unit: Unit = ONE
    truth: bool = False

    @property
    def is_written(self) -> bool:
        return self.role in ("out", "inout")

    def __str__(self) -> str:
        axes = [axis.full_name if isinstance(axis, Relation) else axis.name for axis in self.axes]
        level = [self.level.name] if self.level else []
        return ", ".join([*([self.place.name] if self.place else []), *axes, *level]) or "number"


def _make(role: str, words: Any) -> ArgumentType:
    """`words`: a place, then axes, then levels, then the unit; each may be missing."""
    place: Place | None = None
    axes: list[Axis | Relation] = []
    level: LevelAxis | None = None
    unit = ONE
    has_unit = False
    for word in words if isinstance(words, tuple) else (words,):
        if role == "parameter" and not isinstance(word, str):
            raise ValueError("a parameter is one number; its unit stands alone")
        if role == "points" and not (isinstance(word, Place) and place is None):
            raise ValueError("points are those of one place, which stands alone")
        if isinstance(word, Place) and place is None:
            place = word
        elif isinstance(word, LevelAxis) and level is None:
            level = word
        elif isinstance(word, (Place, LevelAxis)):
            first = place if isinstance(word, Place) else level
            raise ValueError(
                f"'{word.name}' stands beside '{first.name if first else ''}'; values lie on one "
                "place and one kind of levels"
            )
        elif isinstance(word, Group):
            raise ValueError(f"'{word.full_name}' has another length at every point")
        elif isinstance(word, (Axis, Relation)):
            if word in axes:
                raise ValueError(f"'{word.name}' stands twice; the second wants an axis of its own")
            axes.append(word)
        elif isinstance(word, str):
            if has_unit:
                raise ValueError(f"'{word}' is a second unit")
            unit, has_unit = parse_unit(word), True
        else:
            raise ValueError(f"'{word}' is neither a place, an axis, levels nor a unit")
    return ArgumentType(role, place, tuple(axes), level, unit)


class _Role:
    role = ""

    def __class_getitem__(cls, words: Any) -> ArgumentType:
        return _make(cls.role, words)


class Field(_Role):
    """`Field[Cell, Level, "K"]`: values that a kernel reads."""

    role = "in"


class Out(_Role):
    """Values that a kernel sets, wherever it assigns them; elsewhere they stay as they are."""

    role = "out"


class InOut(_Role):
    """Values that a kernel reads and sets."""

    role = "inout"


class Parameter(_Role):
    """`Parameter["s"]`: one number for the whole grid."""

    role = "parameter"


class Points(_Role):
    """`Points[Cell]`: some points of a place, for `with owned:`; outside nothing is set."""

    role = "points"
