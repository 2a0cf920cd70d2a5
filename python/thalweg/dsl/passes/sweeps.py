# SPDX-License-Identifier: Apache-2.0
"""Pass: which statements go over the points together, and where local values are kept.

A sweep goes over all points of a place once. Inside it lie loops over levels. Statements share a
sweep where no point needs what another point of it sets, a loop where no level needs another level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.grid import Group, LevelAxis, Place
from thalweg.dsl.problem import Spot


@dataclass(frozen=True, eq=False)
class Accumulate:
    """Local `name` collects `value` over the levels of a loop that begins at `begin`, or over the
    points of a group.
    """

    name: str
    op: str
    begin: ir.LevelAt | None
    value: ir.Expression
    spot: Spot
    level: ir.LevelAt | None = None
    slots: tuple[ir.Slot, ...] = ()
    points: str = ""


Step = ir.Assign | Accumulate
LevelsOf = dict[str, set[int | None]]


@dataclass
class LevelLoop:
    """levels None: once a point. `group`: the loop over its points, `member`, lies around.

    parts  loops that became this one; some of them have more levels than it
    """

    name: str
    levels: ir.LevelRange | None
    steps: list[Step]
    group: Group | None = None
    member: str = ""
    parts: list[LevelLoop] = field(default_factory=list)


@dataclass
class Sweep:
    place: Place | None
    points: str = ""
    loops: list[LevelLoop] = field(default_factory=list)

    @property
    def parts(self) -> list[LevelLoop]:
        """Loops as they were before some became one."""
        return [part for loop in self.loops for part in loop.parts or [loop]]


@dataclass
class Plan:
    """`kept`: how much of a local value is needed at a time.

    "scalar": one value, or one of each slot; "point": one a point, by several loops of a sweep;
    "column": the levels of a point, by one sweep; "field": all of it.
    """

    sweeps: list[Sweep]
    locals: dict[str, ir.Variable]
    kept: dict[str, str]


def find_sweeps(kernel: ir.KernelIR) -> Plan:
    maker = _Maker(kernel)
    for statement in kernel.body:
        for loop in maker.loops_of(statement):
            maker.add(loop)
    return Plan(maker.sweeps, maker.locals, _kept(maker))


class _Maker:
    def __init__(self, kernel: ir.KernelIR) -> None:
        self.arguments = kernel.arguments
        self.locals = dict(kernel.locals)
        self.sweeps: list[Sweep] = []
        self.set: set[str] = set()  # by the last sweep
        self.read_at_neighbours: set[str] = set()
        self.last = _Last()

    def type_of(self, name: str) -> ArgumentType:
        return (self.arguments.get(name) or self.locals[name]).type

    def loops_of(self, statement: ir.Statement) -> list[LevelLoop]:
        if isinstance(statement, ir.ForLevels):
            name, levels = statement.name, statement.levels
            steps = [_at_level(each, name, self) for each in statement.body]
            if levels.order == "any":  # all levels of a statement come before the next statement
                return [LevelLoop(name, levels, [step]) for step in steps]
            return [LevelLoop(name, levels, steps)]
        assign, sums = self._without_sums(statement)
        axis = self.type_of(assign.name).level
        if axis is None or assign.level is not None:
            return [*sums, LevelLoop("", None, [assign])]
        return [*sums, LevelLoop("level", _whole(axis), [_at_level(assign, "level", self)])]

    def _without_sums(self, assign: ir.Assign) -> tuple[ir.Assign, list[LevelLoop]]:
        """Reductions over levels become local values with loops of their own."""
        loops: list[LevelLoop] = []

        def outside(expression: ir.Expression) -> ir.Expression:
            if isinstance(expression, ir.Apply):
                return replace(expression, args=tuple(outside(each) for each in expression.args))
            if not isinstance(expression, ir.Reduce):
                return expression
            if isinstance(expression.over, Group):
                return self._over_group(assign, expression, expression.over, loops)
            if not isinstance(expression.over, ir.LevelRange):
                return replace(expression, body=outside(expression.body))
            name = f"{expression.op}_of_{assign.name}_{len(self.locals)}"
            kind = ArgumentType("local", self.type_of(assign.name).place)
            self.locals[name] = ir.Variable(name, kind, expression.spot)
            step = Accumulate(
                name,
                expression.op,
                expression.over.begin,
                expression.body,
                expression.spot,
                points=assign.points,
            )
            loops.append(LevelLoop(expression.name, expression.over, [step]))
            return ir.Read(name, (), None, expression.spot)

        return replace(assign, value=outside(assign.value)), loops

    def _over_group(
        self, assign: ir.Assign, reduce: ir.Reduce, group: Group, loops: list[LevelLoop]
    ) -> ir.Read:
        body = ir.walk((replace(assign, value=reduce.body),))
        values = [each for each in body if isinstance(each, ir.Read) and each.level is None]
        axis = next(
            (self.type_of(v.name).level for v in values if self.type_of(v.name).level), None
        )
        name = f"{reduce.op}_of_{assign.name}_{len(self.locals)}"
        kind = ArgumentType("local", group.source, level=axis)
        self.locals[name] = ir.Variable(name, kind, reduce.spot)
        step: Step = Accumulate(
            name, reduce.op, None, reduce.body, reduce.spot, points=assign.points
        )
        if axis is None:
            loops.append(LevelLoop("", None, [step], group, reduce.name))
        else:
            step = _at_level(step, "level", self)
            loops.append(LevelLoop("level", _whole(axis), [step], group, reduce.name))
        return ir.Read(name, (), None, reduce.spot)

    def add(self, loop: LevelLoop) -> None:
        places = [self.type_of(step.name).place for step in loop.steps]
        place = next((each for each in places if each), None)  # of all that have one: one_place
        points = loop.steps[0].points
        last = self.sweeps[-1] if self.sweeps else None
        set_, read = {step.name for step in loop.steps}, self._read_at_neighbours(loop.steps)
        same = last is not None and last.place is place and last.points == points
        # No neighbour is needed that this sweep sets, none is set that it has read.
        if not same or self.set & read or set_ & self.read_at_neighbours:
            self.sweeps.append(Sweep(place, points))
            self.set, self.read_at_neighbours = set(), set()
        self.set |= set_
        self.read_at_neighbours |= read
        loops = self.sweeps[-1].loops
        if loops and _one_loop(loops[-1], loop) and self.last.meets_at_one_level(loop):
            loops[-1].steps += renamed(loop, loops[-1].name)
        else:
            loops.append(loop)
            self.last = _Last()
        self.last.add(loop)

    def _read_at_neighbours(self, steps: list[Step]) -> set[str]:
        found = [each for each in reads(steps) if self.type_of(each.name).place]
        return {each.name for each in found if ir.steps_of(each, self.type_of(each.name))}


def _whole(axis: LevelAxis) -> ir.LevelRange:
    return ir.LevelRange(axis, ir.LevelAt("first", 0), ir.LevelAt("last", 1), "any")


def reads(steps: list[Step]) -> list[ir.Read]:
    """All that the values of these steps read."""
    assigns = tuple(ir.Assign(step.name, None, step.value, step.spot) for step in steps)
    return [each for each in ir.walk(assigns) if isinstance(each, ir.Read)]


def _one_loop(first: LevelLoop, second: LevelLoop) -> bool:
    """Whether they go over the same levels in the same order."""
    if first.group or second.group:
        return False
    if first.levels is None or second.levels is None:
        return first.levels is second.levels
    return first.levels == second.levels


class _Last:
    """What the last loop uses, for the question whether the next one goes together with it."""

    def __init__(self) -> None:
        self.set: set[str] = set()
        self.at: LevelsOf = {}
        self.is_sum = False

    def add(self, loop: LevelLoop) -> None:
        self.is_sum |= any(isinstance(step, Accumulate) for step in loop.steps)
        self.set |= {step.name for step in loop.steps}
        for name, at in _levels_of(loop).items():
            self.at[name] = self.at.get(name, set()) | at

    def meets_at_one_level(self, loop: LevelLoop) -> bool:
        """What one of both sets has no other level in the other one."""
        if loop.levels is None:
            return True
        set_ = self.set | {step.name for step in loop.steps}
        shared = [
            (self.at[name], at)
            for name, at in _levels_of(loop).items()
            if name in self.at and name in set_
        ]
        alike = all(len(here | there) == 1 and here != {None} for here, there in shared)
        return alike and not self.is_sum


def _levels_of(loop: LevelLoop) -> LevelsOf:
    """Of each name that it reads or sets: how far from that of the loop; None: a level by itself,
    or none.
    """
    found: dict[str, set[int | None]] = {}
    for each in (*loop.steps, *reads(loop.steps)):
        at = each.level
        shift = at.shift if at and at.base == loop.name else None
        found.setdefault(each.name, set()).add(shift)
    return found


def renamed(loop: LevelLoop, name: str) -> list[Step]:
    """Its steps, with another name for the level."""
    return [_at_level(step, name, None, loop.name) for step in loop.steps]


def _at_level(step: Step, name: str, maker: _Maker | None, old: str = "") -> Step:
    """`step` with its reads at level `name`: those without a level (`maker`), or those at `old`."""

    def moved(at: ir.LevelAt | None) -> ir.LevelAt | None:
        return ir.LevelAt(name, at.shift) if at and at.base == old else at

    def change(expression: ir.Expression) -> ir.Expression:
        if not isinstance(expression, ir.Read):
            return expression
        if maker and expression.level is None and maker.type_of(expression.name).level:
            return replace(expression, level=ir.LevelAt(name, 0))
        return replace(expression, level=moved(expression.level))

    if isinstance(step, Accumulate):
        step = replace(step, begin=moved(step.begin) or step.begin)
    level = moved(step.level)
    if maker and level is None and maker.type_of(step.name).level:
        level = ir.LevelAt(name, 0)
    return replace(step, level=level, value=ir.changed(step.value, change))


def sets_all(sweep: Sweep, name: str, axis: LevelAxis | None) -> bool:
    """Whether local `name`, on `axis`, has every level and slot, at the points of `sweep`, by it
    alone.
    """
    slots: set[tuple[int, ...]] = set()
    wanted = 1
    for loop in sweep.parts:
        levels = loop.levels
        whole = (ir.LevelAt("first", 0), ir.LevelAt("last", 1))
        if levels and ((levels.begin, levels.end) != whole or axis not in (None, levels.axis)):
            continue
        for step in loop.steps:
            if step.name == name and step.level in (None, ir.LevelAt(loop.name, 0)):
                slots.add(_numbers(step.slots))
                wanted = math.prod(slot.axis.length for slot in step.slots)
    return len(slots) == wanted


@dataclass(frozen=True)
class Use:
    """Of a name by a loop of a sweep. `at`: how far from the level of the loop."""

    sweep: int
    loop: LevelLoop
    at: set[int | None]


def uses_of(sweeps: list[Sweep]) -> dict[str, list[Use]]:
    """By name, one for each loop that reads or sets it."""
    found: dict[str, list[Use]] = {}
    for number, sweep in enumerate(sweeps):
        for loop in sweep.loops:
            for name, at in _levels_of(loop).items():
                found.setdefault(name, []).append(Use(number, loop, at))
    return found


def _kept(maker: _Maker) -> dict[str, str]:
    every = uses_of(maker.sweeps)
    found: dict[str, str] = {}
    for name, variable in maker.locals.items():
        uses = every.get(name, [])
        if len({each.sweep for each in uses}) > 1:
            found[name] = "field"
        elif variable.type.axes or variable.type.level:
            found[name] = "scalar" if kept_in_one_loop(variable, uses) else "column"
        else:
            found[name] = "scalar" if len(uses) == 1 else "point"
    return found


def kept_in_one_loop(variable: ir.Variable, uses: list[Use]) -> bool:
    """Whether one value, or one of each slot, is needed at a time."""
    alone = len(uses) == 1 and uses[0].at == {0}
    return alone and (not variable.type.axes or is_set_first(variable, uses[0].loop))


def is_set_first(variable: ir.Variable, loop: LevelLoop) -> bool:
    """Every slot is set once, and read only after that."""
    wanted = math.prod(axis.length for axis in variable.type.axes)
    set_: set[tuple[int, ...]] = set()
    for step in loop.steps:
        for each in reads([step]):
            own = ir.own_slots(each.slots, variable.type) if each.name == variable.name else ()
            is_any = any(slot.name for slot in own)
            if own and (len(set_) < wanted if is_any else _numbers(own) not in set_):
                return False
        if step.name == variable.name:
            numbers = _numbers(ir.own_slots(step.slots, variable.type))
            if numbers in set_ or isinstance(step, Accumulate):
                return False
            set_.add(numbers)
    return len(set_) == wanted


def _numbers(slots: tuple[ir.Slot, ...]) -> tuple[int, ...]:
    return tuple(slot.index for slot in slots)
