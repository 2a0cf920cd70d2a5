# SPDX-License-Identifier: Apache-2.0
"""A program that asks for its state is never told that there is none where there is one: it hears
why none can be continued, and nothing of the run before is lost.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SETTINGS = """
[time]
duration = "PT12H"
[[output]]
name = "main"
interval = "PT1H"
file_interval = "PT3H"
[[output]]
name = "other"
interval = "PT2H"
[restart]
mode = "sync"
interval = "PT1H"
keep = 3
"""
NEW_STREAM = '[[output]]\nname = "new"\ninterval = "PT1H"\n'
Result = subprocess.CompletedProcess[str]
Change = Callable[[Path], object]


@pytest.fixture(scope="session")
def model(installed: Any) -> Path:
    program: Path = installed.program(Path(__file__).with_name("continues.c"))
    return program


def go(
    installed: Any, model: Path, folder: Path, hours: int, settings: str, read: object, *more: str
) -> Result:
    folder.mkdir(exist_ok=True)
    (folder / "settings.toml").write_text(settings)
    result: Result = installed.result(2, model, "settings.toml", hours, read, *more, cwd=folder)
    return result


@pytest.fixture(scope="module")
def begun(installed: Any, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of five hours. Do not change it."""
    folder = tmp_path_factory.mktemp("continues") / "run"
    result = go(installed, model, folder, 5, SETTINGS, "restart")
    assert result.returncode == 0, result.stderr
    assert "state of -1 s" in result.stdout
    return folder


@pytest.fixture
def run(begun: Path, tmp_path: Path) -> Path:
    """One to change: nothing in it says where it was written."""
    return shutil.copytree(begun, tmp_path / "run")


def bytes_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "settings.toml"
    }


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def cut_sets(folder: Path) -> None:
    for path in (folder / "restart").glob("*/parts.bin"):
        cut(path)


def forget_outputs(folder: Path) -> None:
    """As where writers were far behind: of every journal only the head is there."""
    for path in (folder / "journal").glob("*.jsonl"):
        path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")
    for path in folder.glob("*.nc"):
        path.rename(path.with_name(f"{path.name}.part"))


REFUSED: dict[str, tuple[str, Change | None, str]] = {
    "another stream": (SETTINGS + NEW_STREAM, None, "'new' is not among them"),
    "another name": (SETTINGS.replace('"other"', '"else"'), None, "'else' is not among them"),
    "another interval": (
        SETTINGS.replace("PT2H", "PT4H"), None, "'other' had interval_s 7200.0 and has 14400.0",
    ),
    "other files": (
        SETTINGS.replace("PT3H", "PT4H"), None, "'main' had file_interval_s 10800.0",
    ),
    "another start": (
        SETTINGS.replace("[time]", '[time]\nstart = "1999-01-01T00:00:00Z"'), None,
        "'main' had start_date",
    ),
    "no journals": (
        SETTINGS, lambda run: shutil.rmtree(run / "journal"), "put its journals back",
    ),
    "damaged sets": (SETTINGS, cut_sets, "'parts.bin': it has"),
    "outputs behind": (
        SETTINGS, forget_outputs, "the output of stream 'main' at 10800 s is not in",
    ),
}  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("case", REFUSED)
def test_sets_that_cannot_be_continued_are_no_missing_sets(
    case: str, installed: Any, model: Path, run: Path
) -> None:
    settings, change, sentence = REFUSED[case]
    if change:
        change(run)
    before = bytes_of(run)
    again = go(installed, model, run, 8, settings, "restart")
    assert again.returncode == 2, again.stdout + again.stderr
    assert sentence in again.stderr
    assert "state of" not in again.stdout
    assert bytes_of(run) == before


def test_a_directory_that_holds_no_sets_is_no_first_run(
    installed: Any, model: Path, run: Path
) -> None:
    before = bytes_of(run)
    for read, sentence in ((".", "give that"), ("../nowhere", "there is no directory")):
        again = go(installed, model, run, 8, SETTINGS, read)
        assert again.returncode == 2, again.stdout + again.stderr
        assert sentence in again.stderr
    assert bytes_of(run) == before


