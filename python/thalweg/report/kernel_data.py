# SPDX-License-Identifier: Apache-2.0
"""Lines of `thalweg bench kernels --json` by what they are about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config import toml
from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError
from thalweg.lab.bars import read_bars
from thalweg.lab.results import Line, read_lines

ORIGINALS_PATH = ROOT / "bench" / "originals.toml"
BEYOND = "beyond caches"


@dataclass(frozen=True)
class KernelData:
    """ways: one line for each kernel, way and grid; best: of the ways on one core, beyond the
    caches; compared: of two that do the same; laid_out: [numbering], of the layout experiment.
    """

    path: Path
    ways: tuple[Line, ...]
    best: tuple[Line, ...]
    compared: tuple[Line, ...]
    laid_out: tuple[Line, ...]
    lost: tuple[str, ...]

    @property
    def first(self) -> Line:
        return self.ways[0]

    def fastest(self, kernel: str, target: str) -> Line | None:
        """In double precision beyond the caches, whatever the layout."""
        found = [
            line
            for line in self.ways
            if (line["kernel"], line["target"], line["where"]) == (kernel, target, BEYOND)
            and line["precision"] == "double"
        ]
        return max(found, key=lambda line: float(line["median"]), default=None)


def is_kernel_lines(path: Path) -> bool:
    return path.is_file() and path.suffix == ".jsonl"


def read_kernels(path: Path) -> KernelData:
    """Raises a sentence if the file holds no such line."""
    lines = [line for line in read_lines(path) if line.get("bench") == "kernels"]
    lost = [f"{line['method']}: {line['wrong']}" for line in lines if "wrong" in line]
    right = [line for line in lines if "median" in line]
    ways = [line for line in right if "kernel" in line and "way" not in line]
    if not ways:
        raise ThalwegError(
            f"'{path}' holds no line of 'thalweg bench kernels --json'; a report is about run "
            "directories, a sweep, or a file of such lines"
        )
    return KernelData(
        path,
        tuple(line for line in ways if "numbering" not in line),
        tuple(line for line in right if "way" in line and line["where"] == BEYOND),
        tuple(line for line in right if "ways" in line),
        tuple(line for line in ways if "numbering" in line),
        tuple(lost),
    )


def originals() -> tuple[dict[str, float], str]:
    """Share of triad of the published kernels, and who measured it where."""
    content: dict[str, Any] = toml.loads(ORIGINALS_PATH.read_text(encoding="utf-8"))
    shares: dict[str, float] = content["share"]
    return shares, str(content["source"])


def demanded() -> dict[str, float]:
    """The bars of kernels by name."""
    bars = [bar for bar in read_bars() if bar.bench == "kernels" and bar.at_least is not None]
    return {bar.method: float(bar.at_least or 0.0) for bar in bars}
