# SPDX-License-Identifier: Apache-2.0
"""A Darshan log (POSIX module) as columns of the table, through PyDarshan, which is optional."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError, UnreadableError
from thalweg.logs.columns import Row, Value
from thalweg.logs.output_files import is_output, is_restart

_MIB = 2.0**20  # bytes
_NO_PYDARSHAN = (
    "reading the Darshan log '{path}' needs the Python package 'darshan' (PyDarshan), which is not "
    "installed; run: {python} -m pip install darshan"
)


def is_darshan_log(path: Path) -> bool:
    """By its name: libdarshan-util alone knows its bytes."""
    return path.suffix == ".darshan"


def read_darshan_log(path: Path) -> Row:
    """Raises a sentence where the package is missing or the file is no such log."""
    try:
        darshan = importlib.import_module("darshan")
        cffi = importlib.import_module("darshan.backend.cffi_backend")
    except ImportError:
        sentence = _NO_PYDARSHAN.format(path=path, python=sys.executable)
        raise ThalwegError(sentence) from None
    try:
        with _quiet():
            cffi.log_close(_opened(cffi, path))
            report = darshan.DarshanReport(str(path), read_all=False)
            job = dict(report.metadata["job"])
            row = Row(run=path.stem, sources=(str(path),), job=str(job["jobid"]))
            row.tell(darshan_ranks=int(job["nprocs"]), darshan_run_s=float(job["run_time"]))
            if "POSIX" in report.modules:
                report.mod_read_all_records("POSIX")
                row.tell(**_posix(report, cffi, int(job["nprocs"])))
            else:
                row.note("the Darshan log has no records of POSIX calls: its bytes are not known")
    except (RuntimeError, ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise UnreadableError(f"'{path}' cannot be read as a Darshan log: {error}") from None
    return row


def _posix(report: Any, cffi: Any, ranks: int) -> dict[str, Value]:
    records = report.records["POSIX"].to_df()
    counters, times = records["counters"], records["fcounters"]
    names = [str(report.name_records.get(each, "")) for each in counters["id"]]
    written = [int(each) for each in counters["POSIX_BYTES_WRITTEN"]]
    by_name = list(zip(names, written, strict=True))
    writers = {int(r) for r, b in zip(counters["rank"], written, strict=True) if b > 0}
    shared = -1 in writers  # a record of all ranks together: who of them wrote is not in it
    truncated = bool(report.modules["POSIX"]["partial_flag"])
    perf = cffi.accumulate_records(records, "POSIX", ranks).derived_metrics.agg_perf_by_slowest
    return {
        "darshan_bytes_written": sum(written),
        "darshan_bytes_read": int(counters["POSIX_BYTES_READ"].sum()),
        "darshan_output_bytes": sum(size for name, size in by_name if is_output(name)),
        "darshan_restart_bytes": sum(size for name, size in by_name if is_restart(name)),
        "darshan_write_s": float(times["POSIX_F_WRITE_TIME"].sum()),
        "darshan_meta_s": float(times["POSIX_F_META_TIME"].sum()),
        "darshan_files_written": len({name for name, size in by_name if size > 0}),
        "darshan_ranks_writing": None if shared else len(writers),
        "darshan_rate": float(perf) * _MIB,
        "darshan_truncated": truncated,
    }


def _opened(cffi: Any, path: Path) -> Any:
    """PyDarshan's report closes at its end what it could not open, with a line of its own."""
    log = cffi.log_open(str(path))
    if not log["handle"]:
        raise RuntimeError("it is damaged, or of another kind")
    return log


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """libdarshan-util writes its own lines to standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
