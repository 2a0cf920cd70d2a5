# SPDX-License-Identifier: Apache-2.0
"""Values that a script gives to variables that have none: `[ -z "$x" ] && x=1` is `${x:=1}`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thalweg.shell.tree.tree import Body, Simple, simples
from thalweg.shell.values.parameters import ALWAYS_SET
from thalweg.shell.values.variables import Variables

_VALUE = re.compile(r"([xX]?)\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(:?-)?\})")
_EMPTY = ('""', "''")


def default_taken(condition: Body, then: Body, variables: Variables) -> bool | None:
    """Whether the condition holds of a variable that is given none and that `then` gives a value,
    and nothing else; None of other conditions, and where something else may have set it.
    """
    if len(condition) != 1 or len(condition[0].parts) != 1 or variables.has_set_unknown:
        return None
    pipeline = condition[0].parts[0][1]
    test = pipeline.commands[0]
    if len(pipeline.commands) != 1 or not isinstance(test, Simple):
        return None
    found = _asked(test.words, variables)
    if found is None:
        return None
    name, truth = found
    is_given = variables.value(name) is not None or name in ALWAYS_SET
    if is_given or not _gives_only(name, then):
        return None
    return truth is not pipeline.is_negated


def _asked(words: Sequence[str], variables: Variables) -> tuple[str, bool] | None:
    """The name, and whether it holds of one that is empty."""
    if words[:1] and words[0].startswith("[[ ") and words[0].endswith(" ]]"):
        inner, needs_quotes = words[0][3:-3].split(), False
    elif words[:1] == ["test"] or (words[:1] == ["["] and words[-1] == "]"):
        inner, needs_quotes = list(words[1 : len(words) - (words[0] == "[")]), True
    else:
        return None
    is_negated = inner[:1] == ["!"]
    inner = inner[is_negated:]
    if len(inner) == 2 and inner[0] in ("-z", "-n"):
        word, other, holds = inner[1], "", inner[0] == "-z"
        needs_quotes &= inner[0] == "-n" or is_negated
    elif len(inner) == 1:
        word, other, holds = inner[0], "", False
        needs_quotes &= is_negated
    elif len(inner) == 3 and inner[1] in ("=", "==", "!="):
        word, other, holds = inner[0], inner[2], inner[1] != "!="
    else:
        return None
    name = _name_in(word, other, variables, needs_quotes=needs_quotes)
    return None if name is None else (name, holds is not is_negated)


def _name_in(word: str, other: str, variables: Variables, *, needs_quotes: bool) -> str | None:
    """other: what it is compared with, "" of nothing"""
    is_quoted = len(word) > 1 and word[0] == word[-1] == '"'
    found = _VALUE.fullmatch(word[1:-1] if is_quoted else word)
    if found is None or ("nounset" in variables.options and not found[4]):
        return None  # of one that is not set the script would end there
    mark = found[1]
    if other and (other.strip("\"'") != mark or (mark == "" and other not in _EMPTY)):
        return None
    if (mark and not other) or (needs_quotes and not (is_quoted or mark)):
        return None
    return found[2] or found[3]


def _gives_only(name: str, body: Body) -> bool:
    found = list(simples(body))
    return bool(found) and all(_gives(name, each) for each in found)


def _gives(name: str, simple: Simple) -> bool:
    words = simple.words[1:] if simple.words[:1] == ["export"] else simple.words
    return words[:1] != [] and all(each.startswith(f"{name}=") for each in words)
