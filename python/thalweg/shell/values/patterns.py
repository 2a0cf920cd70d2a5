# SPDX-License-Identifier: Apache-2.0
"""A shell's patterns: *, ?, [a-z], [[:digit:]], and @(a|b) with its kin. A letter behind \\ is one
of the text, as what stood in quotes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from thalweg.shell.values.letters import OF_LANGUAGE

_CLASSES = {
    "alnum": f"a-zA-Z0-9{OF_LANGUAGE}", "alpha": f"a-zA-Z{OF_LANGUAGE}", "blank": " \\t",
    "digit": "0-9", "lower": f"a-z{OF_LANGUAGE}", "space": "\\s", "upper": f"A-Z{OF_LANGUAGE}",
    "word": "\\w", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_CLASS = re.compile(r"\[:(\w+):\]")
_SPECIAL = re.compile(r"([*?\[\]\\()|@+!])")
_MOST_STARS = 4
_REPEATS = {"@": "", "?": "?", "*": "*", "+": "+"}


def escaped(text: str) -> str:
    """None of its letters means anything but itself."""
    return _SPECIAL.sub(r"\\\1", text)


def is_pattern(text: str) -> bool:
    """Of the name of a file."""
    return any(letter in text for letter in "*?[")


def is_named(path: str, pattern: str) -> bool:
    """Of a file, by a pattern that is understood."""
    found = regex_of(pattern)
    return found is not None and found.fullmatch(path) is not None


def has_alternatives(pattern: str) -> bool:
    return re.search(r"(?<!\\)[@?*+!]\(", pattern) is not None


@lru_cache(maxsize=1000)
def regex_of(pattern: str, ignores_case: bool = False) -> re.Pattern[str] | None:
    """None for !(a|b), for classes that are not known, and for what may take without end."""
    stars = len(re.findall(r"\*+", pattern))
    repeated = re.findall(r"(?<!\\)[*+]\(([^)]*)", pattern)
    is_simple = all(
        re.fullmatch(r"(?:[^|\[(]|\[[^\]]*\]+)(?:\|[^|(])*|[^|(*]*", each) for each in repeated
    )
    if stars > _MOST_STARS or len(repeated) > 1 or (repeated and not is_simple):
        return None
    try:
        text, end = _translated(pattern, 0)
        found = re.compile(text, re.DOTALL | (re.IGNORECASE if ignores_case else 0))
    except (ValueError, re.error):
        return None
    return found if end == len(pattern) else None


def _translated(pattern: str, position: int, closers: str = "") -> tuple[str, int]:
    """Up to one of the closers, or the end. Raises ValueError on what is not known."""
    done: list[str] = []
    while position < len(pattern) and pattern[position] not in closers:
        letter = pattern[position]
        if letter in "@?*+!" and pattern[position + 1 : position + 2] == "(":
            part, position = _alternatives(pattern, position)
            done.append(part)
            continue
        if letter == "[" and (end := _end_of_set(pattern, position)):
            done.append(_set_of(pattern[position + 1 : end]))
            position = end + 1
            continue
        if letter == "\\" and position + 1 < len(pattern):
            position += 1
            letter = pattern[position]
            done.append(re.escape(letter))
        elif letter != "*" or done[-1:] != [".*"]:
            done.append({"*": ".*", "?": "."}.get(letter) or re.escape(letter))
        position += 1
    return "".join(done), position


def _alternatives(pattern: str, position: int) -> tuple[str, int]:
    """Of @(a|b), ?(a), *(a), +(a)."""
    sign, position = pattern[position], position + 2
    if sign == "!":
        raise ValueError(pattern)
    parts: list[str] = []
    while True:
        part, position = _translated(pattern, position, "|)")
        parts.append(part)
        if position >= len(pattern):
            raise ValueError(pattern)
        position += 1
        if pattern[position - 1] == ")":
            return f"(?:{'|'.join(parts)}){_REPEATS[sign]}", position


def _end_of_set(pattern: str, position: int) -> int:
    """Where the ] of a [ stands; 0 where there is none."""
    i = position + 1
    i += pattern[i : i + 1] in ("!", "^") and pattern[i : i + 1] != ""
    i += pattern[i : i + 1] == "]"
    while i < len(pattern) and pattern[i] != "]":
        found = _CLASS.match(pattern, i)
        i = found.end() if found else i + 1 + (pattern[i] == "\\")
    return i if i < len(pattern) else 0


def _set_of(text: str) -> str:
    """Raises ValueError on a class that is not known, as one of a language."""
    is_not = text[:1] in ("!", "^")
    text = text[1:] if is_not else text
    done, position = [], 0
    while position < len(text):
        if found := _CLASS.match(text, position):
            if found[1] not in _CLASSES:
                raise ValueError(text)
            done.append(_CLASSES[found[1]])
            position = found.end()
            continue
        if text.startswith(("[.", "[="), position):
            raise ValueError(text)
        position += text[position] == "\\" and position + 1 < len(text)
        letter = text[position]
        done.append(letter if letter == "-" else re.escape(letter))
        position += 1
    return f"[{'^' * is_not}{''.join(done)}]"


def cut_before(value: str, regex: re.Pattern[str], is_longest: bool) -> str:
    """Without what fits at its beginning."""
    ends = [i for i in range(len(value) + 1) if regex.fullmatch(value, 0, i)]
    return value[(max(ends) if is_longest else min(ends)) :] if ends else value


def cut_behind(value: str, regex: re.Pattern[str], is_longest: bool) -> str:
    """Without what fits at its end."""
    begins = [i for i in range(len(value) + 1) if regex.fullmatch(value, i)]
    return value[: (min(begins) if is_longest else max(begins))] if begins else value


def replaced(value: str, regex: re.Pattern[str], text: str, sign: str) -> str | None:
    """The longest that fits: "" the first one, "/" all, "#" and "%" one at the beginning or end.
    None where it has alternatives, of which the first one need not be the longest.
    """
    if "(?:" in regex.pattern:
        return None
    if sign in ("#", "%"):
        rest = (cut_before if sign == "#" else cut_behind)(value, regex, True)
        is_one = len(rest) < len(value) or regex.fullmatch("") is not None
        if not is_one:
            return value
        return text + rest if sign == "#" else rest + text
    return regex.sub(
        lambda found: text if found[0] or not value else "", value, count=0 if sign == "/" else 1
    )
