# SPDX-License-Identifier: Apache-2.0
"""Folders of a script, its functions, the scripts that it sources, and where it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import RunScript, read_run_script
from thalweg.shell.walk import course
from thalweg.testing.scripts import append, to

BASE = "&o\n/\n"  # what base.nml has, beside the script
SOURCED = "model=atm\nwrite() {\ncat > $1 << EOF\n&s\n/\nEOF\n}\n"


def read(tmp_path: Path, text: str) -> RunScript:
    (tmp_path / "base.nml").write_text(BASE)
    (tmp_path / "common.sh").write_text(SOURCED)
    (tmp_path / "part").mkdir(exist_ok=True)
    (tmp_path / "part" / "more.sh").write_text("cat >> NAMELIST << EOF\n&m\n/\nEOF\nreturn\nrm N\n")
    path = tmp_path / "exp.test"
    path.write_text(text)
    return read_run_script(path, {})


def groups(script: RunScript) -> dict[str, str]:
    return {name: "".join(each.name for each in found) for name, found in script.groups.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # one file by several ways to say where it is
        (to("run/N", "a") + "cd run\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "cd run\n" + append("../N", "b"), {"N": "ab"}),
        ("R=/x/run\ncd $R\n" + to("N", "a") + "cd /\n" + append("x/run/N", "b"), {"N": "ab"}),
        ("E=$PWD/run\ncd $E\n" + to("N", "a") + "cd ..\n" + append("run/N", "b"), {"N": "ab"}),
        ("E=$(pwd)\ncd run\n" + to("N", "a") + append("$E/run/N", "b"), {"N": "ab"}),
        ("cd ${EXPDIR}\n" + to("N", "a") + append("${EXPDIR}/N", "b"), {"N": "ab"}),
        ("cd ${EXPDIR}\n" + to("N", "a") + append("$PWD/N", "b"), {"N": "ab"}),
        (to("N", "a") + "cd a/b; cd -\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "pushd a > /dev/null\npopd\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "(cd a; ls)\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "(\ncd a\n)\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "( cd a\n: )\n" + append("a/../N", "b"), {"N": "ab"}),
        ("ln -s /x/y run\n" + to("run/N", "a") + "cd /x/y\n" + append("N", "b"), {"N": "ab"}),
        # a copy in another folder that grows
        (to("N", "a") + "cp N /x/run/\ncd /x/run\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "cp N ${E}\ncd ${E}\n" + append("N", "b"), {"N": "ab"}),
        (
            to("N", "a") + to("M", "b") + "cp N ${E}\ncp M ${E}\ncd ${E}\n" + append("N", "c"),
            {"N": "ac", "M": "b"},
        ),
        (to("t/N", "a") + "cp -r t run\n" + append("run/N", "b"), {"N": "ab"}),
        (to("t/N", "a") + "mkdir run\ncp -r t run\n" + append("run/t/N", "b"), {"N": "ab"}),
        (to("t/N", "a") + "cp -r t/. run\n" + append("run/N", "b"), {"N": "ab"}),
        (to("t/N", "a") + "mv t run\n" + append("run/N", "b"), {"N": "ab"}),
        (to("t/N", "a") + "cp t/* run/\n" + append("run/N", "b"), {"N": "ab"}),
        (to("N", "a") + "cp -t run N\n" + append("run/N", "b"), {"N": "ab"}),
        (to("N", "a") + "cd run; ln -s ../N\n" + append("N", "b"), {"N": "ab"}),
        # removed
        (to("d/N", "a") + "rm -rf d\n" + append("d/N", "b"), {"N": "b"}),
        (to("d/N", "a") + "rm -f d/*\n" + append("d/N", "b"), {"N": "b"}),
        (to("N", "a") + "rm -rf /x/run\n" + append("N", "b"), {"N": "ab"}),
        # hard links, copies that keep what was there
        (to("N", "a") + "ln N M\n", {"N": "a"}),
        (to("N", "a") + to("M", "b") + "cp -b N M\n" + append("M~", "c"), {"N": "a", "M~": "bc"}),
        # functions
        ("f() {\n" + to("N", "a") + "}\nf\n" + append("N", "b"), {"N": "ab"}),
        ("f() {\n" + to("N", "a") + "}\n" + to("N", "b"), {"N": "b"}),
        ("function f\n{\n" + to("$1", "a") + "}\nf N; f M > log 2>&1\n", {"N": "a", "M": "a"}),
        ("f() ( cd x; cp $1 M )\n" + to("N", "a") + "f ../N\n" + append("x/M", "b"), {"M": "ab"}),
        (
            "f() {\nlocal x=$1; shift\nfor m in \"$@\"; do\n" + to("$m$x", "a") + "done\n}\n"
            "x=1\nf 2 N M | tee log\n" + append("N2", "b") + append("M$x", "c"),
            {"N2": "ab", "M2": "a", "M1": "c"},
        ),
        ("f() {\n[ $1 = 1 ] && return\n" + to("N$1", "a") + "}\nf 1\nf 2\n", {"N2": "a"}),
        ("f() {\n" + append("N", "a") + "f\nf\n}\n" + to("M", "a"), {"M": "a"}),
        # sourced
        ("source ./common.sh\nwrite N_$model\n", {"N_atm": "s"}),
        (". $BASEDIR/common.sh\n" + to("N", "a") + "write N\n", {"N": "s"}),
        (to("NAMELIST", "a") + ". part/more.sh\n" + append("NAMELIST", "b"), {"NAMELIST": "amb"}),
        (". /etc/profile\n. ./nowhere\n. ./exp.test\n" + to("N", "a"), {"N": "a"}),
        # ended
        (to("N", "a") + "exit 0\nrm N\n", {"N": "a"}),
        (to("N", "a") + "if [ -z x ]; then exit 1; fi\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "mkdir r || exit 1\n[ -f x ] && exit 2\n" + append("N", "b"), {"N": "ab"}),
    ],
)  # fmt: skip
def test_files_are_followed_from_folder_to_folder(
    tmp_path: Path, text: str, expected: dict[str, str]
) -> None:
    script = read(tmp_path, text)
    assert groups(script) == expected
    assert not script.passed_over
    assert not script.doubtful


@pytest.mark.parametrize(
    ("text", "expected", "told"),
    [
        (to("N", "a") + "mv N run/\n" + to("N", "b"), "b", "'run/N' keeps what 'N' was before it"),
        (to("a/N", "a") + to("b/N", "b"), "b", "'N' is written in 2 folders, and a run reads "
         "one: that in 'b' is counted"),
        (to("/x/N", "a") + "cd /y\n" + to("N", "b"), "b", "that in '/y' is counted"),
        (
            "for m in 1 2 3; do\nmkdir m$m; cd m$m\n" + to("N", "a$m") + "srun icon; cd ..\ndone\n",
            "a3", "'N' is written in 3 folders, and a run reads one: that in 'm3' is counted",
        ),
        (to("N", "a") + "exit\n" + append("N", "b"), "a", "exp.test:6: the script has ended by"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_told(tmp_path: Path, text: str, expected: str, told: str) -> None:
    script = read(tmp_path, text)
    assert groups(script) == {"N": expected}
    assert [told in each for each in script.passed_over] == [True]


@pytest.mark.parametrize(
    "text",
    [
        to("N", "a") + append("${X}/N", "b"),
        to("${X}/N", "a") + append("${Y}/N", "b"),
        "if [ -d x ]; then\ncd x\nfi\n" + to("N", "a") + append("${X}/N", "b"),
        "cd run_${X}\n" + to("N", "a") + "cd ../run_1\n" + append("N", "b"),
    ],
)
def test_folders_that_may_be_one_are_one_and_told(tmp_path: Path, text: str) -> None:
    script = read(tmp_path, text)
    assert groups(script) == {"N": "ab"}
    assert script.doubtful["N"]


def test_a_master_chooses_among_folders(tmp_path: Path) -> None:
    master = "cat > master << EOF\n&master_model_nml model_namelist_filename = '{}' /\nEOF\n"
    both = to("atm/N", "a") + to("ocean/N", "b")
    script = read(
        tmp_path, both + master.format("atm/N") + master.format("ocean/N").replace(">", ">>")
    )
    assert groups(script) == {"atm/N": "a", "ocean/N": "b", "master": "master_model_nml" * 2}
    assert not script.passed_over
    script = read(tmp_path, both + master.format("./atm/N"))
    assert groups(script)["N"] == "a"
    assert "that in 'atm' is counted" in script.passed_over[0]


def test_lines_of_a_sourced_script_have_its_name(tmp_path: Path) -> None:
    script = read(tmp_path, ". ./common.sh\nwrite N\nif [ -f x ]; then\nwrite N\nfi\n")
    assert [(each.file, each.line) for each in script.groups["N"]] == [("common.sh", 4)] * 2
    assert script.doubtful == {"N": ["common.sh:3"]}


def test_two_outside_files_of_one_name_are_two(tmp_path: Path) -> None:
    script = read(tmp_path, "cp ${A}/base.nml N_a\ncp ${B}/base.nml N_b\n")
    assert groups(script) == {"N_a": "o", "N_b": "o"}


def test_functions_that_call_themselves_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "_MOST_TURNS_IN_ALL", 2_000)
    script = read(tmp_path, "f() {\nf; f; f\n}\n" + to("N", "a") + "f\n")
    assert groups(script) == {"N": "a"}
