# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` finds one flipped bit and one missing byte in whatever a run wrote."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.checksums import read_checksums
from thalweg.run.native_lists import whole_grids_only
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.kill_trial import CASE
from thalweg.testing.ways import STORAGES
from thalweg.verify.damage import check_wholeness

Cli = Callable[..., Any]
SETTINGS = (
    "time.duration=PT30M", "output.file_interval=PT15M", "restart.mode=joint_multifile",
    "restart.interval=PT15M",
)  # fmt: skip
FLIPS = 8
# (storage, mode, way): every container, and files of several writers.
CASES = [
    *((storage, "async", "direct") for storage in STORAGES),
    *((s, "shared_file", "direct") for s in STORAGES if s[0] in ("cdf5", "zarr", "grib2")),
    (STORAGES[0], "file_parallel", "direct"),
    (STORAGES[0], "shared_file", "mpiio"),
]


def make_run(storage: tuple[str, str, str], mode: str, way: str, folder: Path) -> Path:
    case = folder / "case.toml"
    case.write_text(CASE)
    container, compression, layout = storage
    output = [f"output.container={container}", f"output.compression={compression}"]
    settings = [*SETTINGS, *output, f"output.layout={layout}"]
    settings += [f"io.mode={mode}", f"io.way={way}", f"io.ranks={1 if mode == 'async' else 2}"]
    return run_case(RunRequest(case, 4, settings, folder / "run", quiet=True)).path


def assert_found(run: Path, file: Path) -> str:
    (sentence,) = check_wholeness(run).damaged
    assert file.name in sentence
    return sentence


def assert_said(cli: Cli, run: Path, file: Path) -> str:
    """The same in the words of the command."""
    result = cli("verify", run)
    assert result.returncode == 1, (file, result.stdout, result.stderr)
    assert result.stdout == f"-damaged[{assert_found(run, file)}]\n"
    return str(result.stdout)


@pytest.mark.some(6)
@pytest.mark.parametrize(("storage", "mode", "way"), CASES)
def test_a_flipped_bit_and_a_missing_byte_are_found(
    storage: tuple[str, str, str], mode: str, way: str, cli: Cli, tmp_path: Path
) -> None:
    run = make_run(storage, mode, way, tmp_path)
    whole = cli("verify", run, "--json")
    assert whole.returncode == 0, whole.stderr
    state = json.loads(whole.stdout)["whole"]
    assert (state["checksums"], state["sets"], state["damaged"]) == (True, 2, [])
    listed = {entry.file for entry in read_checksums(run / "checksums.jsonl")}
    assert listed == {path for path in (run / "files").rglob("*") if path.is_file()}
    assert sum(entry.stat().st_size for entry in listed) == state["size_bytes"] > 10_000
    dice = random.Random(1)
    parts = sorted((run / "restart").rglob("part_*.bin"))
    assert parts
    for file in [*dice.choices(sorted(listed), k=FLIPS), parts[0]]:
        content = file.read_bytes()
        damaged = bytearray(content)
        position = dice.randrange(len(content))
        damaged[position] ^= 1 << dice.randrange(8)
        file.write_bytes(damaged)
        line = assert_found(run, file)
        begin, end = (int(word) for word in line.split("bytes ")[1].split()[:3:2])
        assert begin <= position <= end
        file.write_bytes(content[:-1])
        assert "instead of" in assert_found(run, file)
        file.write_bytes(content)
    assert not check_wholeness(run).damaged


def test_a_damaged_list_of_checksums_is_found(cli: Cli, tmp_path: Path) -> None:
    run = make_run(STORAGES[0], "async", "direct", tmp_path)
    checksums = run / "checksums.jsonl"
    text = checksums.read_text()
    for damaged in (text.replace("0", "1", 1), ""):
        checksums.write_text(damaged)
        assert "not the one that the run wrote" in assert_said(cli, run, checksums)
        with pytest.raises(ValueError, match="its own checksum"):
            read_checksums(checksums)


@pytest.mark.parametrize("container", whole_grids_only())
def test_containers_of_whole_grids_refuse_to_be_divided(
    container: str, cli: Cli, tmp_path: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    settings = ["io.mode=file_parallel", "io.ranks=2", f"output.container={container}"]
    words = [word for setting in settings for word in ("--set", setting)]
    result = cli("run", case, "--ranks", 4, "--out", tmp_path / "run", *words)
    assert result.returncode == 2
    assert "file_parallel" in result.stderr
    assert not (tmp_path / "run").exists()
