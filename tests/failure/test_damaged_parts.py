# SPDX-License-Identifier: Apache-2.0
"""`thalweg merge` puts nothing into the whole that is not what the run wrote."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.kill_trial import CASE
from thalweg.trace.netcdf_spot import netcdf_spot

Cli = Callable[..., "CompletedProcess[str]"]
STORAGES = [("cdf5", "contiguous", "none"), ("netcdf4", "contiguous", "none"),
            ("netcdf4", "chunked", "none"), ("netcdf4", "chunked", "deflate")]  # fmt: skip
FIELD = "vor"
Parts = tuple[Path, list[Path]]


Storage = tuple[str, str, str]


def make_run(storage: Storage, folder: Path) -> Path:
    """Of two writers, two fields and the times of 0, 900, 1800 s."""
    case = folder / "case.toml"
    case.write_text(CASE)
    container, layout, compression = storage
    words = ["time.duration=PT30M", f'output.variables=["{FIELD}", "div"]', "io.ranks=2",
             "io.mode=file_parallel", "restart.mode=none", f"output.container={container}",
             f"output.layout={layout}", f"output.compression={compression}"]  # fmt: skip
    return run_case(RunRequest(case, 4, words, folder / "run", quiet=True)).path


@pytest.fixture(scope="module")
def runs(model: Path) -> dict[Storage, Path]:
    """Those that were made; to be copied."""
    return {}


@pytest.fixture
def make_parts(
    runs: dict[Storage, Path], tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> Callable[[Storage], Parts]:
    """(run, what is given to merge) of a storage."""

    def make(storage: Storage) -> Parts:
        if storage not in runs:
            runs[storage] = make_run(storage, tmp_path_factory.mktemp("parts"))
        run = tmp_path / "run"
        shutil.copytree(runs[storage], run)
        index = [path for path in (run / "files").iterdir() if path.name.count(".") == 1]
        return run, index or sorted((run / "files").iterdir())

    return make


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


@pytest.mark.some(2)
@pytest.mark.parametrize("storage", STORAGES, ids="_".join)
def test_a_flipped_bit_is_not_merged(
    storage: Storage, cli: Cli, tmp_path: Path, make_parts: Callable[[Storage], Parts]
) -> None:
    run, given = make_parts(storage)
    out = tmp_path / "whole.nc"
    merged = cli("merge", *given, "--out", out)
    assert merged.returncode == 0, merged.stderr
    out.unlink()
    part = max((run / "files").glob("*.001.nc"))
    spot = netcdf_spot(part, FIELD, (1, 0, 5))
    flip(part, spot.offset + spot.size // 2)
    refused = cli("merge", *given, "--out", out)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert f"'{part}' is not what the run wrote: the checksum of bytes" in line
    assert f"'{FIELD}'" in line
    assert " at 900 s) does not hold" in line
    assert list(tmp_path.iterdir()) == [run]


def test_a_header_that_changed_names_no_values(
    cli: Cli, tmp_path: Path, make_parts: Callable[[Storage], Parts]
) -> None:
    run, given = make_parts(STORAGES[0])
    part = max((run / "files").glob("*.001.nc"))
    flip(part, part.read_bytes().index(b"history") + 20)
    refused = cli("merge", *given, "--out", tmp_path / "whole.nc")
    assert refused.returncode == 2
    assert f"'{part}' is not what the run wrote: the checksum of bytes 0 to" in refused.stderr
    assert "(" not in refused.stderr


def test_a_part_that_was_cut_and_a_damaged_list_are_told(
    cli: Cli, tmp_path: Path, make_parts: Callable[[Storage], Parts]
) -> None:
    run, given = make_parts(STORAGES[1])
    out, part = tmp_path / "whole.nc", max((run / "files").glob("*.001.nc"))
    content = part.read_bytes()
    part.write_bytes(content[:-1])
    cut = cli("merge", *given, "--out", out)
    assert cut.returncode == 2
    size = f"it has {len(content) - 1} bytes instead of {len(content)}"
    assert f"'{part}' is not what the run wrote: {size}" in cut.stderr
    part.write_bytes(content)
    checksums = run / "checksums.jsonl"
    checksums.write_text(checksums.read_text().replace("0", "1", 1))
    untold = cli("merge", *given, "--out", out)
    assert untold.returncode == 2
    assert "'checksums.jsonl' is not the one that the run wrote" in untold.stderr
    assert not list(tmp_path.glob("whole*"))


def test_files_copied_out_of_the_run_are_taken_as_they_are(
    cli: Cli, tmp_path: Path, make_parts: Callable[[Storage], Parts]
) -> None:
    run, given = make_parts(STORAGES[1])
    part = max((run / "files").glob("*.001.nc"))
    flip(part, netcdf_spot(part, FIELD, (1, 0, 5)).offset)
    shutil.copytree(run / "files", tmp_path / "copies")
    out = tmp_path / "whole.nc"
    taken = cli("merge", *(tmp_path / "copies" / path.name for path in given), "--out", out)
    assert taken.returncode == 0, taken.stderr
    assert cli("merge", given[0], "--out", out, "--overwrite").returncode == 2
