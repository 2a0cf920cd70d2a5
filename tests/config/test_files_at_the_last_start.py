# SPDX-License-Identifier: Apache-2.0
"""Namelists count as the model found them when a script started it last."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import RunScript, read_run_script

WRITE = "cat > NAMELIST_q << E\n&run_nml\n a = {}\n/\nE\n"
MASTER = (
    "cat > icon_master.namelist << E\n&master_model_nml model_namelist_filename='NAMELIST_q' /\nE\n"
)
CHANGE = "sed -i 's/a = 1/a = 3/' {}\n"


def read(folder: Path, text: str) -> RunScript:
    (folder / "exp.run").write_text(text)
    return read_run_script(folder / "exp.run", {})


def value(script: RunScript) -> object:
    """Of the one file with run_nml."""
    [found] = [
        (name, group.items["a"].values[0])
        for name, groups in script.groups.items()
        for group in groups
        if group.name == "run_nml"
    ]
    return found


@pytest.mark.parametrize("master", ["", MASTER], ids=["alone", "with a master"])
@pytest.mark.parametrize(
    ("behind", "told"),
    [
        ("", ""),
        ("rm NAMELIST_q\n", ""),
        ("mv NAMELIST_q NAMELIST_q.done\n", ""),
        ("cp NAMELIST_q save\nrm -f NAMELIST_*\n", ""),
        (CHANGE.format("NAMELIST_q"), "'NAMELIST_q' is changed behind this last start"),
        ("cat >> NAMELIST_q << E\n&io_nml /\nE\n", "'NAMELIST_q' is changed behind"),
        ("mkdir log; mv NAMELIST_q log/\n" + CHANGE.format("log/NAMELIST_q"),
         "'NAMELIST_q' is written behind this last start of the model: it is not counted"),
        ("mv NAMELIST_q NAMELIST_next\n" + CHANGE.format("NAMELIST_next"),
         "'NAMELIST_next' is written behind"),
        ("sed 's/a = 1/a = 3/' NAMELIST_q > NAMELIST_q.next\n", "'NAMELIST_q.next' is written"),
        (WRITE.format(5), "'NAMELIST_q' is changed behind"),
    ],
)  # fmt: skip
def test_what_comes_behind_it_does_not_count(
    tmp_path: Path, master: str, behind: str, told: str
) -> None:
    script = read(tmp_path, WRITE.format(1) + master + "srun icon\n" + behind)
    assert value(script) == ("NAMELIST_q", 1)
    assert not script.doubtful
    if told:
        assert any(told in each for each in script.passed_over)
    else:
        assert not script.passed_over


def test_each_turn_of_a_loop_has_its_own(tmp_path: Path) -> None:
    script = read(tmp_path, f"for i in 1 2; do\n{WRITE.format('$i')}srun icon\n"
                  "mv NAMELIST_q NAMELIST_q.$i\ndone\n")  # fmt: skip
    assert value(script) == ("NAMELIST_q", 2)
    assert any("'NAMELIST_q.1' keeps what" in each for each in script.passed_over)


def test_a_start_that_need_not_be_tells_nothing(tmp_path: Path) -> None:
    """What comes before it counts; it may read that."""
    maybe = "if [ $X = 1 ]; then srun icon; fi\n"
    script = read(tmp_path, WRITE.format(1) + "srun icon\n" + CHANGE.format("NAMELIST_q") + maybe)
    assert value(script) == ("NAMELIST_q", 3)


def test_other_programs_are_no_start(tmp_path: Path) -> None:
    text = WRITE.format(1) + "srun cdo\n" + CHANGE.format("NAMELIST_q") + "srun icon\n"
    assert value(read(tmp_path, text)) == ("NAMELIST_q", 3)


def test_groups_that_the_model_has_not_read_count(tmp_path: Path) -> None:
    """Of a model that is started in a way that is not known."""
    other = "cat > NAMELIST_p << E\n&jsb_control_nml a = 2 /\nE\n./run_land\n"
    script = read(tmp_path, WRITE.format(1) + "srun icon\n" + other)
    assert set(script.groups) == {"NAMELIST_q", "NAMELIST_p"}


def test_a_failure_that_ends_the_script_ends_it(tmp_path: Path) -> None:
    """Behind a start; before one it is told, and read on."""
    text = "set -e\n{}count=0\n((count++))\n" + WRITE.format(5) + "srun icon\n"
    script = read(tmp_path, text.format(WRITE.format(1) + "srun icon\n"))
    assert value(script) == ("NAMELIST_q", 1)
    assert any("'set -e' ends the script here" in each for each in script.passed_over)
    script = read(tmp_path, text.format(""))
    assert value(script) == ("NAMELIST_q", 5)
    assert any("'set -e' ends the script here" in each for each in script.passed_over)


@pytest.mark.parametrize("end", ["srun ./icon && exit 0", "if srun ./icon; then break; fi"])
def test_a_run_succeeds_and_is_not_tried_again(tmp_path: Path, end: str) -> None:
    loop = f"n=120\nfor try in 1 2 3; do\n{WRITE.format('$n')}{end}\nn=$((n / 2))\ndone\n"
    script = read(tmp_path, loop)
    assert value(script) == ("NAMELIST_q", 120)
    assert not script.doubtful


@pytest.mark.parametrize(
    "text",
    [
        'print -r -u3 "&a v = 1 /"', 'print -u3 -r "&a v = 1 /"', 'print -ru3 -- "&a v = 1 /"',
        'print -n -u3 "&a v = 1"\nprint -u 3 " /"', 'print -u3 -n "&a "\nprint -u3 "v = 1 /"',
    ],
)  # fmt: skip
def test_print_of_ksh_on_a_channel(tmp_path: Path, text: str) -> None:
    script = read(tmp_path, f"#!/bin/ksh\nexec 3> NAMELIST_q\n{text}\nexec 3>&-\n")
    [group] = script.groups["NAMELIST_q"]
    assert group.items["v"].values == [1]
    said = read(tmp_path, '#!/bin/ksh\nx=$(print -r -u2 "&b")\necho "&a v = \'$x\' /" > N\n')
    assert said.groups["N"][0].items["v"].values == [""]
