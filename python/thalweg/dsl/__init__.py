# SPDX-License-Identifier: Apache-2.0
"""The stencil language. It needs Thalweg's errors, the standard library and NumPy, no more."""

from thalweg.dsl.arguments import Field, InOut, Out, Parameter, Points
from thalweg.dsl.constants import constant
from thalweg.dsl.kernel import Kernel, kernel

__all__ = ["Field", "InOut", "Kernel", "Out", "Parameter", "Points", "constant", "kernel"]
