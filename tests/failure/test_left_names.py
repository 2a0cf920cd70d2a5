# SPDX-License-Identifier: Apache-2.0
"""What a killed run leaves on its node beside its files does not stop the next one."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT3H"
[[output]]
name = "NAME"
interval = "PT1H"
[io]
mode = "shared_file"
way = "mpiio"
timeout = 30
[machine]
ranks = 3
"""


@contextmanager
def held_for_ever(name: str) -> Iterator[Path]:
    """The semaphore of this name, as a rank leaves it that is killed while it holds it."""
    library = ctypes.CDLL(None, use_errno=True)
    library.sem_open.restype = ctypes.c_void_p
    assert library.sem_open(name.encode(), os.O_CREAT | os.O_EXCL, 0o644, 0), ctypes.get_errno()
    try:
        yield Path("/dev/shm", f"sem.{name}")
    finally:
        library.sem_unlink(name.encode())


@pytest.mark.parametrize("storage", ["netcdf4 chunked", "cdf5 contiguous", "netcdf4 contiguous"])
def test_a_rank_that_was_killed_while_mpi_opened_a_file_stops_nobody(
    storage: str, cli: Cli, tmp_path: Path
) -> None:
    """Each later run that wrote a file of that name on the node waited for ever."""
    container, layout = storage.split()
    stream = f"left_{os.getpid()}"  # no other run on this machine meets it
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE.replace("NAME", stream))
    words = ["--set", f"output.container={container}", "--set", f"output.layout={layout}"]
    with held_for_ever(f"OMPIO_{stream}_20000101T000000Z.nc.part") as left:
        assert left.exists()
        done = cli("run", case, "--out", run, *words)
        assert done.returncode == 0, done.stderr
        assert not left.exists()
    assert cli("verify", run).returncode == 0
