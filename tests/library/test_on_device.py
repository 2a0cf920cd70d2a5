# SPDX-License-Identifier: Apache-2.0
"""Fields that lie on a GPU: put, written into checkpoints and read from them through copies. The
driver is ours, for there is no GPU: its memory ends a program whose host touches it.
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.files.datasets import open_dataset

SOURCES = Path(__file__).with_name("device")
SETTINGS = """
[time]
duration = "PT4H"
[io]
{io}
[[output]]
name = "both"
interval = "PT1H"
precision = "float64"
[[output]]
name = "again"
variables = ["ta"]
interval = "PT2H"
[restart]
{restart}
interval = "PT1H"
"""
WAYS = {
    "serial": ('mode = "serial"', 'mode = "sync"', 3),
    "async": ('mode = "async"\nranks = 1\ntransport = "two_sided"', 'mode = "async"\nranks = 1', 4),
    "file_parallel": ('mode = "file_parallel"', 'mode = "joint_multifile"', 2),
}


@pytest.fixture(scope="module")
def model(installed: Any, must: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("device")
    driver = folder / "libcuda.so.1"
    must(
        "mpicc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", SOURCES / "driver.c", "-o", driver,
        cwd=folder,
    )  # fmt: skip
    program = folder / "model"
    flags = [*installed.flags("thalweg"), driver, f"-Wl,-rpath,{folder}"]
    must("mpicc", "-O0", "-Wall", "-Wextra", SOURCES / "model.c", *flags, "-o", program, cwd=folder)
    return program


def go(installed: Any, model: Path, folder: Path, way: str, where: str, hours: int) -> Any:
    io, restart, ranks = WAYS[way]
    folder.mkdir(exist_ok=True)
    (folder / "settings.toml").write_text(SETTINGS.format(io=io, restart=restart))
    return installed.result(ranks, model, "settings.toml", where, "restart", hours, cwd=folder)


def values_of(folder: Path) -> dict[str, str]:
    """By file and variable, of all times."""
    found = {}
    for path in sorted(folder.glob("*.nc")):
        dataset = open_dataset(path)
        for name in {"ts", "ta", "q1", "q2", "time"} & set(dataset.variables):
            values = np.asarray(dataset.variables[name][:])
            found[f"{path.name} {name}"] = hashlib.sha256(values.tobytes()).hexdigest()
        dataset.close()
    return found


@pytest.fixture(scope="module")
def right(installed: Any, model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Values of a model on the host. They are the same in every mode."""
    folder = tmp_path_factory.mktemp("host") / "run"
    for hours in (2, 4):
        done = go(installed, model, folder, "serial", "host", hours)
        assert done.returncode == 0, done.stderr
    values = values_of(folder)
    assert len(values) == 7
    return values


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("way", "where"),
    [*((way, "device") for way in WAYS), ("serial", "managed"), ("serial", "pool")],
)
def test_files_and_checkpoints_are_those_of_the_host(
    installed: Any, model: Path, right: dict[str, str], tmp_path: Path, way: str, where: str
) -> None:
    """Continued once: what is read lies on the device, and what is no point's stays there."""
    for hours in (2, 4):
        done = go(installed, model, tmp_path / where, way, where, hours)
        assert done.returncode == 0, done.stderr
    assert values_of(tmp_path / where) == right


@pytest.mark.some(3)  # put on the first rank, checkpoint on the second
@pytest.mark.parametrize(("copies", "field"), [(0, "ts"), (9, "ta")], ids=["put", "checkpoint"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_loses_its_device_says_so_and_nobody_waits(
    installed: Any, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copies: int,
    field: str, rank: int,
) -> None:  # fmt: skip
    """Fields of two hours are put, eight copies, before the first checkpoint."""
    monkeypatch.setenv("DEVICE_RANK", str(rank))
    monkeypatch.setenv("DEVICE_COPIES", str(copies))
    begun_s = time.monotonic()
    lost = go(installed, model, tmp_path, "serial", "device", 2)
    assert lost.returncode != 0
    assert f"field '{field}': the GPU did not give" in lost.stderr
    assert "(CUDA error 700)" in lost.stderr
    assert time.monotonic() - begun_s < 100  # [io] timeout is 600
