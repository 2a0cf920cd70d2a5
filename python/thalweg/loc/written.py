# SPDX-License-Identifier: Apache-2.0
"""What stands in files of our language: a kernel with what it calls, or whole files."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path

from thalweg.dsl import Kernel
from thalweg.dsl.constants import Constant
from thalweg.dsl.source import Source
from thalweg.loc.python_text import Piece, split

Name = tuple[Path, str]  # a kernel is told by its file, too: others import it as another object
Written = Mapping[tuple[Path, int], Piece]  # by file and line


def name_of(kernel: Kernel) -> Name:
    return Path(inspect.getsourcefile(kernel.function) or "?").resolve(), kernel.name


def called_by(kernel: Kernel) -> list[Kernel]:
    """Those that its statements name, each once for each call."""
    source = Source(kernel.function)
    calls = [node.func for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    named = [source.names.get(each.id) for each in calls if isinstance(each, ast.Name)]
    return [each for each in named if isinstance(each, Kernel)]


def with_called(kernel: Kernel) -> dict[Name, Kernel]:
    """It, the kernels that it calls, those that these call."""
    found: dict[Name, Kernel] = {}
    wanted = [kernel]
    while wanted:
        each = wanted.pop()
        if name_of(each) not in found:
            found[name_of(each)] = each
            wanted += called_by(each)
    return found


def written_kernel(kernel: Kernel) -> Written:
    """Decorator, head and statements, and constants of the file that they name; no imports."""
    found: dict[tuple[Path, int], Piece] = {}
    for (path, name), each in with_called(kernel).items():
        source = Source(each.function)
        words = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
        constants = {word for word in words if isinstance(source.names.get(word), Constant)}
        for piece in split(path.read_text(encoding="utf-8")):
            if piece.name == name or piece.name in constants:
                found[path, piece.line] = piece
    return found


def written_files(paths: Iterable[Path]) -> Written:
    """All of them, imports included."""
    return {
        (path.resolve(), piece.line): piece
        for path in paths
        for piece in split(path.read_text(encoding="utf-8"))
    }
