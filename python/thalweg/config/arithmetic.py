# SPDX-License-Identifier: Apache-2.0
"""Arithmetic as shells, `expr` and `bc` do it, on names whose values are known."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

_LONGEST = 1000  # characters of an expression
_LARGEST_POWER = 64
_LARGEST = 2**63
_NAME = re.compile(r"(?<![\w.])(?=[A-Za-z_])")
_ZEROS = re.compile(r"(?<![\w.])0+(?=[0-9])")
_OF_SHELLS = re.compile(r"(?<![\w.])(?:([0-9]+)#(\w+)|0([0-9]+)|0[xX]([0-9a-fA-F]+))(?![\w.])")
_NO_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9.]*[A-Za-z_]|#")
_NO_WHOLE_NUMBER = re.compile(r"(?<![\w.])[0-9]*\.[0-9]|(?<![\w.])[0-9]+\.")
_BINDS_OTHERWISE = re.compile(r"-\s*\w+\s*\*\*")  # -2**2 is 4 in a shell, and -4 in Python
_AND_OR = {"&&": " and ", "||": " or "}
_OPERATORS: dict[type[ast.AST], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_COMPARISONS: dict[type[ast.AST], Callable[[Fraction, Fraction], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def evaluate(
    text: str,
    value_of: Callable[[str], str | None],
    *,
    integers: bool = True,
    octal: bool = False,
) -> Fraction | None:
    """None where a name has no value, or where it is no plain arithmetic. A comparison is 0 or 1.

    integers  whether a quotient loses what follows the point, as in shells
    octal     whether it is of a shell: 010 is 8, and 10#010 is 10
    """
    if len(text) > _LONGEST:
        return None
    try:
        text = _as_python(text, octal=octal)
        tree = ast.parse(text, mode="eval")
        names = _Names(value_of, octal)
        value = _value(tree.body, names, integers)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return value if value is None or abs(value) < _LARGEST else None


@dataclass(frozen=True)
class _Names:
    value_of: Callable[[str], str | None]
    octal: bool

    def number(self, name: str) -> Fraction | None:
        """Raises ValueError where a value is no number."""
        text = self.value_of(name)
        if text is None:
            return None
        text = _in_tens(text.strip()) if self.octal else text.strip()
        if "/" in text:
            raise ValueError(text)
        return Fraction(text or "0")


def _as_python(text: str, *, octal: bool) -> str:
    """Raises ValueError on what is no number."""
    text = _in_tens(text) if octal else _ZEROS.sub("", text)
    if _NO_NUMBER.search(text) or _BINDS_OTHERWISE.search(text):
        raise ValueError(text)
    text = _NAME.sub("v_", text.strip())  # `from` is a word of Python's
    for sign, word in _AND_OR.items():
        text = text.replace(sign, word)
    return text


def _in_tens(text: str) -> str:
    """Of 010, 10#010 and 0x10: 8, 10 and 16. Raises ValueError on 08, as a shell does, and on what
    is not whole.
    """
    if _NO_WHOLE_NUMBER.search(text):
        raise ValueError(text)
    return _OF_SHELLS.sub(_in_ten, text)


def _in_ten(found: re.Match[str]) -> str:
    base, digits, octal, hexadecimal = found.groups()
    if base:
        return str(int(digits, int(base)))
    return str(int(octal, 8) if octal else int(hexadecimal, 16))


def _value(node: ast.AST, names: _Names, integers: bool) -> Fraction | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Fraction(str(node.value)) if not isinstance(node.value, bool) else None
    if isinstance(node, ast.Name):
        return names.number(node.id.removeprefix("v_"))
    if isinstance(node, ast.BoolOp):
        found = [_value(each, names, integers) for each in node.values]
        decides = isinstance(node.op, ast.Or)
        if any(each is not None and (each != 0) is decides for each in found):
            return Fraction(decides)
        return None if None in found else Fraction(not decides)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _value(node.operand, names, integers)
        return -inner if inner is not None and isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        left = _value(node.left, names, integers)
        right = _value(node.right, names, integers)
        return None if left is None or right is None else _binary(node.op, left, right, integers)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left = _value(node.left, names, integers)
        right = _value(node.comparators[0], names, integers)
        compare = _COMPARISONS.get(type(node.ops[0]))
        known = left is not None and right is not None and compare is not None
        return Fraction(compare(left, right)) if known else None  # type: ignore[misc, arg-type]
    return None


def _binary(kind: ast.AST, left: Fraction, right: Fraction, integers: bool) -> Fraction | None:
    if isinstance(kind, (ast.Div, ast.FloorDiv)):
        quotient = left / right
        return Fraction(int(quotient)) if integers else quotient  # towards zero, as in C
    if isinstance(kind, ast.Mod):
        return left - right * int(left / right)
    if isinstance(kind, ast.Pow):
        small = right.denominator == 1 and abs(right) <= _LARGEST_POWER
        return Fraction(left ** int(right)) if small and abs(left) < _LARGEST else None
    combine = _OPERATORS.get(type(kind))
    return combine(left, right) if combine else None
