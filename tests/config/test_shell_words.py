# SPDX-License-Identifier: Apache-2.0
"""Words of commands: how many there are, which is the command, and what they name, against bash."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import read_run_script
from thalweg.shell.unresolved import has_unresolved
from thalweg.testing.shell_values import HAS_BASH, of_bash, ours

SAME = [
    "x=3; f_a() { x=5; }; n=a; f_$n; v=$x",
    "x=3; f_a() { x=$1; }; n=a; f_${n} 5; v=$x",
    "x=3; f_a() { x=5; }; N=(a); f_${N[0]}; v=$x",
    "x=3; f_a() { x=5; }; n=A; f_${n,,}; v=$x",
    "x=3; f_a() { x=5; }; f_$(echo a); v=$x",
    'x=3; f_a() { x=5; }; n=a; f_"$n"; v=$x',
    "x=3; f_a() { x=5; }; n=a; if f_$n; then v=$x; fi",
    "x=3; f_a() { x=5; }; g() { f_$1; }; g a; v=$x",
    "tool=ed; echo 3 > f; s$tool -i s/3/4/ f; v=$(cat f)",
    "x=3; g() { x=5; }; $UNK; v=$x",
    "f=false; v=$(if $f; then echo 1; else echo 0; fi)",
    "f=false; v=$($f && echo 1 || echo 0)",
    "printf 'a\\nb\\n' > f; grep -q a f && v=1 || v=0",
    "printf 'a\\nb\\n' > f; if grep -q \"^c\" f; then v=1; else v=0; fi",
    'grep -q b <<< "abc" && v=1 || v=0',
    "printf 'a\\n' > f; if ! grep -qi A f; then v=1; else v=0; fi",
    "\\echo a > f; v=$(cat f)",
    '"echo" a > f; v=$(cat f)',
    'e"ch"o a > f; v=$(cat f)',
    "x=$(echo 3) y=4; v=$x$y",
    'x="a b"; v=$x',
    "(( x = 3 )); v=$x",
    'add() { date -u -d "$1" +%F; }; x=$(add 2010-12-25); v=$x',
    "add() { expr $1 + 1; }; x=$(add 2); v=$x",
    "f() { basename $1 .nc; }; v=$(f a/b.nc)",
    "f() { seq 1 3; }; v=$(f | tail -1)",
    "{ date -u -d 20080901 +%F; echo b; } > f; v=$(head -1 f)",
    "expr 1 + 2 > f; v=$(cat f)",
    "f() { date; }; f; v=1",
    "date -u -d 20080901 +%Y > f; read v < f",
    "seq 3 > f; v=$(tail -1 f)",
    "expr 3 \\> 2 > f; v=$(cat f)",
    "dirname /a/b > f; v=$(cat f)",
    'if ! [ -n "$X" ]; then X=y; fi; v=z$X',
    "[ $X ] || X=y; v=z$X",
    "[ -z $X ] && X=y; v=z$X",
    '[[ $X == "" ]] && X=y; v=z$X',
    "[ \"$X\" == '' ] && X=y; v=z$X",
    "[ x$X = x ] && X=y; v=z$X",
    '[ x$X == "x" ] && X=y; v=z$X',
    '[ "x${X}" != "x" ] || X=y; v=z$X',
    'test "$X" || X=y; v=z$X',
    'test ! "$X" && X=y; v=z$X',
    '[ -z "${X:-}" ] && X=y; v=z$X',
    'set -u; [ -z "${X:-}" ] && X=y; v=z$X',
    "echo v=2 > n2; gen() { cp n2 N; }; echo v=1 > N; timeout 5 gen; . ./N",
    "s() { v=2; }; v=0; env -u HOME s; v=$v",
    "s() { v=2; }; v=0; timeout -k 5 5 s; v=$v",
    "v=0; timeout 5 export v=2; v=$v",
    "v=0; env export v=2; v=$v",
    "v=0; nice eval v=2; v=$v",
    "v=0; command -v export v=2 >/dev/null; v=$v",
    "v=0; command export v=2; v=$v",
    "v=0; builtin export v=2; v=$v",
    "v=0; \\export v=2; v=$v",
    "v=1; f() { local v=7; unset v; v=2; }; v=5 f; v=$v",
    "date() { echo 5; }; v=$(date -d 20200229 +%F)",
    'v=$(echo "TZ=UTC  date -d 20200229")',
    "echo 1 > n1; echo 2 > n2; LAUNCH=; $LAUNCH cp n2 n1; v=$(cat n1)",
    'echo 1 > n1; echo 2 > n2; L=(); "${L[@]}" cp n2 n1; v=$(cat n1)',
    'echo 1 > n1; echo 2 > n2; SUDO=; run() { $SUDO "$@"; }; run cp n2 n1; v=$(cat n1)',
    "SUDO=; gen() { v=2; }; $SUDO gen",
    's() { v=$1; }; run() { ${DRY:+echo} "$@"; }; run s 4',
    's() { v="$#$1"; }; cmd=\'s "a b"\'; $cmd',
    "c='echo {a,b}'; v=$($c)",
    "v=0; s() { v=2; }; cmd='s x'; \"$cmd\" 'a b' 2>/dev/null; v=$v",
    'a=1 b=2; l="a b"; unset $l; v=${a-u}${b-u}',
    'a=1 b=2; l=(a b); unset "${l[@]}"; v=${a-u}${b-u}',
    'dt=60; l="dt n"; unset $l; v=${dt:-90}',
    'f() { local dt=60; local "$@"; v=$dt; }; f n=3 dt=30',
    "f() { local dt=60; local $@; v=$dt; }; f n=3 dt=30",
    'f() { local "$@"; v=$a; }; f a=1 b=2',
    "p='n=3 dt=30'; dt=60; export $p; v=$dt",
    "p='n=3 dt=30'; dt=60; declare $p; v=$dt",
    'a=(n=3 dt=30); dt=60; export "${a[@]}"; v=$dt',
    "dt=60; export {n,dt}=30; v=$dt",
    'x="a b"; export y=$x; v=$y',
    'x="a b"; export "y=$x"; v=$y',
    "x=y; export $x=5; v=$y",
    'x=y; export "$x=5 6"; v=$y',
    'k=a; declare "$k=1" b=2; v=$a$b',
    'y=3; v="`echo \\"$y\\"`"',
    'y=a; v="`basename \\"/x/$y.nc\\" .nc`"',
    'y=3; [ "`echo \\"$y\\"`" = 3 ] && v=1 || v=2',
    'y=3; v=`echo "$y"`',
    'y=3; v="`echo \\$y`"',
    "set -f; x='*'; set -- $x; v=$1",
    "a=(a b c); b=(${a[@]}); v=${#b[@]}",
    "typeset -i b; (( b > 0 )) || b=120; v=$b",
    "declare -a a; a+=(1); v=${#a[@]}",
    "declare -i n; n+=3; v=$n",
    "f() { local -i n; n=n+1; v=$n; }; f",
    "printf '%-4s=%s\\n' n 47 k $(( UNK * 2 )) > f; v=$(head -1 f)",
    'echo "1 2" > f; { read x; } < f; v=$x',
    "printf '1\\n2\\n3\\n' > f; { read x; read y; z=$(cat); } < f; v=$x$y$z",
    "printf '1\\n2\\n' > f; { read x; while read l; do x=$x,$l; done; } < f; v=$x",
    'a=("$UNK" b c); v=${a[1]}${#a[@]}',
    'a=("$UNK" b c); a+=(d); v=${a[3]}',
    'a=("$UNK" b c); for x in "${a[@]}"; do w=$x; done; v=$w',
    "a=(\"$UNK\" b c); unset 'a[0]'; v=${a[*]}",
    'a=("$UNK" b c); v=${a[-1]}',
    'a=("$UNK" b c); b=("${a[@]}" d); v=${#b[@]}',
    'a=("$UNK" b c); f() { v=$3; }; f "${a[@]}"',
    'a=("$UNK" b c); v=$(printf \'%s\\n\' "${a[@]}" | tail -1)',
    'a=("$UNK" b); [ "${#a[@]}" = 2 ] && v=2',
    'a=("$UNK" b); v=${!a[@]}',
    "declare -A m=([a]=$UNK [b]=2); v=${m[b]}",
    "printf '%-4s=%s\\n' n 47 k $(( UNK * 2 )) > f; v=$(head -1 f)",
    "printf '%s=%s\\n' n 47 k \"$UNK\" > f; v=$(head -1 f)",
    'v="$(echo " a  b " | xargs)"',
    "v=$(printf 'a\\nb\\n' | xargs)",
    "v=$(seq 3 -1 1 | xargs)",
    "v=$(echo ABC | tr '[A-Z]' '[a-z]')",
    "v=$(echo 'A[B]C' | tr '[A-Z]' '[a-z]')",
    "v=$(echo \"a  b   c\" | tr -s ' ')",
    "v=$(echo abc | rev)",
    "v=$(echo ab | sed 's/\\(a\\)\\(b\\)/\\2\\1/')",
    "v=$(printf '%s\\n' \"$UNK\" b | tail -1)",
    "v=$(printf '%s\\n' a \"$UNK\" | head -1)",
    "v=$(echo \"3 4\" | awk '{print $1*$2}')",
    "v=$(awk 'BEGIN{print int(7200/0.4)}')",
    "v=$(awk -v dx=25 'BEGIN{printf \"%.1f\\n\", dx/3}')",
    'x=4; v=$(awk "BEGIN {print $x*1.5}")',
    "echo \"a=1\" > f; v=$(awk -F= '/^a/{print $2}' f)",
    'echo "a 1" > f; v=$(awk \'$1=="a"{print $2}\' f)',
    "awk 'BEGIN{print \"x\"}' > f; v=$(cat f)",
    "echo \"dt @X@\" > t; awk -v x=5 '{gsub(/@X@/,x)}1' t > u; v=$(cat u)",
    "v=$(echo \"a b\" | awk '{print $2, $1}')",
    "v=$(awk 'BEGIN{print 1/3}')",
]
OPEN = [
    'x=3; f_a() { x=5; }; f_b() { :; }; "f_$UNK"; v=$x',
    "x=3; f_a() { x=5; }; n=f_$UNK; $n; v=$x",
    'N=$(ls /etc/hostname /etc/passwd); run() { "$@"; }; s() { v=$2; }; run s $N c',
    'N=$(ls /etc/hostname /etc/passwd); run() { "$@"; }; s() { v=$#; }; run s $N c',
    'run() { $*; }; s() { v=$2; }; N=$(ls /etc/hostname /etc/passwd); run s "$N" c',
    'N=$(ls /etc/hostname /etc/passwd); run() { "$@"; }; s() { v=$2; }; set -- $N c; run s "$@"',
    "N=$(ls /etc/hostname /etc/passwd); run() { \"$@\"; }; run printf -v v '%s-' $N c",
    'touch q1 q2; run() { "$@"; }; s() { v=$2; }; run s q*',
    'touch q1 q2; run() { "$@"; }; s() { v=$#; }; run s q*',
    'touch za zb; run() { "$@"; }; v=$(run echo z*)',
    'if ! [ -z "$X" ]; then X=y; fi; v=z$X',
    '! [ -z "$X" ] && X=y; v=z$X',
    "[ -n $X ] || X=y; v=z$X",
    "[ ! -n $X ] && X=y; v=z$X",
    '[ $X = "" ] && X=y; v=z$X',
    'getopts ab X -a; [ -z "$X" ] && X=4; v=z$X',
    '[ -z "$MACHTYPE" ] && MACHTYPE=x; v=${MACHTYPE:0:1}',
    "mapfile <<< 5; v=${MAPFILE:-x}",
    "{ while read l; do w=$w$l; done; x=$(cat); } <<< a; v=$w/$x",
    'v="`echo "a b"`"',
    "touch a.nc b.nc; x='?.nc'; a=($x z); v=${#a[@]}",
    'touch a.nc b.nc; p=./; a=("$p"*.nc); v=${#a[@]}',
    'if [ -z "${BASH_SOURCE[0]:-}" ]; then v=1; else v=2; fi',
    'f() { [ -n "${FUNCNAME[0]:-}" ] && v=1 || v=2; }; f',
    'run() { $*; }; s() { v=$2; }; N=$(ls /etc/hostname /etc/passwd); run s "$N" c',
    'a=("$UNK" b c); for x in "${a[@]}"; do w=$w.; done; v=$w',
    'a=("$UNK" b c); v=${a[@]:1:1}',
    "a=($UNK b c); v=${#a[@]}",
    "v=$(printf '%s-%s' \"$UNK\" 4 | cut -c1)",
    'v=$(echo "it\'s" | xargs 2>/dev/null)',
]
N = 'echo "&a v=1 /" > NAMELIST_A\n'
TOLD = [
    f"printf 'echo \\'&b /\\' >> NAMELIST_A\\n' > mk.sh\n{N}bash mk.sh\n",
    f"echo 'sed -i s/1/2/ NAMELIST_A' > m.sh\n{N}cat m.sh | sh\n",
    f"echo 'f=NAMELIST_A; sed -i s/1/2/ $f' > m.sh\n{N}./m.sh\n",
    f'{N}[ "$DRY" = 1 ] && SUDO=echo; echo "&a v=2 /" > n2; $SUDO cp n2 NAMELIST_A\n',
    f"{N}python3 -c \"open('s.sh','w').write('X=3')\"; . ./s.sh\n",
    f'{N}while read k l; do eval "export $k=$l"; done < q\n',
]
FOLDERS = "mkdir a b; for d in a b; do echo '&x v=\"'$d'\" /' > $d/NAMELIST_x; done\n"
STARTED = {
    "cd b; srun ./icon; cd ../a; srun hostname": "b",
    "cd a; exec srun ./icon": "a",
    "ln -s a run; cd run; srun ./icon": "a",
    "(cd a; timeout 60 srun -n 4 ./icon)": "a",
    'if [ -n "$Q" ]; then (cd b; srun ./icon); else (cd a; srun ./icon); fi': "",
}


@pytest.mark.skipif(not HAS_BASH, reason="bash is not on the PATH")
@pytest.mark.parametrize("text", SAME)
def test_values_are_those_of_bash(tmp_path: Path, text: str) -> None:
    assert ours(tmp_path / "ours", text) == of_bash(tmp_path / "bash", text)


@pytest.mark.parametrize("text", OPEN)
def test_what_cannot_be_known_is_open(tmp_path: Path, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", text))


@pytest.mark.parametrize("text", TOLD)
def test_what_may_change_a_value_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "exp.run").write_text(text)
    assert read_run_script(tmp_path / "exp.run", {}).passed_over


@pytest.mark.parametrize("text", STARTED)
def test_the_last_start_of_the_model_tells_the_folder(tmp_path: Path, text: str) -> None:
    (tmp_path / "exp.run").write_text(FOLDERS + text + "\n")
    script = read_run_script(tmp_path / "exp.run", {})
    assert script.groups["NAMELIST_x"][0].items["v"].values == [STARTED[text] or "b"]
    assert ("where the model is started" in script.passed_over[0]) is (STARTED[text] != "")


KSH = {
    "typeset -Z2 m=5; (( m = m + 1 )); v=$m": "06",
    "typeset -Z3 d=31; v=$(( d + 1 ))": "32",
    "m=07; v=$((m+1))": "8",
    "m=010; v=$((m+1))": "",
    "typeset -Z2 m; for m in 1 2; do v=$m; done": "",
    "set -A a -- to so; v=${#a[*]}${a[0]}": "2to",
}


@pytest.mark.parametrize("text", KSH)
def test_numbers_with_zeros_in_ksh(tmp_path: Path, text: str) -> None:
    (tmp_path / "exp.run").write_text(f"#!/bin/ksh\n{text}\necho \"&a v='$v' /\" > NAMELIST_A\n")
    value = read_run_script(tmp_path / "exp.run", {}).groups["NAMELIST_A"][0].items["v"].values[0]
    assert has_unresolved(str(value)) if KSH[text] == "" else value == KSH[text]


@pytest.mark.parametrize(
    "text", ['for k in "${!A[@]}"; do n+=$k; done', 'n=$(echo "${A[@]}")', 'k=("${!A[@]}"); n=$k']
)
def test_the_order_of_elements_with_names_is_told(tmp_path: Path, text: str) -> None:
    begin = "declare -A A=([eu]=48 [de]=24)\n"
    for told, use in ((True, text), (False, "n=${A[de]}${#A[@]}")):
        (tmp_path / "exp.run").write_text(f"{begin}{use}\necho \"&a n='$n' /\" > NAMELIST_A\n")
        script = read_run_script(tmp_path / "exp.run", {})
        assert ("a shell has another order" in "".join(script.passed_over)) is told


def test_print_on_a_channel(tmp_path: Path) -> None:
    text = "#!/bin/ksh\nexec 4> NAMELIST_A; print -u4 '&a v=1 /'; print -ru 4 -- '&b /'\n"
    (tmp_path / "exp.run").write_text(text)
    groups = read_run_script(tmp_path / "exp.run", {}).groups["NAMELIST_A"]
    assert [each.name for each in groups] == ["a", "b"]
