# SPDX-License-Identifier: Apache-2.0
"""Local variables of functions, values before a command, and commands in >( ), against bash."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import read_run_script
from thalweg.shell.unresolved import has_unresolved
from thalweg.testing.shell_values import HAS_BASH, of_bash, ours

SAME = [
    "f() { unset n; n=5; }; g() { local n=3; f; v=$n; }; n=1; g; v=$v$n",
    "f() { unset n; }; g() { local n=3; f; v=$n; }; n=1; g",
    "f() { local n=4; unset n; n=5; }; g() { local n=3; f; w=$n; }; n=1; g; v=$w$n",
    "h() { unset n; n=7; }; f() { local n=2; h; }; g() { local n=3; f; w=$n; }; n=1; g; v=$w$n",
    "h() { ( unset n; n=7 ); w=$n; }; f() { local n=2; h; }; n=1; f; v=$w$n",
    "f() { local n=1; n=2; }; unset n; f; v=${n-none}",
    "f() { declare -g n=4; }; g() { local n=3; f; w=$n; }; n=1; g; v=$w$n",
    "f() { local n=3; declare -g n=4$n; w=$n; }; n=1; f; v=$w$n",
    "f() { local n=3; declare -gi n=4+4; w=$n; }; n=1; f; v=$w$n",
    "f() { local n=3; declare -ga n=(4 5); w=$n; }; n=1; f; v=$w${n[1]}",
    "f() { local n=3; declare -gA n=([x]=4); w=$n; }; f; v=$w${n[x]}",
    "f() { ( local n=2 ); n=3; }; n=1; f; v=$n",
    "f() { n=1; x=$(local n=2; echo $n); n=3; }; f; v=$n$x",
    "n=1; n=2 eval 'v=v$n'; v=$v$n",
    "n=1; n=2 eval 'n=3'; v=$n",
    "n=1; n=2 eval 'unset n; v=x$n'; v=$v$n",
    "n=1; n+=2 eval 'v=$n'; v=$v$n",
    "echo 'n=7; v=v$n' > s.sh; n=1; n=2 . ./s.sh; v=$v$n",
    'a=(1 2); IFS=, eval \'v="${a[*]}"\'; v="$v${a[*]}"',
    "f() { v=$n; n=6; }; n=1; n=2 f; v=$v$n",
    "f() { unset n; v=$n; n=6; }; n=1; n=2 f; v=$v$n",
    "f() { local n; v=x$n; n=6; }; n=1; n=2 f; v=$v$n",
    "f() { declare -g n=6; v=$n; }; n=1; n=2 f; v=$v$n",
]
OPEN = [
    "n=1; n=4 export n; v=$n",
    "n=1; n=4 unset n; v=x$n",
    "n=1; n=4 read n <<< 7; v=$n",
    "n=1; n=4 let m=n+1; v=$m",
    "f() { export n; }; n=1; n=2 f; v=$n",
    "f() { [ $1 ] && local n=2; n=3; }; n=1; f $UNKNOWN; v=$n",
    "h() { [ $1 ] && unset n; n=3; }; f() { local n=2; h $UNKNOWN; }; n=1; f; v=$n",
    "echo 1 > b.txt; echo 3 | tee >(cat > b.txt) > c.txt; v=$(cat b.txt)",
]
PRINTS = '{ echo "&a"; echo " v=1"; echo "/"; }'


@pytest.mark.skipif(not HAS_BASH, reason="bash is not on the PATH")
@pytest.mark.parametrize("text", SAME)
def test_values_are_those_of_bash(tmp_path: Path, text: str) -> None:
    assert ours(tmp_path / "ours", text) == of_bash(tmp_path / "bash", text)


@pytest.mark.parametrize("text", OPEN)
def test_what_shells_do_differently_is_open(tmp_path: Path, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", text))


@pytest.mark.parametrize(
    ("text", "counted", "is_told"),
    [
        (f"{PRINTS} | tee >(cat > /dev/null) > NAMELIST_a", {"NAMELIST_a"}, False),
        (f"{PRINTS} | tee >(cat > NAMELIST_b) > NAMELIST_a", {"NAMELIST_a"}, True),
        (f"{PRINTS} | tee a.txt > NAMELIST_a", {"NAMELIST_a"}, False),
        (f"{PRINTS} > NAMELIST_a; {PRINTS} > >(cat > NAMELIST_b)", {"NAMELIST_a"}, True),
    ],
)
def test_names_of_files_are_no_commands(
    tmp_path: Path, text: str, counted: set[str], is_told: bool
) -> None:
    (tmp_path / "exp.run").write_text(text + "\n")
    script = read_run_script(tmp_path / "exp.run", {})
    assert set(script.groups) == counted
    assert ("a command in >( )" in "".join(script.passed_over)) is is_told