def test_a_finished_file_may_be_archived_before_the_run_goes_on(
    installed: Any, model: Path, run: Path
) -> None:
    (run / "main_20000101T000000Z.nc").unlink()
    again = go(installed, model, run, 8, SETTINGS, "restart")
    assert again.returncode == 0, again.stderr
    assert "state of 18000 s" in again.stdout
    assert sorted(path.name for path in run.glob("main_*")) == [
        "main_20000101T030000Z.nc", "main_20000101T060000Z.nc",
    ]  # fmt: skip


def test_a_run_that_began_from_another_begins_there_again(
    installed: Any, model: Path, run: Path
) -> None:
    second = run.with_name("second")
    from_first = go(installed, model, second, 7, SETTINGS, run / "restart")
    assert "state of 18000 s" in from_first.stdout, from_first.stderr
    # With a set of its own it goes on there, and needs no file of the first run.
    own = shutil.copytree(second, run.with_name("own"))
    assert "state of 25200 s" in go(installed, model, own, 8, SETTINGS, "restart").stdout
    shutil.rmtree(second / "restart")
    again = go(installed, model, second, 8, SETTINGS, "restart")
    assert again.returncode == 0, again.stderr
    assert "state of 18000 s" in again.stdout
    names = [path.name for path in sorted(second.glob("*.nc*"))]
    assert names == ["main_20000101T060000Z.nc", "other_20000101T000000Z.nc"]
    shutil.rmtree(second / "restart")
    shutil.rmtree(run / "restart")
    lost = go(installed, model, second, 8, SETTINGS, "restart")
    assert lost.returncode == 2
    assert "began at 18000 s from" in lost.stderr


def test_sets_of_a_run_in_whose_place_another_one_began_do_not_count(
    installed: Any, model: Path, run: Path
) -> None:
    (run / "restart").rename(run / "sets")
    anew = go(installed, model, run, 2, SETTINGS, "restart")
    assert "state of -1 s" in anew.stdout, anew.stderr
    for late in (run / "sets").iterdir():
        late.rename(run / "restart" / late.name)
    again = go(installed, model, run, 8, SETTINGS, "restart")
    assert again.returncode == 0, again.stderr
    assert "state of 7200 s" in again.stdout
    assert "20000101T050000Z' is passed over: it is of an earlier run" in again.stderr


def test_a_state_written_before_its_outputs_does_not_take_the_place_of_the_one_before(
    installed: Any, model: Path, tmp_path: Path
) -> None:
    # An I/O rank may be hours behind on a busy machine.
    settings = SETTINGS.replace("keep = 3", "keep = 1") + '[io]\nmode = "serial"\n'
    died = go(installed, model, tmp_path / "run", 5, settings, "restart", "dies in between")
    assert died.returncode != 0
    again = go(installed, model, tmp_path / "run", 8, settings, "restart")
    assert again.returncode == 0, again.stderr
    assert "state of 14400 s" in again.stdout
    passed = "warning: checkpoint 'restart/20000101T050000Z' is passed over: the output of stream"
    assert again.stderr.count(passed) == 1, again.stderr


def test_sets_of_a_way_that_is_taken_anew_are_removed(
    installed: Any, model: Path, run: Path
) -> None:
    cut(run / "restart/20000101T050000Z/parts.bin")
    again = go(installed, model, run, 4, SETTINGS, "restart")
    assert "state of 14400 s" in again.stdout, again.stderr
    damaged = (
        "thalweg: warning: restart set 'restart/20000101T050000Z' is damaged: file 'parts.bin'"
    )
    assert again.stderr.count(damaged) == 1, again.stderr
    assert "the state of 14400 s is read instead" in again.stderr
    assert sorted(path.name for path in (run / "restart").iterdir()) == [
        "20000101T030000Z", "20000101T040000Z",
    ]  # fmt: skip


def test_settings_of_the_mini_model_are_warned_of(
    installed: Any, model: Path, tmp_path: Path
) -> None:
    settings = SETTINGS.replace("keep = 3", 'keep = 3\nread = "elsewhere"')
    settings = settings.replace("[[output]]", '[[output]]\nbounds = "always"', 1)
    done = go(installed, model, tmp_path / "run", 2, settings, "restart")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("[restart]: read is not looked at here") == 1, done.stderr
    assert done.stderr.count('bounds = "always" is not looked at here') == 1, done.stderr
