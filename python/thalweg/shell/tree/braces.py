# SPDX-License-Identifier: Apache-2.0
"""Words that braces make: a{b,c}, {01..12}, {a..c}."""

from __future__ import annotations

import re

from thalweg.shell.tree.brackets import closing, end_of_segment

_RANGE = re.compile(r"(-?[0-9]+)\.\.(-?[0-9]+)(?:\.\.(-?[0-9]+))?")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])")
_MOST_WORDS = 2_000  # of braces


def braces(word: str, most: int = _MOST_WORDS) -> list[str]:
    """a{b,c}{1..3} -> ab1 ab2 ..., outside quotes and ${...}."""
    position = 0
    while position < len(word):
        behind = end_of_segment(word, position)
        if behind > position or word[position] != "{":
            position = max(behind, position + 1)
            continue
        end = closing(word, position)
        parts = _parts_of_braces(word[position + 1 : end - 1])
        if len(parts) > 1:
            found: list[str] = []
            for part in parts:
                if len(found) < most:
                    found += braces(f"{word[:position]}{part}{word[end:]}", most - len(found))
            return found
        position += 1
    return [word]


def _parts_of_braces(text: str) -> list[str]:
    if numbers := _RANGE.fullmatch(text):
        return _range(numbers)
    if letters := _LETTERS.fullmatch(text):
        first, last = ord(letters[1]), ord(letters[2])
        step = 1 if last >= first else -1
        return [chr(each) for each in range(first, last + step, step)]
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _range(found: re.Match[str]) -> list[str]:
    """As wide as the wider end where that begins with 0, as in bash."""
    ends = found[1], found[2]
    begin, end = map(int, ends)
    step = (abs(int(found[3] or 1)) or 1) * (1 if end >= begin else -1)
    if abs(end - begin) // abs(step) >= _MOST_WORDS:
        return []
    padded = any(len(each.lstrip("-")) > 1 and each.lstrip("-").startswith("0") for each in ends)
    width = max(map(len, ends)) if padded else 0
    return [f"{each:0{width}}" for each in range(begin, end + (1 if step > 0 else -1), step)]
