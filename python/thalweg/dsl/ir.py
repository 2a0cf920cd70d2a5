# SPDX-License-Identifier: Apache-2.0
"""The intermediate representation: a kernel as a tree, without memory, layout or target.

Expressions are compared by identity, so that passes may keep what they find out in a dictionary.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.grid import Axis, LevelAxis, Place, Relation
from thalweg.dsl.problem import Spot
from thalweg.dsl.units import Unit


@dataclass(frozen=True)
class LevelAt:
    """A level: `name` + shift with the name of a loop, or "first" or "last" + shift."""

    base: str
    shift: int

    def __str__(self) -> str:
        return f"{self.base}{self.shift:+d}" if self.shift else self.base


@dataclass(frozen=True)
class Slot:
    """One of an axis or relation: number `index`, or the one that variable `name` stands for.

    turn  so many further on than `name`, after the last the first again
    """

    axis: Axis | Relation
    name: str = ""
    index: int = 0
    turn: int = 0

    def number(self, numbers: Mapping[str, int]) -> int:
        """`numbers`: what the names of the loops around stand for."""
        if not self.name:
            return self.index
        return (numbers[self.name] + self.turn) % self.axis.length

    def __str__(self) -> str:
        if not self.name:
            return f"{self.axis.name}.{self.axis.names[self.index]}"
        return f"{self.name}{self.turn:+d}" if self.turn else self.name


@dataclass(frozen=True, eq=False)
class Literal:
    value: float | int | bool
    spot: Spot


@dataclass(frozen=True, eq=False)
class Constant:
    """A physical constant of the kernel's file."""

    name: str
    value: float
    unit: Unit
    spot: Spot


@dataclass(frozen=True, eq=False)
class Read:
    """A value of argument or local `name`, here or at `slots` and `level`."""

    name: str
    slots: tuple[Slot, ...]
    level: LevelAt | None
    spot: Spot


@dataclass(frozen=True, eq=False)
class Apply:
    """Operator or function `op` of `args`: + - * / ** neg < <= > >= == != and or not min max …"""

    op: str
    args: tuple[Expression, ...]
    spot: Spot


@dataclass(frozen=True)
class LevelRange:
    """Levels begin <= k < end of `axis`; order "any", "upward" or "downward"."""

    axis: LevelAxis
    begin: LevelAt
    end: LevelAt
    order: str


@dataclass(frozen=True, eq=False)
class Reduce:
    """`op` (sum, min, max) of `body` over the slots of an axis in order, or over levels."""

    op: str
    name: str
    over: Axis | Relation | LevelRange
    body: Expression
    spot: Spot


Expression = Literal | Constant | Read | Apply | Reduce


@dataclass(frozen=True, eq=False)
class Assign:
    """`name` becomes `value` at every point, at `level`, or at all levels that it has.

    slots  which one of each axis of its own; points: the argument that says where, "" everywhere
    """

    name: str
    level: LevelAt | None
    value: Expression
    spot: Spot
    slots: tuple[Slot, ...] = ()
    points: str = ""


@dataclass(frozen=True, eq=False)
class ForLevels:
    name: str
    levels: LevelRange
    body: tuple[Assign, ...]
    spot: Spot


Statement = Assign | ForLevels


@dataclass(frozen=True)
class Variable:
    """An argument, or a local value with what was found out about it."""

    name: str
    type: ArgumentType
    spot: Spot


@dataclass(frozen=True, eq=False)
class Handed:
    """`value` of this kernel is handed to `argument` of `kernel`, which is called.

    call    all that is handed by the same one has the same object
    before  number of the first statement that came of it
    """

    value: Expression
    argument: Variable
    kernel: str
    spot: Spot
    call: object
    before: int = 0


@dataclass
class KernelIR:
    name: str
    doc: str
    file: str
    line: int
    arguments: dict[str, Variable]
    body: tuple[Statement, ...]
    handed: tuple[Handed, ...] = ()
    locals: dict[str, Variable] = field(default_factory=dict)  # pass `places`
    least_levels: int = 1  # pass `levels`

    @property
    def file_name(self) -> str:
        return Path(self.file).name

    @property
    def origin(self) -> str:
        """File and line, whatever letters the file's name has, in one line."""
        is_plain = self.file.isprintable()
        file = self.file if is_plain else self.file.encode("unicode_escape").decode()
        return f"{file}:{self.line}"

    @property
    def variables(self) -> Mapping[str, Variable]:
        return ChainMap(self.locals, self.arguments)

    def neighbour_tables(self) -> list[Relation]:
        """Relations through which values of neighbours are read, in order of use."""
        found = []
        for each in walk(self.body):
            if isinstance(each, Read):
                steps = steps_of(each, self.variables[each.name].type)
                found += [slot.axis for slot in steps if isinstance(slot.axis, Relation)]
        return list(dict.fromkeys(found))

    def places(self) -> list[Place]:
        """Of fields, and those that neighbours of neighbours go through."""
        found = [each.type.place for each in self.variables.values()]
        found += [place for each in self.neighbour_tables() for place in (each.source, each.target)]
        return list(dict.fromkeys(place for place in found if place))


def steps_of(read: Read, kind: ArgumentType) -> tuple[Slot, ...]:
    """The slots of a read that lead to another point, the nearest to the field first.

    Its own axes say which of the values of a point, though one may be a relation.
    """
    own: list[object] = list(kind.axes)
    found: list[Slot] = []
    for slot in read.slots:
        if slot.axis in own:
            own.remove(slot.axis)
        else:
            found.append(slot)
    return tuple(found)


def own_slots(slots: tuple[Slot, ...], kind: ArgumentType) -> tuple[Slot, ...]:
    """Which of the values of a point `slots` name, in the order of the axes of `kind`."""
    first = {slot.axis: slot for slot in reversed(slots)}
    return tuple(first[axis] for axis in kind.axes)


def assigns_of(statement: Statement) -> tuple[Assign, ...]:
    return statement.body if isinstance(statement, ForLevels) else (statement,)


def changed(expression: Expression, how: Callable[[Expression], Expression]) -> Expression:
    """What `how` makes of it, and before of its operands."""
    if isinstance(expression, Apply):
        args = tuple(changed(each, how) for each in expression.args)
        expression = replace(expression, args=args)
    elif isinstance(expression, Reduce):
        expression = replace(expression, body=changed(expression.body, how))
    return how(expression)


def with_assigns(statement: Statement, how: Callable[[Assign], Assign]) -> Statement:
    """The statement with what `how` makes of each assignment."""
    if isinstance(statement, ForLevels):
        return replace(statement, body=tuple(how(each) for each in statement.body))
    return how(statement)


def walk(statements: tuple[Statement, ...]) -> list[Expression]:
    """Every expression, operands before their operator."""
    found: list[Expression] = []

    def visit(expression: Expression) -> None:
        if isinstance(expression, Apply):
            for each in expression.args:
                visit(each)
        elif isinstance(expression, Reduce):
            visit(expression.body)
        found.append(expression)

    for statement in statements:
        for assign in assigns_of(statement):
            visit(assign.value)
    return found


def reads_of(statements: tuple[Statement, ...]) -> list[Read]:
    return [each for each in walk(statements) if isinstance(each, Read)]
