# SPDX-License-Identifier: Apache-2.0
"""`thalweg merge` puts nothing into the whole that is not what the run wrote."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import netCDF4
import numpy as np
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
) -> Callable[..., Parts]:
    """(run, what is given to merge) of a storage."""

    def make(storage: Storage, name: str = "run") -> Parts:
        if storage not in runs:
            runs[storage] = make_run(storage, tmp_path_factory.mktemp("parts"))
        run = tmp_path / name
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
    storage: Storage, cli: Cli, tmp_path: Path, make_parts: Callable[..., Parts]
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
    cli: Cli, tmp_path: Path, make_parts: Callable[..., Parts]
) -> None:
    run, given = make_parts(STORAGES[0])
    part = max((run / "files").glob("*.001.nc"))
    flip(part, part.read_bytes().index(b"history") + 20)
    refused = cli("merge", *given, "--out", tmp_path / "whole.nc")
    assert refused.returncode == 2
    assert f"'{part}' is not what the run wrote: the checksum of bytes 0 to" in refused.stderr
    assert "(" not in refused.stderr


def test_a_part_that_was_cut_and_a_damaged_list_are_told(
    cli: Cli, tmp_path: Path, make_parts: Callable[..., Parts]
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
    cli: Cli, tmp_path: Path, make_parts: Callable[..., Parts]
) -> None:
    run, given = make_parts(STORAGES[1])
    part = max((run / "files").glob("*.001.nc"))
    flip(part, netcdf_spot(part, FIELD, (1, 0, 5)).offset)
    shutil.copytree(run / "files", tmp_path / "copies")
    out = tmp_path / "whole.nc"
    taken = cli("merge", *(tmp_path / "copies" / path.name for path in given), "--out", out)
    assert taken.returncode == 0, taken.stderr
    assert cli("merge", given[0], "--out", out, "--overwrite").returncode == 2


def loose(folder: Path, parts: Parts) -> tuple[Path, list[Path]]:
    """(index, its parts), copied to where no run tells of them."""
    folder.mkdir()
    for path in (parts[0] / "files").iterdir():
        shutil.copy(path, folder)
    (index,) = (path for path in folder.iterdir() if path.name.count(".") == 1)
    return index, sorted(path for path in folder.iterdir() if path != index)


Change = Callable[[netCDF4.Dataset], object]
UNFIT: dict[str, Change] = {
    "the attribute 'units' of 'vor'": lambda part: setattr(part["vor"], "units", "K"),
    "the attribute 'scale_factor' of 'div'": lambda part: setattr(part["div"], "scale_factor", 2.0),
    "the attribute 'units' of 'time'": lambda part: setattr(part["time"], "units", "days"),
    "the attribute 'grid_name'": lambda part: setattr(part, "grid_name", np.array([1, 2])),
    "the attribute 'cell_global_size'": lambda part: setattr(part, "cell_global_size", 7),
    "its attribute 'cell_first' is no number": lambda part: setattr(part, "cell_first", "abc"),
    "'cell_first' is no number of points: nan": lambda part: setattr(part, "cell_first", np.nan),
    "'cell_first' is no number of points: [1, 2]": lambda part: setattr(part, "cell_first", [1, 2]),
    "'cell_first' is no number of points: -1": lambda part: setattr(part, "cell_first", -1),
    "begins with number": lambda part: setattr(part, "cell_first", np.int64(1) << 40),
    "cell_first": lambda part: part.delncattr("cell_first"),
    "no attribute 'cell_global_size'": lambda part: part.delncattr("cell_global_size"),
    "their variables": lambda part: part.renameVariable("vor", "other"),
}


@pytest.mark.some(4)
@pytest.mark.parametrize("told", UNFIT)
def test_parts_that_do_not_fit_are_refused(
    told: str, cli: Cli, tmp_path: Path, make_parts: Callable[..., Parts]
) -> None:
    index, parts = loose(tmp_path / "loose", make_parts(STORAGES[1]))
    with netCDF4.Dataset(parts[1], "a") as part:
        part.set_auto_maskandscale(False)
        UNFIT[told](part)
    out = tmp_path / "whole.nc"
    for given in ([index], parts):
        refused = cli("merge", *given, "--out", out)
        assert refused.returncode == 2, refused.stdout
        (line,) = refused.stderr.splitlines()
        assert told in line
        assert not out.exists()


def test_an_index_whose_parts_lack_something_is_not_read_as_if_all_were_there(
    cli: Cli, tmp_path: Path, make_parts: Callable[..., Parts]
) -> None:
    """HDF5 reads fill values in place of what is not there."""
    index, parts = loose(tmp_path / "loose", make_parts(STORAGES[1]))
    assert cli("verify", index).returncode == 0
    for path in parts:
        with netCDF4.Dataset(path, "a") as part:
            part.renameVariable("vor", "other")
    for words in (("verify", index), ("merge", index, "--out", tmp_path / "whole.nc")):
        refused = cli(*words)
        assert refused.returncode in (1, 2), refused.stdout
        (line,) = refused.stderr.splitlines()
        assert "shows 'vor'" in line
    parts[0].unlink()
    gone = cli("verify", index)
    assert gone.returncode == 1
    assert f"'{index}' lacks a part: the file '{parts[0]}' does not exist" in gone.stderr
    restored = loose(tmp_path / "other", make_parts(STORAGES[1], "again"))
    with netCDF4.Dataset(restored[1][1], "a") as part:
        part["time"][:] = part["time"][:] + 3600.0
    late = cli("verify", restored[0])
    assert late.returncode == 1
    assert "has other times" in late.stderr


KILLED = """
import os, signal
import thalweg.merge.command as merging
make = merging.create_whole
def killed(*words):
    whole = make(*words)
    os.kill(os.getpid(), signal.SIGTERM)
    return whole
merging.create_whole = killed
from thalweg.cli.start import main
main()
"""


def test_a_merge_that_a_batch_system_ends_leaves_nothing(
    tmp_path: Path, make_parts: Callable[..., Parts]
) -> None:
    run, given = make_parts(STORAGES[1])
    words = ["merge", *map(str, given), "--out", str(tmp_path / "whole.nc")]
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, *words], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 130
    assert ended.stderr == "thalweg: error: interrupted\n"
    assert list(tmp_path.iterdir()) == [run]
