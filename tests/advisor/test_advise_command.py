# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise`: what it asks for, what it prints, and how fast."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.advisor.icon_streams import Answer
from thalweg.errors import ThalwegError

Advise = Callable[..., Answer]
Cli = Callable[..., "CompletedProcess[str]"]
KEYS = {
    "name", "level_type", "mesh", "points", "interval_s", "outputs", "variables",
    "unknown_variables", "values_per_output", "bytes_per_output", "bytes_once_per_file",
}  # fmt: skip
SCRIPT = """#!/bin/bash
interval=$(cat interval.txt)
cat > NAMELIST_atm << EOF
&parallel_nml
 nproma = ${nproma}
 num_io_procs = ${num_io_procs}
/
&grid_nml
 dynamics_grid_filename = '${grid}'
/
&run_nml
 iforcing = 3
 num_lev = ${nlev}
 nsteps = 144
/
&output_nml
 output_filename = '${EXPNAME}_atm'
 output_interval = '${interval}'
 steps_per_file = 0
 ml_varlist = 'temp', 'tmep'
/
EOF
"""
GIVEN = ("grid=iconR2B04_DOM01.nc", "nlev=10", "interval=PT6H")


def test_all_that_is_open_is_asked_for_in_one_sentence(advise: Advise) -> None:
    with pytest.raises(ThalwegError) as error:
        advise(SCRIPT)
    sentence = error.value.sentence
    for name, line in (("grid", 9), ("nlev", 13), ("interval", 18)):
        assert f"'{name}' (exp.test:{line}, " in sentence
    assert sentence.endswith("give --set grid=VALUE --set nlev=VALUE --set interval=VALUE")
    assert "'nproma'" not in sentence, "no stream needs it"
    assert "EXPNAME" not in sentence, "it is only a name"
    assert error.value.exit_code == 2


def test_what_is_given_is_enough(advise: Advise) -> None:
    stream = advise(SCRIPT, *GIVEN).streams[0]
    assert (stream.name, stream.outputs) == ("${EXPNAME}_atm", 5)
    assert stream.bytes_per_output == 20480 * 10 * 4
    assert advise(SCRIPT, *GIVEN, "EXPNAME=a").streams[0].name == "a_atm"


def test_a_setting_that_changes_nothing_is_told(advise: Advise) -> None:
    warnings = advise(SCRIPT, *GIVEN, "nlv=10").warnings
    told = "--set nlv: 'exp.test' uses no variable 'nlv'. Did you mean 'nlev'?"
    assert told in warnings


def test_dates_are_asked_for_only_where_they_count(advise: Advise) -> None:
    with pytest.raises(ThalwegError, match=r"'end_date' \(end of the run\)"):
        advise(SCRIPT.replace(" nsteps = 144", ""), *GIVEN)
    dated = SCRIPT.replace("steps_per_file", "output_end = '2000-01-02' steps_per_file")
    with pytest.raises(ThalwegError, match=r"'start_date' \(start of the run\)"):
        advise(dated, *GIVEN)
    assert advise(dated, *GIVEN, "start_date=2000-01-01").streams[0].outputs == 5
    text = SCRIPT.replace(" nsteps = 144", "")
    with pytest.raises(ThalwegError, match=r"would end .* before it starts"):
        advise(text, *GIVEN, "start_date=2000-01-02", "end_date=2000-01-01")


def test_bytes_of_a_stream_may_be_given(advise: Advise) -> None:
    stream = advise(SCRIPT, *GIVEN, given={"${EXPNAME}_atm": 1000}).streams[0]
    assert (stream.bytes_per_output, stream.bytes_in_all) == (1000, 5000)
    with pytest.raises(ThalwegError, match=r"there is no stream 'x'; choose one of: \$"):
        advise(SCRIPT, *GIVEN, given={"x": 1000})


