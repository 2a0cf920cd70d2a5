# SPDX-License-Identifier: Apache-2.0
"""Every mode writes every container with the bits of a serial netCDF-4 file; packed values of GRIB2
lie within half a step of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import Stream, read_streams
from thalweg.run.native_lists import of_kind
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.model_fields import fields_of_all
from thalweg.verify.differences import compare_streams

COMPUTE = 2
BITS = 16


@dataclass(frozen=True)
class Way:
    """How stream 'main' is written; all else is a small run of the jet."""

    mode: str
    io_ranks: int
    container: str
    compression: str = "none"
    transport: str = "auto"
    placement: str = "last"
    partitions: int = 1

    def __str__(self) -> str:
        words = (self.mode, f"{self.io_ranks}io", self.container, self.compression)
        return "-".join((*words, self.transport, self.placement, f"p{self.partitions}"))


# Each mode with several containers, each container in several modes; all transports, placements.
COVERING = [
    Way("serial", 0, "cdf5"),
    Way("serial", 0, "grib2"),
    Way("async", 2, "classic", transport="rma", partitions=2),
    Way("async", 2, "zarr", "deflate", "two_sided", "first", 2),
    Way("async", 1, "grib2", "ccsds", placement="spread"),
    Way("async", 1, "netcdf4", "deflate", placement="per_node"),
    Way("shared_file", 0, "netcdf4"),
    Way("shared_file", 0, "cdf5"),
    Way("shared_file", 0, "grib2", "ccsds"),
    Way("shared_file", 2, "netcdf4", "deflate", "shared_memory"),
    Way("shared_file", 2, "netcdf4", "zstd", "rma", "first"),
    Way("shared_file", 2, "cdf5", transport="two_sided", partitions=2),
    Way("shared_file", 2, "zarr", "zstd", placement="spread"),
    Way("shared_file", 2, "raw", partitions=2),
    Way("file_parallel", 0, "netcdf4"),
    Way("file_parallel", 2, "netcdf4", "deflate", partitions=2),
    Way("file_parallel", 2, "classic", transport="two_sided"),
    Way("file_parallel", 2, "raw", transport="rma", placement="per_node"),
    Way("auto", 2, "netcdf4"),
    Way("auto", 2, "grib2", transport="rma", partitions=2),
]
CONTAINERS = (
    ("netcdf4", "none"), ("netcdf4", "deflate"), ("netcdf4", "zstd"), ("cdf5", "none"),
    ("classic", "none"), ("grib2", "none"), ("grib2", "ccsds"), ("zarr", "none"),
    ("zarr", "deflate"), ("zarr", "zstd"), ("raw", "none"),
)  # fmt: skip
MODES = (("serial", 0), ("async", 1), ("async", 2), ("shared_file", 0), ("shared_file", 2),
         ("file_parallel", 0), ("file_parallel", 2), ("auto", 1), ("auto", 2))  # fmt: skip
EVERYTHING = [
    Way(mode, io_ranks, container, compression, transport, "last", partitions)
    for (mode, io_ranks), (container, compression), transport, partitions in product(
        MODES, CONTAINERS, ("shared_memory", "rma", "two_sided"), (1, 2)
    )
    if not (mode == "file_parallel" and container in ("grib2", "zarr"))
    and not (mode in ("serial",) and transport != "shared_memory")
]


def make_run(way: Way, case: Path, folder: Path) -> Path:
    chunked = way.container == "netcdf4" and way.compression != "none"
    overrides = [
        f"io.mode={way.mode}",
        f"io.ranks={way.io_ranks}",
        f"io.transport={way.transport}",
        f"io.placement={way.placement}",
        f"output.main.container={way.container}",
        f"output.main.compression={way.compression}",
        f"output.main.layout={'chunked' if chunked else 'contiguous'}",
        f"output.main.partitions={way.partitions}",
        f"output.main.bits={BITS}",
    ]
    path = folder / str(way)
    return run_case(RunRequest(case, COMPUTE + way.io_ranks, overrides, path, quiet=True)).path


@pytest.fixture(scope="module")
def case(small_run: Path) -> Path:
    return small_run.parent / "small.toml"


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, case: Path) -> Path:
    return make_run(Way("serial", 0, "netcdf4"), case, tmp_path_factory.mktemp("reference"))


def assert_packed(packed: Stream, exact: Stream) -> None:
    """Fields have the names, places and units of the run."""
    assert packed.fields == exact.fields
    for name in packed.fields:
        for one, two in zip(packed.slots, exact.slots, strict=True):
            assert one.time_s == two.time_s
            found = np.atleast_2d(packed.values(name, one))
            expected = np.atleast_2d(exact.values(name, two)).astype(np.float64)
            spread = np.ptp(expected, axis=1, keepdims=True)
            largest = np.abs(expected).max(axis=1, keepdims=True)
            # The step is a power of two of at most twice spread / (2^bits - 1); the reference
            # value is a 32-bit float.
            bound = spread / (2**BITS - 1) + largest * 2.0**-22
            assert np.all(np.abs(found - expected) <= bound), name


def assert_same(way: Way, run: Path, reference: Path) -> None:
    ones, others = read_streams(run), read_streams(reference)
    packed = way.container == "grib2"
    if packed:
        assert_packed(ones.pop("main"), others.pop("main"))
    differences, compared = compare_streams(ones, others)
    assert not differences, "\n".join(difference.line(True) for difference in differences)
    assert compared == len(fields_of_all(2)) + (0 if packed else len(fields_of_all()))


def assert_files(way: Way, run: Path) -> None:
    """Files of 'main' are of the container asked for, as many as there are partitions and parts."""
    suffix = next(e["suffix"] for e in of_kind("container") if e["name"] == way.container)
    files = [file for file in (run / "files").glob("main*") if file.suffix == suffix]
    writers = way.io_ranks or COMPUTE
    index = 1 if way.container == "netcdf4" else 0
    parts = writers // way.partitions + index if way.mode == "file_parallel" else 1
    if way.mode == "file_parallel" and writers // way.partitions == 1:
        parts = 1
    assert len(files) == way.partitions * parts, files
    if suffix == ".nc":
        begin = files[0].read_bytes()[:4]
        expected = {"netcdf4": b"\x89HDF", "cdf5": b"CDF\x05", "classic": b"CDF\x02"}
        assert begin == expected[way.container]


@pytest.mark.some(5)
@pytest.mark.parametrize("way", COVERING, ids=str)
def test_the_same_values_arrive(way: Way, reference: Path, case: Path, tmp_path: Path) -> None:
    run = make_run(way, case, tmp_path)
    assert_same(way, run, reference)
    assert_files(way, run)
    if way.container != "grib2" and way.compression == "none":  # parts and shards are counted
        summary = RunDirectory(run).summary()
        assert summary["metrics"]["bytes_written"] > summary["bytes_put"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("way", EVERYTHING, ids=str)
def test_every_combination(way: Way, reference: Path, case: Path, tmp_path: Path) -> None:
    assert_same(way, make_run(way, case, tmp_path), reference)
