# SPDX-License-Identifier: Apache-2.0
"""Pass: on which place and levels every expression has values, and in which unit.

Finds the types of local values, refuses what makes no sense.
"""

from __future__ import annotations

from dataclasses import replace

from thalweg.dsl import ir
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.grid import ANYWHERE, Group, LevelAxis, Place, Relation
from thalweg.dsl.passes.place_hints import handed_hint, slots_hint
from thalweg.dsl.passes.value_types import NO_NUMBER, ValueType, unit_of
from thalweg.dsl.problem import KernelError, Spot
from thalweg.dsl.units import ANY, ONE, Unit, filled, over, solved, unit_text


def find_places(kernel: ir.KernelIR) -> dict[ir.Expression, ValueType]:
    """The type of every expression; sets `kernel.locals`. Raises KernelError."""
    finder = _Finder(kernel)
    for number, statement in enumerate(kernel.body):
        for each in kernel.handed:
            if each.before == number:
                finder.hand(each)
        if isinstance(statement, ir.ForLevels):
            for assign in statement.body:
                finder.assign(assign, statement)
        else:
            finder.assign(statement, None)
    for name, argument in kernel.arguments.items():
        if argument.type.role == "out" and name not in finder.set:
            raise KernelError(
                argument.spot,
                f"'{name}' is never set",
                note="values of an 'Out' that no statement sets are whatever lay in memory",
                hint="set it, or declare it as 'Field' or 'InOut'",
            )
    return finder.types


