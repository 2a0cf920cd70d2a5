# SPDX-License-Identifier: Apache-2.0
"""What sed, envsubst, grep, tr, cut and awk make of lines, as far as they are plain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from thalweg.shell.files.awk_program import awk_of
from thalweg.shell.files.regexes import fits, known, regex_of_program
from thalweg.shell.files.sed import Read, sed_of
from thalweg.shell.files.whole_filters import WHOLE
from thalweg.shell.unresolved import has_unresolved, unresolved
from thalweg.shell.values.escapes import unescaped
from thalweg.shell.values.letters import of_bytes
from thalweg.shell.values.variables import Variables

# A line, or none where it is left out; raises ValueError where that is not known.
Filter = Callable[[str], "str | None"]

FILTERS = frozenset({"sed", "envsubst", "grep", "tr", "cat", "cut", "awk", *WHOLE})
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_IN_BRACKETS = re.compile(r"\[\w-\w\]")  # of tr, where [ stands for itself on both sides
_COLUMNS = re.compile("([0-9]*)(-?)([0-9]*)")


def filter_of(
    words: Sequence[str], variables: Variables, read: Read = lambda _: None
) -> tuple[Filter, list[str]] | None:
    """words: expanded. Of a command that goes from line to line, and the files that it reads; None
    where it is not plain.

    read: lines of a file by its name, for sed's r; None where they are not known
    """
    name, *rest = words
    if name in WHOLE:
        return None
    options = [word for word in rest if word.startswith("-") and len(word) > 1]
    operands = [word for word in rest if not word.startswith("-") or word == "-"]
    if name == "envsubst":
        if len(rest) > 1 or options:
            return None
        names = {a or b for a, b in _VARIABLE.findall("".join(rest))} if rest else None
        return (lambda line: _with_values(line, variables, names)), []
    if name == "cat":
        return None if options else (lambda line: line, operands)
    if name == "cut":
        return _cut(rest)
    if name == "awk":
        found = awk_of(rest)
        return None if found is None or found.begun is not None else (found.awk, found.files)
    if name == "tr":
        return _tr(options, operands)
    if name == "grep":
        return _grep(options, operands)
    return sed_of(rest, read)


def _with_values(line: str, variables: Variables, names: set[str] | None) -> str:
    """names: those that are filled in; None: all"""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if names is not None and name not in names:
            return found[0]
        text = variables.value(name) if variables.is_exported(name) else ""
        return unresolved(name) if text is None else text

    return _VARIABLE.sub(value, line)


def _cut(words: Sequence[str]) -> tuple[Filter, list[str]] | None:
    """cut -c 1-4, cut -d : -f 2 and cut -f1,3-"""
    given, files = _options_of_cut(words)
    kinds = {"c", "f"} & set(given)
    mark = given.get("d", "\t")
    if len(kinds) != 1 or set(given) - {"c", "f", "d"} or len(mark) != 1 or not mark.isascii():
        return None
    spans = [_COLUMNS.fullmatch(each) for each in given[kinds.pop()].split(",")]
    if not all(spans):
        return None
    chosen = [(each[1], each[2], each[3]) for each in spans if each]

    def is_in(place: int) -> bool:
        return any(
            int(first or 1) <= place <= (int(last or place) if dash else int(first))
            for first, dash, last in chosen
            if first or last
        )

    def letters(line: str) -> str:
        return "".join(each for place, each in enumerate(known(line), 1) if is_in(place))

    def columns(line: str) -> str:
        if "c" in given and not line.isascii():  # of which some count the bytes
            text, of_all = letters(line), letters(of_bytes(line))
            if of_bytes(text) != of_all:
                raise ValueError(line)
            return text
        parts = list(known(line)) if "c" in given else known(line).split(mark)
        if "f" in given and len(parts) == 1:
            return line
        joint = "" if "c" in given else mark
        return joint.join(part for place, part in enumerate(parts, 1) if is_in(place))

    return columns, files


def _options_of_cut(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """By letter; "?" of others."""
    given: dict[str, str] = {}
    files: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if found := re.fullmatch("-([cdf])(.*)", word, re.DOTALL):
            given[found[1]] = found[2] or (left.pop(0) if left else "")
        elif word.startswith("-") and word != "-":
            given["?"] = word
        else:
            files.append(word)
    return given, files


def _tr(options: Sequence[str], operands: Sequence[str]) -> tuple[Filter, list[str]] | None:
    """tr a-z A-Z, and -d of letters."""
    is_in_brackets = len(operands) == 2 and all(map(_IN_BRACKETS.fullmatch, operands))
    plain = [each[1:-1] if is_in_brackets else each for each in operands]
    sets = [_letters(unescaped(each)) for each in plain]
    if any("\n" in each for each in sets[:1]) or not "".join(operands).isascii():
        return None
    if list(options) == ["-s"] and len(sets) == 1 and sets[0]:
        again = re.compile(rf"([{re.escape(sets[0])}])\1+")
        return (lambda line: again.sub(r"\1", known(line))), []
    if list(options) == ["-d"] and len(sets) == 1 and sets[0]:
        gone = sets[0]
        return (lambda line: "".join(each for each in known(line) if each not in gone)), []
    if options or len(sets) != 2 or not sets[0] or not sets[1]:
        return None
    first, second = sets
    second += second[-1] * (len(first) - len(second))
    table = dict(zip(first, second, strict=False))
    return (lambda line: "".join(table.get(each, each) for each in known(line))), []


def _letters(text: str) -> str:
    text = text.replace("[:lower:]", "a-z").replace("[:upper:]", "A-Z").replace("[:digit:]", "0-9")
    if re.search(r"[\[\]\\]", text):
        return ""
    return re.sub(
        r"(\w)-(\w)",
        lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))),
        text,
    )


def _grep(options: Sequence[str], operands: Sequence[str]) -> tuple[Filter, list[str]] | None:
    letters = "".join(each[1:] for each in options)
    if any(each.startswith("--") for each in options) or set(letters) - set("vEFi") or not operands:
        return None
    pattern, *files = operands
    if "F" in letters:
        regex: re.Pattern[str] | None = re.compile(re.escape(pattern))
    else:
        regex = regex_of_program(pattern, extended="E" in letters)
    if regex is None or has_unresolved(pattern) or len(files) > 1:
        return None
    regex = re.compile(regex.pattern, re.IGNORECASE | re.DOTALL) if "i" in letters else regex
    wants = "v" not in letters

    def chosen(line: str) -> str | None:
        return line if fits(regex, known(line)) is wants else None

    return chosen, files
