# SPDX-License-Identifier: Apache-2.0
"""Programs of awk, as they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from thalweg.shell.files.awk import (
    Awk,
    Expression,
    Given,
    Statement,
    Value,
    assigned,
    calculated,
    compared,
    counted,
    field_of,
    formatted,
    go_to_next,
    joined,
    leave,
    like,
    negative,
    number_of,
    of_both,
    part_of,
    plain_text_of,
    printing,
    printing_formatted,
    regex_in,
    text_of,
    truth,
    variable,
)
from thalweg.shell.files.sed import substituted
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.escapes import unescaped

_TOKEN = re.compile(
    r"(?:[ \t]|#[^\n]*)+|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\")|(?P<name>[A-Za-z_]\w*\(?)"
    r"|(?P<sign>\+\+|--|[-+*/%^]=|[=!<>]=|&&|\|\||[-+*/%^<>=!?:,;(){}$~\n])"
)
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "int": math.trunc, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "sin": math.sin,
    "cos": math.cos,
}  # fmt: skip
_RESERVED = frozenset(
    {"print", "printf", "getline", "in", "function", "func", "while", "for", "do", "break", "exit",
     "continue", "delete", "return", "if", "else", "next", "nextfile", "BEGIN", "END", "fflush"}
)  # fmt: skip


class Program(NamedTuple):
    """files  that it reads
    begun     what it prints before it reads any; None of one that reads
    """

    awk: Awk
    files: list[str]
    begun: str | None


def awk_of(words: Sequence[str]) -> Program | None:
    """None of a program that is not understood."""
    values: dict[str, Value] = {}
    left = list(words)
    while left and left[0].startswith("-"):
        word = left.pop(0)
        found = re.fullmatch(r"-(v|F)(.*)", word, re.DOTALL)
        if found is None or not (found[2] or left):
            return None
        given = found[2] or left.pop(0)
        if found[1] == "F":
            values["FS"] = given
            continue
        name, sign, value = given.partition("=")
        if not sign or "\\" in value or not name.isidentifier():
            return None
        values[name] = Given(value)
    if (
        not left
        or has_unresolved(left[0])
        or any(map(has_unresolved, map(text_of, values.values())))
    ):
        return None
    try:
        rules = _Parser(_tokens(left[0])).rules()
        first = [each for kind, _, each in rules if kind == "BEGIN"]
        ends = [each for kind, _, then in rules if kind == "END" for each in then]
        awk = Awk([(each, then) for kind, each, then in rules if kind == ""], values, ends)
        for statements in first:
            awk.run(statements)
        begun = "".join(awk.printed)
    except (ValueError, ArithmeticError, RecursionError):
        return None
    reads = bool(awk.rules or awk.ends)
    if begun and reads and not begun.endswith("\n"):
        return None
    if reads:
        awk.first = begun
    return Program(awk, left[1:], None if reads else begun)


def _tokens(text: str) -> list[str]:
    """Regular expressions with their slashes."""
    found: list[str] = []
    position = 0
    while position < len(text):
        may_be_regex = not found or found[-1] in (
            "(",
            ",",
            "{",
            "}",
            ";",
            "\n",
            "~",
            "!",
            "&&",
            "||",
        )
        may_be_regex |= bool(found) and found[-1].endswith("(")
        regex = re.compile(r"/((?:\\.|\[[^]\n]*\]|[^/\\\n])+)/").match(text, position)
        match = regex if regex and may_be_regex else _TOKEN.match(text, position)
        if match is None:
            raise ValueError(text[position:])
        position = match.end()
        if match.lastgroup or match.re is not _TOKEN:
            found.append(match[0])
    return found


class _Parser:
    """Raises ValueError on what is not understood."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place = tokens, 0
        self.brackets = 0
        self.is_begin = False
        self.is_printed = False  # where > is a file

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        if not token or (wanted and token not in wanted):
            raise ValueError(token)
        self.place += 1
        return token

    def takes(self, token: str) -> bool:
        is_it = self.peek() == token
        self.place += is_it
        return is_it

    def rules(self) -> list[tuple[str, Expression | None, list[Statement]]]:
        found: list[tuple[str, Expression | None, list[Statement]]] = []
        while self.peek():
            if self.peek() in (";", "\n"):
                self.place += 1
                continue
            kind, condition = "", None
            if self.peek() in ("BEGIN", "END"):
                kind = self.take("BEGIN", "END")
            elif self.peek() != "{":
                condition = self.expression()
            self.is_begin = kind != ""
            statements = self.block() if self.peek() == "{" else [printing([])]
            found.append((kind, condition, statements))
        return found

    def block(self) -> list[Statement]:
        self.take("{")
        found: list[Statement] = []
        while not self.takes("}"):
            if self.peek() in (";", "\n"):
                self.place += 1
                continue
            found += self.statement()
        return found

    def statement(self) -> list[Statement]:
        if self.peek() == "{":
            return self.block()
        name = self.peek()
        if name in ("next", "exit"):
            self.place += 1
            if self.peek() not in (";", "\n", "}") or self.is_begin:
                raise ValueError(name)
            return [go_to_next if name == "next" else leave]
        if name in ("if", "if("):
            return [self._if()]
        if name in ("print", "printf", "print(", "printf("):
            self.place += 1
            has_bracket = name.endswith("(") or self.peek() == "("
            begin, self.is_printed = self.place, True
            try:
                given = self._bracketed(name) if has_bracket else self.several()
                if self.peek() not in (";", "\n", "}", ""):
                    raise ValueError(self.peek())
            except ValueError:
                self.place, self.brackets = begin - name.endswith("("), 0
                if name.endswith("("):
                    raise
                given = self.several()
            self._end()
            self.is_printed = False
            return [printing_formatted(given) if name.startswith("printf") else printing(given)]
        value = self.expression()
        self._end()

        def run(awk: Awk) -> None:
            value(awk)

        return [run]

    def _end(self) -> None:
        """Of a statement."""
        if self.peek() not in (";", "\n", "}"):
            raise ValueError(self.peek())

    def _bracketed(self, name: str) -> list[Expression]:
        if not name.endswith("("):
            self.take("(")
        given = self.several()
        self.take(")")
        return given

    def _if(self) -> Statement:
        if not self.take().endswith("("):
            self.take("(")
        condition = self.expression()
        self.take(")")
        then, other = self._branch(), []
        before = self.place
        while self.peek() in (";", "\n"):
            self.place += 1
        if self.takes("else"):
            other = self._branch()
        else:
            self.place = before

        def run(awk: Awk) -> None:
            awk.run(then if truth(condition(awk)) else other)

        return run

    def _branch(self) -> list[Statement]:
        while self.takes("\n"):
            pass
        return self.statement()

    def several(self) -> list[Expression]:
        found: list[Expression] = []
        while self.peek() not in (";", "\n", "}", ")", ""):
            found.append(self.expression())
            if not self.takes(","):
                break
        return found

    def expression(self) -> Expression:
        begin = self.place
        left = self._condition()
        if self.peek() in ("=", "+=", "-=", "*=", "/="):
            target = self.tokens[begin : self.place]
            sign = self.take()
            right = self.expression()
            if len(target) != 1 or not target[0].isidentifier():
                raise ValueError(sign)
            return assigned(target[0], sign, left, right)
        return left

    def _condition(self) -> Expression:
        test = self._joined(0)
        if not self.takes("?"):
            return test
        then = self._condition()
        self.take(":")
        other = self._condition()
        return lambda awk: then(awk) if truth(test(awk)) else other(awk)

    def _joined(self, level: int) -> Expression:
        signs = (("||",), ("&&",))[level]
        inner: Callable[[], Expression] = (lambda: self._joined(1)) if level == 0 else self._matched
        left = inner()
        while self.peek() in signs:
            sign = self.take()
            left = of_both(sign, left, inner())
        return left

    def _matched(self) -> Expression:
        left = self._compared()
        while self.peek() in ("~", "!") and self.tokens[self.place + 1 : self.place + 2]:
            is_negated = self.takes("!")
            self.take("~")
            left = like(left, regex_in(self.take()), is_negated)
        return left

    def _compared(self) -> Expression:
        left = self._concatenated()
        if self.peek() in ("<", "<=", "==", "!=", ">", ">="):
            if self.is_printed and not self.brackets and self.peek() in (">", ">="):
                raise ValueError(">")
            sign = self.take()
            return compared(sign, left, self._concatenated())
        return left

    def _concatenated(self) -> Expression:
        left = self._sum()
        while (token := self.peek()) and (
            token[0] in '"$' or token[0].isalnum() or token[0] in "._(" or token == "!"
        ):
            if token in ("in", "getline", "else", "!"):
                break
            left = joined(left, self._sum())
        return left

    def _sum(self) -> Expression:
        left = self._product()
        while self.peek() in ("+", "-"):
            left = calculated(self.take(), left, self._product())
        return left

    def _product(self) -> Expression:
        left = self._unary()
        while self.peek() in ("*", "/", "%"):
            left = calculated(self.take(), left, self._unary())
        return left

    def _unary(self) -> Expression:
        if self.takes("-"):
            inner = self._unary()
            return negative(inner)
        if self.takes("+"):
            inner = self._unary()
            return lambda awk: number_of(inner(awk))
        if self.takes("!"):
            inner = self._unary()
            return lambda awk: float(not truth(inner(awk)))
        return self._power()

    def _power(self) -> Expression:
        left = self._one()
        if self.peek() in ("^",):
            self.place += 1
            return calculated("^", left, self._unary())
        return left

    def _one(self) -> Expression:
        token = self.take()
        if token == "(":
            self.brackets += 1
            inner = self.expression()
            self.take(")")
            self.brackets -= 1
            return inner
        if token == "$":
            if (
                self.tokens[self.place + 1 : self.place + 2] in (["++"], ["--"])
                or "." in self.peek()
            ):
                raise ValueError(token)
            inner = self._one()
            return lambda awk: field_of(awk, number_of(inner(awk)))
        if token[0] == '"':
            text = unescaped(token[1:-1])
            return lambda awk: text
        if token[0] == "/":
            return like(lambda awk: awk.line, regex_in(token), False)
        if token[0].isdigit() or token[0] == ".":
            number = float(token)
            return lambda awk: number
        if token.endswith("("):
            return self._call(token[:-1])
        if token == "length":
            if self.peek()[:1] == "/":
                raise ValueError(token)  # some awks take that for an expression
            return lambda awk: float(len(plain_text_of(awk.line)))
        if not token.isidentifier() or token in _RESERVED:
            raise ValueError(token)
        if self.peek() in ("++", "--"):
            change = 1.0 if self.take() == "++" else -1.0
            if token in ("NR", "NF") or self.peek()[:1] == "/":
                raise ValueError(token)
            return counted(token, change)
        return lambda awk: variable(awk, token)

    def _call(self, name: str) -> Expression:
        if name in ("sub", "gsub"):
            return self._substitution(is_once=name == "sub")
        given = self.several()
        self.take(")")
        if name in _FUNCTIONS and len(given) == 1:
            return lambda awk: float(_FUNCTIONS[name](number_of(given[0](awk))))
        if name == "length" and len(given) <= 1:
            return lambda awk: float(len(plain_text_of(given[0](awk) if given else awk.line)))
        if name in ("toupper", "tolower") and len(given) == 1:
            change = str.upper if name == "toupper" else str.lower
            return lambda awk: change(plain_text_of(given[0](awk)))
        if name == "substr" and len(given) in (2, 3):
            return lambda awk: part_of(*[each(awk) for each in given])
        if name == "index" and len(given) == 2:
            return lambda awk: float(plain_text_of(given[0](awk)).find(text_of(given[1](awk))) + 1)
        if name == "sprintf":
            return lambda awk: formatted([each(awk) for each in given])
        raise ValueError(name)

    def _substitution(self, *, is_once: bool) -> Expression:
        regex = regex_in(self.take())
        self.take(",")
        new = self.expression()
        self.take(")")

        def run(awk: Awk) -> Value:
            text = text_of(new(awk))
            if "\\" in text:
                raise ValueError(text)
            awk.line, is_done = substituted(regex, text, awk.line, most=1 if is_once else None)
            awk.split()
            return float(is_done)

        return run
