# SPDX-License-Identifier: Apache-2.0
"""README.md keeps its promises: its commands run, it stays short."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
# The demo of the README simulates hours and takes a minute; here it has to work, in JSON too.
DEMO = "./thalweg demo"
JET = "./thalweg run examples/jet.toml --ranks 3 --set time.duration=PT1H --out runs/jet"
# Later commands want the eighth layer of the jet, and a cell of its grid.
SHORTER = {DEMO: f"{DEMO} --duration PT30M --json", JET: f"{JET} --set model.levels=8"}
RUNS_US = "./thalweg test"
Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path, model: Path) -> Path:
    """Looks like the checkout to a reader's commands, and keeps what they write out of it."""
    for name in ("thalweg", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def cases() -> list[Any]:
    """CI runs the demo itself, on a bare machine."""
    return [
        pytest.param(each, marks=[pytest.mark.slow] if each.startswith(DEMO) else [])
        for each in blocks("sh")
    ]


@pytest.mark.parametrize("block", cases(), ids=lambda block: block.split("\n")[0])
def test_every_command_runs(block: str, workplace: Path, cli: Cli) -> None:
    """What the script `thalweg` does before them is seen below, and in tests/setup."""
    for command in block.splitlines():
        if command == RUNS_US:
            continue
        program, *words = shlex.split(SHORTER.get(command, command))
        assert program == "./thalweg"
        result = cli(*words, cwd=workplace, timeout=400)
        assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        written = workplace / command.split()[-1]
        assert result.stdout.strip() or written.is_file(), f"{command} printed and wrote nothing"
        if command == DEMO:
            check_demo(result, workplace)


def check_demo(result: subprocess.CompletedProcess[str], workplace: Path) -> None:
    """Its answer is JSON alone; what it says to people goes beside."""
    told = json.loads(result.stdout)
    assert (workplace / told["report"]).is_file()
    assert {mode: run["status"] for mode, run in told["runs"].items()} == {
        "serial": "complete",
        "async": "complete",
    }
    assert "Both modes wrote the same bits." in result.stderr
    assert "of it compute ranks waited for output" in result.stderr


def test_the_experiment_it_shows_runs(workplace: Path) -> None:
    (workplace / "case.toml").write_text(blocks("toml")[0])
    words = ["--ranks", "4", "--set=grid.name=R2B2", "--set=model.levels=3", "--out", "run"]
    words += ["--set=time.duration=PT6H"]
    command = ["./thalweg", "run", "case.toml", *words]
    subprocess.run(command, cwd=workplace, capture_output=True, timeout=120, check=True)
    assert [file.name[:4] for file in (workplace / "run/files").iterdir()] == ["main"]
    assert [each.name for each in (workplace / "run/restart").iterdir()] == ["20000101T060000Z"]


def test_every_block_is_run_or_marked_as_text() -> None:
    languages = re.findall(r"^```(\w*)$", README.read_text(), re.MULTILINE)
    assert set(languages) == {"sh", "text", "toml", ""}
    assert {RUNS_US, *SHORTER} <= set("".join(blocks("sh")).splitlines())
    # an opening fence has a language, a closing one has none: they alternate
    assert [bool(language) for language in languages] == [True, False] * (len(languages) // 2)


def test_the_sentence_it_shows_is_the_one_it_prints(workplace: Path) -> None:
    (workplace / "case.toml").write_text('[io]\nmode = "asynch"\n')
    result = subprocess.run(
        ["./thalweg", "run", "case.toml"], cwd=workplace, capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 2
    assert result.stderr in blocks("text")


def test_it_is_short_and_begins_with_a_command() -> None:
    lines = README.read_text().splitlines()
    assert len(lines) <= 100
    assert lines.index("./thalweg demo") < 20
    assert sum("badge" in line for line in lines) <= 3
