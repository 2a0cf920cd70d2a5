# SPDX-License-Identifier: Apache-2.0
"""Whether `[ ... ]`, `[[ ... ]]` and `(( ... ))` hold; None where that cannot be known."""

from __future__ import annotations

import re

from thalweg.config.arithmetic import evaluate
from thalweg.config.shell_words import (
    Variables,
    expand,
    fits,
    open_names,
    pattern_of,
    words_of,
)
from thalweg.config.unresolved import has_unresolved

_TEST = re.compile(r"\[\[\s+(.*)\s+\]\]|\[\s+(.*)\s+\]|test\s+(.*)", re.DOTALL)
_NUMBERS = {"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">="}
_TEXTS = {"=": True, "==": True, "!=": False}


def holds(condition: str, variables: Variables) -> bool | None:
    """A condition joined by && or || is known where its parts are."""
    condition = condition.strip()
    if condition.startswith("((") and condition.endswith("))"):
        text = expand(condition[2:-2], variables)
        if has_unresolved(text) or open_names(text, variables):
            return None
        value = evaluate(text, variables.known, octal=True)
        return None if value is None else value != 0
    for joint, one_decides in (("||", True), ("&&", False)):
        parts = _split(condition, joint)
        if len(parts) > 1:
            found = [holds(part, variables) for part in parts]
            if one_decides in found:
                return one_decides
            return None if None in found else not one_decides
    found_test = _TEST.fullmatch(condition)
    if found_test is None:
        return None
    body = next(group for group in found_test.groups() if group is not None)
    return _test(body, variables, globs=condition.startswith("[["))


def _split(condition: str, joint: str) -> list[str]:
    """At && or || within [[ ]]."""
    if joint in condition and condition.startswith("[[") and condition.endswith("]]"):
        return [f"[[ {part.strip()} ]]" for part in condition[2:-2].split(joint)]
    return [condition]


def _test(body: str, variables: Variables, *, globs: bool) -> bool | None:
    raw = words_of(body)
    if raw[:1] == ["!"]:
        inner = _test(body.strip()[1:], variables, globs=globs)
        return None if inner is None else not inner
    words = [expand(each, variables) for each in raw]
    if len(words) == 2 and words[0] in ("-z", "-n"):
        if has_unresolved(words[1]):
            return None
        is_left = words[1] != "" or globs or raw[1][:1] in "'\""  # of `[ -n $x ]`
        return not is_left or (words[1] == "") == (words[0] == "-z")
    if any(has_unresolved(word) for word in words):
        return None
    if len(words) == 1:
        return words[0] != ""
    if len(words) != 3:
        return None
    left, sign, right = words
    if sign in _NUMBERS:
        value = evaluate(f"({left or 0}) {_NUMBERS[sign]} ({right or 0})", variables.known)
        return None if value is None else value != 0
    if sign in _TEXTS:
        equal = fits(left, pattern_of(raw[2], variables)) if globs else left == right
        return equal == _TEXTS[sign]
    return None
