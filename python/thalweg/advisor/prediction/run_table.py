# SPDX-License-Identifier: Apache-2.0
"""Tables of runs to fit and to validate with: CSV as of Levante, or Parquet of `logs import`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.advisor.prediction.run_facts import RESTART_MODES, MeasuredRun, RunFacts
from thalweg.advisor.shapes import VALUE_BYTES
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.logs.columns import BY_NAME, Row
from thalweg.logs.run_list import COLUMNS as LEVANTE_COLUMNS
from thalweg.logs.run_list import read_run_list

if TYPE_CHECKING:
    import pyarrow as pa

_NEEDED = (
    "run", "total_s", "cells", "nodes", "ranks", "compute_ranks", "io_ranks", "restart_ranks",
    "restart_mode", "outputs", "checkpoints", "steps",
)  # fmt: skip
_OPTIONAL = (
    "model", "status", "grid", "partitions", "output_interval_s", "checkpoint_interval_s",
    "output_event_bytes", "output_event_values", "checkpoint_event_bytes", "output_bytes",
    "darshan_bytes_written", "darshan_truncated",
)  # fmt: skip
_IN_CSV = {ours: theirs for theirs, (ours, _) in LEVANTE_COLUMNS.items()}
_NOT_EMPTY = ("total_s", "cells", "nodes", "ranks", "compute_ranks", "steps")
# Sizes of one event that differ by more are of different output, and none can stand for another.
_ALIKE = 1.1
_MOST = 1e18  # seconds, bytes or counts of a run: more is none

Size = Callable[[Row], float | None]


def read_runs(path: Path, known: Sequence[MeasuredRun] = ()) -> list[MeasuredRun]:
    """`known`: runs of the same output and state, for sizes that this table does not tell.

    Raises a sentence.
    """
    rows = _read_rows(path)
    rows = [row for row in rows if row.text("status") in {"", "complete"}]
    if not rows:
        raise ThalwegError(f"'{path}' has no run that is complete")
    names: set[str] = set()
    for row in rows:
        if row.text("run") in names | {""}:
            raise ThalwegError(f"{path}: run '{row.text('run')}' has no name or is there twice")
        names.add(row.text("run"))
        _check(path, row)
    outputs = _Sizes(path, rows, "output", _output_bytes)
    checkpoints = _Sizes(path, rows, "checkpoint", _checkpoint_bytes)
    outputs.learn((run.facts.cells, run.facts.output_bytes) for run in known)
    checkpoints.learn((run.facts.cells, run.facts.checkpoint_bytes) for run in known)
    return [_run(row, outputs, checkpoints) for row in rows]


def read_two(first: Path, second: Path) -> tuple[list[MeasuredRun], list[MeasuredRun]]:
    """Sizes that one of them does not tell are those of the other. Raises a sentence."""
    try:
        runs = read_runs(first)
    except ThalwegError as error:
        try:
            others = read_runs(second)
        except ThalwegError:
            raise error from None
        return read_runs(first, known=others), others
    return runs, read_runs(second, known=runs)


def _read_rows(path: Path) -> list[Row]:
    if not path.is_file():
        raise ThalwegError(f"'{path}' is no file; give a table of runs, CSV or Parquet")
    try:
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
        if is_parquet:
            return _read_parquet(path)
        _check_csv_columns(path)
        return read_run_list(path)
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read: {error.strerror}") from None


def _check_csv_columns(path: Path) -> None:
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        head = [name.strip().lstrip("\ufeff") for name in next(csv.reader(lines), [])]
    if not head:
        raise ThalwegError(f"'{path}' is empty; give a table of runs, CSV or Parquet")
    _refuse_missing(path, head, [_IN_CSV.get(name, name) for name in _NEEDED])


def _refuse_missing(path: Path, head: Sequence[str], needed: Sequence[str]) -> None:
    if missing := [name for name in needed if name not in head]:
        meant = did_you_mean(missing[0], head) if len(missing) == 1 else ""
        names = ", ".join(f"'{name}'" for name in missing)
        verb = "is" if len(missing) == 1 else "are"
        raise ThalwegError(
            f"{path}: column{'s' * (len(missing) > 1)} {names} {verb} missing.{meant}"
        )


def _read_parquet(path: Path) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        head = pq.read_schema(path).names
        _refuse_missing(path, head, _NEEDED)
        table = pq.read_table(path, columns=[n for n in (*_NEEDED, *_OPTIONAL) if n in head])
    except pa.ArrowException as error:
        first = str(error).splitlines()[0].rstrip(".")
        raise ThalwegError(f"'{path}' cannot be read as Parquet: {first}") from None
    if table.num_rows == 0:
        raise ThalwegError(f"'{path}' has a head and no runs")
    _check_types(path, table)
    return [Row(**given) for given in table.to_pylist()]


def _check_types(path: Path, table: pa.Table) -> None:
    import pyarrow.types as kinds

    tests = {
        "text": (kinds.is_string, kinds.is_large_string),
        "yes_no": (kinds.is_boolean,),
        "number": (kinds.is_integer, kinds.is_floating),
        "integer": (kinds.is_integer, kinds.is_floating),
    }
    for field in table.schema:
        asked = BY_NAME[field.name].type
        if not any(test(field.type) for test in (kinds.is_null, *tests[asked])):
            raise ThalwegError(f"{path}: column '{field.name}' holds {field.type}, not {asked}")


def _check(path: Path, row: Row) -> None:
    """What a prediction divides by or chooses by. Raises a sentence with the run."""
    where = f"{path}: run '{row['run']}'"
    if row.text("model") == "mini-model":
        raise ThalwegError(f"{where} is of the mini-model; this form knows the modes of ICON")
    for name in (*_NEEDED, *_OPTIONAL):
        value = row.number(name)
        if value is not None and not 0.0 <= value <= _MOST:
            raise ThalwegError(f"{where}: {_shown(name)} is {value:g}; 0 to {_MOST:g} is possible")
        if name in _NOT_EMPTY and not value:
            given = "empty" if row[name] is None else "0"
            raise ThalwegError(f"{where}: {_shown(name)} is {given}; a number above 0 is needed")
    for name in ("outputs", "checkpoints"):
        if row[name] is None:
            raise ThalwegError(f"{where}: {_shown(name)} is empty; give 0 where the run had none")
        if _number(row, name) and row.number(f"{name[:-1]}_event_bytes") == 0.0:
            raise ThalwegError(
                f"{where}: bytes of one of its {name} are 0 ('mb_per_event_logged', "
                f"'{name[:-1]}_event_bytes'); leave them empty where they are not known"
            )
    ranks = sum(_number(row, name) for name in ("compute_ranks", "io_ranks", "restart_ranks"))
    if ranks > _number(row, "ranks"):
        raise ThalwegError(f"{where} has {ranks:g} ranks by their roles and {row['ranks']} in all")
    _check_mode(where, row)


def _check_mode(where: str, row: Row) -> None:
    mode = row.text("restart_mode") or "none"
    if mode not in RESTART_MODES:
        raise ThalwegError(
            f"{where}: restart mode '{mode}' does not exist; choose one of: "
            f"{', '.join(RESTART_MODES)}.{did_you_mean(mode, RESTART_MODES)}"
        )
    if mode == "none" and _number(row, "checkpoints") > 0:
        raise ThalwegError(f"{where} has checkpoints and no restart mode")
    if mode in {"async", "dedicated_multifile"} and not _number(row, "restart_ranks"):
        raise ThalwegError(f"{where}: restart mode '{mode}' needs restart ranks, and it has none")


def _shown(name: str) -> str:
    theirs = _IN_CSV.get(name, name)
    return f"'{name}'" if theirs == name else f"'{theirs}' ('{name}')"


def _number(row: Row, name: str) -> float:
    return row.number(name) or 0.0


def _output_bytes(row: Row) -> float | None:
    """8 a value, whatever moved (4 without use_dp_mpi2io) and whatever the file holds: where values
    are not told, as an I/O rank logged them on Levante.
    """
    values = row.number("output_event_values")
    return VALUE_BYTES * values if values else row.number("output_event_bytes")


def _checkpoint_bytes(row: Row) -> float | None:
    return row.number("checkpoint_event_bytes")


class _Sizes:
    """Bytes of an event of each run: its own, or those over a cell of others with the same."""

    def __init__(self, path: Path, rows: Sequence[Row], event: str, own: Size) -> None:
        self._path, self._event, self._own = path, event, own
        self._of_cells: dict[float, list[float]] = {}
        self.learn((_number(row, "cells"), own(row) or self._on_disk(row) or 0.0) for row in rows)

    def learn(self, told: Iterable[tuple[float, float]]) -> None:
        """(cells, bytes of an event). What was learned before of as many cells stands."""
        found: dict[float, list[float]] = {}
        for cells, size in told:
            if size > 0.0:
                found.setdefault(cells, []).append(size / cells)
        self._of_cells = {**found, **self._of_cells}

    def of(self, row: Row) -> float:
        """0 where the run has no such events."""
        if not _number(row, f"{self._event}s"):
            return 0.0
        if size := self._own(row) or self._on_disk(row):
            return size
        cells = _number(row, "cells")
        alike = self._of_cells.get(cells) or list(chain.from_iterable(self._of_cells.values()))
        where = f"{self._path}: bytes of {self._event}s of run '{row['run']}'"
        if not alike:
            raise ThalwegError(
                f"{where} are not told, nor those of any other run; "
                f"give column 'mb_per_event_logged' ('{self._event}_event_bytes'), and in CSV "
                "'kind' (io or cp), which says of what"
            )
        if max(alike) > _ALIKE * min(alike):
            raise ThalwegError(f"{where} are not told, and other runs differ in theirs")
        return cells * sorted(alike)[len(alike) // 2]

    def _on_disk(self, row: Row) -> float | None:
        """Of outputs alone: what lies on the disk, or, without restarts, what Darshan saw."""
        outputs = _number(row, "outputs")
        if self._event != "output" or not outputs:
            return None
        if size := row.number("output_bytes"):
            return size / outputs
        seen = row.number("darshan_bytes_written")
        if not seen or row["darshan_truncated"] or _number(row, "checkpoints"):
            return None
        return seen / outputs


def _run(row: Row, outputs: _Sizes, checkpoints: _Sizes) -> MeasuredRun:
    checkpoint_count = _number(row, "checkpoints")
    facts = RunFacts(
        cells=_number(row, "cells"),
        steps=_number(row, "steps"),
        nodes=_number(row, "nodes"),
        ranks_per_node=_number(row, "ranks") / _number(row, "nodes"),
        compute_ranks=_number(row, "compute_ranks"),
        io_ranks=_number(row, "io_ranks"),
        partitions=_number(row, "partitions"),
        restart_ranks=_number(row, "restart_ranks"),
        restart_mode=row.text("restart_mode") or "none" if checkpoint_count else "none",
        outputs=_number(row, "outputs"),
        checkpoints=checkpoint_count,
        output_bytes=outputs.of(row),
        checkpoint_bytes=checkpoints.of(row),
    )
    return MeasuredRun(
        row.text("run"), facts, _number(row, "total_s"), row.text("grid"),
        _number(row, "output_interval_s"), _number(row, "checkpoint_interval_s"),
    )  # fmt: skip
