# SPDX-License-Identifier: Apache-2.0
"""From paths to runs: which file is what, and which of them tell of the same run.

To read another kind of file, add a line to `_KINDS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.logs.columns import BY_NAME, Row
from thalweg.logs.darshan_log import is_darshan_log, read_darshan_log
from thalweg.logs.icon_log import is_icon_log, read_icon_log
from thalweg.logs.output_files import count_output
from thalweg.logs.own_run import is_own_run, read_own_run
from thalweg.logs.run_list import is_run_list, read_run_list


def is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _read_parquet(path: Path) -> list[Row]:
    from thalweg.logs.parquet import read_table  # slow to load

    return read_table(path)


# The first that says yes reads the file: name, is it one, its rows.
_KINDS: tuple[tuple[str, Callable[[Path], bool], Callable[[Path], list[Row]]], ...] = (
    ("parquet", is_parquet, _read_parquet),
    ("darshan", is_darshan_log, lambda path: [read_darshan_log(path)]),
    ("table", is_run_list, read_run_list),
    ("log", is_icon_log, lambda path: [read_icon_log(path)]),
)
# Below a directory, only what is named so is opened: it may hold anything.
_LOG_SUFFIXES = {".log", ".out", ".o", ".txt", ".csv", ".darshan"}


def read_runs(paths: Sequence[Path]) -> list[Row]:
    """Rows of all runs in the order of the paths. Raises a sentence for the first bad path."""
    rows: list[Row] = []
    seen: set[Path] = set()
    loose: list[Path] = []
    for path in paths:
        if not path.exists():
            raise ThalwegError(f"'{path}' does not exist; give a log, a table or a run's directory")
        if path.is_dir():
            found = _read_directory(path, seen)
            if not found:
                raise ThalwegError(f"'{path}' holds no log, no table of runs and no run directory")
            rows += found
        elif not path.is_file():
            raise ThalwegError(f"'{path}' is neither a file nor a directory")
        elif _is_new(path, seen):
            loose.append(path)
    rows += _join([each for path in loose for each in _read_file(path)])
    _name_apart(rows)
    return rows


def _is_new(path: Path, seen: set[Path]) -> bool:
    """A file that two paths lead to is one."""
    real = path.resolve()
    new = real not in seen
    seen.add(real)
    return new


def _read_file(path: Path) -> list[tuple[str, Row]]:
    try:
        for name, is_one, read in _KINDS:
            if is_one(path):
                return [(name, row) for row in read(path)]
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read: {error.strerror or error}") from None
    raise ThalwegError(
        f"'{path}' is no ICON log (it has neither timer reports nor time steps), no table of runs "
        "of `thalweg logs import` or in CSV and no Darshan log (*.darshan)"
    )


def _read_directory(path: Path, seen: set[Path]) -> list[Row]:
    """A run directory of ours, or every directory with logs in it, itself and below."""
    rows: list[Row] = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        here = Path(folder)
        if is_own_run(here):
            folders.clear()
            if _is_new(here, seen):
                rows.append(read_own_run(here))
            continue
        read = [
            row
            for file in (here / name for name in sorted(names))
            if _may_be_ours(file) and _is_new(file, seen)
            for row in _read_file(file)
        ]
        rows += _with_files(here, names, _join(read))
    return rows


def _may_be_ours(file: Path) -> bool:
    if not file.is_file() or file.is_symlink():
        return False
    named = file.suffix in _LOG_SUFFIXES or file.name.startswith("LOG")
    return named and any(is_one(file) for _, is_one, _ in _KINDS)


def _with_files(here: Path, names: list[str], rows: list[Row]) -> list[Row]:
    """Output files that lie beside the only log are those of its run, which has that name too."""
    logs = [row for row in rows if row["model"] == "ICON" and len(rows) == 1]
    if len(logs) != 1 or _is_table(logs[0]):
        return rows
    logs[0]["run"] = here.resolve().name
    files, size_bytes = count_output([here / name for name in names])
    if files:
        logs[0].tell(output_files=files, output_file_bytes=size_bytes)
    return rows


def _is_table(row: Row) -> bool:
    return any(Path(source).suffix == ".csv" for source in row.texts("sources"))


def _join(read: Sequence[tuple[str, Row]]) -> list[Row]:
    """A Darshan log goes to the log of its job, or to the only log where no job is told."""
    logs = [row for kind, row in read if kind == "log"]
    darshan = [row for kind, row in read if kind == "darshan"]
    rows = [row for kind, row in read if kind != "darshan"]
    for each in darshan:
        of_job = [row for row in logs if row["job"] is not None and row["job"] == each["job"]]
        if not of_job and len(logs) == 1 and len(darshan) == 1 and logs[0]["job"] is None:
            of_job = logs
        rivals = [other for other in darshan if other["job"] == each["job"]]
        if len(of_job) == 1 and len(rivals) == 1:
            _add(of_job[0], each)
        else:
            if of_job:
                each.note(
                    f"{len(rivals)} Darshan logs and {len(of_job)} logs of ICON are of job "
                    f"{each['job']}: none is joined to another"
                )
            rows.append(each)
    return rows


def _add(row: Row, darshan: Row) -> None:
    row["sources"] = (*row.texts("sources"), *darshan.texts("sources"))
    for name in BY_NAME:
        if name not in {"run", "sources", "notes"} and row[name] is None:
            row[name] = darshan[name]
    for sentence in darshan.texts("notes"):
        row.note(sentence)


def _name_apart(rows: Sequence[Row]) -> None:
    """Runs of one name get the directory before it, then a number."""
    names = [row.text("run") for row in rows]
    for row in rows:
        if names.count(row.text("run")) > 1 and not _is_table(row):
            row["run"] = f"{Path(row.texts('sources')[0]).resolve().parent.name}/{row['run']}"
    taken: dict[str, int] = {}
    for row in rows:
        name = row.text("run")
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            row["run"] = f"{name}#{taken[name]}"
