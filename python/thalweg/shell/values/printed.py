# SPDX-License-Identifier: Apache-2.0
"""What $(...) is where that follows from the words of one or two commands."""

from __future__ import annotations

import re
from collections.abc import Collection

from thalweg.shell.paths import path_from
from thalweg.shell.tree.parser import parts_of_command
from thalweg.shell.unresolved import has_unresolved, unresolved, unresolved_names
from thalweg.shell.values.bc import bc
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.programs import OF_WORDS, WITHOUT_END
from thalweg.shell.values.variables import Variables
from thalweg.shell.values.words import name_of_program, split_words, words_given

_AS_PROGRAM = re.compile(r"\A\s*(?:command\s+(?!-)|\\)(?=\w)")
_IN_LANGUAGE = re.compile(r"\A\s*(?:LC_ALL|LANG|LC_TIME|LC_NUMERIC)=(?:C|POSIX)\s+(?=\w)")
_IN_UTC = re.compile(r"\A\s*TZ=(?:UTC0?|GMT0?)\s+date\s")
_MAY_SET = re.compile(r"=|\+\+|--")


def printed_by_words(
    command: str, variables: Variables, functions: Collection[str] = ()
) -> str | None:
    """Of `expr 1 + 2`, `echo "1 + 2" | bc` or `cd X && pwd`, with the ends of its lines; None of
    others. Variables stay. functions: names that are those of functions
    """
    before = variables.state() if _MAY_SET.search(command) else None
    value = _printed(command, variables, functions)
    if before is not None:
        variables.set_state(before)
    return value


def _printed(command: str, variables: Variables, functions: Collection[str]) -> str | None:
    is_program = _AS_PROGRAM.match(command) is not None
    parts = parts_of_command(
        _IN_UTC.sub("date -u ", _AS_PROGRAM.sub("", _IN_LANGUAGE.sub("", command)))
    )
    names = [name_of_program(words[0]) for words in parts]
    if not set(names[is_program:]).isdisjoint(functions):
        return None
    if names in (["pwd"], ["cd", "pwd"]):
        here = expand("$PWD", variables)
        folder = split_words(parts[0][1:], variables) if names[0] == "cd" else []
        folder = [each for each in folder if each != "--"]
        return path_from(here, "".join(folder)) + "\n" if len(folder) < 2 else None
    if len(parts) not in (1, 2) or names[0] not in OF_WORDS:
        return None
    given = words_given(parts[0][1:], variables)
    printed = None if given is None else OF_WORDS[names[0]](given)
    if printed is not None and names[0] in WITHOUT_END:
        printed += "\n"
    if printed is None or len(parts) == 1:
        return printed
    if names[1] != "bc" or not set(parts[1][1:]) <= {"-l", "-q"}:
        return None
    if has_unresolved(printed):
        return "".join(unresolved(name) for name in unresolved_names(printed))
    value = bc(printed, has_library="-l" in parts[1])
    return None if value is None else f"{value}\n"
