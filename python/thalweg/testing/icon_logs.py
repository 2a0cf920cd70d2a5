# SPDX-License-Identifier: Apache-2.0
"""LOG files of ICON, written as its source writes them (mo_real_timer, mo_name_list_output)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

MANY = (
    "name", "# calls", "t_min", "min rank", "t_avg", "t_max", "max rank", "total min (s)",
    "total min rank", "total max (s)", "total max rank", "total avg (s)", "# PEs",
)  # fmt: skip
ONE = ("name", "# calls", "t_min", "t_avg", "t_max", "total min (s)", "total max (s)",
       "total avg (s)")  # fmt: skip
OLDER = MANY[:-2]


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """As print_table of ICON's mo_util_table: columns as wide as they must be, between rules."""
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    rule = "   ".join("-" * width for width in widths)

    def line(cells: Sequence[str]) -> str:
        return "   ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))

    lines = ["", rule, line(columns), rule, "", *map(line, rows), "", rule, ""]
    return [f" {line}" if line else "" for line in lines]


def many(name: str, calls: int, low: float, high: float, mean: float, ranks: int) -> list[str]:
    """A timer of several ranks; durations as time_str() writes them."""
    cell = [name, str(calls), duration(low / calls * ranks), "[1]", duration(mean / calls * ranks)]
    cell += [duration(high / calls * ranks), "[5]", f"{low:12.3f}", "[1]", f"{high:12.3f}", "[5]"]
    return [*cell, f"{mean:12.3f}", str(ranks)]


def one(name: str, calls: int, total: float) -> list[str]:
    mean = duration(total / calls)
    return [name, str(calls), mean, mean, mean, *[f"{total:12.3f}"] * 3]


def duration(seconds: float) -> str:
    whole = int(seconds)
    if whole >= 86400:
        return f"{whole // 86400:02d}d{whole % 86400 // 3600:02d}h"
    if whole >= 3600:
        return f"{whole // 3600:02d}h{whole % 3600 // 60:02d}m"
    if whole >= 60:
        return f"{whole // 60:02d}m{whole % 60:02d}s"
    return f"{seconds:7.4f}s".strip() if seconds >= 1.0 else f"{seconds:8.5f}s".strip()


def got(bytes_got: float, get_s: float, write_s: float, written: float, of: str = "") -> str:
    """A line of an I/O rank (of = ""), or of a restart rank; bytes as each side counts them."""
    get_rate = bytes_got / 1e6 / max(1e-6, get_s)
    write_rate = written / 1e6 / max(1e-6, write_s)
    copy = "" if of else f", times copy: {0.031:10.3f} s"
    return (
        f" {of}Got {bytes_got / 1e6:10.3f} MB, time get: {get_s:10.3f} s [{get_rate:10.3f} MB/s], "
        f"time write: {write_s:10.3f} s [{write_rate:10.3f} MB/s]{copy}"
    )


def ranks_line(compute: int, io: int = 0, restart: int = 0) -> str:
    return (
        f" set_mpi_work_communicators: Number of procs for test: 0, work: {compute}, I/O: {io}, "
        f"Restart: {restart}, Prefetching: 0"
    )


COMPUTE = [
    many("total", 6, 5970.001, 5970.311, 5970.156, 6),
    many(" L wrt_output", 126, 12.5, 19.5, 15.5, 6),
    many(" L integrate_nh", 43200, 5900.0, 5910.0, 5905.0, 6),
    many("    L physics", 43200, 2400.0, 2600.0, 2500.0, 6),
    many("exch_data", 900000, 700.0, 900.0, 800.25, 6),
    many(" L exch_data.wait", 900000, 500.0, 700.0, 600.0, 6),
    many("model_init", 12, 3.0, 3.5, 3.25, 6),
    many(" L ordglb_sum", 600, 60.0, 62.0, 61.5, 6),
]
IO = [many("wrt_output", 44, 40.0, 44.0, 42.0, 2)]


def icon_lines() -> list[tuple[int, str]]:
    """6 compute and 2 I/O ranks, 40 outputs of 8 million values of 8 bytes: (rank, text)."""
    lines = [(0, ranks_line(6, 2))]
    for step in range(1, 6):
        clock = f"2008-09-01 00:{2 * step:02d}:00.000"
        text = f" Time step: {step:9d} model time {clock} forecast time 000,00:{2 * step:02d}:00"
        lines.append((0, text))
    for number in range(40):
        lines.append((6 + number % 2, f"#################### I/O PE {6 + number % 2} done at 1200"))
        lines.append((6 + number % 2, got(64e6, 0.016, 0.08, 32e6)))
    lines += [(0, text) for text in [" Timer report, ranks 0-5", *table(MANY, COMPUTE)]]
    return [*lines, *((6, text) for text in [" Timer report, ranks 6-7", *table(MANY, IO)])]


def write_lines(path: Path, lines: Sequence[tuple[int, str]]) -> Path:
    """Lines of ranks, a second apart, as srun --label and the run script print them."""
    stamped = []
    for number, (rank, text) in enumerate(lines):
        minute, second = divmod(number, 60)
        stamped.append(f"{rank:4d}: [20250123 10{minute:02d}{second:02d}.000]{text}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(stamped) + "\n", encoding="utf-8")
    return path
