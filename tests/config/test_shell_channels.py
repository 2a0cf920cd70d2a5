# SPDX-License-Identifier: Apache-2.0
"""Where what commands print and say goes, and files that programs change which are not read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from thalweg.shell.unresolved import has_unresolved
from thalweg.testing.shell_values import of_bash, ours

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")

# Each leaves a value in v, and nothing about it is unknown.
KNOWN = [
    # channels
    "f() { echo a >&2; echo b; }; v=$(f 2>&1 | tr '\\n' ,)",
    "v=$( { echo a >&2; echo b; } 2>&1 | tr '\\n' ,)",
    "v=$( { echo a >&2; echo b; } |& tr '\\n' ,)",
    "f() { echo a >&2; echo b; }; v=$(f 2>&1 > /dev/null)",
    "f() { echo a >&2; echo b; }; v=$(f 2> /dev/null)",
    "f() { echo a > /dev/stderr; }; g() { f; echo c; }; v=$(g 2>&1 | tr '\\n' ,)",
    "f() { echo a >&2; echo b; }; g() { f 2> /dev/null; echo c; }; v=$(g 2>&1 | tr '\\n' ,)",
    "f() { echo a >&2; echo b; }; f > F 2>&1; v=$(tr '\\n' , < F)",
    "f() { echo a >&2; echo b; }; f &> F; v=$(tr '\\n' , < F)",
    "v=$( { echo a > /dev/stdout; echo b; } | tr '\\n' ,)",
    # lines of <(...)
    "mapfile -t a < <(echo); v=${#a[@]}",
    "mapfile -t a < <(echo x; echo; echo); v=${#a[@]}",
    "mapfile -t a < <(expr 1 + 2); v=${#a[@]}$a",
    "mapfile -t a < <(printf 'x\\ny'); v=${#a[@]}${a[1]}",
    "n=0; while read x; do n=$((n + 1)); done < <(echo a; echo; echo); v=$n",
    "while read x || [ -n \"$x\" ]; do v=$x; done < <(printf 'a\\nb')",
    'B=(v abc); A=("${!B[@]}x"); v=${#A[@]}',
    # channels in their order, loops that are captured, elements that are there
    "f() { echo a 2>/dev/null >&2; }; v=$(f 2>&1)",
    "v=$(echo a 2>&1 >&2)",
    "echo a > f >&2; v=$(wc -l < f)",
    "exec 5>f; exec 6>&5-; echo b >&6; v=$(wc -l < f)",
    "f() { echo w; return 1; }; v=$(while f; do :; done | wc -l)",
    "f() { echo w; return 1; }; v=$(while f; do :; done)",
    "i=0; v=$(while [ $i -lt 2 ]; do echo -n $i; i=$((i+1)); done)",
    "f() { local i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done; }; v=$(f | tr '\\n' ,)",
    "f() { i=0; until [ $i -ge 3 ]; do echo $i >&2; i=$((i+1)); done; }; v=$(f 2>&1 | tr '\\n' ,)",
    "x=(1 2 3); unset 'x[0]'; [ -v x ] && v=1 || v=0",
    "x=(); [ -v x ] && v=1 || v=0",
    "x=([3]=1); [ -v x ] && v=1 || v=0",
    "declare -A m=([k]=1); [[ -v m ]] && v=1 || v=0",
    "x=(); [[ -v x[@] ]] && v=1 || v=0",
    "x=(1); [[ -v x[@] ]] && v=1 || v=0",
    "declare -A m=([a]=1 [b]=2); k=b; unset 'm[$k]'; v=${m[b]-un}",
    "declare -A m=([a]=1 [b]=2); unset 'm[\"a\"]'; v=${#m[@]}",
    "declare -A m=([0]=1 [b]=2); unset 'm[0]'; v=${m-un}",
    "declare -A m=([0]=1 [b]=2); v=${m}",
    "exec 3> F; echo a >&3; echo b >&3; v=$(tr '\\n' , < F)",
    "init() { exec 3>l; echo hdr >&3; }; init; echo a >&3; v=$(tail -1 l)",
    "if true; then exec 3>l; fi; echo a >&3; v=x$(cat l)",
    "exec 3>l; f() { exec 3>m; }; f; echo a >&3; v=x$(cat l)",
    "[ -n x ] && { exec 3>l; }; echo a >&3; v=x$(cat l)",
    'eval "exec 3>l"; echo a >&3; v=x$(cat l)',
    "exec 3>f; x=$(exec 3>&-); echo b >&3; v=x$(cat f)",
    "declare -A m=([k]=y); m=z; v=${m[0]}",
    "f() { rm -f x; mkdir -p y; echo 3; }; v=$(f)",
    "f() { cp a b; echo 3; }; v=$(f)",
    "f() { cp a b; echo 3; }; v=$(f 2>/dev/null)",
    'for x in 1 2; do ( [ -n "$U" ] || exit 3; echo $x > o$x ); done; v=1',
    "set -x; f() { local i=$1; shift; echo $((i + $#)); }; v=$(f 3 a b)",
    # work that counts as done
    "mkdir -p d 2>/dev/null && v=1",
    "echo a > A; cp A B || exit 1; v=$(cat B)",
    "echo a > A; cp A B || { echo bad >&2; exit 1; }; v=$(cat B)",
    "cd . || exit 1; v=1",
    "if ! mkdir -p x; then v=0; else v=1; fi",
    "f() { cd . || return 1; echo 5; }; v=$(f)",
    "f() { mkdir -p w || true; echo 5; }; v=$(f)",
]
# A value that bash has, or that programs decide, and nobody may take for known.
OPEN = [
    "if cp nos d 2>/dev/null; then src=new; else src=old; fi; v=$src",
    "if cp nos d; then v=ok; else v=bad; fi",
    "cp nos d 2>/dev/null && v=ok || v=bad",
    "v=$(cp nos d 2>/dev/null || echo bad)",
    "v=$(mv nos d || echo bad)",
    "f() { cp nos d 2>/dev/null || return 1; echo d; }; v=$(f) || v=bad",
    "f() { cp nos d && echo ok || echo bad; }; v=$(f 2>/dev/null)",
    "v=; for x in 1 2; do cp nos$x d 2>/dev/null || continue; v=$v$x; done; v=x$v",
    "v=; for x in 1 2; do mkdir d 2>/dev/null || continue; v=$v$x; done; v=x$v",
    "mkdir lock; if mkdir lock 2>/dev/null; then v=got; else v=busy; fi",
    "exec 3>f; if [ -d /nope ]; then exec 3>g; fi; echo a >&3; v=x$(cat f)",
    'exec 3>f; if [ -n "$UNK" ]; then exec 3>&-; fi; echo b >&3; v=x$(cat f)',
    "f() { echo a; . nofile; }; v=$(f 2>&1 | wc -l)",
    'f() { [ -f nos ] || exit 1; echo z; }; v=$(f); v="$v."',
    'f() { if [ ! -f nos ]; then exit 1; fi; echo z; }; v=$(f); v="$v."',
    'die() { exit 1; }; f() { [ -f nos ] || die; echo z; }; v=$(f); v="$v."',
    "( [ -f nos ] || exit 1; echo z > o ); v=x$(cat o)",
    'die() { exit 1; }; f() { [ -n "$UNK" ] || die; echo z; }; x=$(f) && v=y || v=n',
    'echo "echo b > f" > s.sh; echo a > f; bash s.sh; v=$(cat f)',
    'echo "echo b > f" > s.sh; chmod +x s.sh; echo a > f; ./s.sh > log; v=$(cat f)',
    'echo "echo b > f" > s.sh; echo a > f; sh < s.sh; v=$(cat f)',
    'echo a > f; bash <<< "echo b > f"; v=$(cat f)',
    'echo a > f; echo "echo b > f" | sh; v=$(cat f)',
    "echo a > f; tar cf t.tar f; rm f; tar xf t.tar; v=$(cat f)",
    'echo a > f; timeout 5 sh -c "echo b > f"; v=$(cat f)',
    "mkdir d; echo a > d/f; for x in $(ls d); do echo b > d/$x; done; v=$(cat d/f)",
    "mkdir d; echo a > d/f; sed -i s/a/b/ $(ls d/*); v=$(cat d/f)",
    "f() { mkdir -v w; echo 3; }; v=$(f | wc -l)",
    "f() { cd -; }; mkdir w; cd w; cd ..; v=$(f | wc -l)",
    "f() { cp s d 2>&1; echo 3; }; v=$(f | wc -l)",
    "v=$( { rm nofile; echo a; } 2>&1 | wc -l)",
    "v=$( { x=$(printf a >&2); echo b; } 2>&1)",
    "echo a > f; [ a ] > f; v=x$(cat f)",
    "echo a > f; cd . > f; v=x$(cat f)",
    "echo a > f; read x < f > f; v=x$(cat f)",
    "echo old > g; exec 3<> g; echo new >&3; v=$(cat g)",
    "exec 3>f 2>&3; echo a >&2; v=$(cat f)",
    'echo a > f; sed -ne "/b/wf" <<< b; v=$(cat f)',
    'echo a > f; N=f; export N; sh -c "echo b > \\$N"; v=$(cat f)',
    "f() { echo a >&2; echo b; }; v=$(f 3>&1 1>&2 2>&3)",
    "set -x; f() { echo b; }; v=$(f 2>&1)",
    "v=$(exec 2>&1; echo a >&2; echo b)",
    "while read x; do v=$x; done < <(printf 'a\\nb')",
    "v=$(printf 'a\\nb' | while read x; do echo $x; done)",
    "{ echo a 2>/dev/stdout >&2; } > f; v=$(cat f)",
    "{ echo a; echo b > /dev/stdout; } > f; v=$(wc -l < f)",
    "{ echo a; echo b > /dev/stderr; } > f 2>&1; v=$(wc -l < f)",
    ": > err; (echo e >&2) 2> err; [ -s err ] && v=1 || v=0",
    "echo a > f; true 2> f; v=$(wc -l < f)",
    "echo a > f; x=1 2> f; v=$(wc -l < f)",
    "echo a > f; cd . 2> f; v=$(wc -l < f)",
    "echo a > f; make 3> f; v=$(wc -l < f)",
    "echo a > f; { echo e >&2; } 2>> f; v=$(wc -l < f)",
    "echo a > f; exec 2>> f; echo q >&2; v=$(wc -l < f)",
    "echo a > f; { echo o >&3; } 3> f; v=x$(cat f)",
    "echo a > f; echo b | tee -a f; v=$(wc -l < f)",
    "echo a > f; echo b | tee f >/dev/null; v=$(cat f)",
    "echo a > f; w=$(echo b | tee f); v=$(cat f)",
    "printf 'b\\na\\n' > f; sort --output=f f; v=$(head -1 f)",
    "printf 'b\\na\\n' > f; sort -uo f f; v=$(head -1 f)",
    "echo a > f; find . -type f -exec sed -i s/a/b/ {} +; v=$(cat f)",
    "echo a > f; find . -name f -delete; v=$(cat f 2>/dev/null || echo no)",
    "echo a > f; bash -c 'rm f'; [ -e f ] && v=1 || v=0",
    "echo a > f; gzip f; [ -e f ] && v=1 || v=0",
    "echo a > f; uniq f f; [ -s f ] && v=1 || v=0",
    "echo a > f; dd if=/dev/null of=f; [ -s f ] && v=1 || v=0",
    "echo a > f; echo b | awk '{print > \"f\"}'; v=$(cat f)",
    "echo a > f; sh -c 'echo b > f'; v=$(cat f)",
    "echo a > f; rm -f f; v=$(cat f 2>/dev/null || echo none)",
    "set -x; { echo a; } > f 2>&1; v=$(wc -l < f)",
    "f() { echo a; trap 'echo b >&2' EXIT; }; v=$(f 2>&1 | wc -l)",
    "exec 5>f; f() { echo a >&5; echo b; }; v=$(f 5>&1 | wc -l)",
    "{ { echo o; } >&3 | cat; } 3>&1 | tail -1 > g; v=$(cat g)",
    "exec {fd}>f; echo a >&$fd; exec {fd}>&-; v=$(cat f)",
    "v=$( { time true; } 2>&1 | wc -l)",
]


@needs_bash
@pytest.mark.parametrize("text", KNOWN)
def test_values_are_those_of_bash(tmp_path: Path, text: str) -> None:
    assert ours(tmp_path / "ours", text) == of_bash(tmp_path / "bash", text)


@pytest.mark.parametrize("text", OPEN)
def test_what_cannot_be_known_is_open(tmp_path: Path, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", text))
