# SPDX-License-Identifier: Apache-2.0
"""What bc prints: POSIX's rules for the digits behind the point of each result."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from fractions import Fraction

_LONGEST = 1000  # characters of a program
_MOST_DIGITS = 60  # bc breaks longer lines
_LARGEST_POWER = 64
_WORDS = re.compile(r"[a-z]\w*\s*\(|[^\w\s.+\-*/%^()=;]|\*\*|//|==|_|\.[a-zA-Z]|[0-9.][A-Za-z]")
_ASSIGNMENT = re.compile(r"([a-z][a-z0-9]*)\s*=\s*(.+)")
_OF_LIBRARY = 20  # digits that `bc -l` begins with


@dataclass(frozen=True)
class _Number:
    """digits: behind the point"""

    value: Fraction
    digits: int

    def cut(self, digits: int) -> _Number:
        return _Number(Fraction(int(self.value * 10**digits), 10**digits), digits)


def bc(text: str, *, has_library: bool = False) -> str | None:
    """Of one value; None where it prints none, or more, or is not understood."""
    values = {"scale": _Number(Fraction(_OF_LIBRARY if has_library else 0), 0)}
    shown: list[str] = []
    if len(text) > _LONGEST:
        return None
    try:
        for statement in re.split(r"[;\n]", text):
            statement = statement.strip()
            if not statement or statement == "quit":
                continue
            found = _ASSIGNMENT.fullmatch(statement)
            number = _number(found[2] if found else statement, values)
            if found and found[1] in ("obase", "ibase"):
                return None
            if found:
                values[found[1]] = number
            else:
                shown.append(_shown(number))
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return shown[0] if len(shown) == 1 and len(shown[0]) <= _MOST_DIGITS else None


def _number(text: str, values: dict[str, _Number]) -> _Number:
    """Raises ValueError, or what ast raises, on what is not plain arithmetic."""
    if _WORDS.search(text) or re.search(r"-\s*[\w.]+\s*\^", text):
        raise ValueError(text)
    text = re.sub(r"(?<![\w.])0+(?=[0-9])", "", text)
    text = re.sub(r"(?<![\w.])(?=[a-z])", "v_", text)  # `from` is a word of Python's
    text = re.sub(r"(?<![\w.])([0-9]*\.?[0-9]*)(?![\w.])", _quoted, text)
    if re.search(r"'\s*'", text):
        raise ValueError(text)
    return _value(ast.parse(text.replace("^", "**"), mode="eval").body, values)


def _quoted(found: re.Match[str]) -> str:
    """A number as a text, with its digits."""
    return f"'{found[1]}'" if re.search("[0-9]", found[1]) else found[0]


def _value(node: ast.AST, values: dict[str, _Number]) -> _Number:
    scale = int(values["scale"].value)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value.rstrip(".") if node.value.endswith(".") else node.value
        return _Number(Fraction(text), len(text.partition(".")[2]))
    if isinstance(node, ast.Name):
        return values[node.id.removeprefix("v_")]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, values)
        return _Number(-inner.value, inner.digits)
    if not isinstance(node, ast.BinOp):
        raise ValueError(node)
    left, right = _value(node.left, values), _value(node.right, values)
    most = max(left.digits, right.digits)
    if isinstance(node.op, ast.Add):
        return _Number(left.value + right.value, most)
    if isinstance(node.op, ast.Sub):
        return _Number(left.value - right.value, most)
    if isinstance(node.op, ast.Mult):
        digits = min(left.digits + right.digits, max(scale, most))
        return _Number(left.value * right.value, 0).cut(digits)
    if isinstance(node.op, ast.Div):
        return _Number(left.value / right.value, 0).cut(scale)
    if isinstance(node.op, ast.Mod):
        quotient = _Number(left.value / right.value, 0).cut(scale)
        digits = max(scale + right.digits, left.digits)
        return _Number(left.value - quotient.value * right.value, 0).cut(digits)
    if isinstance(node.op, ast.Pow):
        return _power(left, right, scale)
    raise ValueError(node)


def _power(base: _Number, exponent: _Number, scale: int) -> _Number:
    """Raises ValueError for an exponent that is not whole, or large."""
    power = int(exponent.value)
    if power != exponent.value or abs(power) > _LARGEST_POWER:
        raise ValueError(power)
    digits = scale if power < 0 else min(base.digits * power, max(scale, base.digits))
    return _Number(base.value**power, 0).cut(digits)


def _shown(number: _Number) -> str:
    """Without the 0 before a point."""
    if number.value == 0:
        return "0"
    whole = abs(int(number.value * 10**number.digits))
    text = str(whole).rjust(number.digits, "0")
    before, behind = (text[: len(text) - number.digits], text[len(text) - number.digits :])
    sign = "-" * (number.value < 0)
    return f"{sign}{before}.{behind}" if number.digits else f"{sign}{before}"
