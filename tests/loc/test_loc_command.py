# SPDX-License-Identifier: Apache-2.0
"""`thalweg loc`: what it tells, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import ON_RANKS, TARGETS, Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.compiled import translate
from thalweg.kernels.library import all_kernels
from thalweg.loc import measure as measuring
from thalweg.loc.command import loc
from thalweg.loc.cpp_text import split
from thalweg.loc.measure import choose, measure
from thalweg.loc.originals import ORIGINALS

Cli = Callable[..., "CompletedProcess[str]"]

SMOOTH = '''"""Two kernels, one of which calls the other."""

from __future__ import annotations

from thalweg.dsl import Field, Out, constant, kernel
from thalweg.dsl.grids.triangles import Cell, Level

half = constant(0.5)


@kernel
def mean(t: Field[Cell, Level, "K"], out: Out[Cell, Level, "K"]) -> None:
    """Of the neighbours."""
    out = sum(t[n] for n in Cell.neighbours) / 3


@kernel
def smooth(t: Field[Cell, Level, "K"], out: Out[Cell, Level, "K"]) -> None:
    mean(t, around)
    out = half * (t + around)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a file of kernels and one of something else, which must not be run."""
    (tmp_path / "smooth.py").write_text(SMOOTH)
    (tmp_path / "other.py").write_text("raise SystemExit(1)\n")
    return tmp_path


@pytest.mark.slow  # test_loc_page.py counts them, too
def test_every_kernel_and_every_target_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    loc([], Configuration(), as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["targets"] == list(TARGETS)
    assert [each["kernel"] for each in told["kernels"]] == list(all_kernels())
    for each in [*told["kernels"], told["together"]]:
        has_groups = each["kernel"] in ("block_extremes", "component_two", "together")
        assert sorted(each["not_translated"]) == sorted(ON_RANKS if has_groups else ())
        assert [*each["code"], *each["not_translated"]] == list(TARGETS)
        assert all(min(counts.values()) > 0 for counts in each["code"].values())
        assert min(each["written"].values()) > 0
    assert [each["original"] for each in told["originals"]] == [each.name for each in ORIGINALS]
    ours = sum(each["written"]["lines"] for each in told["originals"])
    assert told["share"] == ours / 1623
    by_hand, published, measured, *_ = told["cocomo"]
    assert (by_hand["kloc"], round(published["kloc"])) == (400.0, 200)
    assert measured["kloc"] == pytest.approx(100.0 + 300.0 * told["share"])
    months = measured["person_months"]["semi-detached"]
    assert months == pytest.approx(3.0 * measured["kloc"] ** 1.12)
    assert measured["million_euros"]["semi-detached"] == pytest.approx(months * 0.005)


def test_an_application_counts_each_line_once_and_code_of_what_nobody_calls(folder: Path) -> None:
    rows, together = measure(choose([str(folder)]), Configuration())
    written = {row.name: (row.written.lines, row.written.statements) for row in rows}
    # mean: 3 lines; smooth: 4, those of mean, and the constant
    assert written == {"mean": (3, 3), "smooth": (8, 8)}
    assert (together.written.lines, together.written.statements) == (3 + 8, 3 + 8)  # imports
    smooth = rows[1]
    assert together.code == smooth.code


def test_what_two_files_of_code_have_in_common_counts_once() -> None:
    gradient, mean = (all_kernels()[name] for name in ("gradient", "neighbour_mean"))
    rows, together = measure(choose(["gradient", "neighbour_mean"]), Configuration())
    both = [translate(each, Configuration(target="simd")) for each in (gradient, mean)]
    common = set(split(both[0])) & set(split(both[1]))
    assert any("in_vectors" in piece for piece in common)
    lines = sum(each.count("\n") + 1 for each in common)
    total = sum(row.code["simd"].lines for row in rows)
    assert together.code["simd"].lines == total - lines


def test_layout_changes_the_code_and_not_what_is_written() -> None:
    plain, blocked = (
        measure(choose(["vertical_solver"]), Configuration(layout=layout))[0][0]
        for layout in ("level_innermost", "blocked")
    )
    assert plain.written == blocked.written
    assert plain.code["simd"] != blocked.code["simd"]


def test_a_target_that_refuses_a_kernel_is_told_and_not_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(kernel: Kernel, configuration: Configuration) -> str:
        if configuration.target == "openmp" and kernel.name == "gradient":
            raise ThalwegError("no threads today")
        return translate(kernel, configuration)

    monkeypatch.setattr(measuring, "translate", refuse)
    rows, together = measure(choose(["gradient", "time_step"]), Configuration())
    assert [sorted(set(TARGETS) - set(each.code)) for each in (*rows, together)] == [
        ["openmp"], [], ["openmp"],
    ]  # fmt: skip
    loc(["gradient"], Configuration())
    printed = capsys.readouterr().out
    assert "not translated for openmp: gradient: no threads today" in printed
    assert re.search(r"^gradient( +[0-9]+/[0-9]+/[0-9]+){3} +- ", printed, re.MULTILINE)


def test_the_json_file_is_what_json_prints(cli: Cli, folder: Path) -> None:
    told = cli("loc", "smooth.py:mean", "--json", "-o", "loc.json", cwd=folder)
    assert told.returncode == 0, told.stderr
    assert (folder / "loc.json").read_text() == told.stdout
    assert json.loads(told.stdout)["cocomo"] == []
    again = cli("loc", "smooth.py:mean", "-o", "loc.json", cwd=folder)
    assert again.returncode == 2
    assert "'loc.json' exists" in again.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gradien"], "kernel 'gradien' does not exist"),
        (["none.py"], "'none.py' does not exist"),
        (["smooth.py:smoth"], "Did you mean 'smooth'?"),
        (["empty"], "the folder 'empty' holds no file.py with a kernel"),
        (["wrong.py"], "'out' is in 'K', the expression in 'K2'"),
        (["gradient", "--layout", "blocky"], "layout 'blocky' does not exist"),
        (["gradient", "--kloc", "400"], "--kloc goes with all our kernels; leave out 'gradient'"),
        (["--kloc", "1e300"], "--kloc is 1e+300; at most 1e+09 makes sense"),
        (["--month", "1e308"], "--month is 1e+308; at most 1e+09 makes sense"),
        (["--month", "0"], "--month is 0; a number above 0 is needed"),
        (["--reducible", "nan"], "--reducible is nan; a number above 0 is needed"),
        (["--reducible", "500"], "a model of 400 thousand lines has no 500 thousand of stencils"),
        (["gradient", "--markdown"], "--markdown writes the tables of all our kernels"),
        (["gradient", "-o", "empty"], "'empty' is a directory"),
    ],
)
def test_what_cannot_be_counted_is_one_sentence(
    words: list[str],
    sentence: str,
    here: Cli,
    folder: Path,
) -> None:
    (folder / "empty").mkdir()
    (folder / "wrong.py").write_text(SMOOTH.replace("half * (t + around)", "t * around"))
    result = here("loc", *words, cwd=folder)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stdout == ""
    assert sorted(each.name for each in folder.iterdir()) == [
        "empty", "other.py", "smooth.py", "wrong.py",
    ]  # fmt: skip
