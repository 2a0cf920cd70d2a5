# SPDX-License-Identifier: Apache-2.0
"""What waits for an I/O rank stays inside its budget, whatever happens when buffers are full."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from thalweg.files.run_directory import read_json_lines
from thalweg.testing.ranked_run import RankedRun, ranks_of, stopped

MIB = 1 << 20
# One output step is 5.8 MiB as it is staged; computing costs next to nothing beside it.
CASE = """
[grid]
name = "R2B3"
[model]
levels = 10
[time]
duration = "PT8H"
[[output]]
name = "main"
interval = "PT15M"
file_interval = "PT15M"
[io]
timeout = 60
"""
# With full buffers two steps wait. Messages may be late: of them the I/O rank knows one for sure.
LEAST = {"auto": 7 * MIB, "rma": 7 * MIB, "two_sided": 5 * MIB}
OUTPUTS = 33
BUDGET_MIB = 16
QUIET_S = 3.0  # on a machine that others use a step may take longer than a second
# Beside what waits: one slice as it came, a slab, one row of a plan.
BESIDE = 8 * MIB


def anonymous_bytes(process: int) -> int:
    """Memory that is no file and not shared; 0 when the process is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))


def hold_up(run: RankedRun, io_ranks: list[int]) -> None:
    """Until the model has filled every buffer: its progress, twice a second, has come to an end."""
    with stopped(io_ranks):
        shown, changed_s = "", time.monotonic()
        while time.monotonic() < changed_s + QUIET_S:
            if run.output() != shown:
                shown, changed_s = run.output(), time.monotonic()
            time.sleep(0.01)


def buffers_were_full(run: Path, pressure: str) -> bool:
    """Only then is a run a test of what happens when they are."""
    events = list(read_json_lines(run / "events.jsonl"))
    # Making a file is a write of no bytes: the files of dropped steps are made, too.
    written = {event["step"] for event in events if event["kind"] == "write" and event["bytes"]}
    if pressure == "thin":
        return 0 < len(written) < OUTPUTS
    kind = "spill" if pressure == "spill" else "wait"
    full = any(event["kind"] == kind and event["step"] >= 0 for event in events)
    return full and len(written) == OUTPUTS


@pytest.mark.some(9)
@pytest.mark.parametrize("pressure", ["block", "spill", "thin"])
@pytest.mark.parametrize(
    ("mode", "ranks", "transport"),
    [("async", 1, "auto"), ("async", 1, "two_sided"), ("shared_file", 2, "rma")],
)
def test_an_io_rank_stays_inside_its_budget(
    mode: str, ranks: int, transport: str, pressure: str, tmp_path: Path, model: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    settings = [f"io.mode={mode}", f"io.ranks={ranks}", f"io.transport={transport}"]
    settings += [f"io.backpressure={pressure}", f"io.budget={BUDGET_MIB}"]
    run = RankedRun.start(case, tmp_path / "run", [*settings, f"machine.ranks={2 + ranks}"])
    before, after = 0, 0  # of the last I/O rank: with its first file complete, and the most since
    while run.process.poll() is None:
        process = ranks_of(run.directory).get(1 + ranks, 0)
        now = anonymous_bytes(process) if list((run.directory / "files").glob("*.nc")) else 0
        if now and not before:
            hold_up(run, [each for rank, each in ranks_of(run.directory).items() if rank > 1])
        before, after = before or now, max(after, now)
        time.sleep(0.01)
    code, _ = run.wait()
    assert code == 0, run.errors()
    timing = json.loads((run.directory / "timing.json").read_text())
    waiting = timing["buffered_high_water_bytes"]
    of_io = [size for size, role in zip(waiting, timing["roles"], strict=True) if role == "io"]
    assert len(of_io) == ranks
    for size in of_io:
        assert LEAST[transport] / ranks < size <= BUDGET_MIB * MIB
    assert buffers_were_full(run.directory, pressure)
    assert 0 < before <= after < before + BESIDE, (before, after)
    print(f"high water {of_io}, memory {before} to {after} bytes")
