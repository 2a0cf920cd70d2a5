# SPDX-License-Identifier: Apache-2.0
"""One list of settings: the page shows it, experiments are read and written by it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from thalweg.config.durations import format_duration, parse_duration_s, short_duration
from thalweg.config.experiment import Experiment
from thalweg.config.page import PAGE_PATH, default_text, settings_page
from thalweg.config.settings_list import settings_list
from thalweg.errors import closest_name


def test_the_page_is_the_list() -> None:
    assert PAGE_PATH.read_text() == settings_page(), "run: thalweg settings --markdown"
    rows = [line for line in PAGE_PATH.read_text().splitlines() if line.startswith("| `")]
    assert len(rows) == sum(len(table.settings) for table in settings_list().values()) > 30


def test_a_resolved_experiment_reads_back_as_itself(small_case: Path) -> None:
    overrides = ["output.main.variables=vor,div", "output.1.interval=PT15M", "model.cfl=0.7"]
    overrides += ["time.start=1850-06-01", "output.precision=float64", "output.flat.levels=[1, 2]"]
    first = Experiment.read(small_case, overrides)
    small_case.write_text(first.to_toml())
    second = Experiment.read(small_case)
    assert second.to_toml() == first.to_toml()
    assert second.text("time", "start") == "1850-06-01T00:00:00Z"
    assert second.number("model", "cfl") == 0.7
    main, flat = second.outputs
    assert main.texts("variables") == ["vor", "div"]
    assert flat.number("interval") == 900.0
    assert flat.integers("levels") == [1, 2]
    assert main.text("precision") == flat.text("precision") == "float64"


@pytest.mark.parametrize("word", ["PT1H", '"PT1H"', "'PT1H'", "3600", "3600.0", "3.6e3", '"3600"'])
def test_a_duration_is_given_as_in_a_file_or_without_quotes(word: str, small_case: Path) -> None:
    assert Experiment.read(small_case, [f"time.duration={word}"]).number("time", "duration") == 3600


def test_the_model_accepts_a_resolved_experiment(small_case: Path, model: Path) -> None:
    small_case.write_text(Experiment.read(small_case).to_toml())
    command = [str(model), "--check", str(small_case), "run", "--ranks", "3"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("text", "duration_s"),
    [("PT1H", 3600.0), ("P1DT6H", 108000.0), ("PT90S", 90.0), ("P2W", 1209600.0), ("7.5", 7.5)],
)
def test_durations_are_read_and_written(text: str, duration_s: float) -> None:
    assert parse_duration_s(text) == duration_s
    assert parse_duration_s(format_duration(duration_s)) == duration_s


@pytest.mark.parametrize("text", ["P", "PT", "1H", "P1Y", "PT1H30", "P1M", "", "PTH", "P1DT"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration_s(text)


def test_short_durations_have_two_units() -> None:
    assert short_duration(93784.0) == "1 d 2 h"
    assert short_duration(59.6) == "1 min"
    assert short_duration(0.2) == "0 s"


def test_a_close_name_is_found_and_a_far_one_is_not() -> None:
    assert closest_name("asynch", ["serial", "async"]) == "async"
    assert closest_name("mian", ["main", "mine"]) == "main"
    assert closest_name("teapot", ["serial", "async"]) == ""


def test_settings_as_json_is_the_whole_list(cli: object) -> None:
    listed = json.loads(cli("settings", "--json").stdout)  # type: ignore[operator]
    known = [(s.table, s.key) for table in settings_list().values() for s in table.settings]
    assert [(each["table"], each["key"]) for each in listed] == known


def test_default_durations_are_shown_with_their_units() -> None:
    settings = [each for table in settings_list().values() for each in table.settings]
    shown = {each.key: default_text(each) for each in settings if each.type == "duration"}
    assert shown["timeout"] == '"PT10M"'
    assert shown["file_interval"] == '"PT0S"'
    assert all(text.startswith('"P') for text in shown.values())
