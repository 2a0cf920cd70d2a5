# SPDX-License-Identifier: Apache-2.0
"""`thalweg merge` puts the files of several writers together, or says what is wrong with them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest

Cli = Callable[..., "CompletedProcess[str]"]
SIZES = {"cell": 100, "vertex": 52}
CUTS = {"cell": (0, 31, 70, 100), "vertex": (0, 1, 30, 52)}
RANDOM = np.random.default_rng(3)
TA = RANDOM.normal(size=(3, 4, 100)).astype(np.float32)
TA[1, 2, 50] = np.nan
PS = RANDOM.normal(size=(3, 52))
CLON = np.linspace(-180, 180, 100)
KINDS = ["NETCDF4", "NETCDF3_64BIT_DATA", "deflate"]


def write_part(path: Path, number: int, kind: str = "NETCDF4", history: str = "written") -> Path:
    """What one of three writers wrote."""
    storage: dict[str, Any] = {}
    with netCDF4.Dataset(path, "w", format="NETCDF4" if kind == "deflate" else kind) as file:
        file.history = history
        file.grid_name = "R1B1"
        ranges = {}
        for place, cuts in CUTS.items():
            ranges[place] = slice(cuts[number], cuts[number + 1])
            file.createDimension(place, cuts[number + 1] - cuts[number])
            file.setncattr(f"{place}_first", np.int32(cuts[number]))
            file.setncattr(f"{place}_global_size", np.int32(SIZES[place]))
        file.createDimension("time", None if kind == "deflate" else 3)
        file.createDimension("level", 4)
        if kind == "deflate":
            points = len(file.dimensions["cell"])
            storage = {"zlib": True, "complevel": 1, "chunksizes": (1, 1, points)}
        file.createVariable("time", "f8", ("time",))[:] = [0.0, 1.0, 2.0]
        file.createVariable("height", "f8", ("level",))[:] = [1.0, 2.0, 3.0, np.nan]
        clon = file.createVariable("clon", "f8", ("cell",))
        clon[:] = CLON[ranges["cell"]]
        clon.units = "degrees_east"
        ta = file.createVariable(
            "ta", "f4", ("time", "level", "cell"), fill_value=np.float32(9e36), **storage
        )
        ta.set_auto_maskandscale(False)
        ta[:] = TA[:, :, ranges["cell"]]
        ta.units = "K"
        file.createVariable("ps", "f8", ("time", "vertex"))[:] = PS[:, ranges["vertex"]]
    return path


def write_parts(folder: Path, kind: str = "NETCDF4") -> list[Path]:
    return [write_part(folder / f"out.00{n}.nc", n, kind) for n in range(3)]


def write_index(folder: Path) -> Path:
    """As src/format/netcdf/virtual_dataset.cpp does, with a coordinate in full."""
    path = folder / "out.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.title = "index"
        for name, size in {**SIZES, "time": 3, "level": 4}.items():
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",))[:] = [0.0, 1.0, 2.0]
        file.createVariable("clon", "f8", ("cell",))[:] = CLON
    with h5py.File(path, "r+") as file:
        for name, values, place in (("ta", TA, "cell"), ("ps", PS, "vertex")):
            layout = h5py.VirtualLayout(values.shape, values.dtype)
            for number, cuts in enumerate(zip(CUTS[place], CUTS[place][1:], strict=False)):
                shape = (*values.shape[:-1], cuts[1] - cuts[0])
                source = h5py.VirtualSource(f"out.00{number}.nc", name, shape)
                layout[..., cuts[0] : cuts[1]] = source
            dataset = file.create_virtual_dataset(name, layout)
            for axis, scale in enumerate([*("time", "level")[: values.ndim - 1], place]):
                dataset.dims[axis].attach_scale(file[scale])
    return path


def check_whole(path: Path) -> None:
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        assert file.variables["ta"][:].tobytes() == TA.tobytes()
        assert file.variables["ps"][:].tobytes() == PS.tobytes()
        assert file.variables["clon"][:].tobytes() == CLON.tobytes()
        assert list(file.variables["time"][:]) == [0.0, 1.0, 2.0]
        assert "merged from 3 files" in file.history
        assert "cell_first" not in file.ncattrs()


@pytest.mark.parametrize("kind", KINDS)
def test_parts_in_any_order_make_the_whole(here: Cli, tmp_path: Path, kind: str) -> None:
    parts = write_parts(tmp_path, kind)
    out = tmp_path / "whole.nc"
    result = here("merge", *reversed(parts), "--out", out, "--check", "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["parts"] == [str(part) for part in parts]
    assert report["bytes"] == TA.nbytes + PS.nbytes + CLON.nbytes
    assert report["checked"]
    check_whole(out)
    with netCDF4.Dataset(out) as file, netCDF4.Dataset(parts[0]) as part:
        assert file.data_model == part.data_model
        assert file.variables["ta"].units == "K"
        assert file.variables["ta"]._FillValue == np.float32(9e36)
        assert file.variables["ta"].filters() == part.variables["ta"].filters()
    assert not list(tmp_path.glob("*.part"))


def test_an_index_leads_to_its_parts(here: Cli, tmp_path: Path) -> None:
    write_parts(tmp_path)
    index = write_index(tmp_path)
    result = here("merge", index, "--out", tmp_path / "whole.nc")
    assert result.returncode == 0, result.stderr
    assert "from 3 files" in result.stdout
    check_whole(tmp_path / "whole.nc")
    with netCDF4.Dataset(tmp_path / "whole.nc") as file:
        assert file.title == "index"


@pytest.mark.parametrize("spelling", ["itself", "link", "hard link", "from within"])
@pytest.mark.parametrize("given", ["index", "parts"])
def test_the_whole_never_takes_the_place_of_the_index(
    here: Cli, tmp_path: Path, spelling: str, given: str
) -> None:
    """The run would miss the file that its checksums know."""
    parts = write_parts(tmp_path)
    index, out = write_index(tmp_path), tmp_path / "other.nc"
    (tmp_path / "within").mkdir()
    if spelling == "link":
        out.symlink_to(index.name)
    elif spelling == "hard link":
        out.hardlink_to(index)
    else:
        out = index if spelling == "itself" else tmp_path / "within" / ".." / index.name
    content = index.read_bytes()
    inputs = [index] if given == "index" else parts
    refused = here("merge", *inputs, "--out", out, "--overwrite")
    assert refused.returncode == 2, refused.stdout
    told = "is one of the files" if given == "index" else "is the index of the files"
    assert f"'{out}' {told} to merge; choose another name" in refused.stderr
    assert index.read_bytes() == content
    assert out.is_symlink() == (spelling == "link")


def test_an_index_of_others_or_a_damaged_file_may_be_replaced(here: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write_parts(other)
    cut = write_index(tmp_path)
    cut.write_bytes(cut.read_bytes()[:-100])
    parts = write_parts(tmp_path)
    for out in (write_index(other), cut):
        assert here("merge", *parts, "--out", out, "--overwrite").returncode == 0
        check_whole(out)


def test_dropped_times_of_every_part_stay_in_the_history(here: Cli, tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    write_part(parts[2], 2, history="written\noutput 1 dropped")
    assert here("merge", *parts, "--out", tmp_path / "whole.nc").returncode == 0
    with netCDF4.Dataset(tmp_path / "whole.nc") as file:
        lines = ["written", "output 1 dropped", "merged from 3 files by thalweg merge"]
        assert file.history.splitlines() == lines


def test_a_missing_part_is_named(here: Cli, tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    index = write_index(tmp_path)
    parts[1].unlink()
    for words, sentence in (
        ([index], "out.001.nc', which is not there"),
        ([parts[0], parts[2]], "are in no file"),
        ([parts[0]], "hold 31 of 100 points"),
        ([parts[0], parts[0], parts[2]], "are twice"),
        ([parts[1]], "does not exist"),
    ):
        result = here("merge", *words, "--out", tmp_path / "whole.nc")
        assert result.returncode == 2, result.stdout
        assert sentence in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("whole*"))


def test_what_does_not_belong_together_is_refused(here: Cli, tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    no_netcdf = tmp_path / "text.nc"
    no_netcdf.write_text("no netCDF")
    with netCDF4.Dataset(tmp_path / "plain.nc", "w") as file:
        file.title = "not a part"
    with netCDF4.Dataset(parts[2], "a") as file:
        file.variables["time"][2] = 7.0
    for words, sentence in (
        (parts, "differ in the values of 'time'"),
        ([*parts[:2], no_netcdf], "text.nc' cannot be read as netCDF"),
        ([tmp_path / "plain.nc"], "no attribute 'cell_first'"),
    ):
        result = here("merge", *words, "--out", tmp_path / "whole.nc")
        assert result.returncode == 2, result.stdout
        assert sentence in result.stderr
    assert here("merge", *parts, "--out", parts[0], "--overwrite").returncode == 2
    assert not list(tmp_path.glob("whole*"))


@pytest.mark.parametrize("left", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("kind", KINDS)
def test_a_part_that_was_cut_is_named(here: Cli, tmp_path: Path, kind: str, left: float) -> None:
    parts = write_parts(tmp_path, kind)
    content = parts[1].read_bytes()
    parts[1].write_bytes(content[: int(left * len(content))])
    result = here("merge", *parts, "--out", tmp_path / "whole.nc")
    assert result.returncode == 2, result.stdout
    (line,) = result.stderr.splitlines()
    assert f"'{parts[1]}' {'was cut' if left else 'cannot be read as netCDF'}: " in line
    assert all(str(other) not in line for other in (parts[0], parts[2]))
    assert not list(tmp_path.glob("whole*"))


def test_an_index_that_was_cut_is_named(here: Cli, tmp_path: Path) -> None:
    write_parts(tmp_path)
    index = write_index(tmp_path)
    index.write_bytes(index.read_bytes()[:-100])
    result = here("merge", index, "--out", tmp_path / "whole.nc")
    assert result.returncode == 2, result.stdout
    (line,) = result.stderr.splitlines()
    assert f"'{index}' was cut: it ends at byte" in line
    assert not list(tmp_path.glob("whole*"))


def test_a_file_that_cannot_be_written_leaves_nothing(here: Cli, tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    assert here("merge", *parts, "--out", tmp_path / "missing" / "whole.nc").returncode == 2
    (tmp_path / "folder").mkdir()
    result = here("merge", *parts, "--out", tmp_path / "folder", "--overwrite")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.glob("*.part"))


def test_a_pipe_is_no_place_for_the_whole(cli: Cli, tmp_path: Path) -> None:
    parts, pipe = write_parts(tmp_path), tmp_path / "pipe"
    os.mkfifo(pipe)
    refused = cli("merge", *parts, "--out", pipe, "--overwrite", timeout=60)
    assert refused.returncode == 2
    assert "no file but a device or a pipe" in refused.stderr
    assert pipe.is_fifo()


def test_a_file_named_like_a_whole_that_is_not_complete_stays(here: Cli, tmp_path: Path) -> None:
    parts, mine = write_parts(tmp_path), tmp_path / "whole.nc.part"
    mine.write_text("mine")
    assert here("merge", *parts, "--out", tmp_path / "whole.nc", "--check").returncode == 0
    check_whole(tmp_path / "whole.nc")
    assert mine.read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == len(parts) + 2
