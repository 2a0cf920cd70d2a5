# SPDX-License-Identifier: Apache-2.0
"""Files that a script copies, moves, links, joins, removes and appends to: each group once."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import RunScript, read_run_script
from thalweg.testing.scripts import append, to

BASE = "&o\n/\n"  # what base.nml has, beside the script
NOT_READ = "a namelist is written or changed here in a way that is not read"


def read(tmp_path: Path, text: str) -> RunScript:
    (tmp_path / "base.nml").write_text(BASE)
    (tmp_path / "rest").write_text(" x = 7 /\n")
    (tmp_path / "grid.nc").write_bytes(b"CDF\0")
    path = tmp_path / "exp.test"
    path.write_text(text)
    return read_run_script(path, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # copies that grow
        ("cp base.nml N\n" + append("N", "a"), {"N": "oa"}),
        ("cp base.nml M\ncp M N\n" + append("N", "a"), {"N": "oa"}),
        ("cp base.nml M\ncp M L\ncat L > N\n" + append("N", "a") + append("N", "b"), {"N": "oab"}),
        (to("N", "a") + "cp N M\n" + append("M", "b"), {"M": "ab"}),
        (to("N", "a") + "cp N M\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "cp N M\ncp M L\n" + append("L", "b"), {"L": "ab"}),
        (to("N", "a") + "cp N M\n" + append("N", "b") + append("M", "c"), {"N": "ab", "M": "ac"}),
        # copies over files
        (append("N", "a") + "cp base.nml N\n" + append("N", "b"), {"N": "ob"}),
        (to("N", "a") + to("M", "b") + "cp M N\n" + append("N", "c"), {"N": "bc"}),
        ("cp base.nml N\n" + to("N", "a"), {"N": "a"}),
        (to("N", "a") + "cp N N\ncp N ../N\ncp N run/\n", {"N": "a"}),
        (to("N", "a") + to("M", "b") + "cp N M run/\n", {"N": "a", "M": "b"}),
        (to("N", "a") + to("M", "b") + "cp -p N M ${run}\n", {"N": "a", "M": "b"}),
        # moved
        (to("N", "a") + "mv N M\n" + append("M", "b"), {"M": "ab"}),
        (to("N", "a") + to("M", "b") + "mv -f M N\n", {"N": "b"}),
        # linked: one file with two names
        (to("N", "a") + "ln -s N M\n" + append("M", "b") + append("N", "c"), {"N": "abc"}),
        ("ln -sf N M\n" + to("N", "a") + append("M", "b"), {"N": "ab"}),
        ("ln -s base.nml N\n" + append("N", "a"), {"base.nml": "oa"}),
        (to("N", "a") + "ln -s N M\nrm M\n" + to("M", "b"), {"N": "a", "M": "b"}),
        ("ln -s M N\nln -s N M\n" + to("N", "a"), {"M": "a"}),
        ('add_link_file "../x/grid.nc" iconR2B04.nc\n' + to("N", "a"), {"N": "a"}),
        # removed
        (to("N", "a") + "rm -f N\n", {"N": "a"}),
        (to("N", "a") + "rm -f N\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "rm -f 'N' x\n" + append("N", "b"), {"N": "b"}),
        (to("NML", "a") + "rm NM*\n" + append("NML", "b"), {"NML": "b"}),
        (to("N", "a") + "rm -f ./N || true\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "[ -e N ] && rm N\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "if [[ -f N ]]; then rm N; fi\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "if test -s N; then\nrm N\nfi\n" + append("N", "b"), {"N": "b"}),
        ("rm base.nml\n" + append("base.nml", "a"), {"base.nml": "a"}),
        (append("base.nml", "a"), {"base.nml": "oa"}),
        ("cp base.nml N\nrm N\n" + append("N", "a"), {"N": "a"}),
        # joined
        (to("N", "a") + "cat base.nml N > M\n", {"M": "oa"}),
        (to("N", "a") + "cat N base.nml > M\n", {"M": "ao"}),
        (to("N", "a") + "cat base.nml >> N\n" + append("N", "b"), {"N": "aob"}),
        ("cat base.nml > NAMELIST\n", {"NAMELIST": "o"}),
        ("cat base.nml base.nml > NAMELIST\n", {"NAMELIST": "oo"}),
        (to("N", "a") + to("M", "b") + "cp N L\ncat L M > K\n", {"K": "ab"}),
        (to("N", "a") + "cat - base.nml > M << EOF\n&b\n/\nEOF\n", {"N": "a", "M": "bo"}),
        (to("p1", "a") + to("p2", "b") + "cat p* > N\n", {"N": "ab"}),
        (to("p1", "a") + to("p2", "b") + "cat p{2,1} > N\n", {"N": "ba"}),
        (to("p1", "a") + to("p2", "b") + 'all="p1 p2"\ncat $all > N\n', {"N": "ab"}),
        ("cat base.nml | tee N > /dev/null\n" + append("N", "a"), {"N": "oa"}),
        ("cat < base.nml > N\n" + append("N", "a"), {"N": "oa"}),
        (to("N", "a") + "( cat base.nml; cat N ) > M\n", {"M": "oa"}),
        (to("N", "a") + "{\ncat << EOF\n&b\n/\nEOF\ncat N\n} >> M\n", {"M": "ba"}),
        (to("p1", "a") + to("p2", "b") + "for i in 2 1; do\ncat p$i\ndone > N\n", {"N": "ba"}),
        (to("p1", "a") + "f() {\ncat base.nml p1\n}\nf > N\n", {"N": "oa"}),
        # emptied
        (to("N", "a") + ": > N\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "> N\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "cat /dev/null > N\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "truncate -s 0 N\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "ln -s N M\ncat N > M\n" + append("N", "b"), {"N": "b"}),
        # in other words, and one after the other
        (to("N", "a") + "\\cp -f N M && cp M L\n" + append("L", "b"), {"L": "ab"}),
        (
            'CP="/bin/cp -p"\n$CP base.nml N > /dev/null 2>&1 || exit 1\n' + append("N", "a"),
            {"N": "oa"},
        ),
        (to("N", "a") + "test -f N && rm\tN\n" + append("N", "b"), {"N": "b"}),
        (to("N", "a") + "false && cp base.nml N\ntrue || rm N\n" + append("N", "b"), {"N": "ab"}),
        (to("N", "a") + "if ! cp N M; then exit 1; fi\n" + append("M", "b"), {"M": "ab"}),
        ("v=x\ncase $v in x) cp base.nml N ;; *) rm N;; esac\n" + append("N", "a"), {"N": "oa"}),
        (
            "cat > N <<E1 && cat > M <<E2; cp M L\n&a\n/\nE1\n&b\n/\nE2\n" + append("L", "c"),
            {"N": "a", "L": "bc"},
        ),
        (to("N", "a", "2> /dev/null >"), {"N": "a"}),
        (to("N", "a") + "cat > x > M 2> err << EOF\n&b\n/\nEOF\n", {"N": "a", "M": "b"}),
        (to("N", "a") + "f() {\nx || {\ny\n}\n" + to("M", "b") + "}\n", {"N": "a"}),
        ("f() (\necho\n)\n" + to("N", "a"), {"N": "a"}),
        # a link that is moved, and one over which something is moved
        (to("N", "a") + "ln -s N M\nmv M L\n" + append("L", "b"), {"N": "ab"}),
        (
            "ln -s base.nml N\n" + to("M", "a") + "mv -f M N\n" + append("N", "b"),
            {"base.nml": "o", "N": "ab"},
        ),
        (to("N", "a") + "ln -s base.nml N\n" + append("N", "b"), {"N": "ab"}),  # it fails
        # folders
        (
            "run=/x/run\nmkdir -p $run\ncp base.nml $run\ncd $run\n" + append("base.nml", "a"),
            {"base.nml": "oa"},
        ),
        ("run=/x/run\ncp base.nml $run\ncd $run\n" + append("base.nml", "a"), {"base.nml": "oa"}),
        (to("N", "a") + "cp N run\ncd run\ncp N M\n" + append("M", "b"), {"M": "ab"}),
        # a group that goes on in another file
        (to("N", "a").replace("/\n", "") + "cat rest >> N\n" + append("N", "b"), {"N": "ab"}),
        # equal texts are no copies
        (to("N", "a") + to("M", "a"), {"N": "a", "M": "a"}),
        ("for i in 1 2; do\n" + to("N_$i", "a") + "done\n", {"N_1": "a", "N_2": "a"}),
    ],
)
def test_each_group_is_counted_once(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    script = read(tmp_path, text)
    found = {name: "".join(each.name for each in groups) for name, groups in script.groups.items()}
    assert found == expected
    assert not script.passed_over
    assert not script.doubtful


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cp nowhere.nml N\n" + append("N", "a"), "exp.test:1: 'N' has what 'nowhere.nml' has"),
        (to("N", "a") + "cp nowhere N\n" + append("N", "b"), "exp.test:5: 'N' has what 'nowhere'"),
        (to("N", "a") + "cp ${x}/NAMELIST_b .\n", "'NAMELIST_b' has what 'NAMELIST_b' has, which"),
        (to("N", "a") + "cat N nowhere > M\n", "exp.test:5: 'M' has what 'nowhere' has"),
        (to("N", "a") + "if [ -f x ]; then\ncp base.nml N\nfi\n", f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "if [ -f x ]; then\nln -s base.nml N\nfi\n", f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "if [ -f x ]; then\nrm N\nfi\n" + append("N", "b"), f"8: {NOT_READ}"),
        (to("N", "a") + "while [ -f x ]; do\nmv base.nml N\ndone\n", f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "[ -f flag ] && rm N\n" + append("N", "b"), f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "rm -f ${out}/*\n" + append("N", "b"), f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "[ -f x ] && cp base.nml N\n", f"exp.test:5: {NOT_READ}"),
        (to("N", "a") + "cmp -s N M || cp N base.nml\n", f"exp.test:5: {NOT_READ}"),
        (to("N", "a") + "if [ -f x ]; then\nln -s N M\nfi\n", f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "if [ -f x ]; then\nmv N M\nfi\n", f"exp.test:6: {NOT_READ}"),
        (
            to("N", "a")
            + "if [ -f N ]; then\ncase $m in\nx) rm N;;\nesac\nfi\n"
            + append("N", "b"),
            f"exp.test:10: {NOT_READ}",
        ),
        (to("M", "b") + to("N", "a") + "sed 'N;P;D' base.nml > N\n", f"exp.test:9: {NOT_READ}"),
        (to("N", "a") + "envsubst -v '$x' < base.nml > M\n", f"exp.test:5: {NOT_READ}"),
        (to("N", "a") + "cp base.nml M\nsed -i 'N;P;D' M\n", f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "( date; cat N ) > M\n", f"exp.test:5: {NOT_READ}"),
        (to("N", "a") + "rsync -a base.nml M\n", f"exp.test:5: {NOT_READ}"),
        (to("N", "a") + "f() {\ncp base.nml N\n}\ntrap f EXIT\n", f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + "exec 3<> M.nml\necho x >&3\n", f"exp.test:5: {NOT_READ}"),
        (to("N", "a") + "ln N M\n" + append("M", "b"), f"exp.test:6: {NOT_READ}"),
        (to("N", "a") + to("M", "b") + "cp -u N M\n", f"exp.test:9: {NOT_READ}"),
        (to("N", "a") + "cp N M\n" + to("N", "b"), "'M' keeps what 'N' was before it was written"),
        (to("N", "a") + "mv N M\n" + to("N", "b"), "'M' keeps what 'N' was before it was written"),
        ("cp base.nml N\nmv N M\n" + append("N", "b"), "'M' keeps what 'N' was before it was"),
    ],
)
def test_what_is_not_followed_is_told(tmp_path: Path, text: str, told: str) -> None:
    script = read(tmp_path, text)
    assert any(told in each for each in script.passed_over), script.passed_over
    assert any(script.groups.values())


def test_a_copy_that_may_not_be_made_is_doubtful(tmp_path: Path) -> None:
    text = "if [ -f x ]; then\ncp base.nml N\nfi\n" + append("N", "a")
    assert read(tmp_path, text).doubtful == {"N": ["exp.test:2"]}


def test_a_link_to_a_text_that_the_script_writes_is_known(tmp_path: Path) -> None:
    script = read(tmp_path, to("N", "a") + "cat > names << EOF\nu U\nEOF\nln -s names dict\n")
    assert script.links["dict"] == "names"
    assert script.texts == {"names": [(6, "u U")]}


LOOP = "for i in 1 2 3; do\n{}cp NAMELIST NAMELIST_$i\nsrun ./icon > LOG.$i\ndone\n"


MASTER = "cat > master << EOF\n&master_model_nml model_namelist_filename = '{}' /\nEOF\n"
LOGGED = to("NAMELIST_a", "a") + to("NAMELIST_b", "b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOGGED + "cat NAMELIST_a NAMELIST_b > all.txt\n", {"NAMELIST_a": "a", "NAMELIST_b": "b"}),
        (LOGGED + "cat NAMELIST_a NAMELIST_a > x\n", {"NAMELIST_a": "a", "NAMELIST_b": "b"}),
        (to("p", "a") + to("q", "b") + "cat p q > NAMELIST\n", {"NAMELIST": "ab"}),
        (to("p", "a") + "cat p >> p.log\ncat p >> p.log\n", {"p": "a"}),
        (to("p", "a") + "cp p NAMELIST_atm\n", {"NAMELIST_atm": "a"}),
        (to("N", "a") + "cp N tmp\n" + append("tmp", "b") + "cp tmp N\nrm tmp\n", {"N": "ab"}),
    ],
)
def test_of_files_with_the_same_groups_the_namelist_is_counted(
    tmp_path: Path, text: str, expected: dict[str, str]
) -> None:
    script = read(tmp_path, text)
    found = {name: "".join(each.name for each in groups) for name, groups in script.groups.items()}
    assert found == expected
    assert not script.passed_over


def test_what_a_master_names_is_counted(tmp_path: Path) -> None:
    """Also copies, and parts of what is joined."""
    master = MASTER.format("p") + MASTER.format("q").replace(">", ">>")
    both = to("p", "a") + "cp p q\n" + to("r", "b") + "cat p q r master > NAMELIST_all\n"
    assert {"p", "q"} <= set(read(tmp_path, master + both).groups)


def test_a_loop_over_runs_counts_as_it_was_written_last(tmp_path: Path) -> None:
    """Copies that it keeps are no runs of their own, unless a master namelist names them."""
    script = read(tmp_path, LOOP.format(to("NAMELIST", "a")))
    assert list(script.groups) == ["NAMELIST"]
    assert sum("keeps what 'NAMELIST' was" in each for each in script.passed_over) == 2
    master = "&master_model_nml model_namelist_filename = 'NAMELIST_1' /\n"
    script = read(tmp_path, f"cat > master << EOF\n{master}EOF\n{LOOP.format(to('NAMELIST', 'a'))}")
    assert list(script.groups) == ["master", "NAMELIST", "NAMELIST_1"]


@pytest.mark.parametrize(
    "text",
    ["srun ./icon > LOG.icon 2>&1", "grep x N > found", "echo wrote N", "ls *.nml", "cp N ../N",
     "sed -n 1p N", "diff N base.nml > differences", "cd run; ls > list", "date > started"],
)  # fmt: skip
def test_what_changes_no_namelist_is_not_told(tmp_path: Path, text: str) -> None:
    script = read(tmp_path, f"{to('N', 'a')}{text}\n")
    assert not script.passed_over
    assert not script.doubtful


def test_many_copies_of_one_file_that_grow_are_counted(tmp_path: Path) -> None:
    base = "".join(f"&a{n}\n/\n" for n in range(150))
    names = " ".join(str(n) for n in range(400))
    body = f"cp N N_$i\n{append('N_$i', 'b')}rm x_$i\n{append('x_$i', 'c')}"
    loop = f"for i in {names}; do\n{body}done\n"
    script = read(tmp_path, f"cat > N << EOF\n{base}EOF\n{loop}")
    assert len(script.groups) == 800


@pytest.mark.parametrize(
    "line",
    [
        "while IFS='=' read -r key val; do export \"$key=$val\"; done < $HOME/exp.conf",
        'k=$(date +IV); declare "$k=1800"',
        'printf -v "$KEY" %s 3',
        "eval \"$1='$2'\"",
        'read -r "$KEY" <<< 3',
        "declare -n other=$KEY; other=3",
    ],
)
def test_a_name_that_is_not_known_is_told(tmp_path: Path, line: str) -> None:
    script = read(tmp_path, f"{line}\n" + to("N", "a"))
    assert any("whose name is not known" in each for each in script.passed_over)
    assert [each.name for each in script.groups["N"]] == ["a"]


def test_a_loop_that_may_write_something_else_in_other_turns_is_told(tmp_path: Path) -> None:
    loop = "dt=90\nuntil [ $ok = yes ]; do\n{write}srun icon; ./check && ok=yes\n{change}done\n"
    write = "cat > N << EOF\n&a\n x = $dt\n/\nEOF\n"
    script = read(tmp_path, "ok=no\n" + loop.format(write=write, change="dt=$((dt / 2))\n"))
    assert script.groups["N"][0].items["x"].values == [90]
    assert any("'dt' may change in it" in each for each in script.passed_over)
    script = read(tmp_path, "ok=no\n" + loop.format(write=write, change=""))
    assert script.groups["N"][0].items["x"].values == [90]
    assert not script.passed_over
    script = read(tmp_path, "ok=no\n" + loop.format(write=write.replace(">", ">>"), change=""))
    assert script.doubtful == {"N": ["exp.test:4"]}


def test_tee_within_a_pipeline_writes(tmp_path: Path) -> None:
    script = read(tmp_path, "cat << EOF | tee N | head -n 5\n&a\n x = 1\n/\nEOF\n")
    assert script.groups["N"][0].items["x"].values == [1]
    assert not script.passed_over
