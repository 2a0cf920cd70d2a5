# SPDX-License-Identifier: Apache-2.0
"""What cannot fit into memory is refused before the start, with the estimate."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., "CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("overrides", "part"),
    [
        (["grid.name=R2B9", "model.levels=10000", "model.tracers=10000"], "model"),
        (["time.duration=P36500D", "output.interval=0.001"], "output on its way"),
        (["grid.name=R2B7", "model.levels=100", "io.budget=16777216"], "output on its way"),
        (["machine.ranks=1000000"], "ranks"),
    ],
)
def test_a_run_that_needs_more_than_there_is_does_not_start(
    overrides: list[str], part: str, here: Cli, small_case: Path, model: Path
) -> None:
    words = [word for override in overrides for word in ("--set", override)]
    result = here("run", small_case, *words, "--out", small_case.parent / "run")
    assert result.returncode == 2, result.stderr
    (sentence,) = result.stderr.strip().splitlines()
    assert "small.toml [model]: this run needs at least" in sentence
    figures = dict(re.findall(r"(model|output on its way|ranks) ([\d.]+) GB", sentence))
    assert max(figures, key=lambda name: float(figures[name])) == part
    assert re.search(r"but [\d.]+ GB are available; choose", sentence)
    assert not (small_case.parent / "run").exists()
