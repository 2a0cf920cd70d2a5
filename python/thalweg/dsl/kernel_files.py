# SPDX-License-Identifier: Apache-2.0
"""Files of kernels: Python files that are imported for the kernels they declare."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thalweg.dsl.kernel import Kernel
from thalweg.dsl.problem import KernelError, Spot
from thalweg.errors import ThalwegError

KERNEL = re.compile(r"^\s*@([\w.]+\.)?kernel\b", re.MULTILINE)


def load_file(path: Path, imported: set[Path] | None = None) -> dict[str, Kernel]:
    """The kernels of a file by name. A file that Python cannot read is refused in a sentence.

    imported  gets the files of its folder, and of folders there, that it imports
    """
    spec = importlib.util.spec_from_file_location(f"thalweg_kernel_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        wrong = "is no file of kernels; a name that ends in .py is one"
        raise ThalwegError(f"'{path}' {wrong if path.exists() else 'does not exist'}")
    module = importlib.util.module_from_spec(spec)
    try:
        with _imports_from(path.resolve().parent, set() if imported is None else imported):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a program that ends is no file of kernels either
        if isinstance(error, SyntaxError) and error.text and error.lineno and error.offset:
            begin = error.offset - 1
            end = max(begin + 1, (error.end_offset or error.offset) - 1)
            spot = Spot(str(path), error.lineno, begin, end, error.text.rstrip("\n"))
            raise KernelError(spot, f"Python cannot read this file: {error.msg}") from error
        if isinstance(error, ThalwegError):
            raise ThalwegError(f"{path}: {error.sentence}") from error
        line = getattr(error, "lineno", None) or _line_of(error, path)
        place = f"{path}:{line}" if line else str(path)
        why = "it ends the program" if isinstance(error, SystemExit) else error
        raise ThalwegError(f"{place}: Python cannot read this file: {why}") from error
    found = {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, Kernel) and each.module == module.__name__
    }
    if not found:
        raise ThalwegError(f"{path} holds no kernel; a function with '@kernel' above it is one")
    return found


def _line_of(error: BaseException, path: Path) -> int | None:
    """The last one of the file that was at work."""
    frames = traceback.extract_tb(error.__traceback__)
    there = path.resolve()
    lines = [each.lineno for each in frames if Path(each.filename).resolve() == there]
    return lines[-1] if lines else None


@contextmanager
def _imports_from(folder: Path, imported: set[Path]) -> Iterator[None]:
    """A file may import kernels of files beside it; what it imported is forgotten afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    # A cache of bytecode in mini/kernels would look like sources that changed since the build.
    writes_none, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = writes_none
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and _is_of(folder, Path(file).resolve(), name):
                imported.add(Path(file))
                del sys.modules[name]


def _is_of(folder: Path, file: Path, module: str) -> bool:
    """Whether a module lies in the folder, and is none that was installed there."""
    is_installed = {"site-packages", "dist-packages"} & set(file.parts)
    is_ours = module.partition(".")[0] == "thalweg"
    return folder in file.parents and not is_installed and not is_ours


def files_of_kernels(folder: Path) -> list[Path]:
    """Of a folder. A file is run when it is loaded: others, grids and programs, stay alone."""
    return [path for path in sorted(folder.glob("*.py")) if _declares_a_kernel(path)]


def _declares_a_kernel(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    return KERNEL.search(text) is not None


def load_folder(folder: Path, imported: set[Path] | None = None) -> dict[str, Kernel]:
    """The kernels of all files of a folder by name; two of one name are refused."""
    found: dict[str, Kernel] = {}
    for path in files_of_kernels(folder):
        for name, each in load_file(path, imported).items():
            if name in found:
                raise ThalwegError(
                    f"{path}: '{found[name].ir.file}' has a kernel '{name}', too; call one of them "
                    "otherwise"
                )
            found[name] = each
    return found
