# SPDX-License-Identifier: Apache-2.0
"""Walks through the statements of a script as a shell would, and keeps what it sets and writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from thalweg.config.shell_commands import FileCommands
from thalweg.config.shell_conditions import holds
from thalweg.config.shell_loops import sets, turns_of
from thalweg.config.shell_parts import parts_of_list, pipeline
from thalweg.config.shell_statements import HereDocument, Statement
from thalweg.config.shell_words import DOCUMENT, Variables, arithmetic_value, expand, first_word
from thalweg.config.unresolved import has_unresolved, unresolved, unresolved_names

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
_LABEL = re.compile(r"\(?([^()$=]+)\)\s*(.*)", re.DOTALL)
_EXISTS = re.compile(r"(?:\[\[?|test)\s+-[aefrsw]\s+([^\s\]]+)\s*(?:\]\]?)?\s*")
_FUNCTION = re.compile(
    r"(?:function\s+[\w-]+\s*(?:\(\s*\))?|[\w-]+\s*\(\s*\))\s*([{(]?).*", re.DOTALL
)
_ON_FILES = re.compile(r"(?:!\s+)?((?:cp|mv|ln|rm|cat)\s.*)", re.DOTALL)
# Commands of which a script goes on as if they had been done.
_DONE = frozenset(
    {"cp", "mv", "ln", "rm", "cat", "mkdir", "cd", "pushd", "popd", "echo", "printf", "export",
     "touch", "chmod", "tee", "set", "true", ":", "source", ".", "module", "ulimit", "unset", "let"}
)  # fmt: skip
_UNKNOWN_COMMAND = re.compile(r"[^A-Za-z_]|$")
_OPENS = re.compile(r"(if|for|while|until|select|case)\b")
_LEAVES = re.compile(r"(break|continue|return|exit)\b")
_CLOSES = {"if": "fi", "case": "esac"}


def run_statements(
    statements: Sequence[Statement], variables: Variables, commands: FileCommands
) -> None:
    _Walk(statements, variables, commands).run(0, len(statements), sure=True, depth=0)


@dataclass
class _Walk:
    statements: Sequence[Statement]
    variables: Variables
    commands: FileCommands
    turns: int = 0

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
                before, self.commands.there = self.commands.there, ""
                block.get(opens[1], self._maybe)(i, close, sure, depth + 1)
                self.commands.there = before
                for each in self.statements[close : min(close + 1, end)]:  # `done > FILE`
                    self.commands.tell(each.text, each.documents, each.line)
                i = close
            elif _FUNCTION.fullmatch(text):
                close = self._end_of_function(i, end)
                for each in self.statements[i:close]:
                    self.commands.tell(each.text, each.documents, each.line)
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
        """`f() { ... }` or `f() ( ... )`; a block in braces within is none of its own."""
        found = _FUNCTION.fullmatch(self.statements[begin].text)
        left, right = ("(", ")") if found and found[1] == "(" else ("{", "}")
        depth = 0
        for i in range(begin, end):
            text = self.statements[i].text
            depth -= text.startswith(right) or (i == begin and text.endswith(right))
            depth += text.endswith(left) or (i == begin and bool(found and found[1]))
            if depth < 0 or (depth == 0 and text.startswith(right)):
                return i
            if i == begin and text.rstrip().endswith(right):
                return i
        return begin if left == "(" else end

    def _if(self, begin: int, close: int, sure: bool, depth: int) -> None:
        """Branches that cannot hold are left out; after one that holds there is no other."""
        marks = [begin, *self._marks(begin + 1, close, ("elif", "else")), close]
        for mark, following in pairwise(marks):
            word, _, condition = self.statements[mark].text.partition(" ")
            truth = True if word == "else" else holds(condition, self.variables)
            if runs := _ON_FILES.fullmatch(condition.strip()):
                self._command(Statement(runs[1], self.statements[mark].line), sure)
            self.commands.there = self._asked_for(condition) if sure else ""
            if truth is not False:
                self.run(mark + 1, following, sure=sure and truth is True, depth=depth)
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
        head = re.fullmatch(
            r"case\s+(.*?)\s+in(?:\s+(.*))?", self.statements[begin].text, re.DOTALL
        )
        word = expand(head[1], self.variables) if head else unresolved("`case`")
        labels = self._labels(begin + 1, close)
        if head and head[2] and (label := _LABEL.match(head[2])):  # all on a line
            labels.insert(0, (begin, label[1].split("|"), label[2]))
        for i, (mark, patterns, rest) in enumerate(labels):
            following = labels[i + 1][0] if i + 1 < len(labels) else close
            chosen = any(fnmatchcase(word, pattern.strip().strip("'\"")) for pattern in patterns)
            if chosen or has_unresolved(word):
                certain = sure and chosen and not has_unresolved(word)
                first = self.statements[mark]
                if rest:
                    self._command(Statement(rest, first.line, first.documents), certain)
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
            elif label := _LABEL.match(text):
                found.append((i, label[1].split("|"), label[2]))
            i += 1
        return found

    def _maybe(self, begin: int, close: int, sure: bool, depth: int) -> None:
        self.run(begin + 1, close, sure=False, depth=depth)

    def _command(self, statement: Statement, sure: bool) -> None:
        """Commands joined by && and ||: each where the ones before it let it."""
        truth: bool | None = True
        documents, line, before = list(statement.documents), statement.line, self.commands.there
        for joint, text in parts_of_list(statement.text):
            count = text.count(DOCUMENT)
            mine, documents = documents[:count], documents[count:]
            goes_on = None if truth is None else truth is (joint != "||")
            if goes_on is not False:
                found = self._simple(text, mine, line, sure and goes_on is True)
                truth = found if goes_on else found if found is (joint == "||") else None
            if joint or truth is None:
                self.commands.there = self._asked_for(text) if sure else ""
        self.commands.there = before

    def _simple(
        self, text: str, documents: Sequence[HereDocument], line: int, sure: bool
    ) -> bool | None:
        """Whether it succeeds, as far as one can tell."""
        if text.startswith(("[", "test ", "((", "! ")) and not _LET.fullmatch(text):
            truth = holds(text, self.variables)
            if _STEP.fullmatch(text):
                self._assign_all(text, sure)
            return truth
        is_assignment = _ASSIGNMENT.match(text) or _DECLARES.match(text) or _LET.fullmatch(text)
        if is_assignment or _STEP.fullmatch(text) or _C_SHELL.fullmatch(text):
            self._assign_all(text, sure)
        if is_assignment and not pipeline(text)[0].plain().words[0:1]:
            return True
        word = (text.split(maxsplit=1) or [""])[0]
        if self.commands.run(text, documents, line, sure=sure) or word in _DONE or is_assignment:
            return True
        return False if word == "false" else None

    def _asked_for(self, condition: str) -> str:
        """The file whose existence decides."""
        exists = _EXISTS.fullmatch(condition.strip())
        return self.commands.name(exists[1]) if exists else ""

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
            self._assign(c_shell[1], expand(first_word(c_shell[2]), self.variables), sure)
            return
        declares = _DECLARES.match(text)
        whole = "i" in declares[1] if declares else False
        position = declares.end() if declares else 0
        found: list[tuple[str, str]] = []
        while match := _ASSIGNMENT.match(text, position):
            word = first_word(text[match.end() :])
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
