# SPDX-License-Identifier: Apache-2.0
"""Variables that are local to functions, or hold for one command: `local x`, `x=1 f`, and what
`unset` and `declare -g` do with those that they hide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from thalweg.shell.unresolved import unresolved
from thalweg.shell.values.state import Kept, Scope
from thalweg.shell.values.variables import Variables

_T = TypeVar("_T")


@contextmanager
def scope(variables: Variables, *, is_function: bool) -> Iterator[None]:
    """As long as a function or a command runs; behind it the values are those of before."""
    depth, touched = len(variables.scopes), set(variables.touched or ())
    variables.scopes.append(Scope(is_function))
    yield
    hidden = variables.scopes[depth].hidden if depth < len(variables.scopes) else {}
    del variables.scopes[depth:]
    for name, kept in hidden.items():
        _put(variables, name, kept)
    if variables.touched is not None:
        variables.touched -= {name for name, kept in hidden.items() if kept.is_sure} - touched


def hide(variables: Variables, names: Sequence[str]) -> None:
    """By values that stand before a command: those that follow do not stay."""
    hidden = variables.scopes[-1].hidden
    for name in map(variables.name, names):
        hidden.setdefault(name, replace(_value(variables, name), is_before_command=True))


def make_local(variables: Variables, name: str) -> bool:
    """To the function that runs. Whether it is new there: then it has no value."""
    is_hidden = any(name in each.hidden for each in variables.scopes)
    if "r" in variables.letters.get(name, "") and not is_hidden:
        return False
    here = _function(variables)
    if here is not None and name in here.hidden:
        here.hidden[name] = replace(here.hidden[name], is_before_command=False)
    if here is None or name in here.hidden:
        return False
    here.hidden[name] = _value(variables, name)
    for each in (variables.arrays, variables.maps, variables.references):
        each.pop(name, None)
    exported = "x" in variables.letters.pop(name, "")
    variables.letters[name] = "x" * exported
    return True


def unset(variables: Variables, name: str) -> bool:
    """One that another function has made local, or that stands before a command, shows what it
    hides, as bash has it; one of this function stays local. Whether it is unset: what is `readonly`
    stays, and is told.
    """
    name = variables.name(name)
    if "r" in variables.letters.get(name, ""):
        variables.refused.add(name)
        return False
    own = _function(variables)
    for each in reversed(variables.scopes):
        if name in each.hidden:
            if each is own and not each.hidden[name].is_before_command:
                break
            variables.touch(name)
            _put(variables, name, each.hidden.pop(name))
            return True
    variables.unset(name)
    return True


@contextmanager
def at_top(variables: Variables, names: Sequence[str]) -> Iterator[None]:
    """`declare -g`: the values of these that no function hides are there."""
    hiding = {name: [each for each in variables.scopes if name in each.hidden] for name in names}
    own = {name: _value(variables, name) for name, each in hiding.items() if each}
    for name in own:
        _put(variables, name, hiding[name][0].hidden[name])
    yield
    for name, kept in own.items():
        hidden = hiding[name][0].hidden
        hidden[name] = replace(
            _value(variables, name), is_before_command=hidden[name].is_before_command,
            is_sure=hidden[name].is_sure,
        )  # fmt: skip
        _put(variables, name, kept)


def may_stay(variables: Variables, name: str) -> None:
    """`n=1 f`, where f exports n: some shells keep that value behind f."""
    for each in variables.scopes:
        if name in each.hidden and each.hidden[name].is_before_command:
            each.hidden[name] = Kept(unresolved(name), is_before_command=True, is_sure=False)


def _function(variables: Variables) -> Scope | None:
    return next((each for each in reversed(variables.scopes) if each.is_function), None)


def _value(variables: Variables, name: str) -> Kept:
    return Kept(
        variables.assigned.get(name), variables.arrays.get(name), variables.maps.get(name),
        variables.references.get(name), variables.letters.get(name),
        name in variables.all_unset,
    )  # fmt: skip


def _put(variables: Variables, name: str, kept: Kept) -> None:
    _set(variables.assigned, name, kept.value)
    _set(variables.arrays, name, kept.slots)
    _set(variables.maps, name, kept.elements)
    _set(variables.references, name, kept.reference)
    _set(variables.letters, name, kept.letters)
    variables.all_unset.discard(name)
    variables.all_unset |= {name} if kept.is_unset else set()


def _set(values: dict[str, _T], name: str, value: _T | None) -> None:
    values.pop(name, None)
    if value is not None:
        values[name] = value
