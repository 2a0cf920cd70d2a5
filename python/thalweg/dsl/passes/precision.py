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
    body = tuple(ir.with_assigns(each, _assign) for each in kernel.body)
    return replace(kernel, body=body)


def _assign(assign: ir.Assign) -> ir.Assign:
    return replace(assign, value=ir.changed(assign.value, _rounded))


def _rounded(expression: ir.Expression) -> ir.Expression:
    if isinstance(expression, ir.Constant):
        return replace(expression, value=_single(expression.value))
    if isinstance(expression, ir.Literal) and not isinstance(expression.value, bool):
        return replace(expression, value=_single(expression.value))
    return expression


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))
