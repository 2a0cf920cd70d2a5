# SPDX-License-Identifier: Apache-2.0
"""The source of a decorated function: its tree, its names, and where each word stands."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from thalweg.dsl.constants import Constant
from thalweg.dsl.ir import KernelIR
from thalweg.dsl.problem import KernelError, Spot


class Declared(Protocol):
    """A function under `@kernel`, as another one meets it that calls it."""

    name: str
    is_being_read: bool

    @property
    def ir(self) -> KernelIR: ...


class Source:
    """A function as it is written. `names`: what stands in its file, then Python's own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        lines, self.line = inspect.getsourcelines(function)
        self.file = _shown(inspect.getsourcefile(function) or "?")
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        self.lines = [line.rstrip("\n") for line in lines]
        tree = ast.parse(textwrap.dedent("".join(lines)))
        if not isinstance(tree.body[0], ast.FunctionDef):
            raise self.error(
                tree.body[0], "a kernel is 'def NAME(…) -> None:'", hint="leave 'async' out"
            )
        self.tree = tree.body[0]
        self.names: dict[str, Any] = function.__globals__
        self.doc = inspect.getdoc(function) or ""

    def spot(self, node: ast.AST) -> Spot:
        row, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        same = getattr(node, "end_lineno", row) == row
        text = self.lines[row - 1]
        end = getattr(node, "end_col_offset", column) + self.indent if same else len(text)
        return Spot(self.file, self.line + row - 1, column + self.indent, end, text)

    def error(self, node: ast.AST, sentence: str, note: str = "", hint: str = "") -> KernelError:
        return KernelError(self.spot(node), sentence, note, hint)

    def numbers(self) -> frozenset[str]:
        """Names of the file's constants."""
        kinds = (Constant, int, float)
        return frozenset(name for name, each in self.names.items() if isinstance(each, kinds))

    def kernel(self, node: ast.expr) -> Declared | None:
        """The kernel that `node` names, if it names one."""
        found = self.evaluate(node)
        return found if hasattr(found, "is_being_read") else None

    def evaluate(self, node: ast.expr) -> Any:
        """What a name or attribute of the file is, or None."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.evaluate(node.value)
            try:
                return None if owner is None else getattr(owner, node.attr)
            except AttributeError as error:
                raise self.error(
                    node, str(error).split("; ")[0] + ".", hint=str(error).partition("; ")[2]
                ) from None
        return None


def _shown(file: str) -> str:
    """Relative to where the user stands, if it lies below."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
