# SPDX-License-Identifier: Apache-2.0
"""What a user should know and no error is said once: on the terminal, in run.json and log.txt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SHORT = "time.duration=PT30M"


def test_zstd_in_netcdf_is_warned_of_once(here: Any, small_case: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["output.main.compression=zstd", "output.flat.compression=deflate", SHORT]
    sets = [word for each in words for word in ("--set", each)]
    result = here("run", small_case, "--out", run, *sets)
    assert result.returncode == 0, result.stderr
    sentence = "[[output]] 'main': readers of netCDF files compressed by 'zstd' need HDF5's plugin"
    assert result.stderr.count(sentence) + result.stdout.count(sentence) == 1
    assert (run / "log.txt").read_text().count(f"thalweg: warning: {sentence}") == 1
    notes = json.loads((run / "run.json").read_text())["notes"]
    assert sum(sentence in note for note in notes) == 1


def test_a_variable_that_is_given_twice_is_warned_of_once(
    here: Any, small_case: Path, tmp_path: Path
) -> None:
    sets = ["--set", "output.main.variables=h,vor,h", "--set", "output.flat.variables=h,group:2d"]
    sets += ["--set", SHORT]
    result = here("run", small_case, "--out", tmp_path / "run", *sets)
    assert result.returncode == 0, result.stderr
    sentence = "warning: [[output]] 'main': variable 'h' is given 2 times; it is written once"
    assert result.stderr.count(sentence) + result.stdout.count(sentence) == 1
    notes = json.loads((tmp_path / "run" / "run.json").read_text())["notes"]
    assert notes.count(sentence) == 1
    assert not any("'flat'" in note or "'vor'" in note for note in notes), "all others are once"
    advised = here("advise", small_case, *sets)
    assert sentence in advised.stdout.splitlines()