def test_other_models_of_a_script_are_named(advise: Advise) -> None:
    ocean = "cat > NAMELIST_oce << EOF\n&ocean_physics_nml\n/\n&output_nml\n/\nEOF\n"
    answer = advise(SCRIPT + ocean, *GIVEN)
    assert len(answer.streams) == 1
    assert any("'NAMELIST_oce' is a namelist of the ocean" in each for each in answer.warnings)


def test_doubtful_parts_are_counted_and_told(advise: Advise) -> None:
    text = SCRIPT.replace("cat > NAMELIST_atm", "if [ -f x ]; then\ncat > NAMELIST_atm") + "fi\n"
    answer = advise(text, *GIVEN)
    assert len(answer.streams) == 1
    assert answer.warnings[0].startswith(
        "exp.test:4: whether, or how often, what 'NAMELIST_atm' has from here is written"
    )


def test_the_table_and_json_say_the_same(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "exp.test").write_text(SCRIPT.replace("\n", "\r\n"))
    words = ["advise", "exp.test", *(f"--set={word}" for word in GIVEN)]
    page = here(*words, cwd=tmp_path)
    told = json.loads(here(*words, "--json", cwd=tmp_path).stdout)
    assert set(told) == {"streams", "parallel", "restart", "warnings"}
    (stream,) = told["streams"]
    assert set(stream) >= KEYS
    assert stream["interval_s"] == 21600.0
    assert stream["variables"] == ["temp"]
    assert stream["unknown_variables"] == ["tmep"]
    heads, row, *rest = page.stdout.splitlines()
    assert heads.split()[:3] == ["stream", "levels", "mesh"]
    figures = "R2B4 20480 6 h 5 1 1 0.000819 0.004"
    assert row.split() == [stream["name"], "ml", *figures.split()]
    printed = [each for each in rest if each.startswith("warning: ")]
    assert printed == [f"warning: {each}" for each in told["warnings"]]
    assert any("'tmep' of stream" in each for each in printed)


@pytest.mark.parametrize(("interval", "words"), [("P1M", "1 month"), ("P31D", "31 d")])
def test_months_are_no_number_of_days(here: Cli, tmp_path: Path, interval: str, words: str) -> None:
    (tmp_path / "exp.test").write_text(SCRIPT + "start_date=2000-01-01\n")
    given = [f"--set={word}" for word in (*GIVEN[:2], f"interval={interval}")]
    table = here("advise", "exp.test", *given, cwd=tmp_path)
    told = json.loads(here("advise", "exp.test", *given, "--json", cwd=tmp_path).stdout)
    assert f" 20480  {words:>8}  " in table.stdout.splitlines()[1]
    assert told["streams"][0]["interval_s"] == 31 * 86400.0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cells", "few"], "--cells 'few' is no number of cells"),
        (["--cells", "3=100"], "--cells 3=...: the run has 1 domain"),
        (["--bytes-per-output", "many"], "write STREAM=BYTES"),
        (["--set", "nothing"], "write --set NAME=VALUE"),
        ([], "the script leaves open"),
    ],
)
def test_wrong_words_are_one_sentence(
    here: Cli, tmp_path: Path, words: list[str], sentence: str
) -> None:
    (tmp_path / "exp.test").write_text(SCRIPT)
    settings = [f"--set={word}" for word in GIVEN] if words else []
    result = here("advise", tmp_path / "exp.test", *settings, *words)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_files_by_steps_are_whole_numbers(here: Cli, tmp_path: Path) -> None:
    """The output at the start rides along: a truth value that was numpy's, which JSON has not."""
    text = SCRIPT.replace("${interval}", "PT6H").replace("${grid}", "iconR2B04_DOM01.nc")
    text = text.replace("${nlev}", "10").replace("steps_per_file = 0", "steps_per_file = 2")
    (tmp_path / "exp.test").write_text(text + "start_date=2000-01-01\n")
    done = here("advise", tmp_path / "exp.test", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["streams"][0]["files"] == 2
