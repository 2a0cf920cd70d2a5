# SPDX-License-Identifier: Apache-2.0
"""Walks through the statements of a script as a shell would, and keeps what it sets and writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import pairwise

from thalweg.config.namelist import begins_group
from thalweg.config.shell_assignments import (
    Assignments,
    is_assignment,
    is_let,
    is_nothing_else,
)
from thalweg.config.shell_commands import FileCommands
from thalweg.config.shell_conditions import holds
from thalweg.config.shell_loops import sets, turns_of
from thalweg.config.shell_parts import parts_of_list, pipeline
from thalweg.config.shell_statements import HereDocument, Statement, commands_of
from thalweg.config.shell_words import (
    DOCUMENT,
    Variables,
    closing,
    expand,
)
from thalweg.config.unresolved import has_unresolved, unresolved

_MOST_TURNS = 1000  # of a loop over words
_MOST_TURNS_IN_ALL = 20_000
_DEEPEST = 50  # blocks in blocks
_LABEL = re.compile(r"\(?([^()$=]+)\)\s*(.*)", re.DOTALL)
_EXISTS = re.compile(r"(?:\[\[?|test)\s+-[aefrsw]\s+([^\s\]]+)\s*(?:\]\]?)?\s*")
_FUNCTION = re.compile(
    r"(?:function\s+([\w-]+)\s*(?:\(\s*\))?|([\w-]+)\s*\(\s*\))\s*([{(]?)\s*(.*)", re.DOTALL
)
_LOCAL = re.compile(r"(?:local|declare|typeset)\s")
_MOST_RUNNING = 20  # functions and scripts, one in another
_ON_FILES = re.compile(r"(?:!\s+)?((?:cp|mv|ln|rm|cat)\s.*)", re.DOTALL)
# Commands of which a script goes on as if they had been done.
_DONE = frozenset(
    {"cp", "mv", "ln", "rm", "cat", "mkdir", "cd", "pushd", "popd", "echo", "printf", "export",
     "touch", "chmod", "tee", "set", "true", ":", "source", ".", "module", "ulimit", "unset", "let"}
)  # fmt: skip
_OPENS = re.compile(r"(if|for|while|until|select|case)\b")
_LEAVES = re.compile(r"(break|continue|return|exit)\b")
_CLOSES = {"if": "fi", "case": "esac"}


Source = Callable[[str], Sequence[Statement] | None]


def run_statements(
    statements: Sequence[Statement], variables: Variables, commands: FileCommands,
    source: Source = lambda _: None,
) -> list[str]:  # fmt: skip
    """Sentences on what was not run.

    source: statements of a script that this one sources, by its path; None where it is not there
    """
    walk = _Walk(statements, variables, commands, _Shared(source))
    walk.run(0, len(statements), sure=True, depth=0)
    return walk.shared.told


def _statements_of(text: str, documents: Sequence[HereDocument], at: str) -> list[Statement]:
    """Of a, b and c in `a; b; c`."""
    left, found = list(documents), []
    for part in commands_of(text):
        count = part.count(DOCUMENT)
        found.append(Statement(part, at, tuple(left[:count])))
        del left[:count]
    return found


@dataclass
class _Shared:
    """Of a script, its functions and those that it sources.

    left  how what runs is left: "exit", or "return" from a function or from what is sourced
    """

    source: Source
    functions: dict[str, Sequence[Statement]] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)  # functions and what is sourced
    left: str = ""
    turns: int = 0
    told: list[str] = field(default_factory=list)


@dataclass
class _Walk:
    statements: Sequence[Statement]
    variables: Variables
    commands: FileCommands
    shared: _Shared

    def run(self, begin: int, end: int, *, sure: bool, depth: int) -> None:
        """`sure` is False in a block that may or may not be run."""
        folders = self.commands.files.folders
        i, here, outer = begin, folders.here, list[str]()
        while i < end and not self.shared.left:
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
                    self.commands.tell(each.text, each.documents, each.at)
                i = close
            elif found := _FUNCTION.fullmatch(text):
                i = self._define(found, i, end)
            elif (
                text.startswith("(")
                and not text.startswith("((")
                and text.count("(") > text.count(")")
            ):
                outer.append(folders.here)
                self._command(replace(statement, text=text[1:].strip()), sure)
            elif outer and text.startswith(")"):
                folders.enter(outer.pop())
                self.commands.tell(text[1:], statement.documents, statement.at)
            elif outer and text.endswith(")") and text.count(")") > text.count("("):
                self._command(replace(statement, text=text[:-1].strip()), sure)
                folders.enter(outer.pop())
            else:
                self._command(statement, sure)
            i += 1
        if not sure and folders.here != here:
            folders.lose()
        if depth == 0 and self.shared.left == "exit":
            self._tell_unread(i, end)

    def _tell_unread(self, begin: int, end: int) -> None:
        for each in self.statements[begin:end]:
            if any(begins_group(line) for document in each.documents for _, line in document.lines):
                self.shared.told.append(
                    f"{each.at}: the script has ended by 'exit' before this namelist is written: "
                    "it is not counted"
                )

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

    def _define(self, found: re.Match[str], begin: int, end: int) -> int:
        """Keeps `f() { ... }` or `f() ( ... )`; where it ends."""
        name, bracket, rest = found[1] or found[2], found[3], found[4]
        first, i = self.statements[begin], begin
        if not bracket and i + 1 < end and self.statements[i + 1].text[:1] in ("{", "("):
            i += 1
            first = self.statements[i]
            bracket, rest = first.text[:1], first.text[1:].strip()
        right = ")" if bracket == "(" else "}"
        closed = rest.endswith(" }") if right == "}" else rest.count(")") > rest.count("(")
        rest = rest[:-1].strip() if closed else rest
        body = _statements_of(rest, first.documents, first.at)
        depth = int(bool(bracket) and not closed)
        while depth and i + 1 < end:
            i += 1
            text = self.statements[i].text
            depth -= text.startswith(right)
            if depth:
                depth += text.endswith(bracket)
                body.append(self.statements[i])
        if bracket == "(":
            body = [replace(first, text="(", documents=()), *body, Statement(")", first.at)]
        self.shared.functions[name] = body
        return i

    def _call(self, name: str, words: Sequence[str], sure: bool) -> None:
        """With $1, $2, ... as they are given, and what is local as it was."""
        self.shared.turns += 1
        if len(self.shared.running) > _MOST_RUNNING or self.shared.turns > _MOST_TURNS_IN_ALL:
            return
        before = dict(self.variables.assigned)
        self._give([expand(word, self.variables) for word in words])
        self._run_all(self.shared.functions[name], name, sure)
        kept = {*"123456789@*#"}
        for each in self.shared.functions[name]:
            if _LOCAL.match(each.text):
                kept |= set(re.findall(r"\s([A-Za-z_]\w*)(?==|\s|$)", each.text))
        for each in kept:
            self.variables.assigned.pop(each, None)
            if each in before:
                self.variables.assigned[each] = before[each]

    def _give(self, arguments: Sequence[str]) -> None:
        for i in range(1, 10):
            self.variables.assign(str(i), arguments[i - 1] if i <= len(arguments) else "")
        self.variables.assign("#", str(len(arguments)))
        for each in ("@", "*"):
            self.variables.assign(each, " ".join(arguments))

    def _run_all(self, statements: Sequence[Statement], name: str, sure: bool) -> None:
        self.shared.running.append(name)
        walk = replace(self, statements=statements)
        walk.run(0, len(statements), sure=sure, depth=1)
        self.shared.running.pop()
        if self.shared.left == "return":
            self.shared.left = ""

    def _if(self, begin: int, close: int, sure: bool, depth: int) -> None:
        """Branches that cannot hold are left out; after one that holds there is no other."""
        marks = [begin, *self._marks(begin + 1, close, ("elif", "else")), close]
        for mark, following in pairwise(marks):
            word, _, condition = self.statements[mark].text.partition(" ")
            truth = True if word == "else" else holds(condition, self.variables)
            if runs := _ON_FILES.fullmatch(condition.strip()):
                self._command(Statement(runs[1], self.statements[mark].at), sure)
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
            self.shared.turns += 1
            sure = sure and self.shared.turns < _MOST_TURNS_IN_ALL
            if self.shared.turns > _MOST_TURNS_IN_ALL or self.shared.left:
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
                    self._command(Statement(rest, first.at, first.documents), certain)
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
        documents, at, before = list(statement.documents), statement.at, self.commands.there
        for joint, text in parts_of_list(statement.text):
            count = text.count(DOCUMENT)
            mine, documents = documents[:count], documents[count:]
            goes_on = None if truth is None else truth is (joint != "||")
            if goes_on is not False:
                found = self._simple(text, mine, at, sure and goes_on is True)
                truth = found if goes_on else found if found is (joint == "||") else None
            if joint or truth is None:
                self.commands.there = self._asked_for(text) if sure else ""
        self.commands.there = before

    def _simple(
        self, text: str, documents: Sequence[HereDocument], at: str, sure: bool
    ) -> bool | None:
        """Whether it succeeds, as far as one can tell."""
        assignments = Assignments(self.variables)
        if text.startswith(("[", "test ", "((", "! ")) and not is_let(text):
            truth = holds(text, self.variables)
            assignments.take(text, sure)
            return truth
        if (
            text.startswith("(")
            and not text.startswith("((")
            and closing(text, 0) == len(text.rstrip(" &"))
        ):
            self._subshell(text.rstrip(" &")[1:-1], documents, at, sure)
            return None
        assignments.take(text, sure)
        if is_nothing_else(text):
            return True
        word = (text.split(maxsplit=1) or [""])[0]
        if word in ("exit", "return"):
            if sure and (word == "exit" or self.shared.running):
                self.shared.left = word
            return None
        if self._runs(text, documents, at, sure):
            return None
        if (
            self.commands.run(text, documents, at, sure=sure)
            or word in _DONE
            or is_assignment(text)
        ):
            return True
        return False if word == "false" else None

    def _subshell(self, text: str, documents: Sequence[HereDocument], at: str, sure: bool) -> None:
        inner = _statements_of(text, documents, at)
        self._run_all([Statement("(", at), *inner, Statement(")", at)], "(", sure)

    def _runs(self, text: str, documents: Sequence[HereDocument], at: str, sure: bool) -> bool:
        """Whether it calls a function, or sources a script that is there."""
        parts = [self.commands.expanded(each.plain()) for each in pipeline(text)]
        words = parts[0].words if parts else []
        if not words:
            return False
        if words[0] == "shift":
            given = (self.variables.value("@") or "").split()
            self._give(given[int(words[1]) if words[1:] and words[1].isdigit() else 1 :])
            return True
        if words[0] in self.shared.functions and not self.commands.knows(words[0]):
            self._call(words[0], words[1:], sure)
            if documents or any(self.commands.may_fill(each) for each in parts):
                self.commands.passed_over.append(at)
            return True
        if words[0] in (".", "source") and len(words) > 1:
            found = None
            if len(self.shared.running) < _MOST_RUNNING:
                found = self.shared.source(self.commands.path(words[1]))
            if found is not None:
                self._run_all(found, words[1], sure)
            return found is not None
        for each in words:  # as `trap cleanup EXIT`
            for statement in self.shared.functions.get(each, ()):
                self.commands.tell(statement.text, statement.documents, statement.at)
        return False

    def _asked_for(self, condition: str) -> str:
        """The file whose existence decides."""
        exists = _EXISTS.fullmatch(condition.strip())
        return self.commands.path(exists[1]) if exists else ""
