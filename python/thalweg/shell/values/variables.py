# SPDX-License-Identifier: Apache-2.0
"""Values of a script's variables by name, arrays among them, and how they come apart into words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from thalweg.shell.unresolved import has_unresolved, unresolved, unresolved_names
from thalweg.shell.values.state import Scope, Slots, State, copied, unlike

_BLANKS = " \t\n"
_FROM_END = re.compile("-[0-9]+")
_AT_FIRST = {"IFS": _BLANKS, "OPTIND": "1"}
_LONGEST_VALUE = 1_000_000  # characters; a script that doubles a text in a loop has no end
_LONGEST_OPEN = 10_000  # of one that is open in part
_LONGEST_ARRAY = 50_000  # elements
_UNKNOWN_COMMAND = re.compile(r"[^A-Za-z_]|$")
_ARGUMENTS = unresolved("`arguments`")
_MOST_REFERENCES = 20  # of one name to another


@dataclass
class Variables:
    """Values by name; `given` by --set stand above what the script says.

    arguments  $1, $2, ... of a function, or of `set --`; None: those of the script
    sure       how many of these are where they are; None: all
    references the variable that a name stands for, by `declare -n`
    letters    by name, what `declare -i`, -u, -l and -Z2 make of each value
    options    of `shopt` and `set` that are on
    maps       arrays whose elements have names
    exists     how many lines a file has that the script wrote; None where that is not known
    substitute what a command prints, as far as that can be told by running it
    overridden values that the script gives to those that are given
    touched    names that have been given values since it was made
    truth      whether the last command in $(...) succeeded
    status     $?; None where it is not known
    sets_unknown  whether a variable whose name is not known has been given a value
    all_unset  those that have no value for sure
    scopes     of functions that run, and of values before a command
    printed    by the text of a command in $(...), as long as one command of the script is run
    """

    given: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, Slots] = field(default_factory=dict)
    arguments: list[str] | None = None
    sure: int | None = None
    used: set[str] = field(default_factory=set)
    references: dict[str, str] = field(default_factory=dict)
    letters: dict[str, str] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)
    maps: dict[str, dict[str, str]] = field(default_factory=dict)
    exists: Callable[[str], int | None] = lambda _: None
    substitute: Callable[[str], str | None] = lambda _: None
    overridden: dict[str, dict[str, None]] = field(default_factory=dict)
    printed: dict[str, str] | None = None
    status: str | None = None
    is_of_test: bool = False  # where it is not known: of a question, not of work
    of_status: set[str] = field(default_factory=set)  # those that have what work has left in $?
    touched: set[str] | None = None
    truth: bool | None = True
    sets_unknown: bool = False
    in_order: set[str] = field(default_factory=set)  # whose elements with names were gone over
    is_made_readonly: bool = False
    refused: set[str] = field(default_factory=set)  # that are read-only, and were given values
    has_own_arguments: bool = False  # by `set --`, since a function or script was called
    has_set_unknown: bool = False  # at any time before
    all_unset: set[str] = field(default_factory=set)
    scopes: list[Scope] = field(default_factory=list)
    _shifted: int = 0

    def state(self) -> State:
        return State(
            dict(self.assigned), dict(self.arrays), dict(self.maps), dict(self.references),
            dict(self.letters), set(self.options), set(self.all_unset), copied(self.scopes),
            self.arguments, self.sure, self._shifted, self.status,
        )  # fmt: skip

    def set_state(self, state: State) -> None:
        """It is used up."""
        self.assigned, self.arrays, self.maps = state.assigned, state.arrays, state.maps
        self.references, self.letters = state.references, state.letters
        self.options, self.all_unset, self.scopes = state.options, state.unset, state.scopes
        self.arguments, self.sure, self._shifted = state.arguments, state.sure, state.shifted
        self.status = state.status

    def merge(self, states: Sequence[State]) -> None:
        """Where ways through a script meet, what differs between them is open."""
        first, *others = states
        self.set_state(first.copy())
        for other in others:
            given = self.arguments, self.sure, self._shifted
            if given != (other.arguments, other.sure, other.shifted):
                self.forget_arguments()
            self.status = self.status if self.status == other.status else None
            self.options |= {f"?{each}" for each in self.options ^ other.options}
            for name in unlike(self.letters, other.letters):
                self.letters[name] = "?"
            for mine, its in (
                (self.arrays, other.arrays), (self.maps, other.maps),
                (self.references, other.references),
            ):  # fmt: skip
                for name in unlike(mine, its):
                    self.forget(name)
            for name in unlike(self.assigned, other.assigned):
                self.forget(name)
            for name in self.all_unset ^ other.unset:
                self.forget(name)
            del self.scopes[len(other.scopes) :]
            for own, of_other in zip(self.scopes, other.scopes, strict=False):
                own.meet(of_other)

    def name(self, name: str) -> str:
        """The one that it stands for."""
        for _ in range(_MOST_REFERENCES if self.references else 0):
            name = self.references.get(name, name)
        return name

    def value(self, name: str) -> str | None:
        if name == "?":
            is_of_test = self.status is None and self.is_of_test
            return unresolved("`test`") if is_of_test else self.status
        if self.arguments is not None and not name.isidentifier():
            return self._argument(name, self.arguments)
        if name in ("#", "@", "*"):
            self.used.add("#")
            return self._argument(name, self.given_arguments())
        name = self.name(name)
        if name.isdecimal() and name != "0":
            name = str(int(name) + self._shifted)
        self.used.add(name)
        before = _AT_FIRST.get(name)
        return self.given.get(name, self.assigned.get(name, before))

    def given_arguments(self) -> list[str]:
        """Of the script: those of --set, which are none mostly."""
        found: list[str] = []
        while (text := self.given.get(str(len(found) + 1 + self._shifted))) is not None:
            found.append(text)
        return found

    def all_arguments(self) -> list[str]:
        """Where `sure` says so there may be more of them, or less, behind those."""
        if self.arguments is None:
            self.used.add("#")
            return self.given_arguments()
        return list(self.arguments) or [_ARGUMENTS] * (self.sure is not None)

    def _argument(self, name: str, arguments: list[str]) -> str | None:
        is_sure = self.sure is None or arguments is not self.arguments
        is_sure |= name.isdecimal() and int(name) <= max(self.sure or 0, 0)
        if not is_sure and (name in ("#", "@", "*") or name.isdecimal()):
            names = unresolved_names(" ".join(arguments[self.sure :]))
            return unresolved(names[0]) if names else _ARGUMENTS
        if name.isdecimal() and int(name) > 0:
            return arguments[int(name) - 1] if int(name) <= len(arguments) else ""
        marks = self.assigned.get("IFS", _BLANKS)
        joined = unresolved("IFS") if has_unresolved(marks) else marks[:1]
        return {
            "#": str(len(arguments)), "@": " ".join(arguments), "*": joined.join(arguments)
        }.get(name)  # fmt: skip

    def known(self, name: str) -> str | None:
        """None also where a part of the value is open."""
        value = self.value(name)
        return None if value is None or has_unresolved(value) else value

    def touch(self, name: str) -> None:
        if self.touched is not None:
            self.touched.add(name)

    def _refuses(self, name: str, *, is_other: bool) -> bool:
        """What is `readonly` keeps its value."""
        is_kept = "r" in self.letters.get(name, "")
        self.refused |= {name} if is_kept and (is_other or not self.is_made_readonly) else set()
        return is_kept

    def assign(self, name: str, value: str) -> None:
        name = self.name(name)
        self.touch(name)
        if self._refuses(name, is_other=self.assigned.get(name) != value):
            return
        if "allexport" in self.options and "x" not in self.letters.get(name, ""):
            self.letters[name] = self.letters.get(name, "") + "x"
        self.of_status.discard(name)
        if name == "IFS" and not value.isascii():
            value = unresolved("IFS")  # in letters, or in bytes
        self.assigned[name] = value
        if name in self.given:
            self.overridden.setdefault(name, {})[value] = None
        self.all_unset.discard(name)
        if name in self.arrays:
            self.arrays[name] = [value, *self.arrays[name][1:]]
        if name in self.maps:
            self.maps[name] = {**self.maps[name], "0": value}

    def assign_array(self, name: str, words: Sequence[str | None]) -> None:
        """words: by their numbers, None where there is none"""
        name = self.name(name)
        self.touch(name)
        if self._refuses(name, is_other=self.arrays.get(name) != list(words)):
            return
        if len(words) > _LONGEST_ARRAY:
            self.forget(name)
            return
        self.maps.pop(name, None)
        count = max((i + 1 for i, each in enumerate(words) if each is not None), default=0)
        self.arrays[name] = list(words[:count])
        self.all_unset.discard(name)
        self.assigned[name] = (words[0] or "") if count else ""

    def shift(self, count: int) -> bool | None:
        """Whether there are so many; None where that is not known."""
        self.touch("@")
        if self.arguments is None:
            self._shifted += count
            return None
        is_enough = count <= len(self.arguments)
        if is_enough or self.sure is not None:
            self.arguments = self.arguments[count:]
            self.sure = None if self.sure is None else max(self.sure - count, 0)
        return is_enough if self.sure is None else None

    def forget(self, name: str) -> None:
        name = self.name(name)
        self.touch(name)
        self.arrays.pop(name, None)
        self.maps.pop(name, None)
        self.all_unset.discard(name)
        self.assigned[name] = unresolved(name)

    def change(self, name: str, value: str) -> None:
        """What a command prints is asked for by the name of the variable that takes it."""
        is_of_command = any(_UNKNOWN_COMMAND.match(each) for each in unresolved_names(value))
        longest = _LONGEST_OPEN if has_unresolved(value) else _LONGEST_VALUE
        if not is_of_command and len(value) <= longest:
            self.assign(name, value)
        else:
            self.assign(name, unresolved(self.name(name)))
        if value == unresolved("?"):
            self.of_status.add(self.name(name))

    def give(self, name: str, value: str) -> None:
        """By `read` or `for`; what letters make of it is not computed."""
        letters = set(self.letters.get(self.name(name), ""))
        is_number = value.isdecimal() and value == str(int(value)) and "Z" not in letters
        if is_number or not letters & set("iulcZ?"):
            self.change(name, value)
        else:
            self.forget(name)

    def forget_arguments(self) -> None:
        self.touch("@")
        self.arguments, self.sure = [_ARGUMENTS], 0

    def give_arguments(self, arguments: Sequence[str] | None, sure: int | None = None) -> None:
        self.touch("@")
        self.arguments = None if arguments is None else list(arguments)
        self.sure = sure

    def unset(self, name: str) -> None:
        """It has no value for sure, and is empty."""
        name = self.name(name)
        self.touch(name)
        for each in (self.arrays, self.maps, self.letters, self.references):
            each.pop(name, None)
        self.assigned[name] = _BLANKS if name == "IFS" else ""
        self.all_unset.add(name)

    def is_exported(self, name: str) -> bool:
        """Programs see it; one that the script does not set comes from where it is run."""
        name = self.name(name)
        is_own = name in self.assigned and name not in self.given
        return not is_own or "x" in self.letters.get(name, "") or "allexport" in self.options

    def is_unset(self, name: str) -> bool:
        if name.isdecimal() and self.arguments is not None and self.sure is None:
            return int(name) > len(self.arguments)
        return self.name(name) in self.all_unset

    def assign_map(self, name: str, elements: Mapping[str, str]) -> None:
        name = self.name(name)
        self.touch(name)
        if self._refuses(name, is_other=self.maps.get(name) != elements):
            return
        self.arrays.pop(name, None)
        self.maps[name] = dict(elements)
        self.assigned[name] = elements.get("0", "")
        self.all_unset.discard(name)

    def assign_element(self, name: str, key: str, value: str) -> None:
        """key: its name or its number, or what it waits for: then all of them are open"""
        elements, before = self.map(name), self.slots(name)
        if elements is None and _FROM_END.fullmatch(key):
            key = str(int(key) + len(before))
        if elements is not None and not has_unresolved(key):
            self.assign_map(name, {**elements, key: value})
        elif (
            elements is None
            and key.isdecimal()
            and int(key) < _LONGEST_ARRAY
            and not any(each and has_unresolved(each) for each in before)
        ):
            here = int(key)
            gap = [None] * (here - len(before))
            self.assign_array(name, [*before[:here], *gap, value, *before[here + 1 :]])
        else:
            self.forget(name)

    def unset_element(self, name: str, key: str) -> None:
        """key: as of assign_element()"""
        elements, before = self.map(name), self.slots(name)
        if elements is not None and not has_unresolved(key):
            self.assign_map(name, {each: text for each, text in elements.items() if each != key})
        elif elements is None and key.isdecimal() and name in self.arrays:
            here = int(key)
            self.assign_array(name, [*before[:here], None, *before[here + 1 :]])
        else:
            self.forget(name)

    def map(self, name: str) -> dict[str, str] | None:
        return self.maps.get(self.name(name))

    def array(self, name: str) -> list[str] | None:
        """Elements in their order; of names in that in which they were given."""
        name = self.name(name)
        if name in self.maps:
            return list(self.maps[name].values())
        slots = self.arrays.get(name)
        return None if slots is None else [each for each in slots if each is not None]

    def slots(self, name: str) -> Slots:
        """Of an array, and of one that is none of several."""
        found = self.arrays.get(self.name(name))
        value = self.value(name) if found is None else None
        is_none = found is None and (value is None or self.is_unset(name))
        return [] if is_none else [value or ""] if found is None else list(found)

    def names_with(self, beginning: str) -> list[str]:
        """That the script gives values."""
        return sorted(
            each
            for each in self.assigned
            if each.startswith(beginning) and each not in self.all_unset
        )

    def is_array(self, name: str) -> bool:
        return self.name(name) in self.arrays

    def keys(self, name: str) -> list[str] | None:
        name = self.name(name)
        words = self.arrays.get(name)
        if name in self.maps:
            return list(self.maps[name])
        if words is None:
            return None
        return [str(i) for i, each in enumerate(words) if each is not None]

    def split(self, text: str) -> list[str]:
        """A value in words, at the letters of IFS."""
        marks = self.assigned.get("IFS", _BLANKS)
        if marks == _BLANKS:
            return text.split()
        if has_unresolved(marks):
            return [unresolved("IFS")]
        return split_at(text, marks)


def split_at(text: str, marks: str) -> list[str]:
    """At letters of IFS."""
    blanks = "".join(each for each in marks if each in _BLANKS)
    others = "".join(each for each in marks if each not in _BLANKS)
    text = text.strip(blanks) if blanks else text
    if not text or not marks:
        return [text] * bool(text)
    space = f"[{re.escape(blanks)}]" if blanks else "(?!)"
    mark = f"{space}*[{re.escape(others)}]{space}*|" if others else ""
    found = re.split(f"{mark}{space}+", text)
    return found[:-1] if found[-1] == "" else found
