# SPDX-License-Identifier: Apache-2.0
"""The steps beside an output time are no output times, however many steps an interval has."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.files.streams import read_streams
from thalweg.run.runner import RunRequest, run_case

# Times were matched with a slack of 1e-6 of the interval, so the first steps were due as well: few
# steps show it.
CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
time_step = {step_s}
[time]
duration = {duration_s}
[[output]]
name = "rare"
variables = ["h", "vn"]
interval = "{interval}"
[[output]]
name = "every"
variables = ["h", "vn"]
interval = {step_s}
[io]
mode = "{mode}"
timeout = 60
[machine]
ranks = 3
"""
STEPS = 24


@pytest.mark.some(5)
@pytest.mark.parametrize("mode", ["serial", "async"])
@pytest.mark.parametrize(("step_s", "interval"), [(1, "P20D"), (10, "P200D"), (1, "P200D")])
def test_neighbours_of_an_output_time_are_not_written(
    step_s: int, interval: str, mode: str, tmp_path: Path, model: Path
) -> None:
    case = tmp_path / "case.toml"
    duration_s = STEPS * step_s
    case.write_text(CASE.format(**locals()))
    streams = read_streams(run_case(RunRequest(case, 0, [], tmp_path / "run", quiet=True)).path)
    rare, every = streams["rare"], streams["every"]
    assert [slot.time_s for slot in every.slots] == [step_s * k for k in range(STEPS + 1)]
    (only,) = rare.slots
    assert only.time_s == 0.0
    first, second = every.slots[:2]
    for name in ("h", "vn"):
        values = rare.values(name, only).tobytes()
        assert values == every.values(name, first).tobytes() != every.values(name, second).tobytes()
    for stream in streams.values():
        stream.close()
