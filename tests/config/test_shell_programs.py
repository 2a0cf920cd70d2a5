# SPDX-License-Identifier: Apache-2.0
"""Random arithmetic, bc and sed: what we know of their results is what bash, bc and sed give."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Sequence

import pytest

from thalweg.shell.files.filters import filter_of
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.arithmetic import arithmetic
from thalweg.shell.values.bc import bc
from thalweg.shell.values.variables import Variables

CASES = 400
SIGNS = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "<",
    "<=",
    "==",
    "!=",
    "&&",
    "||",
    "&",
    "|",
    "^",
    "<<",
    ">>",
]


def lacks(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def term(pick: random.Random, depth: int) -> str:
    kind = pick.random()
    if depth == 0 or kind < 0.25:
        return pick.choice(["a", "b", "3", "010", "0x1F", "2#101", "0", "7", "a++", "--b", "n[1]"])
    if kind < 0.35:
        return pick.choice(["-", "!", "~", "+"]) + term(pick, depth - 1)
    if kind < 0.45:
        return f"({term(pick, depth - 1)} ? {term(pick, depth - 1)} : {term(pick, depth - 1)})"
    if kind < 0.55:
        return f"(a {pick.choice(['=', '+=', '*='])} {term(pick, depth - 1)})"
    text = f"{term(pick, depth - 1)} {pick.choice(SIGNS)} {term(pick, depth - 1)}"
    return f"({text})" if pick.random() < 0.5 else text


@lacks("bash")
def test_arithmetic_is_that_of_bash() -> None:
    pick = random.Random(11)
    texts = [term(pick, 3) for _ in range(CASES)]
    script = "".join(
        f'( a=5 b=-2; n=(4 9); v=$(( {text} )) && echo "$v $a $b" || echo error ) 2> /dev/null\n'
        f"[ $? = 0 ] || echo error\n"
        for text in texts
    )
    out = run(["bash", "--norc"], script)
    known = 0
    for text, wanted in zip(texts, out.splitlines(), strict=True):
        variables = Variables(assigned={"a": "5", "b": "-2"}, arrays={"n": ["4", "9"]})
        found = f"{arithmetic(text, variables)} {variables.value('a')} {variables.value('b')}"
        if not has_unresolved(found):
            known += 1
            assert wanted in (found, "error"), text  # of ways that are not gone, too
    assert known > sum(line != "error" for line in out.splitlines()) * 0.9


def calculation(pick: random.Random, depth: int) -> str:
    if depth == 0 or pick.random() < 0.3:
        return pick.choice(["3", "0.5", "12", ".25", "86400", "7.00", "0", "1.5", "10"])
    sign = pick.choice("+-*/%^")
    right = pick.choice(["2", "3", "0", "-1"]) if sign == "^" else calculation(pick, depth - 1)
    text = f"{calculation(pick, depth - 1)} {sign} {right}"
    return f"({text})" if pick.random() < 0.5 else text


@lacks("bc")
@pytest.mark.parametrize("has_library", [False, True])
def test_bc_prints_what_bc_does(has_library: bool) -> None:
    pick = random.Random(12)
    known = 0
    for _ in range(CASES // 4):
        text = f"scale={pick.choice([0, 1, 2, 9])}; {calculation(pick, 3)}"
        found = bc(text, has_library=has_library)
        words = ["bc", *["-l"] * has_library]
        wanted = run(words, text)
        known += found is not None
        assert found in (None, wanted.strip()), text
    assert known > CASES // 8


def run(words: Sequence[str], text: str) -> str:
    return subprocess.run(
        words, input=f"{text}\n", capture_output=True, text=True, check=False
    ).stdout


LINES = [
    " dtime = @DT@ ! step", "&run_nml", "# comment", " a.b*c [x] ^y $z (q) {w} +p ?o | end", "",
    "  num_lev=${NLEV}, 90", " x='a','b'", "aaa bbb aaa", "path/to/file.nc",
]  # fmt: skip
PATTERNS = [
    "@DT@", "a", "^", "[0-9][0-9]*", "^ *", "b$", "a\\.b", "\\*", "x\\]", "[xz]", "\\(a\\)b", "a+",
    "\\(aaa\\) \\(bbb\\)", "$z", "\\$z", "^#", "/to/", "=.*!", "[^a-z]", "\\/", "w}", "^y", "a\\+",
    "[[:digit:]]", "[[:space:]]*=", "x='a'", ".", "\\.",
]  # fmt: skip


@lacks("sed")
def test_sed_changes_lines_as_sed_does() -> None:
    pick = random.Random(13)
    known = 0
    for _ in range(CASES // 2):
        old, mark = pick.choice(PATTERNS), pick.choice("/|#,")
        new = pick.choice(["60", "", "&x", "[&]", "a\\/b", "q\\&r", "$dt", "x y", "\\n"])
        step = f"s{mark}{old}{mark}{new}{mark}{pick.choice(['', 'g'])}"
        step = pick.choice([step, f"/{old}/d", f"/{pick.choice(PATTERNS)}/{step}"])
        words = ["sed", *pick.choice([[], ["-E"]]), "-e", step]
        found = filter_of(words, Variables())
        if found is not None:
            known += 1
            assert passed(found[0]) == run(words, "\n".join(LINES)), words
    assert known > CASES // 4


def passed(change: Callable[[str], str | None]) -> str:
    return "".join(f"{text}\n" for line in LINES if (text := change(line)) is not None)


@lacks("tr")
@lacks("grep")
@pytest.mark.parametrize(
    "words",
    [
        ["tr", "a-c", "A-C"], ["tr", "[:lower:]", "[:upper:]"], ["tr", "-d", "'a"],
        ["tr", "ab", "x"],
        ["tr", " ", "\\n"],
        ["cut", "-c2-4"],
        ["cut", "-c", "3-"],
        ["cut", "-d", " ", "-f", "2"],
        ["cut", "-d'", "-f2-3"],
        ["awk", "{print $2}"],
        ["awk", "-F=", "{ print $1 }"],
        ["grep", "a"], ["grep", "-v", "^#"], ["grep", "-E", "(a|=)"], ["grep", "-i", "DTIME"],
        ["grep", "-F", "a.b"],
    ],
)  # fmt: skip
def test_filters_are_those_of_the_machine(words: list[str]) -> None:
    found = filter_of(words, Variables())
    if words[:2] == ["grep", "-E"]:
        assert found is None  # of alternatives another one may be the longest
        return
    assert found is not None
    assert passed(found[0]) == run(words, "\n".join(LINES))
