# SPDX-License-Identifier: Apache-2.0
"""Which commands of a shell print no error for sure: what they print may be read with errors in it,
as in `$(f 2>&1)`. Programs are not asked: what is printed by one that is not read is open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from thalweg.shell.tree.tree import Simple
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.assignments import ARITHMETIC, DECLARES, is_name_or_assignment
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.formats import printf
from thalweg.shell.values.variables import Variables
from thalweg.shell.values.words import words_given
from thalweg.shell.walk.sets import LEAVES

# Commands of which a script goes on as if they had been done.
SUCCEEDS = frozenset({"echo", "print", "printf", "export", "set", "true", ":", "unset", "shopt"})
# Programs are all others.
OF_SHELL = SUCCEEDS | LEAVES | DECLARES | frozenset(
    {"read", "mapfile", "readarray", "cd", "pushd", "popd", "eval", "source", ".", "exec", "test",
     "[", "let", "shift", "trap", "wait", "kill", "type", "command", "builtin", "ulimit", "umask",
     "alias", "hash", "pwd", "false", "getopts", "setenv", "@"}
)  # fmt: skip
_RUN = frozenset({"source", ".", "exec", "command", "builtin", "eval"})  # asked by itself
_MAY_COMPLAIN = re.compile(
    r"\$\[|\$\{!|\$\{[^}]*\?|\$\{#?\w+(?:\[(?!(?:[0-9]+|@|\*)\])|[@:](?![-=+0-9]))"
)
_PRINTED = re.compile(r"\$\((?!\()|`")
_CHECKED = re.compile(r"\$\(\((?:[^()]|\([^()]*\))*\)\)")  # whose value tells
_SAYING = frozenset({"echo", "print", ":", "true", "false", "pwd", "set", "read", "unset"})
_PLAIN_OPTION = re.compile("[-+](?:[aefuxirA]*|-)")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")


def is_of_shell(simple: Simple) -> bool:
    """Not a program, nor what runs other commands."""
    words = simple.words[len(simple.assigned()) :]
    return not words or words[0] in OF_SHELL - _RUN or _asks(simple)


def is_quiet(simple: Simple, truth: bool | None, variables: Variables, *, has_left: bool) -> bool:
    """simple: one of a shell that has been run. truth: what became of it; has_left: it has left a
    loop or a function
    """
    plain = simple.plain()
    if (
        not all(_is_plain(word, variables) for word in simple.words)
        or plain.files.ins
        or plain.files.channels
    ):
        return False
    words = plain.words
    if variables.refused or any(map(has_unresolved, (variables.printed or {}).values())):
        return False  # by a program, which may print errors, too
    if len(simple.assigned()) == len(simple.words):
        return all(_gives_plainly(word, variables) for word in simple.assigned())
    name = words[0]
    if name in LEAVES:
        return has_left or name == "exit"
    if name in ("[", "test"):
        return True  # asked elsewhere
    if _asks(plain) or name == "shift":
        return truth is not None
    if name == "printf":
        given = words_given(words[1:], variables)
        return given is not None and printf(given) is not None
    if name in DECLARES:
        named = [word for word in words[1:] if word[:1] != "-"]
        is_other = name in ("integer", "nameref") or (name == "local" and not variables.scopes)
        return (
            not is_other
            and all(_PLAIN_OPTION.fullmatch(each) for each in words[1:] if each not in named)
            and all(
                is_name_or_assignment(each) and _gives_plainly(each, variables) for each in named
            )
        )
    if name in ("set", "read", "unset"):
        return _are_plain(name, words[1:], variables)
    return name in _SAYING


def _asks(simple: Simple) -> bool:
    return simple.text.startswith("[[") or ARITHMETIC.match(simple.text) is not None


def _is_plain(word: str, variables: Variables) -> bool:
    """What is expanded in it is no error."""
    if "$" not in word and "`" not in word:
        return True
    checked = _CHECKED.findall(word)
    if any(_PRINTED.search(each) or has_unresolved(expand(each, variables)) for each in checked):
        return False
    return _MAY_COMPLAIN.search(_CHECKED.sub("", word)) is None


def _gives_plainly(word: str, variables: Variables) -> bool:
    """x=1, of which no letters make anything else."""
    name = word.partition("=")[0].removesuffix("+")
    letters = set(variables.letters.get(variables.name(name), ""))
    is_computed = letters & set("i?") or _PRINTED.search(word)
    is_open = bool(is_computed) and has_unresolved(variables.value(name) or "")
    return _PLAIN_NAME.fullmatch(name) is not None and not is_open


def _are_plain(name: str, words: Sequence[str], variables: Variables) -> bool:
    options = [word for word in words if word[:1] in ("-", "+")]
    others = [word for word in words if word not in options]
    if not all(map(_PLAIN_OPTION.fullmatch, options)):
        return False
    is_kept = any("r" in variables.letters.get(variables.name(each), "") for each in others)
    plain = all(_gives_plainly(each, variables) for each in others) and not is_kept
    return name == "set" or plain
