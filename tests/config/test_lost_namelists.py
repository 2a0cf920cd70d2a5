# SPDX-License-Identifier: Apache-2.0
"""A namelist of which nothing is known any more is told, and so is what was made of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import RunScript, read_run_script
from thalweg.shell.unresolved import has_unresolved

MASTER = """
cat > icon_master.namelist <<EOF
&master_nml
/
&master_model_nml
 model_namelist_filename = "NAMELIST_a"
/
EOF
"""
FIRST = "cat > NAMELIST_a <<EOF\n&run_nml\n n = 1\n/\nEOF\n"


def read(folder: Path, text: str) -> RunScript:
    path = folder / "exp.run"
    path.write_text(text + MASTER)
    return read_run_script(path, {})


@pytest.mark.parametrize(
    "text",
    [
        "{ sed 'N;P;D' NAMELIST_a; echo ' k = 5'; echo /; } > t; mv t NAMELIST_a",
        "{ head -n -1 NAMELIST_a; echo ' k = 5'; echo /; } > t; cp t NAMELIST_a",
        "x=$(head -n -1 NAMELIST_a; echo ' k = 5'; echo /); echo \"$x\" > NAMELIST_a",
    ],
)
def test_one_that_the_master_names_is_told(tmp_path: Path, text: str) -> None:
    script = read(tmp_path, FIRST + text)
    assert "NAMELIST_a" not in script.groups
    assert any("'NAMELIST_a', which the master namelist names" in each for each in
               script.passed_over)  # fmt: skip


@pytest.mark.parametrize("text", ["exec 3>&1 > NAMELIST_a", "exec > NAMELIST_a 3>&1"])
def test_what_goes_to_one_behind_exec_is_told(tmp_path: Path, text: str) -> None:
    script = read(tmp_path, f"{text}\necho '&run_nml'; echo ' n = 4'; echo /\nexec 1>&3")
    assert script.passed_over


def test_what_is_taken_from_one_that_was_changed_is_open(tmp_path: Path) -> None:
    script = read(tmp_path, FIRST.replace("NAMELIST_a", "t.txt") + "perl -pi -e 's/1/2/' t.txt\n"
                  "v=$(grep 'n =' t.txt | cut -d= -f2); nl=$(wc -l < t.txt)\n"
                  "cat > NAMELIST_a <<EOF\n&t_nml\n v = $v\n nl = $nl\n/\nEOF")  # fmt: skip
    [group] = script.groups["NAMELIST_a"]
    assert all(has_unresolved(str(group.items[name].values[0])) for name in ("v", "nl"))
