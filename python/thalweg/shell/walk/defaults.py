# SPDX-License-Identifier: Apache-2.0
"""Values that a script gives to variables that have none: `[ -z "$x" ] && x=1` is `${x:=1}`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thalweg.shell.tree.tree import Body, Simple, simples
from thalweg.shell.values.parameters import ALWAYS_SET
from thalweg.shell.values.variables import Variables

_NAME = r"\"?\$\{?([A-Za-z_]\w*)(?::?-)?\}?\"?"
_IS_EMPTY = re.compile(
    rf"(?:\[|test|\[\[)\s+(!\s+)?(-z|-n)\s+{_NAME}(?:\s+\]\]?)?"
    rf"|(?:\[|test|\[\[)\s+(!\s+)?(){_NAME}(?:\s+\]\]?)?"
    rf"|(?:\[|test|\[\[)\s+(!\s+)?(==?|!=)?\"?([xX]?)\$\{{?([A-Za-z_]\w*)\}}?\"?\s+"
    r"(==?|!=)\s+(?:\"\"|''|\"?\9\"?)(?:\s+\]\]?)?"
)


def default_taken(condition: Sequence[Body], then: Body, variables: Variables) -> bool | None:
    """Whether the condition holds of a variable that is given none and that `then` gives a value,
    and nothing else; None of other conditions.
    """
    tests = [each for body in condition for each in simples(body)]
    found = _asked(tests[0].text) if len(tests) == 1 else None
    if found is None:
        return None
    name, truth = found
    is_given = variables.value(name) is not None or name in ALWAYS_SET
    return None if is_given or not _gives_only(name, then) else truth


def _asked(text: str) -> tuple[str, bool] | None:
    """The name, and whether it holds of one that is empty."""
    found = _IS_EMPTY.fullmatch(text.strip())
    if found is None:
        return None
    is_negated = bool(found[1] or found[4] or found[7])
    if found[3]:
        return found[3], (found[2] == "-z") is not is_negated
    if found[6]:
        return found[6], is_negated
    return found[10], (found[11] != "!=") is not is_negated


def _gives_only(name: str, body: Body) -> bool:
    found = list(simples(body))
    return bool(found) and all(_gives(name, each) for each in found)


def _gives(name: str, simple: Simple) -> bool:
    words = simple.words[1:] if simple.words[:1] == ["export"] else simple.words
    return words[:1] != [] and all(each.startswith(f"{name}=") for each in words)