class _Finder:
    def __init__(self, kernel: ir.KernelIR) -> None:
        self.kernel = kernel
        self.types: dict[ir.Expression, ValueType] = {}
        self.set: set[str] = set()
        self.meant: dict[object, Unit] = {}  # call: what "any" is for it
        self.reducing = 0  # reductions around the expression that is looked at

    def assign(self, assign: ir.Assign, loop: ir.ForLevels | None) -> None:
        value = self.type_of(assign.value, loop)
        name = assign.name
        if name not in self.kernel.variables:
            level = value.level
            if loop and (assign.level is not None or self._reads_levels(assign.value)):
                level = loop.levels.axis
            elif assign.level is not None:
                level = self._axis_of(assign)
            axes = tuple(slot.axis for slot in assign.slots)
            if len(set(axes)) < len(axes):
                raise KernelError(
                    assign.spot,
                    f"'{name}' has '{axes[0].name}' twice",
                    hint="an axis of its own for the second, with as many names",
                )
            place = value.place
            if place is None and assign.points:
                place = self.kernel.arguments[assign.points].type.place
            unit = value.unit if value.unit and not value.truth else ONE
            kind = ArgumentType("local", place, axes, level, unit, value.truth)
            self.kernel.locals[name] = ir.Variable(name, kind, assign.spot)
        target = self.kernel.variables[name].type
        self._check_kind(assign, target, value)
        self._check_target(assign, target)
        if value.place is not None and value.place is not target.place:
            raise KernelError(
                assign.spot,
                f"'{name}' has {_at(target.place)}, the expression {_at(value.place)}",
                hint="sum(… for e in Cell.edges) brings values of neighbours here",
            )
        if value.level is not None and target.level is None:
            raise KernelError(
                assign.spot,
                f"'{name}' has no levels, the expression has",
                hint=f"sum(… for k in {value.level.name.capitalize()}) adds them up",
            )
        self._check_levels(assign, target, value, loop)
        if value.unit is not None and value.unit != target.unit and not value.truth:
            raise KernelError(
                assign.spot,
                f"'{name}' is in '{unit_text(target.unit)}', "
                f"the expression in '{unit_text(value.unit)}'",
                hint=f"what lacks is in '{unit_text(over(target.unit or ONE, value.unit))}'",
            )
        self._must_not_meet_itself(assign, loop)
        self.set.add(name)

    def _check_kind(self, assign: ir.Assign, target: ArgumentType, value: ValueType) -> None:
        if value.truth and not target.truth:
            raise KernelError(
                assign.spot,
                f"'{assign.name}' holds numbers, this is a condition",
                hint="where(condition, 1, 0) is a number; a local name of its own may hold it",
            )
        if target.truth and not value.truth:
            raise KernelError(
                assign.spot,
                f"'{assign.name}' is a condition, this is a number",
                hint="a comparison, or another name",
            )

    def _check_levels(
        self, assign: ir.Assign, target: ArgumentType, value: ValueType, loop: ir.ForLevels | None
    ) -> None:
        """Each level that is set gets one value, that of its own level."""
        name = assign.name
        if value.level is not None and assign.level is not None:
            raise KernelError(
                assign.spot,
                f"'{name}' is set at one level, the expression has all of them",
                hint=f"a level of it, as in field[{assign.level.shift}], or a loop over levels",
            )
        if value.level is not None and value.level is not target.level:
            wanted = target.level.name if target.level else "no level"
            raise KernelError(
                assign.spot,
                f"'{name}' has {wanted}s, the expression {value.level.name}s",
                hint="a loop over levels says which belong together",
            )
        if loop is None or loop.levels.order != "any" or target.level is not None:
            return
        reads = [each.name for each in _all_of(assign.value) if isinstance(each, ir.Read)]
        if self._reads_levels(assign.value) or name in reads:
            raise KernelError(
                assign.spot,
                f"'{name}' has no levels and is set at each of them",
                "the order of the levels is free here",
                "upward(…) or downward(…) gives them an order; sum, min or max go over all",
            )

    def hand(self, handed: ir.Handed) -> None:
        """What a called kernel gets is what its argument wants."""
        value, wanted = handed.value, handed.argument.type
        is_zero = isinstance(value, ir.Literal) and value.value == 0  # has every unit
        if not isinstance(value, ir.Read):
            unit = self.type_of(value, None).unit
            found = ArgumentType("parameter", unit=wanted.unit if unit is None else unit)
        elif value.name not in self.kernel.variables:
            place = self._place_of_call(handed) if wanted.place is ANYWHERE else wanted.place
            unit = filled(wanted.unit, self._unit_of_call(handed))
            kind = replace(wanted, role="local", place=place, unit=unit)
            self.kernel.locals[value.name] = ir.Variable(value.name, kind, handed.spot)
            return
        else:
            found = self.kernel.variables[value.name].type
            named = [slot.axis for slot in value.slots]
            found = replace(found, axes=tuple(axis for axis in found.axes if axis not in named))
        if ANY in dict(wanted.unit) and found.unit == wanted.unit and is_zero:
            return
        if ANY in dict(wanted.unit):
            meant = self.meant.setdefault(handed.call, solved(wanted.unit, found.unit))
            wanted = replace(wanted, unit=filled(wanted.unit, meant))
        same = (found.role == "points") == (wanted.role == "points")
        if wanted.place is ANYWHERE and found.place is not None:
            wanted = replace(wanted, place=found.place)
        if same and _shape(found) == _shape(wanted):
            return
        this = "a condition" if found.truth else f"{found} in '{unit_text(found.unit)}'"
        raise KernelError(
            handed.spot,
            f"'{handed.argument.name}' of kernel '{handed.kernel}' is "
            f"{wanted} in '{unit_text(wanted.unit)}', this is {this}",
            hint=handed_hint(value, found, wanted),
        )

    def _unit_of_call(self, handed: ir.Handed) -> Unit:
        """What "any" is for it, as values that it was given before have it."""
        if ANY in dict(handed.argument.type.unit) and handed.call not in self.meant:
            raise KernelError(
                handed.spot,
                f"the unit of '{handed.argument.name}' of kernel '{handed.kernel}' is not known",
                hint="arguments that it reads come before those that it sets",
            )
        return self.meant.get(handed.call, ONE)

    def _place_of_call(self, handed: ir.Handed) -> Place | None:
        """Of the values that the same call gets beside this one, for a kernel of any place."""
        for each in self.kernel.handed:
            value = each.value
            if each.call is not handed.call or not isinstance(value, ir.Read):
                continue
            variable = self.kernel.variables.get(value.name)
            if each.argument.type.place is ANYWHERE and variable and variable.type.place:
                return variable.type.place
        return None

    def _check_target(self, assign: ir.Assign, target: ArgumentType) -> None:
        missing = [axis for axis in target.axes if axis not in [slot.axis for slot in assign.slots]]
        if missing:
            raise KernelError(
                assign.spot,
                f"'{assign.name}' ({target}) has several values here",
                hint=f"say which of '{missing[0].name}'",
            )
        if len(assign.slots) > len(target.axes):
            raise KernelError(
                assign.spot,
                f"'{assign.name}' ({target}) has fewer axes than are named here",
                hint="name those that it has",
            )
        for axis in target.axes:
            if isinstance(axis, Relation) and axis.source is not target.place:
                raise KernelError(
                    assign.spot,
                    f"'{assign.name}' has {_at(target.place)}, '{axis.name}' are those of "
                    f"{axis.source.plural}",
                    hint=f"declare it on {axis.source.plural}, or leave the axis out",
                )
        if assign.level is not None and target.level is None:
            raise KernelError(
                assign.spot, f"'{assign.name}' ({target}) has no levels", hint="leave the level out"
            )
        points = self.kernel.arguments[assign.points].type.place if assign.points else target.place
        if points is not target.place:
            raise KernelError(
                assign.spot,
                f"'{assign.name}' has {_at(target.place)}, 'with {assign.points}' names "
                f"{points.plural if points else 'none'}",
                hint="one 'with' for each place",
            )

    def _reads_levels(self, value: ir.Expression) -> bool:
        return bool(self._axes_read(value))

    def _axes_read(self, value: ir.Expression) -> list[LevelAxis]:
        every = _all_of(value)
        axes = [
            self.kernel.variables[each.name].type.level
            for each in every
            if isinstance(each, ir.Read)
        ]
        return [axis for axis in axes if axis]

    def _axis_of(self, assign: ir.Assign) -> LevelAxis:
        """Of a local value that is set at one level first: that of the loop which sets others, or
        of what it is set to.
        """
        loops = [each for each in self.kernel.body if isinstance(each, ir.ForLevels)]
        axes = [
            loop.levels.axis
            for loop in loops
            if any(each.name == assign.name for each in loop.body)
        ]
        axes += self._axes_read(assign.value)
        if axes:
            return axes[0]
        raise KernelError(
            assign.spot,
            f"'{assign.name}' is set at one level, and nothing says how many it has",
            hint="set it at all levels before",
        )

    def _must_not_meet_itself(self, assign: ir.Assign, loop: ir.ForLevels | None) -> None:
        """What is set point by point and read from other points has no one meaning.

        In a loop with an order each point goes through all levels before the next one begins.
        """
        own = loop.body if loop and loop.levels.order != "any" else (assign,)
        for each in ir.walk((assign,)):
            if not isinstance(each, ir.Read) or each.name not in {one.name for one in own}:
                continue
            if ir.steps_of(each, self.kernel.variables[each.name].type):
                raise KernelError(
                    each.spot,
                    f"'{each.name}' is read at neighbours while it is set",
                    "whether a neighbour has its old or its new value would depend on the order",
                    "set another field, and read this one"
                    if each.name == assign.name
                    else "a loop over levels of its own, before or after this one",
                )
            if each.name != assign.name:
                continue
            fixed = each.level is not None and each.level.base in ("first", "last")
            if loop is None and assign.level is None and fixed and self._same_slots(each, assign):
                raise KernelError(
                    each.spot,
                    f"'{each.name}' is read at one level while all of them are set",
                    "that level has its old or its new value, which would depend on the order",
                    f"keep it before, as in old = {each.name}[…]",
                )
            if loop and loop.levels.order == "any" and each.level != assign.level:
                raise KernelError(
                    each.spot,
                    f"'{each.name}' is read at another level while it is set",
                    "the order of the levels is free here",
                    "upward(…) or downward(…) gives them an order",
                )

    def _same_slots(self, read: ir.Read, assign: ir.Assign) -> bool:
        kind = self.kernel.variables[read.name].type
        pairs = zip(ir.own_slots(read.slots, kind), ir.own_slots(assign.slots, kind), strict=True)
        return all(one.name or other.name or one.index == other.index for one, other in pairs)

    def type_of(self, expression: ir.Expression, loop: ir.ForLevels | None) -> ValueType:
        found = self._find(expression, loop)
        self.types[expression] = found
        return found

    def _find(self, expression: ir.Expression, loop: ir.ForLevels | None) -> ValueType:
        if isinstance(expression, ir.Literal):
            truth = isinstance(expression.value, bool)
            return ValueType(unit=None if expression.value == 0 else ONE, truth=truth)
        if isinstance(expression, ir.Constant):
            return ValueType(unit=expression.unit)
        if isinstance(expression, ir.Read):
            return self._read(expression, loop)
        if isinstance(expression, ir.Reduce):
            return self._reduce(expression, loop)
        types = [self.type_of(each, loop) for each in expression.args]
        place, level = _common(expression.spot, types)
        return ValueType(place, level, *unit_of(expression, types))

    def _reduce(self, expression: ir.Reduce, loop: ir.ForLevels | None) -> ValueType:
        if isinstance(expression.over, ir.LevelRange) and self.reducing:
            raise KernelError(
                expression.spot,
                f"a {expression.op} over levels stands in another",
                hint="a local value of its own, set before",
            )
        if isinstance(expression.over, ir.LevelRange) and expression.over.order == "downward":
            raise KernelError(
                expression.spot,
                f"a {expression.op} over levels goes upward",
                hint="leave downward(…) out, or sum up in a loop: for k in downward(Level): …",
            )
        if isinstance(expression.over, ir.LevelRange) and loop:
            raise KernelError(
                expression.spot,
                f"a {expression.op} over levels in a loop over them",
                hint="upward(…) or downward(…) adds up level by level; a sum of all is set before",
            )
        if isinstance(expression.over, Group):
            self._check_group(expression, expression.over, loop)
        self.reducing += 1
        over = expression.over if isinstance(expression.over, ir.LevelRange) else None
        around = ir.ForLevels(expression.name, over, (), expression.spot) if over else loop
        inner = self.type_of(expression.body, around)
        self.reducing -= 1
        if inner.truth:
            raise KernelError(expression.body.spot, *NO_NUMBER)
        if over and not self._differs(expression):
            raise KernelError(
                expression.spot,
                f"a {expression.op} over levels of what is the same for all of them",
                hint=f"field[{expression.name}] is the value of one",
            )
        return ValueType(inner.place, inner.level, inner.unit)

    def _differs(self, reduce: ir.Reduce) -> bool:
        """From level to level."""
        return any(
            self.kernel.variables[each.name].type.level is not None
            and (each.level is None or each.level.base == reduce.name)
            for each in _all_of(reduce.body)
            if isinstance(each, ir.Read)
        )

    def _check_group(self, expression: ir.Reduce, group: Group, loop: ir.ForLevels | None) -> None:
        """A sum over a group is a loop of its own, around that over levels."""
        every = _all_of(expression.body)
        slots = [slot for each in every if isinstance(each, ir.Read) for slot in each.slots]
        if all(slot.axis is not group for slot in slots):
            raise KernelError(
                expression.spot,
                f"a {expression.op} over '{group.name}' of what is the same for all of them",
                hint=f"field[{expression.name}] is the value of one",
            )
        if self.reducing or loop:
            raise KernelError(
                expression.spot,
                f"a {expression.op} over '{group.name}' in a "
                f"{'sum, min or max' if self.reducing else 'loop over levels'}",
                hint="a local value of its own, set before",
            )
        for each in _all_of(expression.body):
            inside = isinstance(each, ir.Reduce)
            further = isinstance(each, ir.Read) and [
                slot for slot in each.slots if isinstance(slot.axis, Relation)
                and slot.axis not in self.kernel.variables[each.name].type.axes
            ]  # fmt: skip
            if inside or (further and [slot.name for slot in further] != [expression.name]):
                raise KernelError(
                    each.spot,
                    f"neighbours inside a {expression.op} over '{group.name}'",
                    hint=f"a local value of {group.target.plural}, set before",
                )

    def _read(self, read: ir.Read, loop: ir.ForLevels | None) -> ValueType:
        variables = self.kernel.variables
        if read.name in variables and variables[read.name].type.role == "points":
            raise KernelError(read.spot, f"'{read.name}' is no value", hint=f"with {read.name}: …")
        if read.name not in variables or (
            read.name in self.kernel.locals and read.name not in self.set
        ):
            raise KernelError(
                read.spot,
                f"'{read.name}' is read before it is set",
                hint="a statement above that sets it, or an argument of that name",
            )
        kind = variables[read.name].type
        if kind.role == "out" and read.name not in self.set:
            raise KernelError(
                read.spot,
                f"'{read.name}' is read before it is set",
                hint="declare it InOut if it comes with values",
            )
        place, axes = kind.place, list(kind.axes)
        for slot in read.slots:
            if slot.axis in axes:
                axes.remove(slot.axis)
            elif isinstance(slot.axis, Relation) and slot.axis.target is place:
                place = slot.axis.source
            else:
                raise KernelError(
                    read.spot,
                    f"'{read.name}' ({kind}) has no '{slot.axis.name}'",
                    hint=slots_hint(read, kind, slot),
                )
        if axes:
            raise KernelError(
                read.spot,
                f"'{read.name}' ({kind}) has several values here",
                hint=f"say which of '{axes[0].name}'",
            )
        if read.level is not None and kind.level is None:
            raise KernelError(
                read.spot, f"'{read.name}' ({kind}) has no levels", hint="leave the level out"
            )
        level = kind.level if read.level is None and loop is None else None
        return ValueType(place, level, kind.unit, kind.truth)


def _all_of(value: ir.Expression) -> list[ir.Expression]:
    return ir.walk((ir.Assign("", None, value, value.spot),))


def _shape(kind: ArgumentType) -> tuple[object, ...]:
    return kind.place, kind.axes, kind.level, kind.unit, kind.truth


def _at(place: Place | None) -> str:
    return f"values on {place.plural}" if place else "one value"


def _common(spot: Spot, types: list[ValueType]) -> tuple[Place | None, LevelAxis | None]:
    places = list(dict.fromkeys(each.place for each in types if each.place))
    if len(places) > 1:
        raise KernelError(
            spot,
            f"values on {places[0].plural} and on {places[1].plural} meet here",
            hint=f"one of them is to be read at neighbours, as [e] with "
            f"'for e in {places[0].name.capitalize()}.…'",
        )
    levels = list(dict.fromkeys(each.level for each in types if each.level))
    if len(levels) > 1:
        raise KernelError(
            spot,
            f"{levels[0].name}s and {levels[1].name}s meet here",
            hint="a loop over levels says which belong together",
        )
    return (places[0] if places else None), (levels[0] if levels else None)
