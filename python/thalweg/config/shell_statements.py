# SPDX-License-Identifier: Apache-2.0
"""Splits a shell script into statements, each with the here-document that follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thalweg.config.namelist import NumberedLine
from thalweg.config.shell_words import DOCUMENT
from thalweg.errors import ThalwegError

_HERE = re.compile(r"(?<!<)<<(-?)\s*(\\?)(['\"]?)([\w.@%+!-]+)\3(?!<)")
_KEYWORD = re.compile(r"(then|else|do|\{)\s+(?=\S)")
_MOST_JOINED = 2000  # lines of one statement


@dataclass(frozen=True)
class HereDocument:
    """file: whose lines they are. expands = False where the delimiter is quoted."""

    file: str
    lines: tuple[NumberedLine, ...]
    expands: bool


@dataclass(frozen=True)
class Statement:
    """DOCUMENT stands in the text for each of the documents, in their order.

    at: "FILE:LINE"
    """

    text: str
    at: str
    documents: tuple[HereDocument, ...] = ()


def split_script(lines: Sequence[str], file: str) -> list[Statement]:
    """Comments and empty lines are left out; a;b are two statements, `then x` are two."""
    statements: list[Statement] = []
    i = 0
    while i < len(lines):
        number, text = i + 1, lines[i].strip()
        i += 1
        if not text or text[0] == "#":
            continue
        joined = 0
        while i < len(lines) and joined < _MOST_JOINED:  # continued lines, texts over several
            if text.endswith("\\") and not text.endswith("\\\\"):
                text = text[:-1] + lines[i].rstrip()
            elif _quote_is_open(text):
                text = text + "\n" + lines[i]
            else:
                break
            i += 1
            joined += 1
        if joined and _quote_is_open(text):  # a lone apostrophe: the line stands for itself
            text, i = lines[number - 1].strip(), number
        documents: list[HereDocument] = []
        while "<<" in text and not text.startswith(("((", "let ")) and (here := _HERE.search(text)):
            document, i = _document(lines, i, here, file, number)
            documents.append(document)
            text = f"{text[: here.start()]} {DOCUMENT} {text[here.end() :]}"
        for part in commands_of(text):
            count = part.count(DOCUMENT)
            statements.append(Statement(part, f"{file}:{number}", tuple(documents[:count])))
            del documents[:count]
    return statements


def _document(
    lines: Sequence[str], begin: int, here: re.Match[str], file: str, number: int
) -> tuple[HereDocument, int]:
    tabs, escaped, quote, end = here.groups()
    body: list[NumberedLine] = []
    for i in range(begin, len(lines)):
        line = lines[i].lstrip("\t") if tabs else lines[i]
        if line == end:
            return HereDocument(file, tuple(body), not (escaped or quote)), i + 1
        body.append((i + 1, line))
    raise ThalwegError(
        f"{file}:{number}: the here-document has no line '{end}' that ends it; add one"
    )


def _quote_is_open(text: str) -> bool:
    if "'" not in text and '"' not in text:
        return False
    quote, escaped, before = "", False, " "
    for letter in text:
        if escaped:
            escaped = False
        elif quote:
            escaped = letter == "\\" and quote == '"'
            quote = "" if letter == quote else quote
        elif letter == "\\":
            escaped = True
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and before.isspace():
            return False
        before = letter
    return bool(quote)


def commands_of(text: str) -> Iterator[str]:
    """Parts between ; outside quotes and brackets, without a comment at the end."""
    if ";" not in text and "#" not in text:
        yield from _without_keyword(text)
        return
    begin, depth, quote, position = 0, 0, "", 0
    while position < len(text):
        letter = text[position]
        if letter == "\\":
            position += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"`":
            quote = letter
        elif letter in "({" and (letter == "(" or text[position - 1 : position] == "$"):
            depth += 1
        elif letter in ")}" and depth:
            depth -= 1
        elif letter == "#" and depth == 0 and (position == 0 or text[position - 1].isspace()):
            text = text[:position]
            break
        elif letter == ";" and depth == 0:
            yield from _without_keyword(text[begin:position])
            begin = position + 1
        position += 1
    yield from _without_keyword(text[begin:])


def _without_keyword(part: str) -> Iterator[str]:
    part = part.strip()
    while found := _KEYWORD.match(part):
        yield found[1]
        part = part[found.end() :]
    if part:
        yield part
