# SPDX-License-Identifier: Apache-2.0
"""All values of a script's variables at one place of it, and those that a function hides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from thalweg.shell.unresolved import unresolved

Slots = list[str | None]  # elements by their numbers; None where there is none


@dataclass(frozen=True)
class Kept:
    """What a variable is, or was before something hid it.

    value      None where the script has given it none
    slots      of an array
    elements   of one whose elements have names
    reference  the variable that it stands for
    letters    what `declare -i`, -u, -l and -Z2 make of each value
    is_before_command  hidden by `x=1 command`, not by `local x`
    is_sure    whether it is hidden for sure
    """

    value: str | None = None
    slots: Slots | None = None
    elements: dict[str, str] | None = None
    reference: str | None = None
    letters: str | None = None
    is_unset: bool = False
    is_before_command: bool = False
    is_sure: bool = True


@dataclass
class Scope:
    """Variables that hold as long as a function runs, with what they hide; or those that stand
    before a command that is none.
    """

    is_function: bool
    hidden: dict[str, Kept] = field(default_factory=dict)

    def meet(self, other: Scope) -> None:
        """What need not be hidden, or is not the same, is open when the function ends."""
        for name in unlike(self.hidden, other.hidden):
            self.hidden[name] = Kept(unresolved(name), is_sure=False)


@dataclass(frozen=True)
class State:
    """Of all variables at a place of a script."""

    assigned: dict[str, str]
    arrays: dict[str, Slots]
    maps: dict[str, dict[str, str]]
    references: dict[str, str]
    letters: dict[str, str]
    options: set[str]
    unset: set[str]
    scopes: list[Scope]
    arguments: list[str] | None
    sure: int | None
    shifted: int
    status: str | None

    def copy(self) -> State:
        return replace(
            self, assigned=dict(self.assigned), arrays=dict(self.arrays), maps=dict(self.maps),
            references=dict(self.references), letters=dict(self.letters),
            options=set(self.options), unset=set(self.unset), scopes=copied(self.scopes),
        )  # fmt: skip


def copied(scopes: list[Scope]) -> list[Scope]:
    return [replace(each, hidden=dict(each.hidden)) for each in scopes]


def unlike(mine: Mapping[str, object], its: Mapping[str, object]) -> list[str]:
    """Names of what differs."""
    return [name for name in {**mine, **its} if mine.get(name) != its.get(name)]
