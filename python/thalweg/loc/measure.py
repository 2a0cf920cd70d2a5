# SPDX-License-Identifier: Apache-2.0
"""Counts of kernels as written and as translated for every target, and beside published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import ON_RANKS, TARGETS, Configuration
from thalweg.dsl.kernel_files import files_of_kernels, load_file
from thalweg.dsl.targets.cpp_includes import with_own_includes
from thalweg.dsl.targets.ranks_text import common
from thalweg.errors import ThalwegError
from thalweg.kernels.compiled import translate
from thalweg.kernels.library import FOLDER, all_kernels, find_kernel
from thalweg.loc import cpp_text, python_text
from thalweg.loc.counts import Counts, total
from thalweg.loc.originals import ORIGINALS, Original
from thalweg.loc.written import (
    Name,
    Written,
    name_of,
    with_called,
    written_files,
    written_kernel,
)
from thalweg.run.progress import tracked


@dataclass(frozen=True)
class Row:
    """A kernel, or all of them together.

    code     by target, for those that it is translated for
    refused  by target: why it is not
    """

    name: str
    file: str
    written: Counts
    code: Mapping[str, Counts]
    refused: Mapping[str, str]

    @property
    def growth(self) -> tuple[float, float] | None:
        """Lines generated for one written: the least and the most of the targets."""
        ratios = [each.lines / self.written.lines for each in self.code.values()]
        return (min(ratios), max(ratios)) if ratios else None


@dataclass(frozen=True)
class Compared:
    """An original and our kernels that do the same; head: lines of their heads."""

    original: Original
    written: Counts
    head: int

    @property
    def share(self) -> float:
        return self.written.lines / self.original.lines


@dataclass(frozen=True)
class Chosen:
    """Kernels, and the files that are counted as a whole when all is counted together."""

    kernels: Mapping[Name, Kernel]
    files: tuple[Path, ...]


def choose(names: Sequence[str]) -> Chosen:
    """Kernels, FILE.py:KERNEL, FILE.py and folders; none: all of ours. Raises a sentence."""
    kernels: dict[Name, Kernel] = {}
    files: list[Path] = []
    for name in names or [str(FOLDER)]:
        path = Path(name)
        if path.is_dir():
            found = files_of_kernels(path)
            if not found:
                raise ThalwegError(f"the folder '{name}' holds no file.py with a kernel")
        elif path.suffix == ".py" and ":" not in name:
            found = [path]
        else:
            kernel = find_kernel(name)
            kernels[name_of(kernel)] = kernel
            continue
        for file in found:
            kernels.update({name_of(each): each for each in load_file(file).values()})
        files += found
    return Chosen(kernels, tuple(files))


def measure(chosen: Chosen, configuration: Configuration) -> tuple[list[Row], Row]:
    """A row for each kernel, and one for all together.

    Together each line written counts once, and code counts of those kernels that no other one of
    them calls, what their files have in common once. Raises a sentence for a kernel that makes no
    sense.
    """
    rows, pieces = [], dict[str, dict[str, Counts]]()
    called = {
        name
        for mine, kernel in chosen.kernels.items()
        for name in with_called(kernel)
        if name != mine
    }
    written = dict(written_files(chosen.files))
    refused: dict[str, str] = {}
    for name, kernel in tracked(list(chosen.kernels.items()), "kernels"):
        own = written_kernel(kernel)
        written.update(own)
        code, why = _translated(kernel, configuration)
        row = Row(
            kernel.name,
            kernel.ir.file_name,
            _sum(own),
            {target: _count(target, text) for target, text in code.items()},
            why,
        )
        rows.append(row)
        if name not in called:
            refused.update({target: f"{kernel.name}: {each}" for target, each in why.items()})
            for target, text in code.items():
                pieces.setdefault(target, {}).update(_pieces(target, text))
    sums = {
        target: total(found.values()) for target, found in pieces.items() if target not in refused
    }
    return rows, Row("together", "", _sum(written), sums, refused)


def compare() -> list[Compared]:
    """Our kernels with the published ones."""
    found, kernels = [], all_kernels()
    for original in ORIGINALS:
        written: dict[tuple[Path, int], python_text.Piece] = {}
        for name in original.kernels:
            written.update(written_kernel(kernels[name]))
        head = sum(piece.head for piece in written.values())
        found.append(Compared(original, _sum(written), head))
    return found


def by_model(compared: Sequence[Compared]) -> dict[str, list[Compared]]:
    found: dict[str, list[Compared]] = {}
    for each in compared:
        found.setdefault(each.original.model, []).append(each)
    return found


def share_of(compared: Sequence[Compared]) -> float:
    """Lines of ours over lines of the originals, all of them together."""
    return sum(each.written.lines for each in compared) / sum(
        each.original.lines for each in compared
    )


def _sum(written: Written) -> Counts:
    return total(piece.counts for piece in written.values())


def _translated(
    kernel: Kernel, configuration: Configuration
) -> tuple[dict[str, str], dict[str, str]]:
    """Target: code; target: why there is none. A kernel that makes no sense is refused."""
    _ = kernel.ir
    code, refused = {}, {}
    for target in TARGETS:
        found = _translation(kernel, configuration, target)
        if isinstance(found, ThalwegError):
            refused[target] = found.sentence
        else:
            code[target] = found
    return code, refused


def _translation(kernel: Kernel, configuration: Configuration, target: str) -> str | ThalwegError:
    try:
        text = translate(kernel, configuration.changed(target=target))
        if target in ON_RANKS:
            text = with_own_includes(text.replace(common(target), ""))
        return text
    except ThalwegError as error:
        return error


def _count(target: str, text: str) -> Counts:
    return python_text.count(text) if target == "numpy" else cpp_text.count(text)


def _pieces(target: str, text: str) -> dict[str, Counts]:
    """By their text: what two files both have is the same."""
    if target == "numpy":
        lines = text.splitlines(keepends=True)
        starts = [piece.line - 1 for piece in python_text.split(text)]
        ends = [*starts[1:], len(lines)]
        parts = ["".join(lines[a:b]).strip() for a, b in zip(starts, ends, strict=True)]
    else:
        parts = cpp_text.split(text)
    return {part: _count(target, part) for part in parts}
