# SPDX-License-Identifier: Apache-2.0
"""Files that a script copies and then appends to, and what stands between groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thalweg.advisor.icon_streams import Answer

Advise = Callable[..., Answer]
HEAD = (
    "&grid_nml dynamics_grid_filename = 'iconR2B04_DOM01.nc' /\n"
    "&run_nml iforcing = 3 num_lev = 30 dtime = 120. nsteps = 72 /\n"
)
OUTPUT = "&output_nml output_bounds = 0, 864000, {} steps_per_file = 0 ml_varlist = 'u' /\n"


def said(warnings: Sequence[str], words: str) -> bool:
    return any(words in each for each in warnings)


def appended(before: str, text: str) -> str:
    return f"#!/bin/bash\n{before}\ncat >> NAMELIST << EOF\n{text}EOF\n"


@pytest.mark.parametrize(
    "way", ["cp base.nml NAMELIST", "cat base.nml > NAMELIST", "ln -s base.nml NAMELIST"]
)
def test_what_is_appended_to_a_copied_file_is_read_behind_it(
    advise: Advise, way: str, tmp_path: Path
) -> None:
    old = "&parallel_nml num_io_procs = 2 /\n" + OUTPUT.format(3600)
    (tmp_path / "base.nml").write_text(HEAD + old)
    more = "&parallel_nml num_io_procs = 9 /\n&io_nml dt_checkpoint = 3600. /\n"
    answer = advise(appended(way, more + OUTPUT.format(600)))
    assert [stream.outputs for stream in answer.streams] == [4, 16]
    assert answer.processes[0].parallel.values["num_io_procs"] == 2
    assert answer.processes[0].restart.items.values["dt_checkpoint"] == 3600.0
    assert said(answer.warnings, "'&parallel_nml' is there again")


def test_a_file_that_is_not_there_and_grows_is_told(advise: Advise) -> None:
    answer = advise(appended("cp base.nml NAMELIST", HEAD))
    assert said(
        answer.warnings, "'NAMELIST' has what 'base.nml' has, which does not lie beside the"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("${OUTPUT_BLOCK}", "give --set OUTPUT_BLOCK=VALUE"),
        ("$(cat more_nml)", "groups in it are not counted; write them here"),
        ("$output_nml ml_varlist = 'u' /", "ICON looks for '&output_nml' and does not find '$out"),
        ("! ${COMMENT}", ""),
        ("$end", ""),
        ("$Id: namelist 7 $", ""),
        ("dt = ${STEP}", ""),
    ],
)
def test_what_stands_between_groups_and_may_be_one_is_told(
    advise: Advise, line: str, told: str
) -> None:
    quoted = "EOF" if "${" in line or "$(" in line else "'EOF'"
    text = HEAD + OUTPUT.format(3600) + line
    answer = advise(f"#!/bin/bash\ncat > NAMELIST << {quoted}\n{text}\nEOF\n")
    assert len(answer.streams) == 1
    about = [each for each in answer.warnings if "not counted" in each]
    assert [told in each for each in about] == ([True] if told else [])


def test_a_second_output_nml_on_a_line_is_not_read(advise: Advise) -> None:
    """Behind a namelist that was read Fortran goes on at the next line."""
    first = OUTPUT.format(3600).replace("\n", " ")
    answer = advise(HEAD + first + OUTPUT.format(600) + OUTPUT.format(1800))
    assert [stream.interval_s for stream in answer.streams] == [3600.0, 1800.0]
    assert said(answer.warnings, "does not read an '&output_nml' on the line where another one")


def test_what_no_stream_needs_is_not_asked_for(advise: Advise) -> None:
    text = HEAD + OUTPUT.format(3600) + "&limarea_nml itype_latbc = ${LBC} /\n"
    answer = advise(f"#!/bin/bash\ncat > NAMELIST << EOF\n{text}EOF\n")
    assert answer.processes[0].open_aside == ("LBC",)
    assert said(answer.warnings, "the script leaves open: 'LBC'")


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("cp base.nml NAMELIST", [600]),
        ("rm -f NAMELIST\ncat base.nml >> NAMELIST", [600]),
        ("cp NAMELIST old", [3600, 600]),
        ("cp NAMELIST ../NAMELIST", [3600, 600]),
        ("rm -f other", [3600, 600]),
        ("mv NAMELIST old; mv old NAMELIST", [3600, 600]),
    ],
)
def test_streams_are_those_that_the_last_file_has(
    advise: Advise, between: str, expected: list[float], tmp_path: Path
) -> None:
    """A script that prepares another run in the same file, and one that keeps a copy."""
    (tmp_path / "base.nml").write_text(HEAD)
    text = appended("cp base.nml NAMELIST", OUTPUT.format(3600))
    answer = advise(text + appended(between, OUTPUT.format(600)) + "rm -f NAMELIST\n")
    assert [stream.interval_s for stream in answer.streams] == expected
    assert not said(answer.warnings, "not counted")
