# SPDX-License-Identifier: Apache-2.0
"""What a `for` of a script goes over: words, `$(seq 1 12)`, `{01..12}`, `((i = 1; i < 9; i++))`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from thalweg.config.shell_words import Variables, arithmetic_value, expand

_COUNTED = re.compile(
    r"\(\(\s*([A-Za-z_]\w*)\s*=([^;]*);\s*\1\s*(<=|<|>=|>)([^;]*);\s*"
    r"(?:\1\s*(\+\+|--)|(\+\+|--)\s*\1|\1\s*([+-]=)\s*(\d+))\s*\)\)"
)
_SEQUENCE = re.compile(r"(?:\$\(|`)\s*seq\s+([^)`]*)[)`]")
_RANGE = re.compile(r"\{(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?\}")


def sets(text: str, name: str) -> bool:
    """Whether a statement gives the variable a value, as far as one can see."""
    return (
        re.search(rf"(?<![\w$]){name}\s*(\+\+|--|[-+*/]?=(?!=))|(\+\+|--){name}\b", text)
        is not None
    )


def turns_of(
    words: Sequence[str],
    variables: Variables,
    expanded: Callable[[str], list[str] | None],
    most: int,
) -> list[str] | None:
    """Values of a loop over words; None: not known, or more than `most`.

    expanded: what a word becomes that is no sequence; None: not known
    """
    found: list[str] = []
    for word in words:
        try:
            if sequence := _SEQUENCE.fullmatch(word):
                more: list[str] | None = _sequence(sequence[1], variables, most)
            elif numbers := _RANGE.fullmatch(word):
                more = _range(numbers, most)
            else:
                more = expanded(word)
        except ValueError:
            return None
        if more is None or len(found) + len(more) > most:
            return None
        found += more
    return found


def counted_turns(text: str, variables: Variables, most: int) -> tuple[str, list[str] | None]:
    """The variable of `((i = 1; i < 9; i++))` and its values; None: not known, or too many."""
    found = _COUNTED.fullmatch(text.strip())
    return (found[1], _counted(found, variables, most)) if found else ("", None)


def _numbers(begin: int, end: int, step: int, most: int) -> list[int]:
    """From begin to end, both of them. Raises ValueError for what has no end, or too many."""
    if step == 0 or abs(end - begin) // abs(step) >= most:
        raise ValueError
    return list(range(begin, end + (1 if step > 0 else -1), step))


def _sequence(text: str, variables: Variables, most: int) -> list[str]:
    words = expand(text, variables).split()
    if not 1 <= len(words) <= 3:
        raise ValueError
    numbers = [int(word) for word in words]
    begin = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    return [str(each) for each in _numbers(begin, numbers[-1], step, most)]


def _range(found: re.Match[str], most: int) -> list[str]:
    """As wide as the wider end where that begins with 0, as in bash."""
    ends = found[1], found[2]
    begin, end = map(int, ends)
    step = abs(int(found[3] or 1)) * (1 if end >= begin else -1)
    padded = any(len(each.lstrip("-")) > 1 and each.lstrip("-").startswith("0") for each in ends)
    width = max(map(len, ends)) if padded else 0
    return [f"{each:0{width}}" for each in _numbers(begin, end, step, most)]


def _counted(found: re.Match[str], variables: Variables, most: int) -> list[str] | None:
    try:
        begin, end = (int(arithmetic_value(found[i].strip(), variables)) for i in (2, 4))
        size = int(found[8] or 1)
        step = -size if "-" in (found[5] or found[6] or found[7]) else size
        end += {"<": -1, ">": 1}.get(found[3], 0)
        if (step > 0) != found[3].startswith("<"):
            return None
        return [str(each) for each in _numbers(begin, end, step, most)]
    except ValueError:
        return None
