# SPDX-License-Identifier: Apache-2.0
"""Walks through the statements of a script as a shell would, and keeps what it sets and writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import pairwise

from thalweg.config.shell_conditions import holds
from thalweg.config.shell_files import Files
from thalweg.config.shell_loops import sets, turns_of
from thalweg.config.shell_statements import Statement
from thalweg.config.shell_words import Variables, arithmetic_value, closing, expand
from thalweg.config.unresolved import has_unresolved, show_unresolved, unresolved, unresolved_names

_MOST_TURNS = 1000  # of a loop over words
_MOST_TURNS_IN_ALL = 20_000
_LONGEST_VALUE = 1_000_000  # characters; a script that doubles a text in a loop has no end
_DEEPEST = 50  # blocks in blocks
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_DECLARES = re.compile(r"(?:export|declare|typeset|local|readonly)((?:\s+-\w+)*)\s+")
_C_SHELL = re.compile(r"(?:set|setenv)\s+([A-Za-z_]\w*)(?:\s*=\s*|\s+)([^\s=].*)")
_LET = re.compile(
    r"(?:let\s+[\"']?|\(\(\s*)([A-Za-z_]\w*)\s*([-+*/]?)=(?!=)(.*?)(?:[\"']|\)\))?\s*"
)
_STEP = re.compile(r"\(\(\s*([A-Za-z_]\w*)\s*(\+\+|--)\s*\)\)")
_TEE = re.compile(r"tee\s+((?:-[\w-]*\s+)*)((?:[^\s\"'<>;|&]|\"[^\"]*\"|'[^']*')+)")
_CHANGES_FILES = re.compile(
    r"(?:(?:echo|printf)\s[^>]*>|(?:sed|perl)\s+-\w*i|(?:sed|perl)\s[^>]*>)"
)
_NAMELIST = re.compile(r"&[A-Za-z]\w*_nml\b", re.IGNORECASE)
_TARGET = re.compile(r"(>>?)\s*((?:[^\s\"'>;|&]|\"[^\"]*\"|'[^']*')+)")
_LINKS = ("ln", "add_link_file", "add_required_file")
_JOIN = re.compile(r"cat\s+([^-<>|&;][^<>|&;]*?)\s*(>>?)\s*([^\s<>|&;]+)")
_EXISTS = re.compile(r"(?:\[\[?|test)\s+-[aefhLrsw]\s+([^\s\]]+)\s*(?:\]\]?)?\s*")
_FUNCTION = re.compile(r"(?:function\s+[\w-]+\s*(?:\(\s*\))?|[\w-]+\s*\(\s*\))\s*(\{?).*")
_UNKNOWN_COMMAND = re.compile(r"[^A-Za-z_]|$")
_OPENS = re.compile(r"(if|for|while|until|select|case)\b")
_LEAVES = re.compile(r"(break|continue|return|exit)\b")
_BESIDE = re.compile(
    r"\s*(?:[12]?>\s*/dev/null|2>&1|\|\|.*|&&.*)$"
)  # of a command that writes a file
_CLOSES = {"if": "fi", "case": "esac"}


@dataclass
class Written:
    """passed_over  lines of what writes or changes namelists in a way that is not read"""

    files: Files = field(default_factory=Files)
    passed_over: list[int] = field(default_factory=list)


def run_statements(statements: Sequence[Statement], variables: Variables, written: Written) -> None:
    _Walk(statements, variables, written).run(0, len(statements), sure=True, depth=0)


@dataclass
class _Walk:
    statements: Sequence[Statement]
    variables: Variables
    written: Written
    turns: int = 0
    there: str = ""  # a file that an `if` asks for: what it removes is gone behind it

    def run(self, begin: int, end: int, *, sure: bool, depth: int) -> None:
        """`sure` is False in a block that may or may not be run."""
        i = begin
        while i < end:
            statement = self.statements[i]
            text = statement.text
            opens = _OPENS.match(text)
            if opens and depth < _DEEPEST:
                close = self._close(i, end)
                block = {"if": self._if, "for": self._for, "case": self._case}
                block.get(opens[1], self._maybe)(i, close, sure, depth + 1)
                i = close
            elif _FUNCTION.fullmatch(text):
                close = self._end_of_function(i, end)
                self._pass_over(self.statements[i:close])
                i = close
            else:
                self._command(statement, sure)
            i += 1

    def _close(self, begin: int, end: int) -> int:
        """Index of the fi, done or esac of the block that begins there."""
        waiting: list[str] = []
        for i in range(begin, end):
            text = self.statements[i].text
            word = re.split(r"[\s<>|&]", text, maxsplit=1)[0]
            if opens := _OPENS.match(text):
                waiting.append(_CLOSES.get(opens[1], "done"))
            elif waiting and word == waiting[-1]:
                waiting.pop()
                if not waiting:
                    return i
        return end

    def _end_of_function(self, begin: int, end: int) -> int:
        return next((i for i in range(begin, end) if self.statements[i].text.startswith("}")), end)

    def _if(self, begin: int, close: int, sure: bool, depth: int) -> None:
        """Branches that cannot hold are left out; after one that holds there is no other."""
        marks = [begin, *self._marks(begin + 1, close, ("elif", "else")), close]
        for mark, following in pairwise(marks):
            word, _, condition = self.statements[mark].text.partition(" ")
            truth = True if word == "else" else holds(condition, self.variables)
            exists, before = _EXISTS.fullmatch(condition), self.there
            self.there = self._name(exists[1]) if exists and sure else ""
            if truth is not False:
                self.run(mark + 1, following, sure=sure and truth is True, depth=depth)
            self.there = before
            if truth is True:
                return
            sure = sure and truth is not None

    def _marks(self, begin: int, end: int, words: tuple[str, ...]) -> list[int]:
        """Statements that begin with one of the words, not those of blocks within."""
        found, i = [], begin
        while i < end:
            text = self.statements[i].text
            if _OPENS.match(text):
                i = self._close(i, end)
            elif text.split(maxsplit=1)[0] in words:
                found.append(i)
            i += 1
        return found

    def _for(self, begin: int, close: int, sure: bool, depth: int) -> None:
        head, body = self.statements[begin].text, self.statements[begin + 1 : close]
        name, turns = turns_of(head, self.variables, _MOST_TURNS)
        counted = re.match(r"for\s*\(\(", head)
        if turns is None or (counted and any(sets(each.text, name) for each in body)):
            self._maybe(begin, close, sure, depth)
            return
        sure = sure and not any(_LEAVES.match(each.text) for each in body)
        for word in turns:
            self.turns += 1
            sure = sure and self.turns < _MOST_TURNS_IN_ALL
            if self.turns > _MOST_TURNS_IN_ALL:
                break
            self.variables.assign(name, word)
            self.run(begin + 1, close, sure=sure, depth=depth)

    def _case(self, begin: int, close: int, sure: bool, depth: int) -> None:
        """The first branch whose pattern fits; all of them, unsure, where the word is open."""
        head = re.fullmatch(r"case\s+(.*?)\s+in", self.statements[begin].text, re.DOTALL)
        word = expand(head[1], self.variables) if head else unresolved("`case`")
        labels = self._labels(begin + 1, close)
        for i, (mark, patterns, rest) in enumerate(labels):
            following = labels[i + 1][0] if i + 1 < len(labels) else close
            chosen = any(fnmatchcase(word, pattern.strip().strip("'\"")) for pattern in patterns)
            if chosen or has_unresolved(word):
                certain = sure and chosen and not has_unresolved(word)
                first = self.statements[mark]
                if rest:
                    self._command(Statement(rest, first.line, first.document), certain)
                self.run(mark + 1, following, sure=certain, depth=depth)
                if certain:
                    return

    def _labels(self, begin: int, end: int) -> list[tuple[int, list[str], str]]:
        """Statement, patterns and the command beside them, of each branch of a `case`."""
        found, i = [], begin
        while i < end:
            text = self.statements[i].text
            if _OPENS.match(text):
                i = self._close(i, end)
            elif label := re.match(r"\(?([^()$=]+)\)\s*(.*)", text, re.DOTALL):
                found.append((i, label[1].split("|"), label[2]))
            i += 1
        return found

    def _maybe(self, begin: int, close: int, sure: bool, depth: int) -> None:
        self.run(begin + 1, close, sure=False, depth=depth)

    def _command(self, statement: Statement, sure: bool) -> None:
        text = statement.text
        if statement.document is not None:
            self._write(statement, sure)
            return
        word, _, rest = text.partition(" ")
        if joins := _JOIN.fullmatch(_plain(text)):
            self._join(joins, statement, sure)
        elif word in ("cp", "mv", *_LINKS):
            self._pair(word, _plain(rest), statement.line, sure)
        elif word == "rm":
            self._remove(_plain(rest), sure)
        elif text.startswith((": ", ":\t")):
            expand(text, self.variables)
        elif _CHANGES_FILES.match(text):
            names = (word.rpartition("/")[2] for word in text.replace(">", " ").split()[1:])
            known = (show_unresolved(expand(name, self.variables)) for name in names)
            contents = self.written.files.contents
            found = [contents[name] for name in known if name in contents]
            if any(_NAMELIST.search(line) for each in found for _, line in each.lines()):
                self.written.passed_over.append(statement.line)
            self._pass_over([statement])
        elif text.startswith("["):
            self._guarded(text, sure)
        elif text.startswith("cat ") and ">" in text:
            words = (self._name(word) for word in text.split()[1:])
            if any(word in self.written.files.contents for word in words):
                self.written.passed_over.append(statement.line)
        else:
            self._assign_all(text, sure)

    def _guarded(self, text: str, sure: bool) -> None:
        """`[ condition ] && x=1`, `[ -f file ] && rm file`"""
        condition, joint, rest = text.rpartition("&&")
        exists = _EXISTS.fullmatch(condition)
        if joint and exists and rest.strip().startswith("rm "):
            self._remove(rest.strip()[3:], sure)
        elif joint and _ASSIGNMENT.match(rest.strip()):
            truth = holds(condition, self.variables)
            if truth is not False:
                self._assign_all(rest.strip(), sure and truth is True)

    def _pass_over(self, statements: Sequence[Statement]) -> None:
        """Those that hold a namelist are told of."""
        for each in statements:
            lines = [line for _, line in each.document.lines] if each.document else []
            if _NAMELIST.search(each.text) or any(_NAMELIST.search(line) for line in lines):
                self.written.passed_over.append(each.line)

    def _pair(self, command: str, rest: str, line: int, sure: bool) -> None:
        """`cp A B`; into a folder, or of more than one, each keeps its name."""
        words = [word for word in _words(rest) if not word.startswith("-")]
        if not words:
            return
        last = expand(words[-1], self.variables)
        folder = len(words) != 2 or last.endswith("/") or last.rpartition("/")[2] in (".", "..")
        files = self.written.files
        for word in words[:1] if len(words) == 1 else words[:-1]:
            source = self._name(expand(word, self.variables).rstrip("/"))
            target = source if folder else self._name(last)
            if command in _LINKS:
                files.link(source, target, line, sure=sure)
            elif command == "mv":
                files.move(source, target, line, sure=sure)
            else:
                files.copy(source, target, line, sure=sure)

    def _remove(self, rest: str, sure: bool) -> None:
        for word in _words(rest):
            if not word.startswith("-"):
                name = self._name(word)
                self.written.files.remove(name, sure=sure or name == self.there)

    def _join(self, join: re.Match[str], statement: Statement, sure: bool) -> None:
        parts, into = [self._name(word) for word in _words(join[1])], self._name(join[3])
        files, replaces = self.written.files, join[2] == ">"
        if len(parts) == 1 and replaces:
            files.copy(parts[0], into, statement.line, sure=sure)
        else:
            files.join(parts, into, statement.line, sure=sure, replaces=replaces)

    def _name(self, word: str) -> str:
        return show_unresolved(expand(word, self.variables)).rpartition("/")[2]

    def _write(self, statement: Statement, sure: bool) -> None:
        """A here-document goes where `>` or `>>` of its command says."""
        document, text = statement.document, statement.text.replace(">|", ">")
        target = _TARGET.search(text)
        tee = _TEE.match(text)
        target = tee or target
        is_read = tee or text.startswith(("cat", ">"))
        if document is None or target is None or not is_read or "|" in text:
            self._pass_over([statement])
            return
        lines = [
            (number, expand(line, self.variables, quotes=False) if document.expands else line)
            for number, line in document.lines
        ]
        replaces = "a" not in target[1] if tee else target[1] == ">"
        name = self._name(target[2])
        self.written.files.put(name, lines, statement.line, sure=sure, replaces=replaces)

    def _assign_all(self, text: str, sure: bool) -> None:
        """x=1 y="$x a" and export x=1, let x=1+2, ((x = y * 2)), set x = 1."""
        if step := _STEP.fullmatch(text):
            self._assign(step[1], arithmetic_value(f"{step[1]}{step[2][0]}1", self.variables), sure)
            return
        if let := _LET.fullmatch(text):
            body = f"{let[1]}{let[2]}({let[3]})" if let[2] else let[3]
            self._assign(let[1], arithmetic_value(body, self.variables), sure)
            return
        if c_shell := _C_SHELL.fullmatch(text):
            self._assign(c_shell[1], expand(_first_word(c_shell[2]), self.variables), sure)
            return
        declares = _DECLARES.match(text)
        whole = "i" in declares[1] if declares else False
        position = declares.end() if declares else 0
        found: list[tuple[str, str]] = []
        while match := _ASSIGNMENT.match(text, position):
            word = _first_word(text[match.end() :])
            position = match.end() + len(word)
            position += len(text[position:]) - len(text[position:].lstrip())
            name = match[1]
            if word.startswith("("):
                found.append((name, unresolved(name)))  # an array
                continue
            value = (
                arithmetic_value(word, self.variables) if whole else expand(word, self.variables)
            )
            before = self.variables.value(name) or "" if match[2] else ""
            found.append((name, before + value))
            if declares is None and len(found) == 1 and not text[position:]:
                break
        if declares or not text[position:] or text[position] in "&|":
            for name, value in found:
                self._assign(name, value, sure)

    def _assign(self, name: str, value: str, sure: bool) -> None:
        """What a command prints is asked for by the name of the variable that takes it."""
        if any(_UNKNOWN_COMMAND.match(each) for each in unresolved_names(value)):
            value = unresolved(name)
        if len(value) > _LONGEST_VALUE:
            value = unresolved(name)
        if not sure and self.variables.assigned.get(name) != value:
            value = unresolved(name)
        self.variables.assign(name, value)


def _plain(text: str) -> str:
    """Without what goes on beside the command."""
    return _BESIDE.sub("", text.replace(">|", ">"))


def _words(text: str) -> list[str]:
    found, rest = [], text.strip()
    while rest and (word := _first_word(rest)):
        found.append(word)
        rest = rest[len(word) :].lstrip()
    return found


def _first_word(text: str) -> str:
    """Up to a space outside quotes and brackets."""
    position, quote = 0, ""
    while position < len(text):
        letter = text[position]
        if letter == "\\":
            position += 1
        elif quote:
            if letter == "$" and text[position + 1 : position + 2] in ("(", "{"):
                position = closing(text, position + 1) - 1
            elif letter == quote:
                quote = ""
        elif letter in "'\"`":
            quote = letter
        elif letter == "$" and text[position + 1 : position + 2] in ("(", "{"):
            position = closing(text, position + 1) - 1
        elif letter == "(" and position == 0:
            position = closing(text, position) - 1
        elif letter.isspace() or letter in "&|":
            break
        position += 1
    return text[:position]
