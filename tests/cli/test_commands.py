# SPDX-License-Identifier: Apache-2.0
"""Every command explains itself with an example; grid, modes and fields show what there is."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import netCDF4
import pytest

Cli = Callable[..., "CompletedProcess[str]"]
COMMANDS = [
    "run", "demo", "bench", "sweep", "test", "verify", "merge", "trace", "report", "grid", "modes",
    "fields", "settings",
]  # fmt: skip


KINDS = ("output mode", "restart mode", "container")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, cli: Cli) -> None:
    result = cli(command, "--help")
    assert result.returncode == 0
    assert f"Example: thalweg {command}" in result.stdout


def test_help_is_quick() -> None:
    """Best of three: other work on the machine is not the command's fault."""
    times_s = []
    for _ in range(3):
        began_s = time.monotonic()
        subprocess.run([sys.executable, "-m", "thalweg", "--help"], capture_output=True, check=True)
        times_s.append(time.monotonic() - began_s)
    assert min(times_s) < 0.4


def test_a_grid_file_has_icons_sizes(cli: Cli, tmp_path: Path, model: Path) -> None:
    result = cli("grid", "R2B2", "-o", tmp_path / "grid.nc")
    assert result.returncode == 0, result.stderr
    with netCDF4.Dataset(tmp_path / "grid.nc") as grid:
        sizes = {name: len(grid.dimensions[name]) for name in ("cell", "edge", "vertex")}
    assert sizes == {"cell": 1280, "edge": 1920, "vertex": 642}
    assert [path.name for path in tmp_path.iterdir()] == ["grid.nc"]


def test_modes_and_fields_are_listed(cli: Cli, model: Path) -> None:
    modes = json.loads(cli("modes", "--json").stdout)
    words = {kind: [each["name"] for each in modes if each["kind"] == kind] for kind in KINDS}
    assert words["output mode"] == ["serial", "async", "file_parallel", "shared_file", "auto"]
    assert words["restart mode"][1:] == ["sync", "async", "joint_multifile", "dedicated_multifile"]
    assert words["container"] == ["netcdf4", "cdf5", "classic", "grib2", "zarr", "raw"]
    fields = json.loads(cli("fields", "--json").stdout)
    assert [field["dimensions"] for field in fields].count(3) == 12
    assert [field["dimensions"] for field in fields].count(2) == 28
    assert {field["place"] for field in fields} == {"cell", "edge", "vertex"}
    for command, entries in (("modes", modes), ("fields", fields)):
        assert len(cli(command).stdout.splitlines()) == len(entries) + 1
