# SPDX-License-Identifier: Apache-2.0
"""Which commands of a shell print no error for sure: what they print may be read with errors in it,
as in `$(f 2>&1)`. Programs are not asked: what is printed by one that is not read is open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from thalweg.shell.tree.tree import Simple
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.assignments import ARITHMETIC, DECLARES
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
# Of expansions: values that are known are no errors.
_MAY_COMPLAIN = re.compile(r"\$\[.*?\]|\$\{(?:!|#?\w+(?:\[|:?\?|[@:](?![-=+0-9])))[^{}]*\}?")
_CALCULATED = re.compile(r"\$\(\((?:[^()]|\([^()]*\))*\)\)")
_GIVES_ARGUMENT = re.compile(r"\$\{[0-9@*#]+:?=")
_PRINTED = re.compile(r"\$\((?!\()|`")
_QUIET_PROGRAM = re.compile(
    r"date(?: -u)?(?: ['\"]?\+[^;|&]*)?|hostname(?: -\w+)?|uname(?: -\w+)?|whoami|pwd"
)
_SAYING = frozenset({"echo", "print", ":", "true", "false", "pwd"})
_DECLARING = re.compile("[-+][aAgilrux]+|--")
_OPTIONS = {
    "set": re.compile(r"[-+](?:[aefuxnvEhbmBCHPT]*o?|-)"), "read": re.compile("-r"),
    "unset": re.compile("-v"), "export": re.compile("-n|--"), "readonly": re.compile("-[aA]|--"),
}  # fmt: skip
_OF_SET = frozenset({"errexit", "nounset", "pipefail", "noglob", "xtrace", "noclobber"})
_NUMBER = re.compile("-?[0-9]+")
_NAMED = re.compile(r"([A-Za-z_]\w*)(\[.*\])?")


def is_of_shell(simple: Simple) -> bool:
    """Not a program, nor what runs other commands."""
    words = simple.words[len(simple.assigned()) :]
    return not words or words[0] in OF_SHELL - _RUN or _asks(simple)


def is_quiet(simple: Simple, truth: bool | None, variables: Variables, *, has_left: bool) -> bool:
    """simple: one of a shell that has been run. truth: what became of it; has_left: it has left a
    loop or a function
    """
    plain = simple.plain()
    if not all(_is_plain(word, variables) for word in simple.words):
        return False
    if plain.files.ins or plain.files.channels or variables.refused:
        return False
    printed = (variables.printed or {}).items()
    if any(has_unresolved(text) and not _QUIET_PROGRAM.fullmatch(each) for each, text in printed):
        return False  # by a program, which may print errors, too
    words = plain.words
    if len(simple.assigned()) == len(simple.words):
        return all(_gives_plainly(word, variables) for word in simple.assigned())
    name = words[0]
    if name in LEAVES:
        given = [expand(word, variables) for word in words[1:]]
        is_number = all(has_unresolved(each) or _NUMBER.fullmatch(each) for each in given)
        return (has_left or name == "exit") and is_number and len(given) < 2
    if name in ("[", "test"):
        return True  # asked elsewhere
    if _asks(plain) or name == "shift":
        return truth is not None
    if name == "printf":
        given_to_it = words_given(words[1:], variables)
        return given_to_it is not None and printf(given_to_it) is not None
    if name in ("mapfile", "readarray"):
        return words[1:2] == ["-t"] and len(words) == 3 and variables.is_array(words[2])
    if name == "set":
        return _sets_plainly(words[1:])
    if name in DECLARES or name in ("read", "unset"):
        is_outside = name == "local" and not variables.scopes
        is_other = name in ("integer", "nameref") or is_outside
        return not is_other and _are_plain(name, words[1:], variables)
    return name in _SAYING


def _asks(simple: Simple) -> bool:
    return simple.text.startswith("[[") or ARITHMETIC.match(simple.text) is not None


def _is_plain(word: str, variables: Variables) -> bool:
    """What is expanded in it is no error."""
    if "$" not in word and "`" not in word:
        return True
    asked = [*_CALCULATED.findall(word), *_MAY_COMPLAIN.findall(_CALCULATED.sub("", word))]
    return not _GIVES_ARGUMENT.search(word) and not any(
        _PRINTED.search(each) or has_unresolved(expand(each, variables)) for each in asked
    )


def _gives_plainly(word: str, variables: Variables) -> bool:
    """x=1, or x[1]=1 of an array."""
    found = _NAMED.fullmatch(word.partition("=")[0].removesuffix("+"))
    if found is None:
        return False
    name, element = found.groups()
    letters = set(variables.letters.get(variables.name(name), ""))
    is_computed = letters & set("i?") or _PRINTED.search(word) or element
    return not (is_computed and has_unresolved(variables.value(name) or ""))


def _sets_plainly(words: Sequence[str]) -> bool:
    left = list(words)
    while left and left[0][:1] in ("-", "+"):
        word = left.pop(0)
        if not _OPTIONS["set"].fullmatch(word):
            return False
        if word.endswith("o") and (not left or left.pop(0) not in _OF_SET):
            return False
        if word == "--":
            break
    return True


def _are_plain(name: str, words: Sequence[str], variables: Variables) -> bool:
    options = [word for word in words if word[:1] in ("-", "+")]
    others = [word for word in words if word not in options]
    if not all(map(_OPTIONS.get(name, _DECLARING).fullmatch, options)):
        return False
    keeps = name in ("read", "unset")
    is_kept = keeps and any("r" in variables.letters.get(variables.name(e), "") for e in others)
    return not is_kept and all(_gives_plainly(each, variables) for each in others)
