# SPDX-License-Identifier: Apache-2.0
"""What functions and programs run for a script, what it sources, and dates, against bash."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import read_run_script
from thalweg.shell.unresolved import has_unresolved
from thalweg.testing.shell_values import HAS_BASH, of_bash, ours

RUN = 'run() { "$@"; }; '
SAME = [
    f"{RUN}echo a > f; run sed -i s/a/b/ $PWD/f; v=$(cat f)",
    f'{RUN}echo a > f; run sed -i s/a/b/ "$PWD/f"; v=$(cat f)',
    f"{RUN}echo 'a b' > f; run sed -i 's/a b/c d/;s/zz/'$HOSTNAME/ f; v=$(cat f)",
    f"{RUN}echo a > f; run cp $PWD/f g; v=$(cat g)",
    f"{RUN}echo a > f; run rm -f $PWD/f; echo b >> f; v=$(cat f)",
    f'{RUN}run eval "echo a > $PWD/f"; v=$(cat f)',
    f"{RUN}T=$(mktemp -d); echo a > $T/f; run mv $T/f g; v=$(cat g)",
    f'{RUN}g() {{ v="$#$1"; }}; run g \'a"b\' "c\'d"',
    f'{RUN}g() {{ v="$2"; }}; run g "1 2" "3  4"',
    f"{RUN}v=$(run echo 'a  b' 'c*')",
    "run() { $*; }; echo a > f; run cp $PWD/f g; v=$(cat g)",
    "f() { cp $1 $2; sed -i s/a/b/ $2; }; echo a > t; f $PWD/t n; v=$(cat n)",
    "f() { cat $1 $2; }; echo a > p; echo b > q; f $PWD/p q > r; v=$(tail -1 r)",
    "f() { v=$2; }; f $PWD/x 5",
    'A=(sed -i "s/a b/c d/"); echo "a b" > f; "${A[@]}" f; v=$(cat f)',
    "f() { for k in $@; do case $k in a=*) v=${k#*=};; esac; done; }; f a=1 b=$HOSTNAME/x c=3",
    "echo a > f; timeout -k 1 9 sed -i s/a/b/ f; v=$(cat f)",
    "echo a > f; stdbuf -o0 nice -n 19 sed -i s/a/b/ f; v=$(cat f)",
    "v=1; . /dev/stdin <<< 'v=2'",
    "v=1; echo v=4 > c; . <(sed s/4/5/ c)",
    "echo v=5 | tee w.sh; v=1; . ./w.sh",
    "tee f <<< 5 > g; v=$(cat f g | tail -1)",
    "v=${PWD:+1}",
    "if [ -z ${HOSTNAME+x} ]; then v=1; else v=2; fi",
    "declare -ai A=(1+1 2); v=${A[0]}",
    "declare -Ai M=([a]=1+1); v=${M[a]}",
    "declare -Au M; M[k]=xy; v=${M[k]}",
    "declare -A M; M[x y]=3; v=${M[x y]}${#M[@]}",
    '[ -z "$Q" ] && Q=1; test -n "$R" || R=2; [ "x$S" = x ] && S=3; v=$Q$R$S',
    'if [[ -z $Q ]]; then export Q=1; fi; [ ! "$R" ] && R=2; v=$Q$R',
    'Q=5; [ -z "$Q" ] && Q=1; v=$Q',
    "v=$(date -u -d '2008-01-31 + 1 month' +%F)",
    "v=$(TZ=UTC date -d '2008-02-28 18:00 UTC + 6 hours' +%Y%m%d%H)",
    "v=$(date -u -d '20080301 1 day ago' +%-d/%m/%j)",
    "v=$(date -u --date=@86400 +%FT%TZ)",
    "v=$(( ($(date -ud 20081231 +%s) - $(date -ud 20080101 +%s)) / 86400 ))",
    'cat > f << E\n$(n=$((3+1))\necho "$n")\nE\nv=$(cat f)',
    "echo a1 > N_1; sed -i s/a/b/ N_?; v=$(cat N_1)",
    "v=$(printf '1\\n2\\n' | awk '{s+=$1} END{print s}')",
    "v=$(echo 5 | awk '{printf \"%.2f\", $1/3}')x",
    "v=$( { awk 'BEGIN{printf \"a\"}'; echo b; } )",
    "v=$(command date -u -d 20080901 +%Y)$(LC_ALL=C date -u -d 20080901 +%m)",
    "date() { echo 5; }; v=$(date -d 20200229 +%F)",
    "echo a=1 > f; nice --adjustment 5 sed -i s/1/2/ f; v=$(cat f)",
    "v=; f() { while read -r k w; do v=$v$k; done; }; { f; f; } <<< 'a b'",
    "f(){ local -r x=1; g; }; g(){ local x=2; v=$x; }; f",
    "A=1; while read x; do A=3 true; done < $UNKNOWN/x; v=$A",
    "v=$(printf 'a\\nb\\nc\\n' | awk 'NR==2{printf \"%s\", $1; exit}')",
    "printf 'a\\nb\\na c\\n' > f; v=$(grep -c a f)",
    "for i in 1 2 3; do echo $i; done > F; { read a; (cat > /dev/null); read c; } < F; v=$a$c",
]
OPEN = [
    "touch a1.nc a2.nc; set -- a*.nc; v=$#",
    "f() { v=$2; }; touch r_1 r_2; f r_*",
    "f() { v=$2; }; f $UNKNOWN 5",
    "v=$(echo 'obase=16; 255' | bc)",
    "declare -c v=abc",
    "typeset -i8 n=10; v=$n",
    "v=~root",
    "v=$(date -d '2008-09-01 06:00:00 + 6 hours' +%H)",
    "v=$(date -d '20080901 + 6 hours' +%H)",
    "v=$(date -d 20080901 +%s)",
    "v=$(date -u -d '20080901' +%b)",
    "v=$(which sed)",
    "n=3; v=$(declare -p n)",
    "v=$( { set; echo a; } | wc -l)",
    "v=$( { export -p; echo a; } | wc -l)",
    "v=$( { pushd /; echo a; } | wc -l)",
    "for i in 1 2; do echo $i; done > F; ( exec < F; read a; ); read v",
    "for i in 1 2; do echo $i; done > F; cat F | while read a; do cat > g; done; v=$(cat g)",
    "set -- d=$(date) b; v=$2",
    "echo 'k = $UNK, n = 5' | sed \"s/UNK/$UNKNOWN/\" > F; v=$(sed 's/k = 6, n = 5/x/' F)",
    "declare -i v; read v <<< 3+4",
    "declare -i v; for v in 3+4; do :; done",
    '[ -z "$HOME" ] && HOME=/x; v=$HOME',
    '[ -z "$Q" ] && Q=1 && R=2; v=$R',
]
N = 'echo "&a v=1 /" > NAMELIST_A\n'
NOT_READ = "in a way that is not read"
TOLD = [
    N + 'sh <<< "sed -i s/1/2/ NAMELIST_A"\n',
    N + 'echo "sed -i s/1/2/ NAMELIST_A" | sh\n',
    N + "echo 'sed -i s/1/2/ NAMELIST_A' > w.sh; chmod +x w.sh; ./w.sh\n",
    N + "echo 'sed -i s/1/2/ NAMELIST_A' > w.sh; sh < w.sh\n",
    N + 'timeout 5 bash -c "sed -i s/1/2/ NAMELIST_A"\n',
    N + 'eval "$UNKNOWN > NAMELIST_A"\n',
    N + "awk 1 t > NAMELIST_B; echo '&b /' >> NAMELIST_B\n",
]
SETS = [
    "awk 'BEGIN{while (i<5) print \"v=\" i++}' > w.sh; . ./w.sh\n",
    "echo v=2 > w.sh; perl -pi -e 's/2/3/' w.sh; . ./w.sh\n",
    "echo v=2 > w.sh; awk -f p w.sh > u.sh; mv u.sh w.sh; . ./w.sh\n",
    ". <(./settings.py)\n",
    'eval "$(./settings.py)"\n',
]
GIVES = "mk() { cat > NAMELIST_$1; }\n"
UNREAD = [
    N + 'm=$(./gen.py); echo "$m" > icon_master.namelist\n',
    GIVES + "cat << EOF | mk A\n&a v=1 /\nEOF\n./gen.py | mk B\n",
    N + "echo x | while read x; do echo $x; done; gen | { cat >> NAMELIST_A; }\n",
    GIVES + 'echo "&a v=1 /" | mk A; mk B < <(./gen.py)\n',
    GIVES + 'echo "&a v=1 /" | mk A; exec < "$UNKNOWN"; cat > NAMELIST_B\n',
    N + "printf '&b\\n/\\n' > t; { head -1 > /dev/null; cat > NAMELIST_B; } < t\n",
    "SED=$(which sed)\n" + N + "$SED -i s/1/2/ NAMELIST_A\n",
    N + 'CP="$(command -v cp) -p"; $CP NAMELIST_A NAMELIST_B\n',
]
QUIET = [
    "$LAUNCHER ./icon NAMELIST_A\n",
    "n=$(awk '/v/{c++} END{print c}' NAMELIST_A)\n",
    "log() { echo \"$*\" >&2; }; trap 'log failed' ERR\n",
    "cp -f /dev/null NAMELIST_B; echo '&b /' >> NAMELIST_B\n",
    '{ while read l; do echo "$l"; done; cat; } > NAMELIST_B << EOF\n&b\n/\nEOF\n',
    'for i in 1 2; do echo " t($i) = $i"; done |'
    ' awk \'BEGIN{print "&b"} {print} END{print "/"}\' > NAMELIST_B\n',
    "add() { cat >> NAMELIST_x; }\nadd << EOF\n&b\n/\nEOF\n",
    "trap 'rm -f NAMELIST_A' EXIT\n",
    'eval "$(ssh-agent)"\n',
    "echo 'srun ./icon NAMELIST_A' > w.sh; sh w.sh\n",
]


@pytest.mark.skipif(not HAS_BASH, reason="bash is not on the PATH")
@pytest.mark.parametrize("text", SAME)
def test_values_are_those_of_bash(tmp_path: Path, text: str) -> None:
    assert ours(tmp_path / "ours", text) == of_bash(tmp_path / "bash", text)


@pytest.mark.parametrize("text", OPEN)
def test_what_only_the_machine_knows_is_open(tmp_path: Path, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", text))


def told(folder: Path, text: str) -> str:
    (folder / "exp.run").write_text(text)
    return "\n".join(read_run_script(folder / "exp.run", {}).passed_over)


@pytest.mark.parametrize("text", TOLD)
def test_shells_that_may_change_a_namelist_are_told(tmp_path: Path, text: str) -> None:
    assert NOT_READ in told(tmp_path, text)


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_read_from_elsewhere_is_told(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text) != ""


def test_what_is_removed_before_the_first_start_is_not_counted(tmp_path: Path) -> None:
    text = f"{N}rm NAMELIST_A\necho '&b /' > NAMELIST_B\nsrun ./icon\nrm NAMELIST_B\nsrun ./icon\n"
    (tmp_path / "exp.run").write_text(text)
    assert set(read_run_script(tmp_path / "exp.run", {}).groups) == {"NAMELIST_B"}


def test_lines_that_are_open_in_part_do_not_stop_sed(tmp_path: Path) -> None:
    text = "cat > N << E\n&a\n l = .false.\n k = $UNKNOWN\n/\nE\n"
    (tmp_path / "exp.run").write_text(text + "sed -i 's/l = .false./l = .true./' N\n")
    script = read_run_script(tmp_path / "exp.run", {})
    assert script.groups["N"][0].items["l"].values == [True]
    assert not script.passed_over


@pytest.mark.parametrize("text", SETS)
def test_scripts_of_which_nothing_is_known_are_told(tmp_path: Path, text: str) -> None:
    assert "whose name is not known" in told(tmp_path, N + text)


@pytest.mark.parametrize("text", QUIET)
def test_nothing_is_told_where_all_is_counted(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, N + text) == ""


def test_where_the_model_is_started_counts(tmp_path: Path) -> None:
    text = "mkdir a b; for d in a b; do echo '&a v=\"'$d'\" /' > $d/NAMELIST_x; done"
    (tmp_path / "exp.run").write_text(f"{text}; cd a; srun icon\n")
    script = read_run_script(tmp_path / "exp.run", {})
    assert script.groups["NAMELIST_x"][0].items["v"].values == ["a"]
    assert "that in 'a' is counted, where the model is started" in script.passed_over[0]
