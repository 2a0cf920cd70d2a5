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


class UnreadableError(ThalwegError):
    """A file whose bytes are not those of its format: it was damaged, or is of another kind."""


def unreadable(sentence: str, error: Exception, exit_code: int = 2) -> ThalwegError:
    """For what a reader raised. A file that the system does not give out (no permission, locked, a
    disk that fails) may be whole: nobody can tell.
    """
    if isinstance(error, OSError) and (error.errno or 0) > 0:  # netCDF's own are below zero
        return ThalwegError(sentence)
    return UnreadableError(sentence, exit_code)


def edit_distance(one: str, other: str) -> int:
    """Letters to insert, delete, replace or swap with their neighbour (Damerau 1964).

    The same measure as closest_name in src/base/error.cpp, so that both sides mean the same name.
    """
    rows = [list(range(len(other) + 1))]  # rows[i][j]: first i letters of one, first j of other
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, other_letter in enumerate(other, start=1):
            replaced = rows[i - 1][j - 1] + (letter != other_letter)
            row.append(min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced))
            swapped = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == other_letter
            if swapped:
                row[j] = min(row[j], rows[i - 2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def closest_name(wrong: str, known: Iterable[str]) -> str:
    """The known name closest to `wrong` (edit distance at most a third of its length), or ""."""
    best, smallest = "", len(wrong) // 3 + 1
    for name in known:
        distance = edit_distance(wrong.lower(), name.lower())
        if distance < smallest:
            best, smallest = name, distance
    return best


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """ " Did you mean 'x'?", or "" when no known name is close: append it to a sentence."""
    name = closest_name(wrong, known)
    return f" Did you mean '{name}'?" if name else ""
