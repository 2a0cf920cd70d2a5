# SPDX-License-Identifier: Apache-2.0
"""Takes the text of a shell script apart: words with their quotes, operators, here-documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from thalweg.errors import ThalwegError
from thalweg.shell.lines import NumberedLine
from thalweg.shell.tree.brackets import closing
from thalweg.shell.tree.tree import HereDocument

_ELEMENT = re.compile(r"[A-Za-z_]\w*\[[^]\n'\"$`\\]* [^]\n'\"$`\\]*\]\+?=")  # M[a b]=c
_BLANK = re.compile(r"(?:[ \t\r\f\v]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_HERE = re.compile(r"[0-9]*<<(?!<)(-?)[ \t]*(?=[^\s<>|&;()])")
_LET = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\n;&|#'\"])*")
_QUOTES = re.compile(r"['\"\\]")
_REDIRECTION = re.compile(r"(?:[0-9]+|&)?(?:>>|>\||>&|>|<<<|<&|<>|<)")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[|&;()\n]")
_PLAIN = re.compile(r"[^\s\\'\"`$<>|&;()]+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"\\$`]*\"")
_ESCAPED_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)
_MOST_JOINED = 2000  # lines of one text in quotes; a lone quote is a letter
_SIMPLE_BRACES = re.compile(r"\$\{[^{}'\"\\`]*\}")
_CLOSE_BY = 1000  # characters in which brackets mostly close
_STARTS = frozenset(
    {"for", "if", "then", "elif", "else", "while", "until", "do", "{", "!", "time", "&&", "||", "|",
     "|&", ";", ";;", ";&", ";;&", "&", "(", ")", "\n"}
)  # fmt: skip


class Token(NamedTuple):
    """kind: "word", "operator", "redirection" or "document"."""

    kind: str
    text: str
    line: int
    document: HereDocument | None = None


@dataclass
class _Waiting:
    """A here-document whose lines are still to come."""

    document: HereDocument
    end: str
    drops_tabs: bool
    line: int


def tokens_of(
    lines: Sequence[str], file: str, first: int = 1, unclosed: list[str] | None = None
) -> list[Token]:
    """unclosed: gets a sentence on a quote without an end

    Raises a sentence on a here-document without an end.
    """
    lexer = _Lexer("\n".join(lines) + "\n", file, first)
    found = list(lexer.tokens())
    if unclosed is not None and lexer.lone:
        line, over = lexer.lone[0], [each for each in lexer.over_lines if each < lexer.lone[0]]
        above = f", or in line {over[0]}, where a text of several lines begins" if over else ""
        unclosed.append(
            f"{file}:{line}: the quote here has no other one that ends it: look for one that is "
            f"missing{above}"
        )
    return found


def words_of(text: str) -> list[str]:
    """With their quotes."""
    return [token.text for token in tokens_of([text], "") if token.kind == "word"]


class _Lexer:
    def __init__(self, text: str, file: str, first: int) -> None:
        self.text, self.file, self.first = text, file, first
        self.ends = [found.start() for found in re.finditer("\n", text)]
        self.waiting: list[_Waiting] = []
        self.lone: list[int] = []  # lines of quotes without an end
        self.over_lines: list[int] = []  # of texts in quotes that go on in another line

    def line(self, position: int) -> int:
        return bisect_right(self.ends, position - 1) + self.first

    def tokens(self) -> Iterator[Token]:
        text, position, before = self.text, 0, "\n"
        while position < len(text):
            if blank := _BLANK.match(text, position):
                position = blank.end()
                continue
            if comment := _COMMENT.match(text, position):
                position = comment.end()
                continue
            token, position = self._token(position, before in _STARTS)
            before = token.text
            yield token
            if token.text == "\n" and self.waiting:
                position = self._read_documents(position)
        for each in self.waiting:
            self._refuse(each)

    def _token(self, position: int, is_first: bool) -> tuple[Token, int]:
        """is_first: a command may begin here."""
        text, line = self.text, self.line(position)
        is_test = is_first and text.startswith(("((", "[[ "), position)
        if is_test and (end := self._end_of_test(position)):
            return Token("word", text[position:end], line), end
        if is_first and text.startswith(("let ", "let\t"), position):
            found = _LET.match(text, position)
            end = max(found.end() if found else 0, position + 1)
            return Token("word", text[position:end].strip(), line), end
        if here := _HERE.match(text, position):
            end = max(self._end_of_word(here.end()), here.end() + 1)
            word = text[here.end() : end]
            document = HereDocument(self.file, (), not _QUOTES.search(word))
            name = _QUOTES.sub("", word)
            self.waiting.append(_Waiting(document, name, bool(here[1]), line))
            return Token("document", text[position:end], line, document), end
        if text[position : position + 2] not in ("<(", ">("):
            if found := _REDIRECTION.match(text, position):
                return Token("redirection", found[0], line), found.end()
            if found := _OPERATOR.match(text, position):
                return Token("operator", found[0], line), found.end()
        element = _ELEMENT.match(text, position) if is_first else None
        end = max(self._end_of_word(element.end() if element else position), position + 1)
        return Token("word", text[position:end].replace("\\\n", ""), line), end

    def _end_of_test(self, position: int) -> int:
        """Behind )) or ]]; 0 where there is none near."""
        text = self.text
        if text.startswith("((", position):
            end = self._closing(position)
            return end if text[end - 2 : end] == "))" else 0
        found = re.compile(r"(?<=\s)\]\](?=[\s;&|)]|$)").search(
            text, position, self._near(position)
        )
        return found.end() if found else 0

    def _near(self, position: int) -> int:
        """Where what begins here ends at the latest."""
        last = bisect_right(self.ends, position) + _MOST_JOINED
        return self.ends[last] if last < len(self.ends) else len(self.text)

    def _end_of_word(self, position: int) -> int:
        text, begin = self.text, position
        while position < len(text):
            if plain := _PLAIN.match(text, position):
                position = plain.end()
                continue
            letter, after = text[position], text[position + 1 : position + 2]
            if letter == "\\":
                position += 2
            elif letter in "'\"`":
                position = self._end_of_quote(position)
            elif letter == "$" and after and after in "({'\"":
                position = self._end_of_dollar(position)
            elif letter == "$" and after == "[":
                end = text.find("]", position, self.ends[self.line(position) - self.first])
                position = end + 1 if end > 0 else position + 1
            elif letter == "$":
                position += 1
            elif letter == "(" and text[position - 1] in "=@?+!*" and position > begin:
                position = self._closing(position) or position + 1
            elif letter in "<>" and after == "(" and position == begin:
                position = self._closing(position + 1) or position + 2
            else:
                break
        return min(position, len(text))

    def _end_of_dollar(self, position: int) -> int:
        if self.text[position + 1] == "'":
            found = _ESCAPED_TEXT.match(self.text, position + 1)
            return found.end() if found else position + 2
        if self.text[position + 1] == '"':
            return self._end_of_quote(position + 1)
        if simple := _SIMPLE_BRACES.match(self.text, position):
            return simple.end()
        return self._closing(position + 1) or position + 2

    def _closing(self, opening: int) -> int:
        """Behind the bracket that closes this one; 0 where there is none near."""
        near = self._near(opening)
        for last in (min(opening + _CLOSE_BY, near), near):
            part = self.text[opening:last]
            end = closing(part, 0)
            if part[end - 1] in ")}" and (end < len(part) or closing(part[:-1], 0) == end - 1):
                return opening + end
        return 0

    def _end_of_quote(self, position: int) -> int:
        if plain := _QUOTED.match(self.text, position, self._near(position)):
            self._note(position, plain.end())
            return plain.end()
        text, quote, begin, near = self.text, self.text[position], position, self._near(position)
        position += 1
        while position < near and text[position] != quote:
            if text[position] == "\\" and quote != "'":
                position += 1
            elif text.startswith(("$(", "${"), position) and quote == '"':
                position = self._end_of_dollar(position) - 1
            position += 1
        if position < near:
            self._note(begin, position)
            return position + 1
        self.lone.append(self.line(begin))
        return begin + 1

    def _note(self, begin: int, end: int) -> None:
        if "=" in self.text[begin:end] and "\n" in self.text[begin:end]:
            self.over_lines.append(self.line(begin))

    def _read_documents(self, position: int) -> int:
        """Lines behind the one that asks for them; where the next command begins."""
        for each in self.waiting:
            body: list[NumberedLine] = []
            number = self.line(position)
            while position < len(self.text):
                end = self.ends[number - self.first]
                line, position = self.text[position:end], end + 1
                line = line.lstrip("\t") if each.drops_tabs else line
                if line == each.end:
                    break
                body.append((number, line))
                number += 1
            else:
                self._refuse(each)
            each.document.lines = tuple(body)
        self.waiting = []
        return position

    def _refuse(self, waiting: _Waiting) -> None:
        raise ThalwegError(
            f"{self.file}:{waiting.line}: the here-document has no line '{waiting.end}' that ends "
            "it; add one"
        )
