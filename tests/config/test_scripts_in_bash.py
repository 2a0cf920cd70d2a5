# SPDX-License-Identifier: Apache-2.0
"""Scripts are run by bash, and read: namelists have the same groups, or it is told."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from thalweg.config.run_script import read_run_script
from thalweg.testing.scripts import append, to
from thalweg.testing.shell_values import HAS_BASH

BESIDE = {
    "base.nml": "&o\n/\n", "t/atm.nml": "&t\n/\n", "t/sea.nml": "&u\n/\n",
    "list": "x\ny\n", "s.sh": "cat >> NAMELIST << EOF\n&s\n/\nEOF\n", "set.sh": "v=atm\n",
    "ends.sh": "cat > NAMELIST << EOF\n&e\n/\nEOF\nexit 1\n",
}  # fmt: skip
GROUP = re.compile(r"^\s*&(\w+)", re.MULTILINE)


N, M = to("NAMELIST", "a"), to("NAMELIST", "b")
MORE = append("NAMELIST", "c")
F = f"f() {{\n{N}}}\n"

RIGHT = {
    # braces and brackets
    "ends on error": f"mkdir r || {{ echo no; exit 1; }}\n{N}",
    "ends on error, lines": f"mkdir r || {{\necho no\nexit 1\n}}\ncp base.nml NAMELIST\n{MORE}",
    "ends on no error": f"[ 1 = 2 ] && {{ echo no; exit 1; }}\n{N}",
    "cd or end": f"mkdir w\ncd w || {{ echo no; exit 1; }}\n{N}cd ..\n{append('w/NAMELIST', 'c')}",
    "subshell ends": f"( exit 1 )\n(\ncd /\nexit 0\n)\n{N}",
    "subshell sets": f"v=1\n( v=2 )\n(\nv=3\n)\n{to('NAMELIST_$v', 'a')}",
    "subshell defines": f"{F}( f() {{ :; }} )\nf\n",
    "subshell goes": f"{N}( cd / ) &\nwait\n{MORE}",
    "brackets at ends": f"f() (\ncd t\ncp atm.nml ../X )\n{N}",
    "braces print": f"{{\ncat base.nml\n{N.replace('> NAMELIST ', '')}}} > NAMELIST\n{MORE}",
    "loop prints": f"for i in atm sea; do\ncat t/$i.nml\ndone > NAMELIST\n{MORE}",
    "function prints": f"f() {{ cat t/$1.nml; }}\nf atm > NAMELIST\nf sea >> NAMELIST\n{MORE}",
    # functions
    "prints with locals": (
        'f() {\nlocal kind=$1 ; shift\nlocal -a all=("$@"); typeset n; readonly m=1; let n=1+1\n'
        'if [ $n = 2 ]; then\ncat << EOF\n&a$kind\n/\nEOF\nfi\n}\nf x 1 2 > NAMELIST\n'
        "for k in y z; do f $k; done >> NAMELIST\n"
    ),
    "in if": f"{F}if f; then :; fi\n{MORE}",
    "in if not": f"{F}if ! f; then exit 1; fi\n{MORE}",
    "not": f"{F}! f\n{MORE}",
    "eval": f"{F}eval f\n{MORE}",
    "or end": f"{F}f || exit 1\n{MORE}",
    "in braces": f"{F}{{ f; }} > log\n{MORE}",
    "in a pipe": f"v=x\nf() {{ v=y; }}\nf | cat\n{to('NAMELIST_$v', 'a')}",
    "ends in a pipe": f"f() {{\n{N}exit 0\n}}\nf | tee log\n{MORE}",
    "in background": f"v=x\nf() {{ v=y; }}\nf &\nwait\n{to('NAMELIST_$v', 'a')}",
    "of brackets": f"v=x\nf() ( v=y; exit 3 )\nf\n{to('NAMELIST_$v', 'a')}",
    "over a command": f'cp() {{ command cp -v "$@"; }}\n{N}cp NAMELIST NAMELIST_b\nrm NAMELIST\n',
    "that goes": f'cd() {{ builtin cd "$@" || exit 1; }}\nmkdir w; cd w\n{N}{MORE}',
    "local": (
        f'b=1\nf() {{\nlocal msg="a b c"; local x\n'
        f'b=2$x\n}}\nx=9; f\n{to("NAMELIST_$b", "a")}'
    ),
    "arguments": (
        f'v() {{\n{to("NAMELIST_$2", "a$2")}}}\n'
        f'w() {{ v "$@"; shift; v 0 $1$#; }}\nw x y\n'
    ),
    "ten": f"f() {{\n{to('NAMELIST_${10}', 'a')}}}\nf 1 2 3 4 5 6 7 8 9 z\n",
    "blanks": (
        f'f() {{\nfor i in "$@"; do\n'
        f'{to("NAMELIST_${i% *}", "a${i% *}")}done\n}}\nf "x y" z\n'
    ),
    "for one call": (
        f"V=0\nf() {{\n{to('NAMELIST_$V', 'a$V')}}}\n"
        f"V=1 f\nV=2 f\n{to('NAMELIST_$V', 'b$V')}"
    ),
    "set": f"set -- atm sea\n{to('NAMELIST_$1', 'a')}shift\n{to('NAMELIST_$1', 'b')}",
    "unset": f"v=1\nunset v\n{to('NAMELIST_x$v', 'a')}",
    "returns in a loop": (
        f"f() {{\nfor i in 1 2; do\nreturn\n"
        f"done\n{N}}}\nf\n{to('NAMELIST_b', 'b')}"
    ),
    "chooses": f"if [ 1 = 2 ]; then\nf() {{\n{M}}}\nelse\n{F}fi\nf\n",
    "in lines": f"f() {{ cat > NAMELIST << EOF; }}\n&a\n/\nEOF\nf\n{MORE}",
    "never called": f"f() {{\n[ -d x ] && {{ echo a; }}\n{M}}}\n{N}",
    # conditions
    "if cd": f"mkdir w\nif cd w; then\n{N}fi\ncd ..\n{append('w/NAMELIST', 'c')}",
    "if not cd": f"mkdir w\nif ! cd w; then exit 1; fi\n{N}cd ..\n{append('w/NAMELIST', 'c')}",
    "until cd": f"mkdir w; until cd w; do :; done\n{N}",
    "if a copy": f"{N}if [ 1 = 1 ] && cp base.nml NAMELIST; then :; fi\n{MORE}",
    "if a document": f"if cat > NAMELIST << EOF\n&a\n/\nEOF\nthen :; fi\n{MORE}",
    "case": f"case $((1 + 1)) in (1) f=no;; 2|3) f=NAMELIST_2;; *) f=x; esac\n{to('$f', 'a')}",
    "break": f"for i in 1 2 3; do\n{to('NAMELIST_$i', 'a$i')}[ $i = 2 ] && break\ndone\n",
    "break two": (
        f"for i in 1 2; do for j in 1 2; do\n"
        f"{to('NAMELIST_$i$j', 'a$i$j')}break 2\ndone; done\n"
    ),
    "continue": f"for i in 1 2 3; do\n[ $i = 2 ] && continue\n{to('NAMELIST_$i', 'a$i')}done\n",
    "end in a loop": f"for i in 1; do\n{N}done\n",
    "breaks on errors": (
        "for i in 1 2; do\n"
        f"from=$((i + 1)); is=$((from * 2))\n{to('NAMELIST_$is', 'a$is')}: run || break\ndone\n"
    ),
    "elif": f"v=2\nif [ $v = 1 ]; then\n{M}elif [ $v = 2 ]; then\n{N}else\nexit\nfi\n",
    "falls": "v=x; case $v in x) cat > NAMELIST << EOF ;& y) cat >> NAMELIST << EOF ;; esac\n"
    "&a\n/\nEOF\n&b\n/\nEOF\n",
    "goes on": f"v=ab; case $v in a*) f=NAMELIST_1 ;;& *b) g=x ;; *) g=y; esac\n{to('$f$g', 'a')}",
    "not of": f"v=a; case $v in [^0-9]) f=NAMELIST_a;; *) f=x; esac\n{to('$f', 'a')}",
    "quoted": f"v=ab; case $v in 'a*') f=x;; \"a\"*) f=NAMELIST_a; esac\n{to('$f', 'a')}",
    "quoted test": (
        f'v=ab; f=NAMELIST_a; [[ $v == a"*" ]] && f=x; '
        f'[[ $v == "a"* ]] && f+=b\n{to("$f", "a")}'
    ),
    "eights": f"v=NAMELIST_$((010 + 10#010 + 0 + 1))\n(( 010 == 8 )) && v+=x\n{to('$v', 'a')}",
    "steps": f"a=1; let a++; ((++a)); ((a %= 2)); let 'a += 4'\n{to('NAMELIST_$a', 'a')}",
    "letters": f"typeset -u u=ab; declare -l l=AB\n{to('NAMELIST_$u$l', 'a')}",
    "texts": f"x=banana; y=$'q'\n{to('NAMELIST_${x/#b/c}${x/%a/e}$y$[1+1]', 'a')}",
    "printed": (
        "for i in 1 2; do\nm=$(printf '%03d_%s' $i x)\nb=$(basename a/b.nml .nml)\n"
        f"{to('$(dirname ./NAMELIST)/NAMELIST_$m$b', 'a$m')}done\n"
    ),
    "words": f'for i in "u v" w; do\n{append("NAMELIST", "a${i% *}")}done\n',
    "names": f"for f in t/*.nml; do\ncat $f >> NAMELIST\n{append('$f', 'a')}done\n",
    "elements": f"n=(a b c); n[1]=z; n=(${{n[@]}} y)\n{to('NAMELIST_${n[1]}${#n[@]}', 'a')}",
    "shorter": f"n=(a b c); n=(x)\n{to('NAMELIST_${n[2]}${n[0]}', 'a')}",
    "local array": f"n=(a)\nf() {{ local n=(b c); }}\nf\n{to('NAMELIST_${n[@]}', 'a')}",
    "global": f"f() {{ declare -g v=2; }}\nv=1; f\n{to('NAMELIST_$v', 'a')}",
    "ten, then one": (
        f"f() {{ :; }}\ng() {{\n{to('NAMELIST_x${10}', 'a')}}}\n"
        f"f 1 2 3 4 5 6 7 8 9 z\ng a\n"
    ),
    "evaluated": (
        f"n=v; eval \"$n=3\"; eval 'cat > NAMELIST_$v << EOF\n"
        f"&a\n/\nEOF'\n{to('NAMELIST', 'b')}"
    ),
    "nicely": f"{N}nice -n 5 cp base.nml NAMELIST\ntime -p cat >> NAMELIST << E\n&c\n/\nE\n",
    "instead": f"{N}exec true\nrm NAMELIST\n",
    "document ends": "cat > NAMELIST << E\"O\"F\n&a\n/\nEOF\ncat >> NAMELIST << 'E F'\n&b\n/\nE F",
    "blank in a name": "cat > NAMELIST\\ x << EOF\n&a\n/\nEOF\n",
    # files
    "edited as a copy": f"{N}cp NAMELIST x\n{append('x', 'c')}cp x NAMELIST\n",
    "put back": f"{N}cp NAMELIST x\n{MORE}cat x > NAMELIST\n",
    "templates": f"cp -r t run\ncd run\n{append('atm.nml', 'a')}",
    "templates by name": f"mkdir run\ncp t/*.nml run/\n{append('run/sea.nml', 'a')}",
    "long options": f"cp --recursive t run\ncp --archive t/. run/x\n{append('run/atm.nml', 'a')}",
    "suffix": f"{N}{to('N_b', 'b')}cp -b -S .old N_b NAMELIST\nrm NAMELIST.old\n{MORE}",
    "folder away": (
        f"mkdir -p w/r; cd w\n{to('r/NAMELIST', 'a')}rm -rf ./*; mkdir r\n"
        f"{append('r/NAMELIST', 'b')}"
    ),
    "folder stays": (
        f"mkdir w\n{to('w/NAMELIST', 'a')}rm -f w 2> /dev/null\n"
        f"{append('w/NAMELIST', 'b')}"
    ),
    "templates away": f"rm -rf t\nmkdir t\n{append('t/atm.nml', 'a')}",
    "others stay": f"rm -f *.nml\n{append('t/atm.nml', 'a')}",
    "link of a folder": (
        f"mkdir a b; ln -s a cur\n{to('cur/NAMELIST', 'a')}ln -sfn b cur\n"
        f"mv a/NAMELIST cur/\n{MORE.replace('>> ', '>> b/')}"
    ),
    "array": f"n=(NAMELIST_a NAMELIST_b)\n{to('${n[0]}', 'a0')}{to('${n[1]}', 'b')}",
    "numbers of an array": (
        "m=(x y)\nfor k in \"${!m[@]}\"; do\n"
        f"{to('NAMELIST_${m[$k]}', 'a$k')}done\n"
    ),
    "array as list": f'n=(x y)\nn+=(z)\nfor i in "${{n[@]}}"; do\n{to("NAMELIST_$i", "a$i")}done\n',
    "where": f"mkdir w; X=$(cd w && pwd)\n{to('$X/NAMELIST', 'a')}cd w; cd $OLDPWD; cd w\n{MORE}",
    "in a value": f"{F}x=$(f)\n{MORE}",
    "lines": f"while read v; do\n{append('NAMELIST_$v', 'a')}done < list\n{N}",
    # sourced
    "sourced": f"{N}. ./s.sh\n{MORE}",
    "sourced if there": f"[ -f ./s.sh ] && . ./s.sh\nif [ -f set.sh ]; then . ./set.sh; fi\n{MORE}",
    "sourced, ends": f"( . ./ends.sh )\n{MORE}",
    "sourced, given": f"cat > x.sh << 'E'\n{to('$1', 'a')}E\n. ./x.sh NAMELIST_q\nrm x.sh\n",
    "written and sourced": f"cat > y.sh << E\nfn=NAMELIST_q\nE\n. ./y.sh\n{to('$fn', 'a')}",
    "for both": f". ./set.sh\n{to('NAMELIST_$v', 'a')}",
}  # fmt: skip
NOT_READ = ": a namelist is written or changed here in a way that is not read"
TOLD = {
    "in another shell": (f"{F}export -f f; bash -c f\n{M}", f"exp.test:2{NOT_READ}"),
    "at the end": (
        f"f() {{ cp base.nml NAMELIST; }}\ntrap f EXIT\n{N}", f"exp.test:1{NOT_READ}",
    ),
    "if there": (
        f"{N}[ -f nowhere ] && {{ echo x; cp base.nml NAMELIST; "
        f"}}\n{MORE}", f"exp.test:5{NOT_READ}",
    ),
    "gone if there": (f"{N}[ -f nowhere ] && {{\nrm -f NAMELIST\n}}\n{MORE}", f":8{NOT_READ}"),
    "goes if there": (f"{N}[ -d nowhere ] && cd nowhere\n{MORE}", "NAMELIST doubtful exp.test:6"),
    "lines": (
        f"while read v; do\n{append('NAMELIST_$v', 'a')}done < nowhere\n{N}",
        "NAMELIST_${v} doubtful exp.test:2",
    ),
    "ended": (f"{N}true && exit 0\n{MORE}", "exp.test:6: the script has ended by 'exit' before"),
    "ended in a loop": (f"{N}while true; do exit; done\n{MORE}",
        ":6: the script has ended by 'exit'"),
    "open names": (
        f"for i in 1 2; do\nm=$(date +%S%N)\n{to('NAMELIST_$m', 'a')}done\n",
        "NAMELIST_${m} doubtful exp.test:3",
    ),
    "two doubts": (
        f"f() {{ for i in 1; do [ -f a ] && return; [ -f b ] && break; done\n{N}}}\nf\n",
        "NAMELIST doubtful exp.test:2",
    ),
    "two loops": (
        f"for i in 1 2; do for j in 1; do [ -f a ] && break 2; "
        f"done\n{append('NAMELIST', 'a')}done\n",
        "NAMELIST doubtful exp.test:2",
    ),
    "one of two": (
        f"if [ -f /none/base.nml ]; then\n{F}else\nf() {{\n"
        f"{M}}}\nfi\nf\n", "NAMELIST doubtful exp.test:3",
    ),
    "another program": (
        f"{N}python3 - << E\nopen('NAMELIST', 'a').write('&z\\n"
        f"/\\n')\nE\n", f"exp.test:5{NOT_READ}",
    ),
    "another process": (f"cat base.nml > >(cat > NAMELIST)\nsleep 0.2\n{to('x', 'a')}",
        f":1{NOT_READ}"),
    "an editor": (f"{N}ed -s NAMELIST << E\nw\nq\nE\n", f"exp.test:5{NOT_READ}"),
    "folders": (
        f"mkdir a b\n"
        f"{to('a/NAMELIST', 'a')}{to('b/NAMELIST', 'b')}", "'NAMELIST' is written in 2 folders",
    ),
    "not that one": (
        f"cp w/base.nml NAMELIST\n{MORE}",
        "'NAMELIST' has what 'w/base.nml' has: 'base.nml' beside the script is read for it",
    ),
    "no fi": (f"{N}if [ -f a ]; then\n{MORE}", "exp.test:5: 'if' has no 'fi' that ends it"),
    "no done": (f"for i in 1 2; do\n{N}", "exp.test:1: 'for' has no 'done' that ends it"),
    "no brace": (f"{N}f() {{\n{MORE}", "exp.test:5: '{' has no '}' that ends it"),
    "a C shell": (
        f"foreach i ( 1 $x )\n{to('NAMELIST_$i', 'a')}end\n", "NAMELIST_${i} doubtful exp.test:2",
    ),
    "too deep": (
        "".join(f"f{i}() {{ f{i + 1}; }}\n" for i in range(90)) + f"f90() {{\n{N}}}\nf0\n{M}",
        "the script has blocks or calls too deep in one another",
    ),
    "too often": (
        f"f() {{ :; }}\nfor i in {{1..200}}; do for j in {{1..101}}; do f; done; done\n{F}f\n{M}",
        "the script has more than 20000 turns of loops and calls",
    ),
    "too large": (
        f"{N}for i in {{1..7}}; do cat NAMELIST NAMELIST > x; cat x x > NAMELIST; done\n"
        "for i in {1..200}; do cat NAMELIST > x$i; done\n",
        "from here on the files of the script are larger than what is followed",
    ),
}  # fmt: skip


def lie_beside(folder: Path, text: str) -> Path:
    for name, content in BESIDE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "exp.test").write_text(text)
    return folder / "exp.test"


def left_by_bash(folder: Path, text: str) -> dict[str, list[str]]:
    """Groups of each file that the script wrote or changed."""
    lie_beside(folder, text)
    subprocess.run(
        ["bash", "--norc", "exp.test"], cwd=folder, capture_output=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name != "exp.test" and path.read_text() != BESIDE.get(name):
            found[name] = GROUP.findall(path.read_text())
    return {name: groups for name, groups in found.items() if groups}


def unlike(bash: dict[str, list[str]], ours: dict[str, list[str]]) -> Iterator[str]:
    """Groups of a file of bash may be in another one of ours that has them in one piece: a copy."""
    for label, groups in ours.items():
        like = [found for name, found in bash.items() if Path(name).name == Path(label).name]
        if groups not in like:
            yield f"{label} has {groups}, and in bash {like}"
    for name, groups in bash.items():
        if not any(f" {' '.join(groups)} " in f" {' '.join(each)} " for each in ours.values()):
            yield f"{name} of bash has {groups}"


def read(folder: Path, text: str) -> tuple[dict[str, list[str]], str]:
    """Groups by file, and what is told."""
    script = read_run_script(lie_beside(folder, text), {})
    found = {name: [each.name for each in groups] for name, groups in script.groups.items()}
    doubtful = [f"{name} doubtful {' '.join(places)}" for name, places in script.doubtful.items()]
    return found, "\n".join([*script.passed_over, *doubtful])


needs_bash = pytest.mark.skipif(not HAS_BASH, reason="bash is not installed")


@needs_bash
@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_namelists_are_those_of_bash(tmp_path: Path, text: str) -> None:
    bash = left_by_bash(tmp_path / "bash", text)
    ours, told = read(tmp_path / "ours", text)
    assert bash
    assert not list(unlike(bash, ours))
    assert not told


def told_cases() -> Iterator[Any]:
    for name, case in TOLD.items():
        marks = [pytest.mark.slow] if name in ("too often", "too large") else []
        yield pytest.param(*case, id=name, marks=marks)


@pytest.mark.parametrize(("text", "words"), list(told_cases()))
def test_what_may_differ_from_bash_is_told(tmp_path: Path, text: str, words: str) -> None:
    assert words in read(tmp_path, text)[1]
