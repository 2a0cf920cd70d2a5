# SPDX-License-Identifier: Apache-2.0
"""What sed makes of lines: s, d, p, a, i, c, r, y and q, of lines that addresses choose."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from thalweg.shell.files.regexes import fits, is_slow, known, lacks, needed, regex_of_program
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.letters import is_of_language, of_bytes, regex_of_bytes

Read = Callable[[str], list[str] | None]
IN_PLACE = re.compile(r"(?:-i|--in-place=?)(\.\w+|~)?")  # with a copy of what was there

_ADDRESS = re.compile(
    r"([0-9]+)|(\$)|/((?:\\.|\[[^]\n]*\]|[^/\\\n])*)/(I?)|\\(.)((?:\\.|.)*?)\5(I?)"
)
_RANGE = re.compile(r"\s*,\s*(\+[0-9]+)?")
_SUBSTITUTION = re.compile(
    r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1((?:[gpIi]|[1-9])*)", re.DOTALL
)
_LETTERS = re.compile(r"y(.)((?:(?!\1)[^\\])*)\1((?:(?!\1)[^\\])*)\1")
_TEXT = re.compile(r"([aic])(?:\\[ \t]*\n|\\|[ \t]+)([^\n\\]*)(?:\n|$)")
_READS = re.compile(r"r[ \t]*([^\n{}]+?)[ \t]*(?:\n|$)")
_BETWEEN = " \t\n;"


@dataclass
class _Address:
    """Of lines: one of a number, the last one, or those that a regular expression fits."""

    number: int = 0
    is_last: bool = False
    regex: re.Pattern[str] | None = None
    wanted: str = ""

    def fits(self, sed: Sed) -> bool:
        """Raises ValueError where that is not known."""
        if self.regex is not None and lacks(sed.space, self.wanted):
            return False
        if self.regex is not None:
            return fits(self.regex, known(sed.space))
        return sed.number == (sed.count if self.is_last else self.number)


@dataclass
class _Step:
    """first, last: lines to which it is done; all where there is none
    more   lines behind the first one, for a last one of "+2"
    """

    run: Callable[[Sed], None]
    first: _Address | None = None
    last: _Address | None = None
    more: int | None = None
    is_negated: bool = False
    until: int | None = None  # while the lines between are those: their end, 0 where it is open
    is_done: bool = False  # such lines, of a first one by its number

    def take(self, sed: Sed) -> None:
        if self._is_in(sed) is not self.is_negated:
            self.run(sed)

    def _is_in(self, sed: Sed) -> bool:
        if self.first is None:
            return True
        if self.last is None and self.more is None:
            return self.first.fits(sed)
        if self.until is None:
            is_late = 0 < self.first.number < sed.number and not self.is_done
            is_late &= self.last is None or not 0 < self.last.number < sed.number
            if not (is_late or self.first.fits(sed)):
                return False
            self.is_done = True
            self.until = self._end(sed)
        elif self.until == 0 and self.last is not None and self.last.fits(sed):
            self.until = sed.number
        if self.until and self.until <= sed.number:
            is_behind = self.until < sed.number and self.last is not None and self.more is None
            self.until = None
            return True if not is_behind else self.first.fits(sed)
        return True

    def _end(self, sed: Sed) -> int:
        if self.more is not None:
            return sed.number + self.more
        last = self.last
        if last is None or last.regex is not None:
            return 0
        return max(sed.count if last.is_last else last.number, sed.number)


@dataclass
class Sed:
    """Called with a line after the other. What it makes of each; None where that is nothing.

    count   of all lines
    space   what is left of the line
    shown, queued  lines before what is left of it, and behind
    """

    steps: list[_Step]
    is_quiet: bool
    count: int = 0
    number: int = 0
    space: str = ""
    is_gone: bool = False
    has_ended: bool = False
    shown: list[str] = field(default_factory=list)
    queued: list[str] = field(default_factory=list)

    def begin(self, count: int) -> None:
        self.count, self.number, self.has_ended = count, 0, False
        for each in self.steps:
            each.until, each.is_done = None, False

    def __call__(self, line: str) -> str | None:
        """Raises ValueError where that is not known."""
        if self.has_ended:
            return None
        self.number += 1
        self.space, self.is_gone, self.shown, self.queued = line, False, [], []
        for step in self.steps:
            step.take(self)
            if self.is_gone or self.has_ended:
                break
        left = [] if self.is_gone or self.is_quiet else [self.space]
        lines = [*self.shown, *left, *self.queued]
        return "\n".join(lines) if lines else None


def sed_of(words: Sequence[str], read: Read) -> tuple[Sed, list[str]] | None:
    """And the files that it reads; None where a command is not understood."""
    texts: list[str] = []
    files: list[str] = []
    extended, quiet, left = False, False, list(words)
    while left:
        word = left.pop(0)
        if word in ("-E", "-r", "--regexp-extended"):
            extended = True
        elif word in ("-n", "--quiet", "--silent"):
            quiet = True
        elif word in ("-e", "--expression", "-ne") and left:
            texts.append(left.pop(0))
            quiet |= "n" in word[:3] and word != "--expression"
        elif word.startswith("--expression="):
            texts.append(word.partition("=")[2])
        elif word == "-f" and left:
            lines = read(left.pop(0))
            if lines is None or any(map(has_unresolved, lines)):
                return None
            texts.append("\n".join(lines))
        elif IN_PLACE.fullmatch(word):
            pass
        elif word.startswith("-") and word != "-":
            return None
        else:
            files.append(word)
    if not texts:
        texts, files = files[:1], files[1:]
    try:
        steps = _Parser("\n".join(texts), extended, read).steps()
    except ValueError:
        return None
    return (Sed(steps, quiet), files) if steps else None


@dataclass
class _Parser:
    text: str
    extended: bool
    read: Read
    position: int = 0

    def steps(self, *, is_inner: bool = False) -> list[_Step]:
        """Raises ValueError on what is not understood."""
        found: list[_Step] = []
        while True:
            self._skip(_BETWEEN)
            if self.position >= len(self.text):
                if is_inner:
                    raise ValueError("}")
                return found
            if self.text.startswith("}", self.position):
                if not is_inner:
                    raise ValueError("}")
                self.position += 1
                return found
            found += self._step()

    def _skip(self, letters: str) -> None:
        while self.position < len(self.text) and self.text[self.position] in letters:
            self.position += 1

    def _step(self) -> list[_Step]:
        first, last, more = self._address(), None, None
        found = _RANGE.match(self.text, self.position) if first else None
        if found:
            self.position = found.end()
            more = int(found[1]) if found[1] else None
            last = None if found[1] else self._address()
            if first is None or (last is None and more is None) or (first.number == 0 and (
                first.regex is None and not first.is_last
            )):  # fmt: skip
                raise ValueError("address")
        self._skip(" \t")
        is_negated = self.text.startswith("!", self.position)
        self.position += is_negated
        self._skip(" \t")
        if (last or more is not None) and self.text[self.position : self.position + 1] in (
            "c",
            "q",
        ):
            raise ValueError("c")  # once, behind the last of these lines
        run = self._command()
        self._skip(" \t")
        is_at_end = self.text[self.position : self.position + 1] in ("", ";", "\n", "}")
        if not is_at_end and self.text[self.position - 1] not in "\n{":
            raise ValueError(self.text[self.position :])
        return [_Step(run, first, last, more, is_negated)]

    def _address(self) -> _Address | None:
        found = _ADDRESS.match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        if found[1]:
            return _Address(number=int(found[1]))
        if found[2]:
            return _Address(is_last=True)
        pattern = found[3] if found[5] is None else found[6]
        ignores = bool(found[4] or found[7])
        wanted = "" if ignores or self.extended else needed(pattern)
        return _Address(regex=self._regex(pattern, ignores), wanted=wanted)

    def _regex(self, pattern: str, ignores_case: bool) -> re.Pattern[str]:
        regex = regex_of_program(pattern, extended=self.extended)
        if regex is None or not pattern:
            raise ValueError(pattern)
        return re.compile(regex.pattern, re.IGNORECASE | re.DOTALL) if ignores_case else regex

    def _command(self) -> Callable[[Sed], None]:
        text, position = self.text, self.position
        letter = text[position : position + 1]
        if letter == "{":
            self.position += 1
            return _all_of(self.steps(is_inner=True))
        if letter and letter in "dpq":
            self.position += 1
            return {"d": _delete, "p": _show, "q": _quit}[letter]
        for pattern, make in (
            (_SUBSTITUTION, self._substitution), (_LETTERS, self._letters), (_TEXT, self._texts),
            (_READS, self._reading),
        ):  # fmt: skip
            if found := pattern.match(text, position):
                self.position = found.end()
                return make(found)
        raise ValueError(text[position:])

    def _substitution(self, found: re.Match[str]) -> Callable[[Sed], None]:
        delimiter, old, new, flags = found.groups()
        if delimiter in ".*[]^$&+?(){}|" and f"\\{delimiter}" in old + new:
            raise ValueError(delimiter)  # which seds take differently
        old = old.replace(f"\\{delimiter}", delimiter) if delimiter not in "\\.*[]^$" else old
        new = new.replace(f"\\{delimiter}", delimiter)
        regex = self._regex(old, "i" in flags.lower())
        asked = [int(each) for each in re.findall(r"(?<!\\)(?:\\\\)*\\([0-9])", new)]
        if any(each > regex.groups for each in asked):
            raise ValueError(new)
        if re.search(r"(?<!\\)(?:\\\\)*\\[A-Za-mo-su-z]", new):
            raise ValueError(new)  # \L and its kin
        numbers = re.findall("[0-9]+", flags)
        first = int(numbers[0]) if numbers else 1
        most = None if "g" in flags else 1
        if len(numbers) > 1:
            raise ValueError(flags)
        is_literal = re.escape(old) == regex.pattern or "@" in old
        wanted = "" if "i" in flags.lower() or self.extended else needed(old)

        def run(sed: Sed) -> None:
            if lacks(sed.space, wanted):
                return
            space = sed.space if is_literal else known(sed.space)
            sed.space, is_done = substituted(regex, new, space, first=first, most=most)
            if is_done and "p" in flags:
                sed.shown.append(sed.space)

        return run

    def _letters(self, found: re.Match[str]) -> Callable[[Sed], None]:
        if len(found[2]) != len(found[3]) or not found[0].isascii():
            raise ValueError(found[0])
        table = str.maketrans(found[2], found[3])

        def run(sed: Sed) -> None:
            sed.space = known(sed.space).translate(table)

        return run

    def _texts(self, found: re.Match[str]) -> Callable[[Sed], None]:
        kind, text = found[1], found[2]
        if has_unresolved(text):
            raise ValueError(text)

        def run(sed: Sed) -> None:
            if kind == "a":
                sed.queued.append(text)
            else:
                sed.shown.append(text)
            sed.is_gone |= kind == "c"

        return run

    def _reading(self, found: re.Match[str]) -> Callable[[Sed], None]:
        lines = self.read(found[1])
        if lines is None:
            raise ValueError(found[1])

        def run(sed: Sed) -> None:
            sed.queued += lines

        return run


def _all_of(steps: Sequence[_Step]) -> Callable[[Sed], None]:
    def run(sed: Sed) -> None:
        for step in steps:
            step.take(sed)
            if sed.is_gone or sed.has_ended:
                return

    return run


def _delete(sed: Sed) -> None:
    sed.is_gone = True


def _show(sed: Sed) -> None:
    sed.shown.append(sed.space)


def _quit(sed: Sed) -> None:
    sed.has_ended = True


def substituted(
    regex: re.Pattern[str], new: str, text: str, *, first: int = 1, most: int | None = 1
) -> tuple[str, bool]:
    """From the first place on that counts, at most so often; and whether anything was. Raises
    ValueError where that is not known.
    """
    if is_slow(regex, text):
        raise ValueError(text)
    found, is_any = _substituted(regex, new, text, first, most)
    if not text.isascii():
        of_all, _ = _substituted(regex_of_bytes(regex), of_bytes(new), of_bytes(text), first, most)
        if of_bytes(found) != of_all or is_of_language(regex):
            raise ValueError(text)
    return found, is_any


def _substituted(
    regex: re.Pattern[str], new: str, text: str, first: int, most: int | None
) -> tuple[str, bool]:
    """Nothing right behind what was replaced is not replaced again, as Python would."""
    done, position, last, count, made = "", 0, -1, 0, 0
    while position <= len(text) and (match := regex.search(text, position)):
        if match.end() == last and match[0] == "":
            done, position, last = done + text[position : position + 1], position + 1, -1
            continue
        count += 1
        counts = count >= first
        done += text[position : match.start()] + (_filled(new, match) if counts else match[0])
        position = last = match.end()
        made += counts
        if most is not None and made >= most:
            break
        if match[0] == "":
            done, position = done + text[position : position + 1], position + 1
    return done + text[position:], made > 0


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
