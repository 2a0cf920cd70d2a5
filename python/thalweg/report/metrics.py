# SPDX-License-Identifier: Apache-2.0
"""The figures that rate a run, and the facts that describe it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config.durations import parse_duration_s, short_duration
from thalweg.report.rundata import RunData
from thalweg.report.style import KINDS, ROLE_WORDS


@dataclass(frozen=True)
class Metric:
    """One row of a comparison. better: "less", "more" or "" where neither is."""

    key: str
    label: str
    unit: str
    better: str
    meaning: str


WAITING_TEXT = (
    "A compute rank waits in every call for output or checkpoints, but for the copying of fields: "
    "for room, for other ranks, for complete files, or while it gathers and writes itself; mean "
    "over compute ranks, the end of the run included."
)
METRICS = (
    Metric("run_time_s", "run time", "s", "less", "from start to end of the program"),
    Metric("sypd", "SYPD", "", "more", "simulated years per day of run time"),
    Metric("chsy", "CHSY", "", "less", "core hours per simulated year, one core a rank"),
    Metric("wait_s", "waiting for output", "s", "less", WAITING_TEXT),
    Metric("wait_percent", "waiting for output", "%", "less", "the same, of the run time"),
    Metric("closing_s", "of it at the end", "s", "less",
           "waiting after the last step until all files were complete"),
    Metric("copy_s", "copying", "s", "",
           "compute ranks copying fields into the staging buffer, mean over them"),
    Metric("output_cost", "data output cost", "", "less",
           "run time over run time without output (CPMIP); 1 = output is free"),
    Metric("data_intensity", "data intensity", "GB/core h", "",
           "data written per core hour (CPMIP)"),
    Metric("bytes_written", "bytes written", "GB", "", "size of the complete files"),
    Metric("files", "files", "", "", "complete output files"),
)  # fmt: skip


def measure(run: RunData) -> dict[str, float]:
    """Every metric by key, from run.json; nan where it does not tell (a run that failed)."""
    figures = {metric.key: math.nan for metric in METRICS}
    figures["files"] = float(len(run.files))
    figures["bytes_written"] = float(sum(map(size_bytes, run.files)))
    told = run.summary.get("metrics", {})
    if isinstance(told, dict):
        figures.update({key: float(told[key]) for key in figures if _is_number(told.get(key))})
    return figures


def size_bytes(path: Path) -> int:
    """Of a file, or of all files of a store."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def setting(run: RunData, table: str, key: str) -> Any:
    """A setting of the experiment as resolved; of [[output]], those of every stream, joined."""
    value = run.experiment.get(table, {})
    if isinstance(value, list):
        found = [str(entry[key]) for entry in value if isinstance(entry, dict) and key in entry]
        return ", ".join(dict.fromkeys(found)) or None
    return value.get(key) if isinstance(value, dict) else None


def began_s(run: RunData) -> float:
    """Model time of the checkpoint that it went on from; 0 without one."""
    start = run.summary.get("start")
    told = start.get("begin_s") if isinstance(start, dict) else 0.0
    return float(told) if told is not None and _is_number(told) else 0.0


def simulated_s(run: RunData) -> float:
    """Simulated time in seconds, nan if unknown: without what the run before a checkpoint did."""
    try:
        return parse_duration_s(str(setting(run, "time", "duration"))) - began_s(run)
    except ValueError:
        return math.nan


def _transport(run: RunData) -> str | None:
    """How I/O ranks got the data, as the run told it, else as it was asked to; None without any."""
    if run.roles and "io" not in run.roles:
        return None
    told = str(run.summary.get("output", "")).rpartition("transport ")[2]
    asked = setting(run, "io", "transport")
    return told or (None if asked is None else str(asked))


def facts(run: RunData) -> list[tuple[str, str]]:
    """(name, value) of what describes a run but does not rate it."""
    counts = [(word, len(run.timing.ranks(role))) for role, word in ROLE_WORDS.items()]
    ranks = " + ".join(f"{count} {word}" for word, count in counts if count)
    duration = simulated_s(run)
    levels = setting(run, "model", "levels")
    chosen = [
        ("case", setting(run, "model", "case")),
        ("grid", setting(run, "grid", "name")),
        ("levels", levels),
        ("decomposition", setting(run, "grid", "decomposition")),
        ("ranks", ranks if run.roles else None),
        ("output mode", setting(run, "io", "mode")),
        ("transport", _transport(run)),
        ("partitions", setting(run, "output", "partitions")),
        ("output every", _durations(setting(run, "output", "interval"))),
        ("precision", setting(run, "output", "precision")),
        ("simulated time", None if math.isnan(duration) else short_duration(duration)),
    ]
    return [(name, str(value)) for name, value in chosen if value is not None]


def title(run: RunData) -> str:
    """'jet on R2B4, 2 compute + 1 I/O, async'."""
    known = dict(facts(run))
    head = " on ".join(known[key] for key in ("case", "grid") if key in known)
    rest = [known[key] for key in ("ranks", "output mode") if key in known]
    return ", ".join(([head] if head else []) + rest) or run.name


def what_limited(run: RunData) -> str:
    """'Limited by output: ...', the sentence of run.json; '' if it has none."""
    told = str(run.summary.get("limited_by", "")).strip().rstrip(".")
    return f"Limited by {told}." if told else ""


def time_shares(run: RunData, role: str) -> dict[str, float]:
    """Mean seconds per rank of one role by kind, in drawing order; empty if unknown."""
    own_s = run.timing.mean_own_s(role)
    order = [*KINDS, *(name for name in own_s if name not in KINDS)]
    return {name: own_s[name] for name in order if own_s.get(name, 0.0) > 0.0}


def _durations(value: Any) -> str | None:
    if value is None:
        return None
    try:
        return ", ".join(short_duration(parse_duration_s(part)) for part in str(value).split(","))
    except ValueError:
        return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
