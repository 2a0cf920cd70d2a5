# SPDX-License-Identifier: Apache-2.0
"""Hours of post-processing per simulated year: its output through rates of reading and writing.

After IS-ENES2 deliverable D9.5, which looks at the CDO by their rates: with V bytes of output a
simulated year, s the share of them that is written again, r and w the rates,

    hours = (V / r + s V / w) / 3600
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from thalweg.cpmip.metrics import Figures, Given
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.logs.columns import Row

_MB = 1e6  # bytes
_GB = 1e9  # bytes
_SLAB_BYTES = 1 << 22
_LONGEST_S = 2.0  # of reading; longer would need a bar, and tells no more


def tell_post_processing(told: Figures, row: Row, given: Given) -> None:
    _tell_read_rate(told, row, given)
    _tell_write_rate(told, row, given)
    name = "post_processing_hours_per_year"
    needed = ["output_gb_per_year", "read_rate_mb_per_s"]
    needed += ["write_rate_mb_per_s"] if given.write_share > 0.0 else []
    if parts := told.need(name, *needed):
        size_mb = parts[0] * _GB / _MB
        seconds = size_mb / parts[1]
        if given.write_share > 0.0:
            seconds += given.write_share * size_mb / parts[2]
        told.tell(name, seconds / 3600.0)


def _tell_read_rate(told: Figures, row: Row, given: Given) -> None:
    name = "read_rate_mb_per_s"
    if given.read_rate is not None:
        told.tell(name, given.read_rate / _MB, "--read-rate")
    elif not given.measure_read:
        told.lack(name, "no rate of reading is told; give --read-rate, or --measure-read")
    elif row["model"] != "mini-model":
        told.lack(name, "--measure-read reads files of run directories only; give --read-rate")
    elif (rate := read_rate(Path(row.texts("sources")[0]))) is None:
        told.lack(name, "the run has no output left to read; give --read-rate")
    else:
        told.tell(name, rate / _MB, "reading files of the run, some perhaps in memory yet")


def _tell_write_rate(told: Figures, row: Row, given: Given) -> None:
    name, rate = "write_rate_mb_per_s", row.number("output_rate")
    if given.write_rate is not None:
        told.tell(name, given.write_rate / _MB, "--write-rate")
    elif rate:
        told.tell(name, rate / _MB, "the run's own, of one writer")
    else:
        told.lack(name, "no rate of writing is told; give --write-rate")


def read_rate(path: Path) -> float | None:
    """B s-1 of one process that reads a run's output from its first file on, for two seconds at
    most; None where there is none. The kernel is asked to forget what it keeps of them in memory,
    and may not: a host or a file server has caches of its own.
    """
    if not path.is_dir():
        return None
    begin_s, read = time.perf_counter(), 0
    try:
        for file in _files(RunDirectory.open(path)):
            for size in _slabs(file):
                read += size
                if time.perf_counter() - begin_s > _LONGEST_S:
                    return read / (time.perf_counter() - begin_s)
    except OSError as error:
        reason = error.strerror or error
        raise ThalwegError(f"'{error.filename or path}' cannot be read: {reason}") from None
    return read / (time.perf_counter() - begin_s) if read else None


def _files(run: RunDirectory) -> Iterator[Path]:
    for entry in run.final_entries():
        below = [entry] if entry.is_file() else sorted(entry.rglob("*"))
        yield from (each for each in below if each.is_file())


def _slabs(file: Path) -> Iterator[int]:
    """Their sizes, as they are read."""
    with file.open("rb", buffering=0) as stream:
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        slab = bytearray(_SLAB_BYTES)
        while size := stream.readinto(slab):
            yield size
