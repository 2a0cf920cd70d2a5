# SPDX-License-Identifier: Apache-2.0
"""The model's tendencies in tiles, for large fields, have the bits of those in sweeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

CASE = """
[grid]
name = "R2B3"
[model]
levels = 70
tracers = 2
viscosity = 1000.0
[time]
duration = "PT1H"
[[output]]
name = "main"
variables = ["vn", "h", "vor", "tracer1"]
interval = "PT1H"
precision = "float64"
"""


def test_one_rank_in_tiles_and_three_in_sweeps_give_the_same_bits(
    model: Path, cli: Callable[..., Any], tmp_path: Path
) -> None:
    """A field on edges is 4.3 MB on one rank, 1.5 MB on each of three."""
    (tmp_path / "case.toml").write_text(CASE)
    for ranks in ("2", "4"):  # one writes
        done = cli("run", tmp_path / "case.toml", "--ranks", ranks, "--out", tmp_path / ranks)
        assert done.returncode == 0, done.stderr
    compared = cli("verify", tmp_path / "2", "--against", tmp_path / "4")
    assert compared.returncode == 0, compared.stdout
    assert "same bits, 4 fields compared" in compared.stdout
