# SPDX-License-Identifier: Apache-2.0
"""The table of docs/limits.md says what the commands do with each container."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.merge.command import merge
from thalweg.report.rundata import read_run
from thalweg.report.runmap import choose_field
from thalweg.run.native_lists import of_kind
from thalweg.run.runner import RunRequest, run_case
from thalweg.trace.command import trace
from thalweg.trace.place import TraceRequest
from thalweg.verify.command import verify

ROOT = Path(__file__).resolve().parents[2]
CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT30M"
[[output]]
name = "main"
variables = ["vor"]
interval = "PT30M"
"""
ROW = re.compile(r"^\| (\w+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
TABLE = {name: says for name, *says in ROW.findall((ROOT / "docs" / "limits.md").read_text())}
CONTAINERS = tuple(name for name in TABLE if name != "container")


def make(folder: Path, *settings: str) -> Path:
    """In the place of the one before."""
    case = folder / "case.toml"
    case.write_text(CASE)
    return run_case(RunRequest(case, 2, settings, folder / "run", overwrite=True, quiet=True)).path


def refusal(command: Callable[..., object], *words: object, **more: object) -> str:
    """The sentence of a command that the user can act on, "" if it did what was asked."""
    try:
        command(*words, **more)
    except ThalwegError as error:
        return error.sentence if error.exit_code == 2 else f"our failure: {error.sentence}"
    return ""


def says(command: Callable[..., object], *words: object, **more: object) -> str:
    sentence = refusal(command, *words, **more)
    assert not sentence.startswith("our failure"), sentence
    return "no" if sentence else "yes"


def answer_for_merge(folder: Path, container: str) -> str:
    divided = ["io.mode=file_parallel", "io.ranks=0", f"output.container={container}"]
    if refused := refusal(make, folder, *divided):
        assert "file_parallel" in refused
        return "not divided"
    assert verify(folder / "run", None, as_json=True)
    parts = sorted((folder / "run" / "files").glob("main_*Z.[0-9][0-9][0-9].*[!n]"))
    assert len(parts) == 2
    return says(merge, parts, folder / "one.nc", overwrite=False, check=True, as_json=True)


def test_every_container_has_a_row(model: Path) -> None:
    names = dict.fromkeys(each["name"] for each in of_kind("container"))
    assert list(CONTAINERS) == list(names)


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_commands_do_what_the_table_says(container: str, tmp_path: Path, model: Path) -> None:
    run = make(tmp_path, "io.mode=serial", f"output.container={container}")
    request = TraceRequest("vor", "cell", 7, 2, 1)
    verified = "yes" if verify(run, None, as_json=True) else "no"
    traced, drawn = says(trace, run, request, as_json=True), says(choose_field, read_run(run))
    merged = answer_for_merge(tmp_path, container)
    assert [verified, traced, merged, drawn] == TABLE[container]
