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
    "x='a b'; HOME=$x; f() { v=$#; }; f ~/q; a=(~/q); v=$v${#a[@]}",
    "mkdir h; HOME=$PWD/h; echo 7 > h/f; rm -f '~/f'; v=$(cat h/f)",
    "HOME=/h; x=/h/q; case $x in ~/*) v=1;; *) v=2;; esac; v=$v${x#~/}$(cat <<< ~/a)",
    "v=$(echo 'ä  ' | sed 's/[[:space:]]*$//'); x='ä b'; v=$v${x//[[:space:]]/_}",
    "v=$(echo 'v = 1 ! ä' | sed 's/v = ./v = 3/'); v=$v$(echo 'v ä' | cut -c1-2)",
    "x=aüb; [[ $x == *ü* ]] && v=1; v=$v${x#*ü}${x%%ü*}${x:0}${x:0:1}${x//ü/ö}",
    "v=$(echo 'ä1b' | sed 's/[^0-9]//g'); v=$v$(echo 'ä.b' | sed 's/[.]/,/')",
    "echo 'x=1; [[ no == yes ]] && x=2' > f; . ./f && v=1 || v=2",
    "echo 'return 3' > f; . ./f; v=$?",
    "echo 'x=1; false' > f; lib() { . ./f || return 0; v=2; }; v=0; lib",
    "arr=(a 'b c'); n='arr[@]'; set -- \"${!n}\"; v=$#; for i in \"${!n}\"; do v=$v-$i; done",
    "f() { unset -fn g; }; g() { v=2; }; v=1; f; g 2>/dev/null",
    "a=1; declare -n r=a; declare +n r; r=5; v=$a",
    'log() { echo "[$(date +%T)] $*" >&2; }; f() { log a; echo 3; }; v=$(f 2>&1 | tail -n 1)',
    "f() { a=(1 2); i=1; x=abc; echo ${a[$i]} ${a[-1]} ${x: -2} ${1#??}; }; v=$(f abcd 2>&1)",
    "f() { set -euo pipefail; unset -v x; mapfile -t b <<< 4; echo ${b[0]}; }; v=$(f 1 2>&1)",
    "v=$(printf '%s\\n' num_io nproma dtime | sort | xargs)",
    "for i in 1 2; do printf $i; echo a; done > f; v=$(xargs < f)",
    "w() { printf ' x = '; printf '%s,' \"$@\"; printf '\\n'; }; w u v > f; v=$(sed s/x/y/ f)",
    '{ echo -n a; for i in 1 2; do echo -n " $i,"; done; echo; echo b; } > f; v=$(xargs < f)',
    "echo -n 'a ' > f; echo b >> f; cp f g; echo -n c >> g; cat g f > h; v=$(xargs < h)",
    "v=$(printf '%0.s5 ' $(seq 1 3))",
    "srun() { :; }; v=1; for i in 1 2 3; do srun ./icon && break; v=$((v + 1)); done",
    "v=$( { x=$(printf a >&2); echo b; } 2>&1)",
    "l=(a.case b.case); l+=(c-case); v=${#l[@]}${l[0]}$(basename a.case .case)",
    "cfg=([0]=test-case\n[1]=200); v=${cfg[1]:-100}",
    "a=(\n u\n v   # don't forget :)\n w # in \"m/s\n); v=${#a[@]}${a[1]}",
    "a=(\n u # the worst case\n v\n); v=${#a[@]}; x=$(echo 3 # it's\n); v=$v$x",
    "declare -A d=(\n [R2B4]=600 # don't change\n [R2B6]=240\n); v=${d[R2B6]:-1}",
    "y=$(\n # compute (roughly\n echo 4\n); z=$( # in case\n echo 5\n); v=$y$z",
    "x='a #b'; v=$(echo ${x# } ${x// #/_} a#b)$((16#ff))",
    "v=$(for i in a b; do case $i in a) echo 1;; b) echo 2;; esac; done | xargs)",
    "v=$( (if true; then case a in (a) echo 1;; esac; fi; x=case; echo $x in a) | xargs)",
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
    "IFS=,; set -- a b; v=$(cat << X\n$*\nX\n)",
    "shopt -s nocasematch; x=r2b04; v=${x/R2B/R02B}",
    "v=$(printf '%s\\n' b a_c aB | sort | xargs)",
    "v=$(echo aüb | sed 's/x*/-/g')",
    "v=$(echo aüb | cut -dü -f2)",
    "IFS=ü; x=aüb; set -- $x; v=$1",
    "v=$'a\\u00fcb'",
    "if printf -v q %d abc 2> /dev/null; then v=1; else v=2; fi",
    "HOME=/h; v=$(echo x=~/b)",
    "v=$( { for i in $(nothing); do :; done; echo a; } 2>&1 | wc -l )",
    "v=$( { case $(nothing) in *) echo a;; esac; } 2>&1 | wc -l )",
]
NAMELIST = "cat > NAMELIST << EOF\n&a\n v = 1\n/\nEOF\n"
TOLD = {
    "readonly x=1\nx=2\n": "'x' is readonly",
    "readonly x=1\nfor x in 3; do :; done\n": "'x' is readonly",
    "readonly -a x=(1)\nx=(1 2)\n": "'x' is readonly",
    "f() { local x=2; }\nreadonly x=1\nf\n": "'x' is readonly",
    "readonly x=1\nx=1\n": "'x' is readonly",
    "readonly x=1\nif unset x; then y=1; else y=2; fi\n": "'x' is readonly",
    "declare -n r\nr=x\n": "whose name is not known",
    "set -e\nf() { x=1; [[ a = b ]] && x=2; }\nf\n": "'set -e' ends the script here",
    "trap 'x=2' USR1\nkill -USR1 $$\n": "a signal to the script",
    "f() { echo '&a /' >&2; }\nf 2> NAMELIST_q\n": "the channel of errors",
    "coproc x { :; }\nx=1\n": "what 'coproc' does",
    "exec 3> NAMELIST_q\nexec 4> NAMELIST_q\necho '&a /' >&3\n": "two channels of one file",
    "set -A x 1 2\n": "'set -A' is of ksh",
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


def test_what_lies_beside_the_script_is_there(tmp_path: Path) -> None:
    (tmp_path / "set.sh").write_text("q=7\n")
    text = "if [ -r ./set.sh ]; then . ./set.sh; else q=8; fi\n" + NAMELIST.replace("= 1", "= $q")
    (tmp_path / "exp.run").write_text(text)
    script = read_run_script(tmp_path / "exp.run", {})
    assert script.groups["NAMELIST"][0].items["v"].values == [7]
    assert not script.passed_over


def test_line_ends_of_windows_are_told_of_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "set.sh").write_bytes(b"q=7\r\n")
    (tmp_path / "list").write_bytes(b"1\r\n")
    for text, name in ((". ./set.sh\n", "set.sh"), ("v=$(cat list)\n", "list")):
        (tmp_path / "exp.run").write_text(text + NAMELIST)
        told = read_run_script(tmp_path / "exp.run", {}).passed_over
        assert any(each.startswith(f"{name}: its lines end as on Windows") for each in told)


def test_what_need_not_be_run_is_not_told_of_ksh(tmp_path: Path) -> None:
    text = '#!/bin/bash\nif [ -n "$KSH_VERSION" ]; then print a; fi\nprint a || echo a\n'
    (tmp_path / "exp.run").write_text(text + NAMELIST)
    assert not read_run_script(tmp_path / "exp.run", {}).passed_over


def test_what_ksh_has_is_not_told_of_ksh(tmp_path: Path) -> None:
    (tmp_path / "exp.run").write_text("#!/bin/ksh\ntypeset -Z3 x=1\nprint a\n" + NAMELIST)
    assert not read_run_script(tmp_path / "exp.run", {}).passed_over
