# SPDX-License-Identifier: Apache-2.0
"""What shells refuse, and what depends on their language: readonly, errors that are read, letters
beyond ASCII, ~, `declare -n` and words of scripts that are sourced.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import read_run_script
from thalweg.shell.unresolved import has_unresolved
from thalweg.testing.shell_values import HAS_BASH, of_bash, ours

SAME = [
    "a=1; b=2; declare -n r=v; for r in a b; do r=9; done; v=$a$b",
    "x=5; r=x; declare -n r; v=$r",
    "x=5; declare -n r=x; unset -n r; r=6; v=$x$r",
    "v=; readonly x=1; readonly x; f() { readonly y=2; v=$v$y; }; f; f; v=$v$x",
    "echo 'shift' > s.sh; set -- 1 2; . ./s.sh 5 6; v=$1$2",
    "echo 'f() { set -- 7; }; f' > s.sh; set -- 1 2; . ./s.sh 5 6; v=$1$2",
    "echo 'set -- 7' > s.sh; set -- 1 2; . ./s.sh; v=$1$2",
    "echo 'w=$1' > s.sh; f() { . ./s.sh a; v=$1$w; }; f 4; v=$v",
    "HOME=/h; v=${u:-~}; f() { v=$v$1; }; f ~; set -- ~/b; v=$v$1",
    "v=; HOME=/h; for d in ~/a ~ '~'; do v=$v,$d; done; b=(~ x~); v=$v${b[*]}",
    'HOME=/h; z=${u-~/a:~/b}; v="$z${u-~}"',
    "HOME=$PWD; echo 1 > ~/f; sed -i s/1/2/ ~/f; v=$(cat f)",
    "x=grün; v=$(echo $x | sed 's/r.*n/x/'); v=$v${x%n}${x#*r}${x/ü/u}",
    "x=grün; case $x in g*) v=1;; esac; [ $x = grün ] && v=$v-2",
    "v=$(echo 'a=1 ! Höhe' | sed -e 's/ *!.*//' -e 's/=[^ ]*/=3/')",
    "printf %d 12 > f && v=1; printf '%s\\n' a > f && v=$v-2",
    "f() { local a=1 b; export C=$((a + 1)); [ $C -gt 1 ] && echo $C; }; v=$(f 2>&1 | wc -l)",
    "f() { set -e; a=(1 2); shift 0; echo ${a[1]} ${a[@]:0:1} >&2; }; v=$(f 2>&1 | wc -l)",
    "f() { x=$(echo 1 >&2; echo 2); return; }; v=$(f 2>&1)",
]
OPEN = [
    "echo 'set -- 8 9' > s.sh; set -- 1 2; . ./s.sh 5; v=z$1",
    "x=grün; v=${#x}",
    "x=grün; v=${x:0:3}",
    "x=grün; v=${x^^}",
    "x=grün; v=${x/r?n/x}",
    "x=grün; v=${x//[!a-z]/_}",
    "x=grün; v=${x//[[:alpha:]]/_}",
    "x=grün; case $x in gr?n) v=1;; *) v=2;; esac",
    "x=grün; [[ $x =~ r(.)n ]] && v=${BASH_REMATCH[1]}",
    "x=grün; typeset -u v; v=$x",
    "v=$(echo grün | cut -c1-3)",
    "v=$(echo grün | sed s/r.n/x/)",
    "v=$(echo grün | sed 's/[ü]/x/')",
    "v=$(echo grün | sed y/ü/u/)",
    "v=$(echo grün | grep -c r.n)",
    "v=$(echo grün | tr ü u)",
    "v=$(echo grün | rev)",
    "v=$(printf %c ü)",
    'x=1; v="${x:+$x"y"}"',
    "if printf %d abc > /dev/null 2>&1; then v=1; else v=2; fi",
    "v=$( { export 1a=2; echo a; } 2>&1 | wc -l )",
    "v=$( { local x=1; echo a; } 2>&1 | wc -l )",
    "v=$( { return; echo a; } 2>&1 | wc -l )",
    "v=$( { set -o nothing; echo a; } 2>&1 | wc -l )",
    "v=$( { : $((1/0)); echo a; } 2>&1 | wc -l )",
    "v=$( { : ${x:?none}; echo a; } 2>&1 | wc -l )",
    "v=$( { [[ 1 -eq a+ ]]; echo a; } 2>&1 | wc -l )",
    "v=$( { x=$(nothing); echo a; } 2>&1 | wc -l )",
    "v=$( { x=$(export 1a=2; echo 1); echo a; } 2>&1 | wc -l )",
    "v=$( { read x < nothing; echo a; } 2>&1 | wc -l )",
    "f() { unset x; }; readonly x=1; v=$(f 2>&1 | wc -l)",
]
NAMELIST = "cat > NAMELIST << EOF\n&a\n v = 1\n/\nEOF\n"
TOLD = {
    "readonly x=1\nx=2\n": "'x' is readonly",
    "readonly x=1\nfor x in 3; do :; done\n": "'x' is readonly",
    "readonly -a x=(1)\nx=(1 2)\n": "'x' is readonly",
    "f() { local x=2; }\nreadonly x=1\nf\n": "'x' is readonly",
    "declare -n r\nr=x\n": "whose name is not known",
    "typeset -Z3 x=1\n": "'typeset -Z, -L or -R' is of ksh",
    "print a\n": "'print' is of ksh",
    "x=1\r\ny=2\r\n": "end as on Windows",
}


@pytest.mark.skipif(not HAS_BASH, reason="bash is not on the PATH")
@pytest.mark.parametrize("text", SAME)
def test_values_are_those_of_bash(tmp_path: Path, text: str) -> None:
    assert ours(tmp_path / "ours", text) == of_bash(tmp_path / "bash", text)


@pytest.mark.parametrize("text", OPEN)
def test_what_shells_may_refuse_or_differ_in_is_open(tmp_path: Path, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", text))


@pytest.mark.parametrize("text", TOLD)
def test_what_a_shell_would_not_do_is_told(tmp_path: Path, text: str) -> None:
    end = "\r\n" if "\r" in text else "\n"
    whole = "#!/bin/bash" + end + text + NAMELIST.replace("\n", end)
    (tmp_path / "exp.run").write_bytes(whole.encode())
    assert TOLD[text] in "".join(read_run_script(tmp_path / "exp.run", {}).passed_over)


def test_what_ksh_has_is_not_told_of_ksh(tmp_path: Path) -> None:
    (tmp_path / "exp.run").write_text("#!/bin/ksh\ntypeset -Z3 x=1\nprint a\n" + NAMELIST)
    assert not read_run_script(tmp_path / "exp.run", {}).passed_over
