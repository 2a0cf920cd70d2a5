# SPDX-License-Identifier: Apache-2.0
"""What stands between ${ and }: a variable, an element or all of them, and what becomes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.shell.unresolved import has_unresolved, unresolved, unresolved_names
from thalweg.shell.values.modifiers import Inner, all_modified, modified, of_known_part
from thalweg.shell.values.variables import Variables

_NAME = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = re.compile(r"(#?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(.*)", re.DOTALL)
_INDIRECT = re.compile(r"!([A-Za-z_]\w*|[0-9]+)(.*)", re.DOTALL)
_ALL_OF = re.compile(r"(!?)(?:([A-Za-z_]\w*)\[([@*])\]|([@*]))(.*)", re.DOTALL)
_BEGINNING = re.compile(r"!([A-Za-z_]\w*)([@*])")
_DEFAULT = re.compile(r":?[-=+?]")
# By a shell, or where it is started; what is not given else counts as not set.
ALWAYS_SET = frozenset(
    {"PWD", "HOME", "USER", "LOGNAME", "HOSTNAME", "SHELL", "PATH", "UID", "EUID", "PPID", "RANDOM",
     "SECONDS", "LINENO", "SHLVL", "BASH", "BASH_VERSION", "BASHPID", "HOSTTYPE", "OSTYPE", "PS4",
     "BASH_SOURCE", "BASH_VERSINFO", "BASH_LINENO", "FUNCNAME", "MACHTYPE", "PIPESTATUS", "GROUPS",
     "SHELLOPTS", "BASHOPTS", "DIRSTACK", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "PS1", "-",
     "_"}
)  # fmt: skip
_MODIFIES = frozenset(":#%/^,@")


@dataclass(frozen=True)
class All:
    """All elements of an array, or all arguments.

    sign   @ or *, of which the latter joins them
    words  None where they are not known
    rest   :- and its kin, which a shell applies to all of them as one
    is_changed  by something else
    """

    sign: str
    words: list[str] | None
    rest: str = ""
    is_changed: bool = False


def all_of(body: str, inner: Inner) -> All | None:
    """x[@], x[*]:1:2, !x[@], @, *%a; None of anything else."""
    if prefix := _BEGINNING.fullmatch(body):
        return All(prefix[2], inner.variables.names_with(prefix[1]))
    found = _ALL_OF.fullmatch(body)
    if found is None or (found[4] and found[1]):
        return None
    wants_keys, name, rest = found[1], found[2], found[5]
    sign = found[3] or found[4]
    if rest and (rest[0] not in _MODIFIES | set("-=+?") or wants_keys):
        return None
    words = _keys_or_elements(name, bool(wants_keys), inner.variables)
    if len(inner.variables.map(name or "") or ()) > 1:
        inner.variables.in_order.add(name or "")
    if _DEFAULT.match(rest):
        return All(sign, words, rest)
    has_gaps = bool(name) and None in inner.variables.slots(name or "")
    has_gaps |= not name and inner.variables.sure is not None
    if rest and words is not None and (has_gaps or any(map(has_unresolved, words))):
        words = None
    if rest and words is not None:
        words = all_modified(words, rest, inner, is_array=bool(name))
    return All(sign, words, is_changed=bool(rest))


def _keys_or_elements(name: str | None, wants_keys: bool, variables: Variables) -> list[str] | None:
    if not name:
        return variables.all_arguments()
    if variables.is_unset(name):
        return []
    found = variables.keys(name) if wants_keys else variables.array(name)
    value = variables.known(name) if found is None else None
    return found if value is None else ["0" if wants_keys else value]


def parameter(body: str, inner: Inner) -> str:
    """Its value as one text."""
    variables = inner.variables
    if body not in ("@", "*") and (found := all_of(body, inner)) is not None:
        return _joined(body, found, inner)
    if body == "!#":
        is_open = variables.sure is not None
        return [unresolved("`arguments`"), *(variables.all_arguments() * (not is_open))][-1]
    indirect = _INDIRECT.fullmatch(body)
    if indirect and indirect[2][:1] not in ("*", "@", "["):
        name = variables.value(indirect[1])
        if name is None or not _NAME.fullmatch(name):
            return unresolved(indirect[1])
        body = name + indirect[2]
    parts = _PARAMETER.fullmatch(body)
    if parts is None:
        return unresolved(re.sub(r"\W", "", body) or "?")
    counts, name, rest = parts.groups()
    has_elements = variables.is_array(name) or variables.map(name) is not None
    if not rest.startswith("[") and has_elements and name not in variables.given:
        return _element(name, "0", inner).text(bool(counts), rest, inner)
    if not rest.startswith("["):
        return _Single(name, variables.value(name), variables.is_unset(name)).text(
            bool(counts), rest, inner
        )
    index, rest = _subscript(rest)
    if index in ("@", "*"):
        words = None if rest else _keys_or_elements(name, True, variables)
        return unresolved(name) if words is None else str(len(words))
    return _element(name, index, inner).text(bool(counts), rest, inner)


def _subscript(rest: str) -> tuple[str, str]:
    """Of [x[1]]%a: x[1] and %a."""
    depth = 0
    for i, letter in enumerate(rest):
        depth += (letter == "[") - (letter == "]")
        if depth == 0:
            return rest[1:i], rest[i + 1 :]
    return rest[1:], ""


@dataclass(frozen=True)
class _Single:
    """A variable, or an element.

    index  its key, or its number, which is less than 0 from the end; "" of a variable
    """

    name: str
    value: str | None
    is_unset: bool
    index: str = ""

    def text(self, counts: bool, rest: str, inner: Inner) -> str:
        if default := _DEFAULT.match(rest):
            return self._or_default(default[0], rest[default.end() :], inner)
        value = self.value
        if self.is_unset and not counts:
            return ""
        if value and rest and not counts and (part := of_known_part(value, rest)) is not None:
            return part
        if value is None or ((rest or counts) and has_unresolved(value)):
            return unresolved(unresolved_names(value)[0] if value else self.name)
        if counts:
            return str(len(value)) if value.isascii() else unresolved(self.name)
        found = modified(value, rest, inner) if rest else value
        return unresolved(self.name) if found is None else found

    def _or_default(self, sign: str, word: str, inner: Inner) -> str:
        if self.value is None and not self.is_unset and self.name in ALWAYS_SET:
            return inner.default(word) if sign[-1] == "+" else unresolved(self.name)
        is_empty = self.value is None or self.is_unset
        is_empty |= not self.value and sign.startswith(":")
        if sign[-1] == "+" and self.value and has_unresolved(self.value):
            return unresolved(unresolved_names(self.value)[0])
        if sign[-1] == "+":
            return "" if is_empty else inner.default(word)
        if sign[-1] == "?":
            return unresolved(self.name) if is_empty else str(self.value)
        if not is_empty:
            return str(self.value)
        value = inner.default(word)
        if sign[-1] == "=" and self.index:
            inner.variables.assign_element(self.name, self.index, value)
        elif sign[-1] == "=":
            inner.variables.change(self.name, value)
        return value


def _element(name: str, index: str, inner: Inner) -> _Single:
    """x[1], x[$i + 1], x[-1] or x[key]"""
    variables = inner.variables
    if variables.is_unset(name):
        return _Single(name, "", is_unset=True)
    elements = variables.map(name)
    words = variables.slots(name) if variables.is_array(name) else None
    if elements is not None:
        key = inner.text(index)
        if has_unresolved(key):
            return _Single(name, key, is_unset=False)
        return _Single(name, elements.get(key, ""), key not in elements, key)
    value = variables.value(name)
    if words is None and value is not None and has_unresolved(value):
        return _Single(name, value, is_unset=False)
    number = inner.number(index)
    if not number.lstrip("-").isdecimal():
        return _Single(name, number if has_unresolved(number) else None, is_unset=False)
    if words is None:
        is_there = number == "0" or value is None
        return _Single(name, value if is_there else "", not is_there, number)
    found = words[int(number)] if -len(words) <= int(number) < len(words) else None
    return _Single(name, found or "", found is None, number)


def is_there(word: str, inner: Inner) -> bool | None:
    """Whether a variable, or an element of one, has a value; None where that is not known."""
    name, sign, rest = word.partition("[")
    variables = inner.variables
    value = variables.value(name)
    if sign and not rest.startswith(("@", "*")):
        found = _element(name, rest.removesuffix("]"), inner)
    elif sign:
        words = _keys_or_elements(name, True, variables)
        return None if words is None else bool(words)
    elif variables.is_array(name) or variables.map(name) is not None:
        found = _element(name, "0", inner)
    else:
        found = _Single(name, value, variables.is_unset(name))
    if found.is_unset:
        return False
    is_open = found.value is None or has_unresolved(found.value)
    return None if is_open else True


def _joined(body: str, found: All, inner: Inner) -> str:
    name = _NAME.match(body.lstrip("!"))
    shown = name[0] if name else "`arguments`"
    if found.words is None:
        is_default = found.rest and name and inner.variables.value(name[0]) is None
        if is_default or (found.rest and not name):
            return _Single(shown, None, is_unset=True).text(False, found.rest, inner)
        return unresolved(shown)
    marks = inner.variables.value("IFS") or ""
    joint = (
        " "
        if found.sign == "@" and not (found.is_changed and marks)
        else unresolved("IFS")
        if has_unresolved(marks)
        else marks[:1]
    )
    text = joint.join(found.words)
    if not found.rest:
        return text
    return _Single(shown, text, not found.words).text(False, found.rest, inner)
