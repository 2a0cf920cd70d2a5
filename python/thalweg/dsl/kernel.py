# SPDX-License-Identifier: Apache-2.0
"""`@kernel`: what makes a Python function a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from thalweg.dsl.ir import KernelIR
from thalweg.dsl.passes.conditions import kept_as_numbers
from thalweg.dsl.passes.levels import least_levels
from thalweg.dsl.passes.names import check_names
from thalweg.dsl.passes.one_place import check_one_place
from thalweg.dsl.passes.places import find_places
from thalweg.dsl.passes.set_levels import least_levels_set
from thalweg.dsl.reader import read_kernel
from thalweg.errors import ThalwegError


class Kernel:
    """A kernel as written; it is read and checked when it is first asked for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.module = function.__module__
        self.__doc__ = function.__doc__
        self.is_being_read = False

    @cached_property
    def ir(self) -> KernelIR:
        """Raises KernelError for a kernel that makes no sense."""
        self.is_being_read = True
        try:
            return _checked(read_kernel(self.function))
        except RecursionError:
            code = self.function.__code__
            raise ThalwegError(
                f"{code.co_filename}:{code.co_firstlineno}: kernel '{self.name}' has an expression "
                "of too many terms; give parts of it names of their own"
            ) from None
        finally:
            self.is_being_read = False


def _checked(found: KernelIR) -> KernelIR:
    find_places(found)
    check_one_place(found)
    found = kept_as_numbers(found)
    check_names(found)
    found.least_levels = least_levels_set(found, least_levels(found))
    return found


def kernel(function: Callable[..., Any]) -> Kernel:
    """Declare a kernel. Its body is read, never run. Raises ThalwegError for no function."""
    if not inspect.isfunction(function) or function.__name__ == "<lambda>":
        name = getattr(function, "__name__", function)
        raise ThalwegError(
            f"'{name}' is no kernel: @kernel stands above a function, 'def NAME(…) -> None:', and "
            "below other decorators"
        )
    return Kernel(function)
