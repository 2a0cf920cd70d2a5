# SPDX-License-Identifier: Apache-2.0
"""Pass: the numbers of a kernel's source in the precision of its values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration


def in_precision(kernel: ir.KernelIR, configuration: Configuration) -> ir.KernelIR:
    """With numbers and constants as single precision has them, if that is wanted; one that is too
    large becomes infinite. A target need only write them: each writes the same bits.
    """
    if not configuration.is_single:
        return kernel
    return replace(kernel, body=tuple(_statement(each) for each in kernel.body))


def _statement(statement: ir.Statement) -> ir.Statement:
    if isinstance(statement, ir.ForLevels):
        assigns = (replace(each, value=_rounded(each.value)) for each in statement.body)
        return replace(statement, body=tuple(assigns))
    return replace(statement, value=_rounded(statement.value))


def _rounded(expression: ir.Expression) -> ir.Expression:
    if isinstance(expression, ir.Apply):
        return replace(expression, args=tuple(_rounded(each) for each in expression.args))
    if isinstance(expression, ir.Reduce):
        return replace(expression, body=_rounded(expression.body))
    if isinstance(expression, ir.Constant):
        return replace(expression, value=_single(expression.value))
    if isinstance(expression, ir.Literal) and not isinstance(expression.value, bool):
        return replace(expression, value=_single(expression.value))
    return expression


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))
