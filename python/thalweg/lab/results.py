# SPDX-License-Identifier: Apache-2.0
"""Result lines: percentiles, where they were measured, and a file one may append to at any time."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.run.machine import describe_commit, describe_machine

Line = dict[str, Any]


def spread(samples: Sequence[float]) -> dict[str, float]:
    """n, median, 5th and 95th percentile, linear between the sorted samples."""
    p05, median, p95 = (float(each) for each in np.percentile(samples, (5, 50, 95)))
    return {"n": len(samples), "median": median, "p05": p05, "p95": p95}


def provenance() -> Line:
    """What every result line carries so that it can be measured again."""
    return {"machine": describe_machine(), "commit": describe_commit(), "command": sys.argv}


def append_line(path: Path, line: Line) -> None:
    """One line, on the disk when this returns. A torn line before it, of a killed run, is ended."""
    text = json.dumps(line, ensure_ascii=False) + "\n"
    with path.open("a+b") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                text = "\n" + text
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def read_lines(path: Path) -> list[Line]:
    """Whole lines; a torn one is left out. A missing file has none."""
    try:
        texts = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read: {error.strerror}") from error
    lines = []
    for text in texts:
        try:
            content = json.loads(text)
        except ValueError:
            continue
        if isinstance(content, dict):
            lines.append(content)
    return lines
