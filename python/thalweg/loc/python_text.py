# SPDX-License-Identifier: Apache-2.0
"""Counts of Python: of kernels in our language, and of the code for NumPy."""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass
from functools import lru_cache

from thalweg.loc.counts import Counts, solid

_WITHOUT_TEXT = {
    tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """A statement of the outermost level of a file, such as a function with its decorators.

    name  of the function or variable that it makes, if it makes one
    head  lines of a function before its body: decorators, name, arguments
    """

    line: int
    name: str
    counts: Counts
    head: int = 0


def count(text: str) -> Counts:
    """A statement that is nothing but a string documents, and does not count."""
    lines: set[int] = set()
    statements = characters = 0
    logical: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _WITHOUT_TEXT:
            continue
        if token.type != tokenize.NEWLINE:
            logical.append(token)
            continue
        if any(each.type != tokenize.STRING for each in logical):
            statements += 1
            characters += sum(solid(each.string) for each in logical)
            lines.update(number for each in logical for number in _lines_of(each))
        logical = []
    return Counts(len(lines), statements, characters)


def _lines_of(token: tokenize.TokenInfo) -> list[int]:
    """Numbers of the lines on which it has characters: a string may have empty ones."""
    parts = token.string.split("\n")
    return [number for number, part in enumerate(parts, start=token.start[0]) if part.strip()]


@lru_cache(maxsize=256)  # every kernel of a file asks for its pieces
def split(text: str) -> tuple[Piece, ...]:
    """The pieces of a file, in their order."""
    lines = text.splitlines(keepends=True)
    found = []
    for node in ast.parse(text).body:
        first, head = node.lineno, 0
        if isinstance(node, ast.FunctionDef):
            first = min([first, *(each.lineno for each in node.decorator_list)])
            head = count("".join(lines[first - 1 : node.body[0].lineno - 1])).lines
        whole = "".join(lines[first - 1 : node.end_lineno])
        found.append(Piece(first, _name(node), count(whole), head))
    return tuple(found)


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""
