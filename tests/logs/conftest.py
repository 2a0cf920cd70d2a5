# SPDX-License-Identifier: Apache-2.0
"""A LOG file of ICON from lines of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.testing.icon_logs import write_lines

WriteLog = Callable[..., Path]


@pytest.fixture
def write_log(tmp_path: Path) -> WriteLog:
    def write(lines: Sequence[tuple[int, str]], name: str = "LOG.exp.storm.run.4711.o") -> Path:
        return write_lines(tmp_path / name, lines)

    return write
