# SPDX-License-Identifier: Apache-2.0
"""The one exception of the Python side, and the name a user probably meant."""

from __future__ import annotations

from collections.abc import Iterable


class ThalwegError(Exception):
    """One sentence for the user: what, where, what to do.

    exit_code  2 = the user can mend it, 1 = our failure
    """

    def __init__(self, sentence: str, exit_code: int = 2) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.exit_code = exit_code


def edit_distance(one: str, other: str) -> int:
    """Levenshtein distance: insertions, deletions and substitutions, each counted once."""
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, other_letter in enumerate(other, start=1):
            substituted = above[column - 1] + (letter != other_letter)
            current.append(min(above[column] + 1, current[-1] + 1, substituted))
        above = current
    return above[-1]


def closest_name(wrong: str, known: Iterable[str]) -> str:
    """The known name closest to `wrong` (edit distance at most a third of its length), or ""."""
    best, best_distance = "", max(1, len(wrong) // 3) + 1
    for name in known:
        distance = edit_distance(wrong.lower(), name.lower())
        if distance < best_distance:
            best, best_distance = name, distance
    return best


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """ " Did you mean 'x'?", or "" when no known name is close: append it to a sentence."""
    name = closest_name(wrong, known)
    return f" Did you mean '{name}'?" if name else ""
