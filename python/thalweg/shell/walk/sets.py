# SPDX-License-Identifier: Apache-2.0
"""Which variables a part of a script may give values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from thalweg.shell.tree.tree import (
    SUBSCRIPT,
    AndOr,
    Body,
    Command,
    For,
    Function,
    Pipeline,
    Redirections,
    Simple,
    bodies_of,
)

_ASSIGNED = re.compile(rf"([A-Za-z_]\w*)(?:{SUBSCRIPT})?\+?=(?!=)")
_IN_WORD = re.compile(
    r"\$\{([A-Za-z_]\w*):?=|([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)=)"
    r"|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_IN_ARITHMETIC = re.compile(rf"([A-Za-z_]\w*)\s*(?:{SUBSCRIPT})?\s*=(?!=)")
_GIVES = frozenset(
    {"read", "unset", "mapfile", "readarray", "getopts", "printf", "local", "declare", "typeset",
     "export", "readonly", "integer", "nameref", "set", "setenv"}
)  # fmt: skip
_IS_GLOBAL = re.compile("-[A-Za-z]*g")
_LOCAL = frozenset({"local", "declare", "typeset"})
_FARTHEST = 20  # functions that call one another

Functions = Mapping[str, Sequence[Command]]

LEAVES = frozenset({"exit", "return", "break", "continue"})
# Of work, which is taken as done where nothing says otherwise.
DONE = frozenset(
    {"cp", "mv", "ln", "rm", "cat", "mkdir", "cd", "pushd", "popd", "touch", "chmod", "tee",
     "source", ".", "module", "ulimit", "install"}
)  # fmt: skip


def names_set(body: Body, functions: Functions, depth: int = 0) -> set[str]:
    """By commands, and by functions that they call."""
    found: set[str] = set()
    for command in _commands(body):
        if isinstance(command, For):
            found |= set(_IN_ARITHMETIC.findall(command.counted)) | {command.name}
        elif isinstance(command, Simple):
            found |= _of_simple(command)
            called = functions.get(command.plain().words[0], ()) if command.words else ()
            for each in called if depth < _FARTHEST else ():
                body = as_body(each)
                found |= names_set(body, functions, depth + 1) - _local_to(body)
    return {name for name in found if name.isidentifier()}


def _of_simple(simple: Simple) -> set[str]:
    words = simple.plain().words
    is_lasting = len(simple.assigned()) == len(simple.words)  # not of `IFS= read x`
    given = simple.words if is_lasting else simple.words[len(simple.assigned()) :]
    found = {match[1] for word in given if (match := _ASSIGNED.match(word))}
    if words and words[0] in _GIVES:
        found |= {word.partition("[")[0].partition("=")[0] for word in words[1:]}
    for word in simple.words:
        for names in _IN_WORD.findall(word):
            found |= set(names)
        if word.startswith(("((", "let")) or "$((" in word:
            found |= set(_IN_ARITHMETIC.findall(word))
    return found


def _local_to(body: Body) -> set[str]:
    """Of a function."""
    plain = [each.plain().words for each in _commands(body) if isinstance(each, Simple)]
    declaring = [words[1:] for words in plain if words[:1] and words[0] in _LOCAL]
    return {
        word.partition("=")[0]
        for words in declaring
        if not any(map(_IS_GLOBAL.match, words))
        for word in words
    }


def redirections_in(body: Body) -> Iterator[tuple[Redirections, str]]:
    """Of its blocks, and where they are."""
    for command in _commands(body):
        if not isinstance(command, (Simple, Function)):
            yield command.files, command.at


def as_body(command: Command) -> Body:
    return [AndOr([("", Pipeline([command]))])]


def _commands(body: Body) -> Iterator[Command]:
    for each in body:
        for _, pipeline in each.parts:
            for command in pipeline.commands:
                yield command
                for inner in bodies_of(command):
                    yield from _commands(inner)


def simples_with(body: Body, functions: Functions, depth: int = 0) -> Iterator[Simple]:
    """Simple commands, and those of functions that they call."""
    for command in _commands(body):
        if not isinstance(command, Simple):
            continue
        yield command
        words = command.plain().words
        for each in functions.get(words[0], ()) if words and depth < _FARTHEST else ():
            yield from simples_with(as_body(each), functions, depth + 1)
