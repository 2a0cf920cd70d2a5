# SPDX-License-Identifier: Apache-2.0
"""docs/follow-a-value.md is true: its stops, files and calls are those of `thalweg trace`."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "follow-a-value.md"
Told = list[dict[str, Any]]
Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def page_stops() -> dict[str, str]:
    """Stop -> source file, as the page's table says; the last stop is a file of the run."""
    rows = re.findall(r"^\| (\w+) \| `([^`]+)` \|", PAGE.read_text(), flags=re.MULTILINE)
    return dict(rows)


def run_and_trace(cli: Cli, folder: Path, mode: str) -> Told:
    run = folder / "run"
    settings = [
        "--set=grid.name=R2B2", "--set=model.levels=4", "--set=time.duration=PT1H",
        "--set=machine.ranks=3", f"--set=io.mode={mode}",
    ]  # fmt: skip
    made = cli("run", ROOT / "examples" / "jet.toml", "--out", run, *settings)
    assert made.returncode == 0, made.stderr
    words = ["--field", "vor", "--cell", "711", "--level", "3", "--time", "1", "--calls", "--json"]
    traced = cli("trace", run, *words)
    assert traced.returncode == 0, traced.stderr
    return [json.loads(line) for line in traced.stdout.splitlines() if line.startswith("{")]


@pytest.fixture(scope="module", params=["async", "serial", "file_parallel"])
def told(
    request: pytest.FixtureRequest, cli: Cli, tmp_path_factory: pytest.TempPathFactory
) -> Told:
    """What `thalweg trace --calls` tells of a value, in modes of each kind."""
    return run_and_trace(cli, tmp_path_factory.mktemp("value"), request.param)


def test_the_page_names_the_stops_and_files_of_a_real_trace(told: Told) -> None:
    stops = [each for each in told if "stop" in each]
    files = {stop["stop"]: stop["file"] for stop in stops}
    page = page_stops()
    assert {name: files[name] for name in page} == page
    assert list(files)[:-1] == list(page), "the page lists the stops in their order"
    kernel = next(stop for stop in stops if stop["stop"] == "kernel")
    container = next(stop for stop in stops if stop["stop"] == "container")
    assert kernel["value"] != 0.0
    assert abs(kernel["value"] - container["value"]) <= abs(kernel["value"]) * 2.0**-24


def test_the_page_lists_every_file_that_has_the_value_under_way(told: Told) -> None:
    """From the calls of a replay: the list in the page says nothing that they do not."""
    calls = {each["calls"]: each["frames"] for each in told if "calls" in each}
    assert set(calls) == {"pack", "reorder", "write"}
    on_the_way = [frame["file"] for at in ("pack", "reorder", "write") for frame in calls[at]]
    sentence = PAGE.read_text().split("From `put` to disk", 1)[1].split("every file", 1)[0]
    assert re.findall(r"`(src/[^`]+)`", sentence) == list(dict.fromkeys(on_the_way))
    calling = [frame["function"] for frame in calls["pack"]]
    assert "::put(" in calling[0]


def test_the_way_from_put_to_disk_is_short(told: Told) -> None:
    files = {frame["file"] for each in told if "calls" in each for frame in each["frames"]}
    lines = sum(len((ROOT / name).read_text().splitlines()) for name in files)
    assert 0 < len(files) <= 8
    assert lines <= 2000
