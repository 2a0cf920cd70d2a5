# SPDX-License-Identifier: Apache-2.0
"""A value is followed to its bytes in every container, compressed or not, whole or in parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eccodes
import h5py
import numpy as np
import pytest

from thalweg.errors import ThalwegError
from thalweg.files.datasets import open_dataset
from thalweg.run.runner import RunRequest, run_case
from thalweg.trace.cdf_spot import cdf_spot
from thalweg.trace.command import trace
from thalweg.trace.hdf5_spot import hdf5_spot
from thalweg.trace.place import TraceRequest

CASE = """
[grid]
name = "R2B1"
[model]
levels = 3
[time]
duration = "PT1H"
[[output]]
name = "main"
variables = ["vn", "vor"]
interval = "PT30M"
[io]
mode = "serial"
"""
WAYS = {  # settings; are the bytes the value itself?
    "cdf5": (["output.main.container=cdf5"], True),
    "classic": (["output.main.container=classic"], True),
    "raw": (["output.main.container=raw"], True),
    "zarr": (["output.main.container=zarr"], True),
    "zarr_deflate": (["output.main.container=zarr", "output.main.compression=deflate"], False),
    "grib2": (["output.main.container=grib2"], False),
    "grib2_one_level": (["output.main.container=grib2", "output.main.levels=[2]"], False),
    "netcdf4": ([], True),
    "netcdf4_chunked": (["output.main.layout=chunked"], True),
    "netcdf4_deflate": (["output.main.compression=deflate"], False),
    "parts_with_index": (["io.mode=file_parallel", "io.ranks=0"], True),
    "parts_of_cdf5": (["io.mode=file_parallel", "io.ranks=0", "output.main.container=cdf5"], True),
}
Capture = pytest.CaptureFixture[str]
Run = Callable[[str], Path]


@pytest.fixture
def run(tmp_path: Path, model: Path) -> Run:
    """A function that makes a run on two ranks in one of the ways."""

    def make(way: str) -> Path:
        case = tmp_path / "case.toml"
        case.write_text(CASE)
        return run_case(RunRequest(case, 2, WAYS[way][0], tmp_path / "run", quiet=True)).path

    return make


def followed(run: Path, capture: Capture, request: TraceRequest) -> dict[str, dict[str, Any]]:
    """The stops by name."""
    trace(run, request, as_json=True)
    stops = [json.loads(line) for line in capture.readouterr().out.splitlines()]
    return {stop["stop"]: stop for stop in stops}


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("way", "edge"),
    [*((way, 400) for way in WAYS), *((way, 7) for way in WAYS if way.startswith("parts"))],
)
def test_the_value_on_disk_is_the_one_that_was_traced(
    way: str, edge: int, run: Run, capsys: Capture
) -> None:
    directory = run(way)
    stops = followed(directory, capsys, TraceRequest("vn", "edge", edge, 2, 1))
    disk = stops["disk"]
    assert disk["value"] == stops["container"]["value"] != 0.0
    first = sorted((directory / "files").glob("main_*"))[0]
    dataset = open_dataset(first)
    values = np.atleast_2d(np.asarray(dataset.variables["vn"][1]))  # one level alone has no axis
    assert values[-1 if len(values) == 1 else 1, edge] == disk["value"]
    dataset.close()
    words = str(disk["detail"])
    content = (directory / disk["file"]).read_bytes()
    if not WAYS[way][1]:
        assert words.startswith("decoded from bytes")
        assert disk["local"] < len(content)
        if way.startswith("grib2"):
            assert_alone_in_message(content[disk["local"] :], disk["value"], edge, level=2)
        return
    size = int(words.split()[3]) - disk["local"] + 1
    order = ">" if content.startswith(b"CDF") else "<"
    (value,) = np.frombuffer(content, f"{order}f{size}", 1, offset=disk["local"])
    assert value == disk["value"]
    told = str(stops["container"]["detail"])
    # Where the container tells it, it is the same but for what the replay's own history is longer.
    if "byte " in told:
        histories = 2 * len(str(directory))
        assert abs(int(told.partition("byte ")[2].split()[0]) - disk["local"]) <= histories


def assert_alone_in_message(content: bytes, value: float, point: int, level: int) -> None:
    """The message at the beginning of `content` is the one of that value."""
    size = int.from_bytes(content[8:16], "big")
    handle = eccodes.codes_new_from_message(content[:size])
    assert eccodes.codes_get(handle, "level") == level
    assert eccodes.codes_get_values(handle)[point] == value
    eccodes.codes_release(handle)


def test_a_value_that_was_never_written_is_one_sentence(run: Run) -> None:
    directory = run("netcdf4_chunked")
    (file,) = (directory / "files").glob("*.nc")
    with h5py.File(file, "a") as content:
        shape, chunks = content["vn"].shape, content["vn"].chunks
        attributes = dict(content["vn"].attrs)
        scales = [dimension[0].name for dimension in content["vn"].dims]
        del content["vn"]
        empty = content.create_dataset("vn", shape, "f4", chunks=chunks)
        for name, value in attributes.items():
            if name not in ("DIMENSION_LIST", "_Netcdf4Dimid", "REFERENCE_LIST"):
                empty.attrs[name] = value
        for dimension, scale in zip(empty.dims, scales, strict=True):
            dimension.attach_scale(content[scale])
    with pytest.raises(ThalwegError, match="were never written to"):
        trace(directory, TraceRequest("vn", "edge", 7, 2, 1), as_json=True)


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
@pytest.mark.parametrize("others", [0, 1])
def test_records_are_found_between_those_of_other_variables(
    form: str, others: int, tmp_path: Path
) -> None:
    """The one variable of records that stands alone is not padded; beside others it is."""
    import netCDF4

    path = tmp_path / "records.nc"
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.createDimension("time", None)
        file.createDimension("cell", 3)
        file.title = "odd"
        names = ["vor", *(f"other{number}" for number in range(others))]
        for name in names:
            file.createVariable(name, "i2", ("time", "cell")).units = "s-1"
        for name in names:
            file.variables[name][:] = np.arange(12).reshape(4, 3) + 100 * len(name)
    spot = cdf_spot(path, "vor", (3, 1))
    (value,) = np.frombuffer(path.read_bytes(), spot.dtype, 1, offset=spot.offset)
    assert value == 10 + 300


@pytest.mark.slow
def test_runs_that_began_from_a_checkpoint_are_followed(
    tmp_path: Path, model: Path, capsys: Capture
) -> None:
    """Of another run, whose outputs they do not have, and of their own, which is later now."""
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    saves = ["restart.mode=sync", "restart.interval=PT30M"]
    first = tmp_path / "first"
    run_case(RunRequest(case, 2, saves, first, quiet=True))
    longer = [*saves, "time.duration=PT2H"]
    reads = [*longer, f"restart.read={first}"]
    later = run_case(RunRequest(case, 2, reads, tmp_path / "later", quiet=True)).path
    for step in (0, 1):
        assert "container" in followed(later, capsys, TraceRequest("vor", "cell", 17, 2, step))
    run_case(RunRequest(case, 2, longer, first, quiet=True, goes_on=True))
    for step in (0, 2, 4):  # before the first checkpoint, the one that it read, and the last
        assert "container" in followed(first, capsys, TraceRequest("vor", "cell", 17, 2, step))
    with pytest.raises(ThalwegError, match=r"'.*first', which may be too late by now"):
        followed(later, capsys, TraceRequest("vor", "cell", 17, 2, 1))


def test_a_part_whose_description_is_damaged_is_named(tmp_path: Path) -> None:
    part, index = tmp_path / "out.000.nc", tmp_path / "out.nc"
    with h5py.File(part, "w", libver="latest") as file:
        begin = h5py.h5o.get_info(file.create_dataset("h", data=np.zeros((1, 8))).id).addr
    layout = h5py.VirtualLayout((1, 8), float)
    layout[...] = h5py.VirtualSource(part.name, "h", (1, 8))
    with h5py.File(index, "w", libver="latest") as file:
        file.create_virtual_dataset("h", layout)
        file.create_group("mesh")
    assert hdf5_spot(index, "h", (0, 3)).file == part
    with pytest.raises(ThalwegError, match=f"'mesh' in '{index}' is no variable"):
        hdf5_spot(index, "mesh", (0, 3))
    with part.open("r+b") as bytes_of:
        bytes_of.seek(begin)
        bytes_of.write(b"\xff" * 100)
    with pytest.raises(ThalwegError, match=f"'h' in '{part}' cannot be read: ") as refused:
        hdf5_spot(index, "h", (0, 3))
    assert refused.value.exit_code == 1
