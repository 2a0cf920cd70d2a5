# SPDX-License-Identifier: Apache-2.0
"""Takes a command of a shell apart: lists joined by && and ||, pipelines, words, redirections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from thalweg.config.shell_words import DOCUMENT, word_end

_OPERATOR = re.compile(r"(?:[0-9]+|&)?(?:>>|>\||>&|>|<<<|<&|<)|\|\||\|&?|&&|&|[();]|" + DOCUMENT)
_BEFORE = frozenset({"command", "builtin", "time", "nice", "sudo", "env", "eval", "srun", "{", "!"})
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_PATH = re.compile(r"/(?:usr/)?bin/(\w+)")


@dataclass
class Simple:
    """One command of a pipeline.

    words      with their quotes, the command first
    outs       where its output goes: whether behind what is there, and the file
    ins        files that it reads from
    channels   files that it opens for channels of other numbers
    documents  how many here-documents it reads
    strings    how many texts behind <<<
    """

    words: list[str] = field(default_factory=list)
    outs: list[tuple[bool, str]] = field(default_factory=list)
    ins: list[str] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)
    documents: int = 0
    strings: int = 0

    def plain(self) -> Simple:
        """Without what may stand before the name of the command, and its folder."""
        words = list(self.words)
        while len(words) > 1 and (words[0] in _BEFORE or _ASSIGNED.match(words[0])):
            del words[0]
        if words:
            path = _PATH.fullmatch(words[0])
            words[0] = path[1] if path else words[0].removeprefix("\\")
        return replace(self, words=words)

    def options(self) -> list[str]:
        return [word for word in self.words[1:] if word.startswith("-") and len(word) > 1]

    def operands(self) -> list[str]:
        return [word for word in self.words[1:] if not word.startswith("-") or word == "-"]


def pipeline(text: str) -> list[Simple]:
    """Parts of a group in brackets count as parts of a pipeline."""
    found, operator = [Simple()], ""
    for _, token in _tokens(text):
        last = found[-1]
        if operator:
            _redirect(last, operator, token)
            operator = ""
        elif not _OPERATOR.fullmatch(token):
            last.words.append(token)
        elif token == DOCUMENT:
            last.documents += 1
        elif ">" in token or "<" in token:
            operator = token
        else:
            found.append(Simple())
    return [each for each in found if each != Simple()]


def _redirect(simple: Simple, operator: str, word: str) -> None:
    """What goes to the channel of errors is left out."""
    if "<<<" in operator:
        simple.strings += 1
    elif "<" in operator:
        if operator.lstrip("0123456789") == "<":
            simple.ins.append(word)
    elif operator.endswith(">&") and (word.isdigit() or word == "-"):
        return
    elif not operator[0].isdigit() or operator.startswith("1>"):
        simple.outs.append((">>" in operator, word))
    elif not operator.startswith("2"):
        simple.channels.append(word)


def parts_of_list(text: str) -> list[tuple[str, str]]:
    """Commands of `a && b || c`, each with what stands before it: "", "&&" or "||"."""
    if "&&" not in text and "||" not in text:
        return [("", text)]
    found: list[tuple[str, str]] = []
    joint, begin, depth = "", 0, 0
    for position, token in _tokens(text):
        if token in ("(", "[[", "{"):
            depth += 1
        elif token in (")", "]]", "}"):
            depth -= 1
        elif depth == 0 and token in ("&&", "||"):
            found.append((joint, text[begin:position].strip()))
            joint, begin = token, position + len(token)
    return [*found, (joint, text[begin:].strip())]


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Words and operators, with where they begin."""
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        operator = _OPERATOR.match(text, position)
        end = operator.end() if operator else word_end(text, position)
        yield position, text[position:end]
        position = end
