# SPDX-License-Identifier: Apache-2.0
"""What our sed, awk and printf make of lines and words, against the programs themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.shell.files.awk_program import awk_of
from thalweg.shell.files.sed import sed_of
from thalweg.shell.values.formats import printf

LINES = [
    "&run_nml",
    " dtime = 300  ",
    "  nsteps=5",
    "/",
    "&io_nml",
    " dtime = 7",
    "",
    "/",
    "a b aab",
]
SCRIPTS = [
    ["-E", "s/[a-z]\\w*\\s*=\\s*(\\S+)/\\1:/; s/\\W/_/g"], ["s/^\\s*\\w\\w*\\s/X/"],
    ["/^&run/,/^\\//s/= *[0-9]*/= 9/"], ["/&io/,$d"], ["2,+1s/$/ !/"], ["5,2s/^/> /"],
    ["$!d"], ["-n", "s/.*dtime *= *\\([0-9]*\\).*/\\1/p"], ["-n", "2p"], ["-n", "/&io/,/\\//p"],
    ["s/a/X/2"], ["s/a/X/2g"], ["s/b*/-/g"], ["s/[[:space:]]*$//"], ["s/[]]/x/;y/ab/AB/"],
    ["/DTIME/Is/ //g"], ["\\,io,a added"], ["1i before", "-e"], ["-e", "/io/c instead"],
    ["/run/{s/run/walk/;s/&/$/}"], ["/dtime/!d;s/^ *//"], ["4q"], ["1,1!s/^/x/"],
    ["-E", "s/([a-z]+)=([0-9])/\\2 \\1/"], ["-e", "/^$/d", "-e", "s/\\//end/"],
]  # fmt: skip
PROGRAMS = [
    ["BEGIN{print 7/2, 86400 * 3 \" s\", int(7200/0.4), 2^10}"],
    ["BEGIN { printf \"%03d %.2f\\n\", 7, 1/3 }"],
    ["-v", "x=3", "BEGIN{if (x > 2) print x \"!\"; else print 0}"],
    ["NR==9{print $NF, length($1) * 2}"],
    ["-F", "=", "/dtime/ {print $2 + 0}"], ["NR>1 && NF{print NR\": \"$0}"], ["!seen++"],
    ["{gsub(/[0-9]+/, \"[&]\")}1"], ["-F=", "NF==2{print toupper($1); next} {print length}"],
    ["/io/{print substr($0, 2, 3); exit}"], ["{s += NF} NR==9{print s, index($0, \"a\")}"],
    ["$1==\"dtime\"{sub(/300/, \"60\"); print}"], ["{print ($1 == \"a\") ? \"yes\" : \"no\"}"],
]  # fmt: skip
NO_PROGRAMS = [
    "/a\\s/",
    "{print > \"f\"}", "BEGIN{while (i<3) print i++}", "{a[$1]=1}", "END{while (1) x++}",
    "BEGIN{print 2**3}",
    "{print length/2}", "BEGIN{print 4294967296}", "BEGIN{getline; print}", "{print $1 | \"sort\"}",
    "BEGIN{print log(0)}", "BEGIN{print -x}",
]  # fmt: skip
REFUSED = [["N;P;D"], ["2,4c x"], ["3,5q"], ["s/a/b/e"], ["s/\\(a\\|b\\)/x/"], ["0,/a/d"], ["s/a"]]
FORMATS = [
    ["%05.1f|%-6s|%+d", "3.14159", "ab", "5"], ["%.3e %g %G", "0.0117", "1000000", "1e-10"],
    ["%x %X %o %c %i", "255", "255", "8", "abc", "7"], ["%*d|%.2s|%.3d", "5", "3", "abcd", "5"],
    ["%04d-%02d\\n", "2008", "3", "2009", "11"], ["%s=%d;", "a", "1", "b"], ["%.1f", "0.25"],
    ["%b", "a\\tb"], ["%d", "0x1f"], ["%d%%", "7"],
]  # fmt: skip
OF_MACHINES = [["%.1f", "2.35"], ["%d", "010"], ["%d", "x"], ["%q", "a b"], ["%d", "1" * 20]]


@pytest.mark.skipif(shutil.which("sed") is None, reason="sed is not on the PATH")
@pytest.mark.parametrize("words", SCRIPTS, ids=" ".join)
def test_lines_are_those_of_sed(tmp_path: Path, words: list[str]) -> None:
    words = [each for each in words if each != "-e"] if words[-1] == "-e" else words
    found = sed_of(words, lambda _: None)
    assert found is not None
    sed, files = found
    assert files == []
    sed.begin(len(LINES))
    ours = [text for line in LINES if (text := sed(line)) is not None]
    done = subprocess.run(
        ["sed", *words], input="\n".join(LINES) + "\n", capture_output=True, text=True, check=True,
        cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert "".join(f"{each}\n" for each in ours) == done.stdout


@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not on the PATH")
@pytest.mark.parametrize("words", PROGRAMS, ids=" ".join)
def test_lines_are_those_of_awk(tmp_path: Path, words: list[str]) -> None:
    found = awk_of(words)
    assert found is not None
    ours = [text for line in LINES if (text := found.awk(line)) is not None]
    printed = "".join(f"{each}\n" for each in ours) if found.begun is None else found.begun
    done = subprocess.run(
        ["awk", *words], input="\n".join(LINES) + "\n", capture_output=True, text=True, check=True,
        cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert printed == done.stdout


@pytest.mark.parametrize("program", NO_PROGRAMS)
def test_programs_of_which_nothing_is_known(program: str) -> None:
    found = awk_of([program])
    assert found is None or found.begun is None
    if found is not None:
        with pytest.raises(ValueError, match=r".*"):
            found.awk("a b")


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_is_not_understood_is_refused(words: list[str]) -> None:
    assert sed_of(words, lambda _: None) is None


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on the PATH")
@pytest.mark.parametrize("words", FORMATS, ids=" ".join)
def test_printf_is_that_of_bash(words: list[str]) -> None:
    done = subprocess.run(
        ["bash", "-c", 'printf "$@"', "_", *words], capture_output=True, text=True, check=True,
        timeout=60, env={"LC_ALL": "C"},
    )  # fmt: skip
    assert printf(words) == done.stdout


@pytest.mark.parametrize("words", OF_MACHINES, ids=" ".join)
def test_what_shells_print_differently_is_not_known(words: list[str]) -> None:
    assert printf(words) is None
