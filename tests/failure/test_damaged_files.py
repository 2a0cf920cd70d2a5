# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` finds one flipped bit and one missing byte in whatever a run wrote."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.checksums import FileChecksums, read_checksums
from thalweg.run.native_lists import whole_grids_only
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.kill_trial import CASE
from thalweg.testing.ways import STORAGES
from thalweg.verify.damage import check_wholeness

Cli = Callable[..., Any]
Storage = tuple[str, str, str]
# CASE with a stream for every way to store instead of its own.
BEFORE, _, AFTER = CASE.partition("[[output]]")
AFTER = AFTER[AFTER.index("[io]") :]
WAYS = (*STORAGES, ("netcdf4", "zstd", "chunked"))
STREAM = """
[[output]]
name = "{}"
variables = ["vor", "div"]
container = "{}"
compression = "{}"
layout = "{}"
interval = "PT15M"
file_interval = "PT15M"
"""
SETTINGS = ("time.duration=PT30M", "restart.mode=joint_multifile", "restart.interval=PT15M")
ROUNDS = 2  # of damage: in each to one file of every stream
MODES = {  # mode: settings; the first has one writer for a file, the others several
    "async": ("io.ranks=1",),
    "shared_file": ("io.ranks=2",),
    "file_parallel": ("io.ranks=2",),
    "shared_file_mpiio": ("io.mode=shared_file", "io.way=mpiio", "io.ranks=2"),
}


def storages_of(mode: str) -> list[Storage]:
    """All that the mode can write."""
    refused = whole_grids_only() if mode == "file_parallel" else []
    known = STORAGES[:4] if mode.endswith("mpiio") else WAYS
    return [each for each in known if each[0] not in refused]


def make_run(storages: list[Storage], mode: str, folder: Path) -> Path:
    case = folder / "case.toml"
    streams = [STREAM.format("_".join(each), *each) for each in storages]
    case.write_text("".join([BEFORE, *streams, AFTER]))
    settings = [*SETTINGS, f"io.mode={mode.removesuffix('_mpiio')}", *MODES[mode]]
    return run_case(RunRequest(case, 4, settings, folder / "run", quiet=True)).path


def by_stream(run: Path) -> dict[str, list[Path]]:
    """Every file that the run wrote, those of a checkpoint as of one stream more."""
    entries: list[FileChecksums] = read_checksums(run / "checksums.jsonl")
    found = {"restart": sorted((run / "restart").rglob("part_*.bin"))}
    for file in sorted(each.file for each in entries):
        stream = file.relative_to(run / "files").parts[0].rpartition("_")[0]
        found.setdefault(stream, []).append(file)
    return found


def flipped(content: bytes, position: int, bit: int) -> bytes:
    damaged = bytearray(content)
    damaged[position] ^= 1 << bit
    return bytes(damaged)


def damage_of(run: Path, files: Iterable[Path]) -> dict[Path, str]:
    """What is said of each of these files; nothing is said of others."""
    said, found = list(check_wholeness(run).damaged), {}
    for file in files:
        in_set = f"'{file.parent}', file '{file.name}'"
        name = in_set if file.is_relative_to(run / "restart") else f"'{file}'"
        (found[file],) = (each for each in said if name in each)
    assert sorted(found.values()) == sorted(said)
    return found


def assert_said(cli: Cli, run: Path) -> str:
    """The same in the words of the command, which are returned."""
    result = cli("verify", run)
    assert result.returncode == 1, (result.stdout, result.stderr)
    damaged = check_wholeness(run).damaged
    assert result.stdout == "".join(f"-damaged[{each}]\n" for each in damaged)
    return str(result.stdout)


@pytest.mark.parametrize("mode", MODES)
def test_a_flipped_bit_and_a_missing_byte_are_found(mode: str, cli: Cli, tmp_path: Path) -> None:
    storages = storages_of(mode)
    run = make_run(storages, mode, tmp_path)
    state = check_wholeness(run)
    assert (state.checksums, state.sets, state.damaged) == (True, 2, [])
    files = by_stream(run)
    assert set(files) == {"restart", *("_".join(each) for each in storages)}
    listed = {file for stream, each in files.items() if stream != "restart" for file in each}
    assert listed == {path for path in (run / "files").rglob("*") if path.is_file()}
    assert sum(file.stat().st_size for file in listed) == state.size_bytes > 10_000
    dice = random.Random(1)
    for turn in range(ROUNDS):
        whole = {file: file.read_bytes() for file in map(dice.choice, files.values())}
        flips = {file: dice.randrange(len(content)) for file, content in whole.items()}
        for file, content in whole.items():
            file.write_bytes(flipped(content, flips[file], dice.randrange(8)))
        for file, sentence in damage_of(run, whole).items():
            begin, end = (int(word) for word in sentence.split("bytes ")[1].split()[:3:2])
            assert begin <= flips[file] <= end
        if turn == 0:
            assert_said(cli, run)
        for file, content in whole.items():
            file.write_bytes(content[:-1])
        for sentence in damage_of(run, whole).values():
            assert "instead of" in sentence
        for file, content in whole.items():
            file.write_bytes(content)
    assert not check_wholeness(run).damaged


def test_a_damaged_list_of_checksums_is_found(cli: Cli, tmp_path: Path) -> None:
    run = make_run(list(STORAGES[:1]), "async", tmp_path)
    checksums = run / "checksums.jsonl"
    text = checksums.read_text()
    for damaged in (text.replace("0", "1", 1), ""):
        checksums.write_text(damaged)
        (sentence,) = assert_said(cli, run).splitlines()
        assert "not the one that the run wrote" in sentence
        assert checksums.name in sentence
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
