# SPDX-License-Identifier: Apache-2.0
"""Arithmetic as shells, `expr` and `bc` do it, on names whose values are known."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction

_LONGEST = 1000  # characters of an expression
_LARGEST_POWER = 64
_LARGEST = 2**63
_NAME = re.compile(r"(?<![\w.])(?=[A-Za-z_])")
_BASE_TEN = re.compile(r"\b10#0*(?=[0-9])|\b0+(?=[0-9])")
_DECIMAL, _OCTAL = re.compile(r"\b10#0*(?=[0-9])"), re.compile(r"(?<![\w.#])0+([0-7]+)\b(?!\.)")
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
    octal     whether 010 is 8, as in $((...)), but not 10#010
    """
    if len(text) > _LONGEST:
        return None
    if octal:
        text = _in_tens(text)
    try:
        text = _NAME.sub("v_", _BASE_TEN.sub("", text.strip()))  # `from` is a word of Python's
        tree = ast.parse(text, mode="eval")
        value = _value(tree.body, value_of, integers)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return value if value is None or abs(value) < _LARGEST else None


def _in_tens(text: str) -> str:
    """Of 010 and 10#010: 8 and 10."""
    text = _OCTAL.sub(lambda found: str(int(found[1], 8)), text)
    return _DECIMAL.sub("", text)


def _value(node: ast.AST, value_of: Callable[[str], str | None], integers: bool) -> Fraction | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Fraction(str(node.value)) if not isinstance(node.value, bool) else None
    if isinstance(node, ast.Name):
        text = value_of(node.id.removeprefix("v_"))
        return None if text is None else Fraction(text.strip() or "0")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _value(node.operand, value_of, integers)
        return -inner if inner is not None and isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        left = _value(node.left, value_of, integers)
        right = _value(node.right, value_of, integers)
        return None if left is None or right is None else _binary(node.op, left, right, integers)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left = _value(node.left, value_of, integers)
        right = _value(node.comparators[0], value_of, integers)
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
