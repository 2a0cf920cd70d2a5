# SPDX-License-Identifier: Apache-2.0
"""What sed, envsubst, grep, tr, cut and awk make of lines, as far as they are plain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from thalweg.shell.files.whole_filters import WHOLE
from thalweg.shell.unresolved import has_unresolved, unresolved
from thalweg.shell.values.escapes import unescaped
from thalweg.shell.values.variables import Variables

# A line, or none where it is left out; raises ValueError where that is not known.
Read = Callable[[str], list[str] | None]
Filter = Callable[[str], "str | None"]

FILTERS = frozenset({"sed", "envsubst", "grep", "tr", "cat", "cut", "awk", *WHOLE})
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_COLUMNS = re.compile("([0-9]*)(-?)([0-9]*)")
_PRINTS_FIELD = re.compile(r"\s*\{\s*print\s+\$([1-9][0-9]*)\s*;?\s*\}\s*")
_SUBSTITUTION = re.compile(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gI]*)", re.DOTALL)
# /old/r FILE, and /old/{ r FILE, d } on lines of their own
_READING = re.compile(
    r"/((?:\\.|[^/\\])*)/\s*"
    r"(?:r\s*([^\n{}]+?)[ \t]*(?:\n|$)|\{\s*r\s*([^\n{}]+?)[ \t]*\n\s*d\s*;?\s*\})"
)
_DELETION = re.compile(r"/((?:\\.|[^/\\])*)/\s*d")
_APPENDING = re.compile(r"/((?:\\.|[^/\\])*)/\s*a(?:\\\s*|\s+)([^\n\\]+)(?:\n|$)")
_ADDRESS = re.compile(r"/((?:\\.|[^/\\])*)/\s*(?=s)")
_OF_BASIC = re.compile(r"\\([(){}+?|])|([(){}+?|])|\\(.)|(\[\^?\]?[^\]]*\])|(.)", re.DOTALL)
IN_PLACE = re.compile(r"(?:-i|--in-place=?)(\.\w+|~)?")  # with a copy of what was there
_COUNTED = re.compile(r"(?<!\))\\?\{[0-9]{1,2}(?:,[0-9]{0,2})?\\?\}")  # [0-9]{4}, [0-9]\{4\}
_MOST_REPEATS = 4
_CLASSES = {"[:digit:]": "0-9", "[:space:]": r"\s", "[:alpha:]": "a-zA-Z", "[:alnum:]": "a-zA-Z0-9"}


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
        return _awk(rest)
    if name == "tr":
        return _tr(options, operands)
    if name == "grep":
        return _grep(options, operands)
    return _sed(rest, read)


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
    if len(kinds) != 1 or set(given) - {"c", "f", "d"} or len(mark) != 1:
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

    def columns(line: str) -> str:
        parts = list(_known(line)) if "c" in given else _known(line).split(mark)
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


def _awk(words: Sequence[str]) -> tuple[Filter, list[str]] | None:
    """awk -F : '{print $2}'"""
    left, mark = list(words), None
    if left and left[0].startswith("-F"):
        word = left.pop(0)
        mark = word[2:] or (left.pop(0) if left else "")
    found = _PRINTS_FIELD.fullmatch(left[0]) if left else None
    if found is None or (mark is not None and not re.fullmatch(r"[:,;=/_-]", mark)):
        return None
    place = int(found[1]) - 1

    def field(line: str) -> str:
        parts = _known(line).split(mark)
        return parts[place] if place < len(parts) else ""

    return field, left[1:]


def _tr(options: Sequence[str], operands: Sequence[str]) -> tuple[Filter, list[str]] | None:
    """tr a-z A-Z, and -d of letters."""
    sets = [_letters(unescaped(each)) for each in operands]
    if any("\n" in each for each in sets[:1]):
        return None
    if list(options) == ["-d"] and len(sets) == 1 and sets[0]:
        gone = sets[0]
        return (lambda line: "".join(each for each in _known(line) if each not in gone)), []
    if options or len(sets) != 2 or not sets[0] or not sets[1]:
        return None
    first, second = sets
    second += second[-1] * (len(first) - len(second))
    table = dict(zip(first, second, strict=False))
    return (lambda line: "".join(table.get(each, each) for each in _known(line))), []


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
        regex = _regex(pattern, extended="E" in letters)
    if regex is None or has_unresolved(pattern) or len(files) > 1:
        return None
    regex = re.compile(regex.pattern, re.IGNORECASE) if "i" in letters else regex
    wants = "v" not in letters

    def chosen(line: str) -> str | None:
        return line if (regex.search(_known(line)) is not None) is wants else None

    return chosen, files


def _known(line: str) -> str:
    """Raises ValueError where a part of it is open."""
    if has_unresolved(line):
        raise ValueError(line)
    return line


def _sed(words: Sequence[str], read: Read) -> tuple[Filter, list[str]] | None:
    """s/old/new/ and /old/d, each of a line of its own or between semicolons."""
    texts: list[str] = []
    files: list[str] = []
    extended, left = False, list(words)
    while left:
        word = left.pop(0)
        if word in ("-E", "-r"):
            extended = True
        elif word in ("-e", "--expression") and left:
            texts.append(left.pop(0))
        elif word.startswith("--expression="):
            texts.append(word.partition("=")[2])
        elif IN_PLACE.fullmatch(word):
            pass
        elif word.startswith("-") and word != "-":
            return None
        else:
            files.append(word)
    if not texts:
        texts, files = files[:1], files[1:]
    steps: list[Filter] = []
    queued: list[str] = []  # behind the line, whatever becomes of it
    for text in texts:
        found = _steps(text, extended=extended, read=read, queued=queued)
        if found is None:
            return None
        steps += found

    def edited(line: str) -> str | None:
        queued.clear()
        left: str | None = line
        for step in steps:
            left = None if left is None else step(left)
        lines = [*([] if left is None else [left]), *queued]
        return "\n".join(lines) if lines else None

    return (edited, files) if steps else None


def _steps(text: str, *, extended: bool, read: Read, queued: list[str]) -> list[Filter] | None:
    steps: list[Filter] = []
    position = 0
    while position < len(text):
        if text[position] in " ;\n\t":
            position += 1
            continue
        if reading := _READING.match(text, position):
            regex, lines = _regex(reading[1], extended=extended), read(reading[2] or reading[3])
            if regex is None or lines is None:
                return None
            steps.append(partial(_queue, regex, lines, queued, bool(reading[3])))
            position = reading.end()
            continue
        if adding := _APPENDING.match(text, position):
            regex = _regex(adding[1], extended=extended)
            if regex is None or has_unresolved(adding[2]):
                return None
            steps.append(partial(_queue, regex, [adding[2]], queued, False))
            position = adding.end()
            continue
        address = _ADDRESS.match(text, position)
        where = _regex(address[1], extended=extended) if address else None
        if address and where is None:
            return None
        position = address.end() if address else position
        found = _SUBSTITUTION.match(text, position) or _DELETION.match(text, position)
        step = _step(found, where, extended=extended) if found else None
        if found is None or step is None:
            return None
        steps.append(step)
        position = found.end()
        if position < len(text) and text[position] not in " ;\n\t":
            return None
    return steps


def _queue(
    regex: re.Pattern[str], lines: list[str], queued: list[str], deletes: bool, line: str
) -> str | None:
    if not regex.search(_known(line)):
        return line
    queued += lines
    return None if deletes else line


def _step(found: re.Match[str], where: re.Pattern[str] | None, *, extended: bool) -> Filter | None:
    if found.re is _DELETION:
        regex = _regex(found[1], extended=extended)
        if regex is None:
            return None
        gone = regex
        return lambda line: None if gone.search(_known(line)) else line
    delimiter, old, new, flags = found.groups()
    old = old.replace(f"\\{delimiter}", delimiter) if delimiter not in "\\.*[]^$" else old
    new = new.replace(f"\\{delimiter}", delimiter)
    regex = _regex(old, extended=extended)
    asked = [int(each) for each in re.findall(r"(?<!\\)(?:\\\\)*\\([0-9])", new)]
    if regex is None or not old or any(each > regex.groups for each in asked):
        return None
    if re.search(r"(?<!\\)(?:\\\\)*\\[A-Za-mo-su-z]", new):
        return None  # \L and its kin
    regex = re.compile(regex.pattern, re.IGNORECASE) if "I" in flags else regex
    changed, count = regex, 0 if "g" in flags else 1

    def step(line: str) -> str:
        if where is not None and not where.search(_known(line)):
            return line
        is_literal = re.escape(old) == changed.pattern or "@" in old
        text = line if is_literal else _known(line)
        return _substituted(changed, new, text, is_once=count == 1)

    return step


def _substituted(regex: re.Pattern[str], new: str, text: str, *, is_once: bool) -> str:
    """Nothing right behind what was replaced is not replaced again, as Python would."""
    done, position, last = "", 0, -1
    while position <= len(text) and (match := regex.search(text, position)):
        if match.end() == last and match[0] == "":
            done, position, last = done + text[position : position + 1], position + 1, -1
            continue
        done += text[position : match.start()] + _filled(new, match)
        position = last = match.end()
        if is_once:
            break
        if match[0] == "":
            done, position = done + text[position : position + 1], position + 1
    return done + text[position:]


def _filled(new: str, match: re.Match[str]) -> str:
    """With & and \\1."""

    def part(found: re.Match[str]) -> str:
        if found[0] == "&":
            return match[0]
        letter = found[0][1]
        if letter.isdigit():
            return match[int(letter)] or ""
        return {"n": "\n", "t": "\t"}.get(letter, letter)

    return re.sub(r"&|\\.", part, new, flags=re.DOTALL)


def _regex(pattern: str, *, extended: bool) -> re.Pattern[str] | None:
    """Of a basic expression, or an extended one; None where it is not plain."""
    plain = _COUNTED.sub("", pattern)
    if has_unresolved(pattern) or re.search(r"\\[wWsSbB<>`'{|1-9]", plain):
        return None
    if extended and re.search(r"[{|]", plain):
        return None
    if len(re.findall(r"[*+?]", pattern)) > _MOST_REPEATS or re.search(r"\)[*+?{\\]", pattern):
        return None  # it may take without end

    def translated(found: re.Match[str]) -> str:
        of_basic, plain, escaped, letters, other = found.groups()
        if letters:
            for name, each in _CLASSES.items():
                letters = letters.replace(name, each)
            return letters.replace("\\", "\\\\") if "[:" not in letters else "(?P<"
        if of_basic:
            return f"\\{of_basic}" if extended else of_basic
        if plain:
            return plain if extended else f"\\{plain}"
        if escaped:
            return {"n": "\n", "t": "\t"}.get(escaped, re.escape(escaped))
        begin, end = found.span()
        if not extended and (
            (other == "^" and begin > 0)
            or (other == "$" and end < len(pattern))
            or (other == "*" and pattern[:begin] in ("", "^"))
        ):
            return re.escape(other)
        return str(other) if other in ".*^$" else re.escape(str(other))

    text = _OF_BASIC.sub(translated, pattern)
    try:
        return re.compile(text)
    except re.error:
        return None
