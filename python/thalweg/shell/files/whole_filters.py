# SPDX-License-Identifier: Apache-2.0
"""Programs that look at all lines of a text at once: head, tail, tac, sort, uniq, wc, paste, and tr
of ends of lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from thalweg.shell.files.regexes import fits, regex_of_program
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.bc import bc
from thalweg.shell.values.escapes import unescaped

Lines = list[str]
Whole = Callable[[Lines], Lines | None]
WHOLE = frozenset({"head", "tail", "tac", "sort", "uniq", "wc", "paste", "bc", "rev", "xargs"})
_KEEPS_LINES = frozenset({"head", "tail", "tac"})  # as they are, also where they are open
_COUNT = re.compile(r"-(?:n\s*)?([0-9]+)")
_FROM = re.compile(r"-n\s*\+([0-9]+)|\+([0-9]+)")
_LONGEST_LINE = 2000
_SAME_ORDER = re.compile(r"[a-z0-9]*")  # in every language of a machine
_ALMOST = re.compile(r"[A-Za-z0-9_.-]*")


def whole_of(words: Sequence[str]) -> tuple[Whole, Sequence[str]] | None:
    """What a command makes of all lines, and the files that it reads; None where not understood."""
    name, *rest = words
    if name in ("head", "tail"):
        return _end_of(name, rest)
    if name == "tr":
        return _without_ends(rest)
    options, files = _apart(rest)
    if name == "wc":
        return (_words_of_count(options, files), ()) if not files else None
    if name == "paste":
        return _pasted(rest)
    if name == "grep":
        return _counted_by_grep(rest)
    if name == "xargs":
        return None if rest else (_in_one, ())
    if name == "bc":
        return _calculated(options, files)
    makes: dict[tuple[str, str], Whole] = {
        ("rev", ""): lambda lines: (
            [each[::-1] for each in lines] if "".join(lines).isascii() else None
        ),
        ("tac", ""): lambda lines: lines[::-1],
        ("sort", ""): _sorted,
        ("sort", "u"): lambda lines: _sorted(list(dict.fromkeys(lines))),
        ("sort", "n"): _sorted_by_number,
        ("sort", "r"): lambda lines: _backwards(_sorted(lines)),
        ("sort", "nr"): lambda lines: _backwards(_sorted_by_number(lines)),
        ("sort", "rn"): lambda lines: _backwards(_sorted_by_number(lines)),
        ("uniq", ""): lambda lines: [
            each for i, each in enumerate(lines) if i == 0 or each != lines[i - 1]
        ],
    }
    found = makes.get((name, options))
    writes = name == "uniq" and len(files) > 1  # into the second one
    return None if found is None or writes else (found, files)


def made_whole(name: str, change: Whole, lines: Lines) -> Lines | None:
    """None where a line is open, and counts."""
    is_open = any(map(has_unresolved, lines)) and name not in _KEEPS_LINES
    return None if is_open else change(lines)


def _counted_by_grep(words: Sequence[str]) -> tuple[Whole, Sequence[str]] | None:
    """`grep -c`"""
    letters, operands = _apart(words)
    is_plain = "c" in letters and not set(letters) - set("cviEF")
    if not is_plain or not 1 <= len(operands) <= 2 or "-e" in words:
        return None
    pattern, *files = operands
    regex = regex_of_program(
        re.escape(pattern) if "F" in letters else pattern, extended="E" in letters
    )
    if regex is None or ("F" in letters and re.escape(pattern) != pattern):
        return None
    flags = re.DOTALL | (re.IGNORECASE if "i" in letters else 0)
    wanted, wants = re.compile(regex.pattern, flags), "v" not in letters

    def count(lines: Lines) -> Lines | None:
        try:
            return [str(sum(fits(wanted, each) is wants for each in lines))]
        except ValueError:
            return None

    return count, files


def _in_one(lines: Lines) -> Lines | None:
    """`xargs` alone: all words in one line."""
    text = " ".join(" ".join(lines).split())
    return None if re.search(r"['\"\\]", text) or len(text) > _LONGEST_LINE else [text]


def _apart(words: Sequence[str]) -> tuple[str, list[str]]:
    """Letters of options, and files."""
    letters = "".join(each[1:] for each in words if each[:1] == "-" and each != "-")
    return letters, [each for each in words if each[:1] != "-"]


def _end_of(name: str, words: Sequence[str]) -> tuple[Whole, Sequence[str]] | None:
    files = list(words)
    text = files.pop(0) if files and files[0][:1] in "-+" else ""
    text = f"-n {files.pop(0)}" if text == "-n" and files else text
    if begins := _FROM.fullmatch(text) if name == "tail" else None:
        first = max(int(begins[1] or begins[2]) - 1, 0)
        return lambda lines: lines[first:], files
    counts = _COUNT.fullmatch(text or "-10")
    if counts is None or any(each[:1] == "-" for each in files) or len(files) > 1:
        return None
    count = int(counts[1])
    if name == "head":
        return lambda lines: lines[:count], files
    return lambda lines: lines[-count:] if count else [], files


def _sorted(lines: Lines) -> Lines | None:
    """None where languages have them in different orders."""
    found = sorted(lines)
    if all(map(_SAME_ORDER.fullmatch, lines)):
        return found
    without = sorted(lines, key=lambda each: (re.sub("[_.-]", "", each).lower(), each))
    first = sorted(lines, key=lambda each: ([(c.isalnum(), c.lower()) for c in each], each))
    is_one = all(map(_ALMOST.fullmatch, lines)) and found == without == first
    return found if is_one else None


def _backwards(lines: Lines | None) -> Lines | None:
    return None if lines is None else lines[::-1]


def _sorted_by_number(lines: Lines) -> Lines | None:
    """Where no two are alike, which other rules would order."""
    numbers = [each for each in lines if re.fullmatch("-?[0-9]+", each)]
    if len({*map(int, numbers)}) < len(lines):
        return None
    return sorted(lines, key=int)


def _words_of_count(options: str, files: Sequence[str]) -> Whole:
    del files

    def count(lines: Lines) -> Lines | None:
        if options == "l":
            return [str(len(lines))]
        return [str(len(" ".join(lines).split()))] if options == "w" else None

    return count


def _calculated(options: str, files: Sequence[str]) -> tuple[Whole, Sequence[str]] | None:
    if files or set(options.replace("-mathlib", "l")) - {"l", "q"}:
        return None

    def calculate(lines: Lines) -> Lines | None:
        value = bc("\n".join(lines), has_library="l" in options)
        return None if value is None else [value]

    return calculate, ()


def _pasted(words: Sequence[str]) -> tuple[Whole, Sequence[str]] | None:
    """paste -sd, and paste -s -d ' ' -"""
    found = re.fullmatch(r"-s\s?-?d\s?(.)(?:\s-)?|-d\s?(.)\s-s(?:\s-)?", " ".join(words))
    if found is None:
        return (lambda lines: ["\t".join(lines)], ()) if words in (["-s"], ["-s", "-"]) else None
    joint = found[1] or found[2]
    return (lambda lines: [joint.join(lines)] if lines else []), ()


def _without_ends(words: Sequence[str]) -> tuple[Whole, Sequence[str]] | None:
    r"""tr '\n' ',' and tr -d '\n'"""
    sets = [unescaped(each) for each in words]
    if sets[:1] == ["-d"] and sets[1:] == ["\n"]:
        return (lambda lines: ["".join(lines)]), ()
    if len(sets) == 2 and sets[0] == "\n" and len(sets[1]) == 1 and sets[1] != "\n":
        return (lambda lines: ["".join(each + sets[1] for each in lines)]), ()
    return None
