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


def make_parts(storage: tuple[str, str, str], folder: Path) -> Parts:
    """(run, what is given to merge): of two writers, two fields and the times of 0, 900, 1800 s."""
    case = folder / "case.toml"
    case.write_text(CASE)
    container, layout, compression = storage
    words = ["time.duration=PT30M", f'output.variables=["{FIELD}", "div"]', "io.ranks=2",
             "io.mode=file_parallel", "restart.mode=none", f"output.container={container}",
             f"output.layout={layout}", f"output.compression={compression}"]  # fmt: skip
    run = run_case(RunRequest(case, 4, words, folder / "run", quiet=True)).path
    index = [path for path in (run / "files").iterdir() if path.name.count(".") == 1]
    return run, index or sorted((run / "files").iterdir())


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


@pytest.mark.parametrize("storage", STORAGES, ids="_".join)
def test_a_flipped_bit_is_not_merged(
    storage: tuple[str, str, str], cli: Cli, tmp_path: Path, model: Path
) -> None:
    run, given = make_parts(storage, tmp_path)
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
    assert sorted(tmp_path.iterdir()) == [tmp_path / "case.toml", run]


def test_a_header_that_changed_names_no_values(cli: Cli, tmp_path: Path, model: Path) -> None:
    run, given = make_parts(STORAGES[0], tmp_path)
    part = max((run / "files").glob("*.001.nc"))
    flip(part, part.read_bytes().index(b"history") + 20)
    refused = cli("merge", *given, "--out", tmp_path / "whole.nc")
    assert refused.returncode == 2
    assert f"'{part}' is not what the run wrote: the checksum of bytes 0 to" in refused.stderr
    assert "(" not in refused.stderr


def test_a_part_that_was_cut_and_a_damaged_list_are_told(
    cli: Cli, tmp_path: Path, model: Path
) -> None:
    run, given = make_parts(STORAGES[1], tmp_path)
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
    cli: Cli, tmp_path: Path, model: Path
) -> None:
    run, given = make_parts(STORAGES[1], tmp_path)
    part = max((run / "files").glob("*.001.nc"))
    flip(part, netcdf_spot(part, FIELD, (1, 0, 5)).offset)
    shutil.copytree(run / "files", tmp_path / "copies")
    out = tmp_path / "whole.nc"
    taken = cli("merge", *(tmp_path / "copies" / path.name for path in given), "--out", out)
    assert taken.returncode == 0, taken.stderr
    assert cli("merge", given[0], "--out", out, "--overwrite").returncode == 2
