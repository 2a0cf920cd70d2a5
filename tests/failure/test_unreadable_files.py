# SPDX-License-Identifier: Apache-2.0
"""Values that cannot be decoded, and files that cannot be opened, are named: no traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import h5py
import netCDF4
import numpy as np
import pytest

from thalweg.files.cdf_header import read_cdf_header
from thalweg.report import write_report
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.kill_trial import CASE
from thalweg.testing.told_runs import without_pixels

Cli = Callable[..., "CompletedProcess[str]"]
SETTINGS = ("time.duration=PT30M", "output.compression=deflate", "io.mode=file_parallel",
            "io.ranks=2", "restart.mode=none")  # fmt: skip


@pytest.fixture(scope="module")
def compressed(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """Parts of two writers, and the index over them."""
    folder = tmp_path_factory.mktemp("compressed")
    case = folder / "case.toml"
    case.write_text(CASE)
    return run_case(RunRequest(case, 4, list(SETTINGS), folder / "run", quiet=True)).path


@pytest.fixture
def run(compressed: Path, tmp_path: Path) -> Path:
    """As a killed run leaves it, whose files are complete: nobody has their checksums."""
    copy = tmp_path / "run"
    shutil.copytree(compressed, copy)
    (copy / "checksums.jsonl").unlink()
    told = json.loads((copy / "run.json").read_text())
    told["status"] = "running"
    (copy / "run.json").write_text(json.dumps(told))
    return copy


def flip(path: Path) -> tuple[str, str, float]:
    """A bit of a chunk that holds the second time of a field: (field, place, time in s)."""
    with netCDF4.Dataset(path) as whole:
        places = {n: v.dimensions[-1] for n, v in whole.variables.items() if v.dimensions}
    with h5py.File(path, "r") as file:
        name = next(n for n, d in file.items() if d.ndim > 1 and d.chunks and d.shape[0] > 1)
        time_s = float(np.asarray(file["time"])[1])
        corner = (1, *(0 for _ in file[name].shape[1:]))
        chunk = file[name].id.get_chunk_info_by_coord(corner)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset + chunk.size // 2] ^= 0x10
    path.write_bytes(content)

    return name, places[name], time_s


def files_of(run: Path) -> tuple[Path, Path]:
    """The index, and the first part behind it."""
    index, first, *_ = sorted(
        (run / "files").iterdir(), key=lambda path: (len(path.name), path.name)
    )
    return index, first


def test_a_flipped_bit_in_a_chunk_is_damage_where_there_are_no_checksums(
    run: Path, cli: Cli, tmp_path: Path
) -> None:
    whole = cli("verify", run)
    assert whole.returncode == 1, whole.stderr  # it did not end
    assert "+check[" in whole.stdout
    index, first = files_of(run)
    name, place, time_s = flip(first)
    said = f"'{name}' at {time_s:g} s in '{index}' cannot be read: "
    result = cli("verify", run)
    assert (result.returncode, result.stderr) == (1, "")
    assert f"-damaged[{said}" in result.stdout
    as_json = cli("verify", run, "--json")
    assert as_json.returncode == 1
    (sentence,) = json.loads(as_json.stdout)["whole"]["damaged"]
    assert sentence.startswith(said)
    alone = cli("verify", first)
    assert (alone.returncode, alone.stderr) == (1, "")
    assert alone.stdout.startswith(f"-damaged['{name}' at {time_s:g} s in '{first}' cannot be read")
    assert "damaged" in json.loads(cli("verify", first, "--json").stdout)
    # The other commands: a sentence each.
    merged = cli("merge", index, "-o", tmp_path / "merged.nc")
    assert merged.returncode == 2
    assert merged.stderr.splitlines()[-1].startswith("thalweg: error: cannot")
    traced = cli("trace", run, "--field", name, f"--{place}", 0, "--time", 1)
    assert traced.returncode == 2, traced.stderr
    assert f"'{name}'" in traced.stderr
    assert "cannot be" in traced.stderr
    for each in (merged, traced):
        assert "Traceback" not in each.stderr


@pytest.mark.some(2, 1)
@pytest.mark.parametrize(
    ("left", "sentence"), [(0.5, "was cut: it ends at byte "), (0.0, "cannot be read as netCDF: ")]
)
def test_a_complete_file_that_was_cut_is_damage_where_there_are_no_checksums(
    left: float, sentence: str, run: Path, cli: Cli
) -> None:
    index, _ = files_of(run)
    content = index.read_bytes()
    index.write_bytes(content[: int(left * len(content))])
    result = cli("verify", run)
    assert (result.returncode, result.stderr) == (1, "")
    assert f"-damaged[file '{index}' {sentence}" in result.stdout
    alone = cli("verify", index)  # of a single file nobody knows that it ever was netCDF
    assert alone.returncode == 2
    assert f"'{index}' {sentence}" in alone.stderr


@pytest.mark.some(2)
@pytest.mark.parametrize("container", ["cdf5", "classic"])
def test_a_classic_file_that_was_cut_is_not_read_as_zeros(
    container: str, cli: Cli, model: Path, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = ["time.duration=PT30M", f"output.container={container}", "restart.mode=none"]
    run_case(RunRequest(case, 2, words, run, quiet=True))
    file = sorted((run / "files").glob("*.nc"))[-1]
    assert cli("verify", file).returncode == 0
    (run / "checksums.jsonl").unlink()
    told = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(told | {"status": "running"}))
    whole = file.stat().st_size
    for lost in (1, whole // 2):
        with file.open("r+b") as cut:
            cut.truncate(whole - lost)
        sentence = f"'{file}' was cut: it ends at byte {whole - lost}, its values at byte {whole}"
        for asked in (file, run):
            result = cli("verify", asked)
            assert result.returncode == 1, result.stdout
            assert sentence in result.stdout + result.stderr
            assert "Traceback" not in result.stderr
        with without_pixels([]):
            write_report([run], tmp_path / "page.html")
        assert "was cut: it ends at byte" in (tmp_path / "page.html").read_text()


def test_a_record_axis_that_netcdf_wrote_ends_where_the_header_says(tmp_path: Path) -> None:
    """One variable of records is not rounded up, several are; a third has none."""
    for form in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        for names in (["a"], ["a", "b"]):
            path = tmp_path / f"{form}_{len(names)}.nc"
            with netCDF4.Dataset(path, "w", format=form) as made:
                made.createDimension("time", None)
                made.createDimension("x", 3)
                made.createVariable("fixed", "i2", ("x",))[:] = 7
                for name in names:
                    made.createVariable(name, "i2", ("time", "x"))[:] = np.ones((5, 3))
            header = read_cdf_header(path)
            assert header is not None
            assert header.records == 5
            assert path.stat().st_size - 4 < header.end <= path.stat().st_size


def test_a_file_that_is_locked_is_not_called_damaged(run: Path, cli: Cli) -> None:
    index, _ = files_of(run)
    with h5py.File(index, "r+"):  # HDF5 keeps a lock on it
        result = cli("verify", run)
    assert result.returncode == 2, result.stdout
    assert f"'{index}' cannot be read: another program has locked it" in result.stderr
    assert "damaged" not in result.stdout
