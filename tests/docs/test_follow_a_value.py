# SPDX-License-Identifier: Apache-2.0
"""docs/follow-a-value.md is true: its stops and files are those of `thalweg trace`."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "follow-a-value.md"


def page_stops() -> dict[str, str]:
    """Stop -> source file, as the page's table says; the last stop is a file of the run."""
    rows = re.findall(r"^\| (\w+) \| `([^`]+)` \|", PAGE.read_text(), flags=re.MULTILINE)
    return dict(rows)


def thalweg(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "thalweg"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_page_names_the_stops_and_files_of_a_real_trace(tmp_path: Path) -> None:
    run = tmp_path / "run"
    settings = [
        "--set=grid.name=R2B2", "--set=model.levels=4", "--set=time.duration=PT3H",
        "--set=machine.ranks=3",
    ]  # fmt: skip
    made = thalweg("run", ROOT / "examples" / "jet.toml", "--out", run, *settings)
    assert made.returncode == 0, made.stderr
    words = ["--field", "vor", "--cell", "711", "--level", "3", "--time", "2", "--json"]
    traced = thalweg("trace", run, *words)
    assert traced.returncode == 0, traced.stderr
    stops = [json.loads(line) for line in traced.stdout.splitlines() if line.startswith("{")]
    files = {stop["stop"]: stop["file"] for stop in stops}
    page = page_stops()
    assert {name: files[name] for name in page} == page
    assert list(files)[:-1] == list(page), "the page lists the stops in their order"
    kernel = next(stop for stop in stops if stop["stop"] == "kernel")
    container = next(stop for stop in stops if stop["stop"] == "container")
    assert kernel["value"] != 0.0
    assert abs(kernel["value"] - container["value"]) <= abs(kernel["value"]) * 2.0**-24


def test_the_way_from_put_to_disk_is_short() -> None:
    sentence = PAGE.read_text().split("From `put` to disk", 1)[1].split("seven files", 1)[0]
    files = re.findall(r"`(src/[^`]+)`", sentence)
    lines = sum(len((ROOT / name).read_text().splitlines()) for name in files)
    assert len(files) == 7
    assert lines <= 2000
