# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of sed, grep and awk."""

from __future__ import annotations

import re
from math import factorial

from thalweg.shell.unresolved import has_unresolved, without_marks
from thalweg.shell.values.letters import OF_LANGUAGE, has

_OF_BASIC = re.compile(
    r"\\([(){}+?|])|([(){}+?|])|\\(.)|(\[\^?\]?(?:\[:\w+:\]|[^\]])*\])|(.)", re.DOTALL
)
_COUNTED = re.compile(r"(?<!\))\\?\{[0-9]{1,2}(?:,[0-9]{0,2})?\\?\}")  # [0-9]{4}, [0-9]\{4\}
_MOST_STEPS = 10**9
_MOST_REPEATS = 4  # but for .* at the end, which never fails
_CLASSES = {
    "[:digit:]": "0-9",
    "[:space:]": r"\s",
    "[:alpha:]": f"a-zA-Z{OF_LANGUAGE}",
    "[:alnum:]": f"a-zA-Z0-9{OF_LANGUAGE}",
    "[:blank:]": r" \t",
    "[:upper:]": f"A-Z{OF_LANGUAGE}",
    "[:lower:]": f"a-z{OF_LANGUAGE}",
    "[:xdigit:]": "0-9a-fA-F",
}

_BLANKS, _WORD = r" \t\n\r\f\v", f"A-Za-z0-9_{OF_LANGUAGE}"
_ESCAPED = {
    "n": "\n", "t": "\t", "s": f"[{_BLANKS}]", "S": f"[^{_BLANKS}]", "w": f"[{_WORD}]",
    "W": f"[^{_WORD}]",
}  # fmt: skip


def regex_of_program(pattern: str, *, extended: bool) -> re.Pattern[str] | None:
    """Of a basic expression, or an extended one; None where it is not plain."""
    plain = _COUNTED.sub("", pattern)
    if re.search(r"\(\^|\$\\?\)", pattern):
        return None  # anchors there
    if has_unresolved(pattern) or re.search(r"\\[bB<>`'{|1-9]", plain):
        return None
    if extended and re.search(r"[{|]", plain):
        return None
    if len(
        re.findall(r"[*+?]", re.sub(r"\.\*(?:\\?\))?\$?$", "", pattern))
    ) > _MOST_REPEATS or re.search(r"\)\\?[*+?{]", pattern):
        return None  # it may take without end

    def translated(found: re.Match[str]) -> str:
        of_basic, plain, escaped, letters, other = found.groups()
        if letters:
            letters = letters.replace("\\", "\\\\")
            for name, each in _CLASSES.items():
                letters = letters.replace(name, each)
            if "[:" in letters:
                return "(?P<"  # of which nothing is known
            return re.sub(r"(?<=.)\[(?=.)", r"\\[", letters)
        if of_basic:
            return f"\\{of_basic}" if extended else of_basic
        if plain:
            return plain if extended else f"\\{plain}"
        if escaped:
            return _ESCAPED.get(escaped, re.escape(escaped))
        begin, end = found.span()
        if not extended and (
            (other == "^" and begin > 0)
            or (other == "$" and end < len(pattern))
            or (other == "*" and pattern[:begin] in ("", "^"))
        ):
            return re.escape(other)
        if other == "$":
            return r"\Z"
        return str(other) if other in ".*^" else re.escape(str(other))

    text = _OF_BASIC.sub(translated, pattern)
    try:
        return re.compile(text, re.DOTALL)
    except re.error:
        return None


def needed(pattern: str) -> str:
    """Letters that stand in all that an expression fits; "" where there are only a few."""
    plain = re.sub(r"\\.|\[\^?\]?[^]]*\]", "\0", pattern)
    runs = re.findall(r"[A-Za-z0-9_ =&,%@-]{4,}(?![*?\\])", plain)
    return max(runs, key=len, default="")


def lacks(line: str, wanted: str) -> bool:
    """Whether what is known of a line that is open in part has not what an expression needs, nor
    may have its beginning or its end beside what is open, which counts as not having all of it.
    """
    if not wanted or not has_unresolved(line) or wanted in without_marks(line):
        return False
    parts = without_marks(line, "\0").split("\0")
    begun = any(part.endswith(wanted[:i]) for part in parts[:-1] for i in range(1, len(wanted)))
    ends = any(part.startswith(wanted[i:]) for part in parts[1:] for i in range(1, len(wanted)))
    return not (begun or ends)


def fits(regex: re.Pattern[str], line: str) -> bool:
    """Whether some of a line does. Raises ValueError where that is not known."""
    found = None if is_slow(regex, line) else has(regex, line)
    if found is None:
        raise ValueError(line)
    return found


def is_slow(regex: re.Pattern[str], line: str) -> bool:
    """It may take without end."""
    repeats = len(re.findall(r"(?<!\\)[*+?{]", regex.pattern))
    return repeats > 1 and len(line) ** repeats / factorial(repeats) > _MOST_STEPS


def known(line: str) -> str:
    """Raises ValueError where a part of it is open."""
    if has_unresolved(line):
        raise ValueError(line)
    return line
