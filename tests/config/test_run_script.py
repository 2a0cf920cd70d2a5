# SPDX-License-Identifier: Apache-2.0
"""Run scripts are read as their shell would run them, and what only it could know stays open."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.config.run_script import RunScript, parse_settings, read_run_script
from thalweg.errors import ThalwegError
from thalweg.shell.unresolved import show_unresolved

WRITES = "cat > NAMELIST << EOF\n&a\n x = '{value}'\n/\nEOF\n"


def read(tmp_path: Path, text: str, *settings: str) -> RunScript:
    path = tmp_path / "exp.test"
    path.write_bytes(text.encode())
    return read_run_script(path, parse_settings(settings))


def value(tmp_path: Path, lines: str, wanted: str = "$v", *settings: str) -> str:
    """What the namelist holds where a text is that variable; open parts as ${name}."""
    script = read(tmp_path, lines + "\n" + WRITES.format(value=wanted), *settings)
    found = script.groups["NAMELIST"][0].items["x"].values[0]
    assert isinstance(found, str)
    return show_unresolved(found)


@pytest.mark.parametrize(
    ("lines", "wanted", "expected"),
    [
        ("v=1", "$v ${v}b $vb", "1 1b ${vb}"),
        ("v='a $b'", "$v", "a $b"),
        ('b=2; v="a $b"  # a comment', "$v", "a 2"),
        ("export v=1 w='two words'", "$v $w", "1 two words"),
        ("v=1\nv=2", "$v", "2"),
        ("v=a\nv+=b", "$v", "ab"),
        ("v=1\n#v=2\n: v=3", "$v", "1"),
        ("", "${v:-PT1H} ${v}", "PT1H ${v}"),
        ("", "${v:=PT1H} ${v}", "PT1H PT1H"),
        (": ${v:=7}", "$v", "7"),
        ("v=\n", "[${v-x}] [${v:-x}]", "[] [x]"),
        ("n=3; v=$((n * 4 + 1))", "$v", "13"),
        ("n=7\n(( v = n / 2 ))", "$v", "3"),
        ("let v=3*4", "$v", "12"),
        ("v=08; w=$((10#$v+1))", "$w", "9"),
        ("v=0\n((v++))\n((v+=5))", "$v", "6"),
        ("typeset -i v=2*8", "$v", "16"),
        ("set v = 5", "$v", "5"),
        ("d=2008-09-01", "${d%%-*} ${d%-*} ${d##*-} ${d#*-}", "2008 2008-09 01 09-01"),
        ("d=2008-09-01", "${d:0:4} ${d:5:2} ${d:8} ${#d}", "2008 09 01 10"),
        ("g=a/b.nc", "${g/.nc/.x}", "a/b.x"),
        ('day=86400; v=$(echo "scale=9; 10 * ${day} / 4 " | bc)', "$v", "216000.000000000"),
        ('v=$(echo "scale=2; 10 / 4" | bc)', "$v", "2.50"),
        ("v=`expr 60 \\* 86400`", "$v", "5184000"),
        ("v=a\\\nb", "$v", "ab"),
        ("v='a\nb'", "${v#*b}", ""),
        ("v=x", "\\$v $v", "$v x"),
    ],
)  # fmt: skip
def test_variables_are_resolved(tmp_path: Path, lines: str, wanted: str, expected: str) -> None:
    assert value(tmp_path, lines, wanted) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("v=$(date +%Y)", "${v}"),
        ("v=`date`", "${v}"),
        ("v=$1", "${v}"),
        ("v=$w", "${w}"),
        ("v=$((w * 2))", "${w}"),
        ("v=a\nwhile read line; do v=$line; done", "${v}"),
        ("v=a\nif [ -d /x ]; then v=b; fi", "${v}"),
        ("for v in $(ls); do echo $v; done", "${v}"),
        ("v=(1 $(date))", "${v}"),
        ("w=$(date); v=${w%-*}", "${w}"),
        ("source ./header", "${v}"),
    ],
)
def test_what_only_the_shell_knows_is_open_by_name(
    tmp_path: Path, lines: str, expected: str
) -> None:
    assert value(tmp_path, lines) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("a=1\nif [ $a -eq 1 ]; then v=one; else v=other; fi", "one"),
        ("a=2\nif [[ $a == 1 ]]\nthen\n v=one\nelif [[ $a = 2 ]]; then v=two\nfi", "two"),
        ('a=yes_x\nv=no\nif [[ "$a" == yes* ]]; then v=yes; fi', "yes"),
        ("a=\nif [ -z $a ]; then v=empty; fi", "empty"),
        ("a=3\nif [[ $a > 2 && $a -lt 4 ]]; then v=1; fi\nif (( a >= 3 )); then v=in; fi", "in"),
        ("a=1; v=0\nif [ ! $a = 1 ]; then v=1; fi", "0"),
        ("a=b; v=0\n[[ $a == b ]] && v=1", "1"),
        ('v=""\nfor g in a b; do\n v="$v $g,"\ndone', " a, b,"),
        ("case b in\n a) v=1;;\n b|c) v=2\n ;;\n *) v=3;;\nesac", "2"),
        ("for i in 1 2 3; do\nif [ $i -eq 2 ]; then\nv=$i\nfi\ndone", "2"),
        ("v=out\nf() {\n v=in\n}", "out"),
        ("v=1 command\nv=${v:-none}", "none"),
    ],
)
def test_blocks_are_followed(tmp_path: Path, lines: str, expected: str) -> None:
    assert value(tmp_path, lines) == expected


def test_a_value_is_that_of_the_place_of_the_document(tmp_path: Path) -> None:
    text = f"v=1\n{WRITES.format(value='$v')}v=2\n"
    assert read(tmp_path, text).groups["NAMELIST"][0].items["x"].values == ["1"]


def test_set_stands_above_the_script(tmp_path: Path) -> None:
    assert value(tmp_path, "v=1", "$v", "v=2") == "2"
    assert value(tmp_path, "w=$(date)", "$w", "w=a=b") == "a=b"


def test_documents_go_where_they_are_sent(tmp_path: Path) -> None:
    text = (
        "N=atm\ncat > NAME_$N << EOF\n&a\n/\nEOF\ncat << 'E2' >> NAME_${N}\n&b x='$v' /\nE2\n"
        'cat >"NAME_oce" <<-\\EOF\n\t&c\n\t/\n\tEOF\ncat > dict << E\nT temp\nE\n'
        "python << EOF\n&d /\nEOF\n"
    )
    script = read(tmp_path, text)
    names = {file: [group.name for group in groups] for file, groups in script.groups.items()}
    assert names == {"NAME_atm": ["a", "b"], "NAME_oce": ["c"]}
    assert script.groups["NAME_atm"][1].items["x"].values == ["$v"], "a quoted EOF expands nothing"
    assert [text for _, text in script.texts["dict"]] == ["T temp"]


def test_a_document_that_begins_anew_replaces_the_old(tmp_path: Path) -> None:
    text = WRITES.format(value="old") + WRITES.format(value="new")
    groups = read(tmp_path, text).groups["NAMELIST"]
    assert [group.items["x"].values for group in groups] == [["new"]]


def test_a_document_under_an_open_condition_is_doubtful(tmp_path: Path) -> None:
    text = f"if [ -f x ]; then\n{WRITES.format(value='v')}fi\n"
    assert read(tmp_path, text).doubtful == {"NAMELIST": ["exp.test:2"]}
    known = f"a=no\nif [[ $a == yes ]]; then\n{WRITES.format(value='v')}fi\n"
    known += "cat > N2 << EOF\n&b /\nEOF\n"
    assert list(read(tmp_path, known).groups) == ["N2"], "it is not written"


def test_a_namelist_file_is_read_as_it_is(tmp_path: Path) -> None:
    script = read(tmp_path, "! a comment\n\n&a\n x = 1\n/\n")
    assert script.groups["exp.test"][0].items["x"].values == [1]


def test_a_text_that_doubles_for_ever_is_given_up(tmp_path: Path) -> None:
    words = " ".join(map(str, range(100)))
    assert value(tmp_path, f'v=a\nfor i in {words}; do v="$v$v"; done')[:8] == "${v}${v}"


def test_a_namelist_that_the_script_copies_is_read(tmp_path: Path) -> None:
    (tmp_path / "NAMELIST_atm").write_text("&run_nml\n num_lev = 9\n/\n")
    script = read(tmp_path, "cp ${base}/run/NAMELIST_atm .\n")
    assert script.groups["NAMELIST_atm"][0].items["num_lev"].values == [9]


def test_a_master_namelist_brings_those_beside_it(tmp_path: Path) -> None:
    (tmp_path / "NAMELIST_atm").write_text("&run_nml\n num_lev = 9\n/\n")
    script = read(tmp_path, "&master_model_nml model_namelist_filename='NAMELIST_atm' /\n")
    assert script.groups["NAMELIST_atm"][0].items["num_lev"].values == [9]


@pytest.mark.parametrize(
    "ending", ["\r\n", "\n", "\r"], ids=["DOS", "Unix", "old Mac"]
)  # fmt: skip
def test_line_ends_of_any_kind_are_read(tmp_path: Path, ending: str) -> None:
    text = ("v=1\n" + WRITES.format(value="$v")).replace("\n", ending)
    assert read(tmp_path, text).groups["NAMELIST"][0].items["x"].values == ["1"]


def test_comments_may_be_in_any_encoding(tmp_path: Path) -> None:
    text = f"# Größe\nv=ü\n{WRITES.format(value='$v').replace('&a', '&a ! läuft')}"
    assert read(tmp_path, text).groups["NAMELIST"][0].items["x"].values == ["ü"]
    path = tmp_path / "latin"
    path.write_bytes(text.encode("latin-1"))
    assert read_run_script(path, {}).groups["NAMELIST"][0].items["x"].values == ["ü"]


@pytest.mark.parametrize("line", ["# it's here", "echo a # it's", "echo it\\'s", 'echo "it\'s"'])
def test_an_apostrophe_hides_nothing(tmp_path: Path, line: str) -> None:
    assert value(tmp_path, f"{line}\nv=1") == "1"


@pytest.mark.slow
def test_a_script_of_forty_thousand_lines_is_read(tmp_path: Path) -> None:
    lines = "# comment\nx=$((i+1))\necho 'hello $x'\n\n" * 10_000
    assert value(tmp_path, lines + "v=1") == "1"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cat > N << EOF\n&a\n/\n", "exp.test:1: the here-document has no line 'EOF'"),
        ("cat > N << EOF\n&a\n x = 'b\n/\nEOF\n", "exp.test:3: a text is not closed"),
        ("echo hello\n", "exp.test: no namelist group is in it"),
        ("", "no namelist group is in it"),
        ("a\0b", "is no text"),
    ],
)
def test_what_is_no_script_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ThalwegError) as error:
        read(tmp_path, text)
    assert sentence in error.value.sentence


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ThalwegError, match="cannot be read"):
        read_run_script(tmp_path / "none", {})


def test_a_setting_without_a_name_is_refused() -> None:
    with pytest.raises(ThalwegError, match="write --set NAME=VALUE"):
        parse_settings(["nonsense"])


LOOP = (
    "cat > NAMELIST << EOF\nEOF\n{head}; do\ncat >> NAMELIST << EOF\n&a\n x = '$i'\n/\nEOF\ndone\n"
)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("for i in $(seq 1 3)", ["1", "2", "3"]),
        ("for i in `seq 2`", ["1", "2"]),
        ("n=7\nfor i in $(seq 1 3 $n)", ["1", "4", "7"]),
        ("for i in a $(seq 3 -1 2) b", ["a", "3", "2", "b"]),
        ("for i in {08..10}", ["08", "09", "10"]),
        ("for i in {3..1}", ["3", "2", "1"]),
        ("for i in {0..6..3}", ["0", "3", "6"]),
        ("for ((i=1;i<=2;i++))", ["1", "2"]),
        ("n=5; for (( i = n; i > 1; i -= 2 ))", ["5", "3"]),
        ("for ((i=1; i<=0; ++i))", []),
    ],
)
def test_loops_run_as_often_as_they_say(tmp_path: Path, head: str, expected: list[str]) -> None:
    end = "cat >> NAMELIST << EOF\n&z\n/\nEOF\n"
    script = read(tmp_path, LOOP.format(head=head) + end)
    groups = [group for group in script.groups["NAMELIST"] if group.name == "a"]
    assert [group.items["x"].values[0] for group in groups] == expected
    assert not script.doubtful


@pytest.mark.parametrize(
    "head",
    [
        "for i in $(seq 1 $n)",
        "for ((i=1;i<=n;i++))",
        "while true",
        "for ((;;))",
        "for i in *.none",
    ],
)
def test_a_loop_of_unknown_length_is_told(tmp_path: Path, head: str) -> None:
    script = read(tmp_path, LOOP.format(head=head))
    assert len(script.groups["NAMELIST"]) == 1
    assert script.doubtful == {"NAMELIST": ["exp.test:4"]}


PARTS = "cat > p1 << EOF\n&a\n/\nEOF\ncat > p2 << EOF\n&b\n/\nEOF\n"


@pytest.mark.parametrize(
    ("joined", "expected"),
    [
        ("cat p1 p2 > N", {"N": "ab"}),
        ("cat p2 p1 >| N", {"N": "ba"}),
        ("cat p1 >> p2", {"p2": "ba"}),
        ("cat p1 > N; cat p2 >> N", {"N": "ab"}),
        ("cp p1 N\ncat >> N << EOF\n&c\n/\nEOF\n", {"N": "ac", "p2": "b"}),
        ("cat p1 >> N\ncat p1 p2 >> M", {"M": "ab"}),
        ('v=p2\ncat p1 "$v" > N', {"N": "ab"}),
    ],
)
def test_files_are_joined(tmp_path: Path, joined: str, expected: dict[str, str]) -> None:
    script = read(tmp_path, f"{PARTS}{joined}\n")
    found = {name: "".join(each.name for each in groups) for name, groups in script.groups.items()}
    assert found == expected
    assert not script.passed_over


def test_a_file_that_is_not_known_is_told(tmp_path: Path) -> None:
    script = read(tmp_path, f"{PARTS}cat p1 nowhere > N\ncat log1 log2 >> log\n")
    assert script.passed_over == [
        "exp.test:9: 'N' has what 'nowhere' has, which does not lie beside the script: its groups "
        "are not counted"
    ]
    with pytest.raises(ThalwegError, match=r"exp\.test:5: a namelist is written or changed here"):
        read(tmp_path, "{ cat << EOF\n&a_nml\n/\nEOF\n} | sort > N\n")


@pytest.mark.parametrize(
    "text",
    [
        "for i in $(seq 1 9); do\nif [ -f x ]; then\nbreak\nfi\n{}\ndone",
        "for ((i=1;i<9;i++)); do\n{}\n((i+=n))\ndone",
        "i=1; while [ $i -lt 9 ]; do\n{}\ni=$(date +%d)\ndone",
    ],
)
def test_a_loop_that_may_end_early_is_told(tmp_path: Path, text: str) -> None:
    script = read(tmp_path, text.format("cat >> N << EOF\n&a\n/\nEOF") + "\n")
    assert script.doubtful["N"]


def test_doubt_goes_with_a_file_that_is_joined(tmp_path: Path) -> None:
    part = "if [ -f x ]; then\ncat > p1 << EOF\n&a\n/\nEOF\nfi\ncat > p2 << EOF\n&b\n/\nEOF\n"
    assert read(tmp_path, f"{part}cat p1 p2 > N\n").doubtful == {"N": ["exp.test:2"]}


def test_a_join_that_is_not_read_is_told(tmp_path: Path) -> None:
    script = read(tmp_path, f"{PARTS}cat -s p1 p2 > N\n")
    assert script.passed_over[0].startswith("exp.test:9:")
