# SPDX-License-Identifier: Apache-2.0
"""A machine file that is right, and a short calibration of this machine."""

from __future__ import annotations

import contextlib
import datetime
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from thalweg.calibrate import command
from thalweg.calibrate.machine_file import Figure, Machine, NotSeparated
from thalweg.calibrate.quantities import PARAMETERS
from thalweg.calibrate.rounds import Pace, Pacing
from thalweg.cli.main import app
from thalweg.config.checkout import program


@pytest.fixture
def machine() -> Machine:
    """Everything was told but the limit of the file system."""
    figures = [Figure(q.name, 2, q.unit, 1e-6, 0.9e-6, 2e-6, 9) if q.unit == "s"
               else Figure(q.name, 2, q.unit, 1e9, 0.5e9, 2e9, 9)
               for q in PARAMETERS]  # fmt: skip
    untold = [each for each in figures if each.name.startswith("file_system_")]
    return Machine(
        "levante", datetime.datetime(2026, 11, 25, tzinfo=datetime.timezone.utc), 1, 4, 128,
        {"mpi": "Open MPI 4.1.4", "commit": "abc"}, {"way": "past_cache", "rounds": 5},
        [each for each in figures if each not in untold],
        [Figure("write_new", 2, "B s-1", 1e9, 1e9, 1e9, 1, {"bytes": 8 << 20, "team": "node"})],
        [NotSeparated(each.name, "all ranks are on one node") for each in untold],
    )  # fmt: skip


@pytest.fixture(scope="session")
def native(model: Path) -> Path:
    """The native program, and the model's beside it."""
    return program("thalweg_calibrate_bench")


@contextlib.contextmanager
def hurried() -> Iterator[None]:
    """One round, of a second, after half a second of trying out: figures that mean little."""
    pacing = Pacing(tried_s=0.5, paces=(Pace(0.1, 1.0),))
    request = partial(command.CalibrateRequest, pacing=pacing)
    with patch.object(command, "CalibrateRequest", request):
        yield


@pytest.fixture
def hurry() -> Iterator[None]:
    with hurried():
        yield


@pytest.fixture(scope="session")
def short_calibration(native: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """(machine file, what was printed) of two ranks. Its figures mean little."""
    folder, printed = tmp_path_factory.mktemp("calibration"), io.StringIO()
    (folder / "disk").mkdir()
    out = folder / "machine.toml"
    words = ("calibrate", "--directory", folder / "disk", "--ranks", 2, "--minutes", 0.02, "--json")
    with hurried(), contextlib.redirect_stdout(printed):
        app([str(word) for word in (*words, "-o", out)], standalone_mode=False)
    assert not list((folder / "disk").iterdir()), "it leaves nothing behind"
    return out, printed.getvalue()
