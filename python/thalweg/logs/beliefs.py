# SPDX-License-Identifier: Apache-2.0
"""What the sources of a run say against each other, and which of them to believe.

Files on the disk are what there is. Darshan counts what the processes gave to the file system,
rewritten bytes twice. A log of ICON counts values: its bytes of output are those in memory.
"""

from __future__ import annotations

from thalweg.logs.columns import Row

# Headers, axes and what is once per file: relative; 32 partitions of the runs on Levante had 3 %.
_SAME = 0.05
# Means of rates and rates of means: relative.
_SAME_RATE = 0.25
# A job lasts longer than its timer total: on Levante 4 to 21 s, 1.1 % at most.
_LONGER, _START_S = 0.1, 120.0
_GB = 1e9


def believe(row: Row) -> None:
    """Fills `output_bytes`, the rates, and the notes."""
    _look_at_darshan(row)
    _believe_output(row)
    _believe_rate(row)
    _believe_checkpoints(row)


def _look_at_darshan(row: Row) -> None:
    if row["darshan_truncated"]:
        row.note(
            "the Darshan log is truncated (it hit its limit of file records): its bytes are too "
            "low and are not used"
        )
    ranks, seen = row.number("ranks"), row.number("darshan_ranks")
    compute = row.number("compute_ranks")
    if ranks is None and seen is not None and compute is not None and seen >= compute:
        ranks = seen
        row.tell(ranks=int(seen))
        if seen == compute:
            row.tell(io_ranks=0, restart_ranks=0)
    ranks = compute if ranks is None else ranks
    if ranks is not None and seen is not None and ranks != seen:
        row.note(
            f"the log tells of {ranks:.0f} ranks, Darshan saw {seen:.0f}: is its log that of "
            "another run? its bytes are not used"
        )
    total, run = row.number("total_s"), row.number("darshan_run_s")
    if (
        total is not None
        and run is not None
        and not (total * (1.0 - _SAME) <= run <= total * (1.0 + _LONGER) + _START_S)
    ):
        row.note(
            f"Darshan saw {run:.0f} s, timer total has {total:.0f} s: is its log that of another "
            "run? its bytes are not used"
        )


def _darshan_counts(row: Row) -> bool:
    return not row["darshan_truncated"] and not any("Darshan saw" in n for n in row.texts("notes"))


def _darshan_output(row: Row) -> float | None:
    """By the names of files, else all bytes of a run without checkpoints."""
    if not _darshan_counts(row):
        return None
    named = row.number("darshan_output_bytes")
    if named:
        return named
    without = row["restart_mode"] == "none" or row["checkpoints"] == 0
    return row.number("darshan_bytes_written") if without and named is None else None


def _log_output(row: Row) -> float | None:
    size, events = row.number("output_event_bytes"), row.number("output_events")
    return None if size is None or events is None else size * events


def _believe_output(row: Row) -> None:
    files, darshan, log = row.number("output_file_bytes"), _darshan_output(row), _log_output(row)
    if files and darshan and not _same(files, darshan):
        row.note(
            f"output files have {files / _GB:.3f} GB, Darshan counted {darshan / _GB:.3f} GB: "
            "files are believed, Darshan counts bytes twice that are written twice, and files may "
            "have been removed or added since"
        )
    believed, source = (files, "files") if files else (darshan, "darshan")
    if believed:
        row.tell(output_bytes=round(believed), output_bytes_from=source)
    elif log is not None:
        row.note(
            "the log alone does not tell whether the files hold 4 or 8 bytes a value: output_bytes "
            "is left empty; give the directory with the files, or the Darshan log"
        )
    if believed and log and not _same(believed, log):
        row.note(
            f"the log counts {log / _GB:.3f} GB of output, {source} {believed / _GB:.3f} GB: "
            f"{source} is believed, {_why_apart(believed / log, _bytes_of_a_value(row, believed))}"
        )


def _why_apart(ratio: float, held: float | None) -> str:
    """held: bytes of a value, where they are known"""
    if _same(ratio, 0.5) and (held is None or _same(held, 4.0)):
        return "the files hold 4 bytes a value, the log counts the 8 that moved"
    if _same(ratio, 2.0) and (held is None or _same(held, 8.0)):
        return "the files hold 8 bytes a value, the log counts the 4 that moved (use_dp_mpi2io)"
    if ratio < 1.0:
        return "it is what is on the disk: packed, compressed, or not all of it is there"
    return "it is what is on the disk, and other files may lie there too"


def _bytes_of_a_value(row: Row, believed: float) -> float | None:
    values = row.number("output_event_values")
    count = row.number("output_events") or row.number("outputs")
    return believed / count / values if values and count else None


def _believe_rate(row: Row) -> None:
    """Believed bytes of an output over the time to write it."""
    write_s, logged = row.number("output_event_write_s"), row.number("output_rate_logged")
    events, size = row.number("output_events"), row.number("output_event_bytes")
    believed = row.number("output_bytes")
    spent_s = row.number("output_write_s")
    if spent_s and believed:
        row["output_rate"] = believed / spent_s
    if not write_s or believed is None:
        return
    count = events or row.number("outputs")
    if not count:
        return
    if size and not 0.2 < believed / count / size < 5.0:
        row.note("bytes on the disk and bytes of the log are not of the same outputs: no rate")
        return
    rate = believed / count / write_s
    row["output_rate"] = rate
    if not logged or _same(rate, logged):
        return
    held = _bytes_of_a_value(row, believed)
    row.note(
        f"the log says {logged / 1e6:.0f} MB/s for writing output, {row['output_bytes_from']} "
        f"{rate / 1e6:.0f} MB/s: the second is believed, bytes on the disk over the time to write "
        "them; the log has the mean of rates, and counts 4 bytes a value whatever the files hold"
        + (f" (here {held:.2g})" if held else "")
    )


def _believe_checkpoints(row: Row) -> None:
    size, write_s = row.number("checkpoint_event_bytes"), row.number("checkpoint_event_write_s")
    if size and write_s:
        row["checkpoint_rate"] = size / write_s
        logged = row.number("checkpoint_rate_logged")
        if logged and abs(size / write_s / logged - 1.0) > _SAME_RATE:
            row.note(
                f"the log says {logged / 1e6:.0f} MB/s for checkpoints, its bytes over its times "
                f"are {size / write_s / 1e6:.0f} MB/s: the second is believed, a mean of rates "
                "gives short writes too much weight"
            )
    events, seen = row.number("checkpoint_events"), row.number("darshan_restart_bytes")
    if size and events and seen and _darshan_counts(row) and not _same(seen, size * events):
        row.note(
            f"the log counts {size * events / _GB:.3f} GB of checkpoints, Darshan "
            f"{seen / _GB:.3f} GB of restart files: the log is believed for what a checkpoint "
            "holds, Darshan for what the file system took (bytes written twice count twice)"
        )


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * max(one, other)
