# SPDX-License-Identifier: Apache-2.0
"""`bench kernels`: every kernel in every way, checked first, as a share of triad; and its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.lab import kernel_bench, kernel_cases, kernel_peer, kernel_trial
from thalweg.lab.kernel_bench import measure_kernels
from thalweg.lab.kernel_trial import Way
from thalweg.lab.results import Line
from thalweg.report import write_report

ONE = Way(Configuration("serial"))
TWO = Way(Configuration("openmp"), 2)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_bench, "WAYS", (ONE,))
    monkeypatch.setattr(kernel_bench, "WAYS_IN_CACHES", (ONE,))
    monkeypatch.setattr(kernel_bench, "LAID_OUT", ())
    monkeypatch.setattr(kernel_peer, "NAMES", ())
    monkeypatch.setattr(kernel_cases, "ICON_LIKE", ("gradient",))
    monkeypatch.setattr(kernel_cases, "DYNAMICO", {"comp_geopot": "geopot"})
    monkeypatch.setattr(kernel_cases, "NICAM", {})


def lines_of(folder: Path, repetitions: int) -> list[Line]:
    return [line for line in measure_kernels(folder, repetitions, True) if "bench" in line]


@pytest.mark.usefixtures("few")
def test_a_line_for_each_way_and_one_for_the_best(compiled: Path) -> None:
    lines = lines_of(compiled, 2)
    names = [line["method"] for line in lines]
    wanted = [f"{name}{where}" for where in ("", " in caches") for name in ("gradient", "geopot")]
    assert names == [each for name in wanted for each in (f"{name}: {ONE.name}", name)]
    assert lines[1]["way"] == ONE.name
    cells, edges, levels = 32 * 32, 3 * 32 * 32 // 2, 8
    assert lines[0]["bytes"] == 8 * levels * (cells + edges) + 4 * 2 * edges
    for line in lines:
        assert line["n"] == 2
        assert 0 < line["p05"] <= line["median"] <= line["p95"]
        assert line["gb_s"] == pytest.approx(line["bytes"] / line["wall_s"] / 1e9)


@pytest.mark.usefixtures("few")
def test_what_is_fused_runs_beside_its_parts(
    compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ("gradient", "divergence_of_triangles")
    monkeypatch.setattr(kernel_cases, "ICON_LIKE", (*parts, "laplacian"))
    monkeypatch.setattr(kernel_cases, "DYNAMICO", {})
    (line,) = [each for each in lines_of(compiled, 2) if "against" in each["method"]]
    assert line["method"] == "laplacian: against gradient and divergence_of_triangles"
    assert line["n"] == 2
    assert line["median"] > 0
    assert list(line["ways"]) == ["laplacian", *parts]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("installed", [False, True])
def test_gt4py_runs_beside_where_it_is_installed(
    installed: bool, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if installed and not kernel_peer.INSTALLED:
        pytest.skip(kernel_peer.MISSING)
    monkeypatch.setattr(kernel_peer, "NAMES", ("gradient",))
    monkeypatch.setattr(kernel_peer, "INSTALLED", installed)
    lines = lines_of(compiled, 2)
    (line,) = [each for each in lines if each["method"] == "gradient: against GT4Py"]
    assert not [each for each in lines if "wrong" in each]
    if not installed:
        assert line["skipped"] == kernel_peer.MISSING
        return
    assert line["median"] > 0
    assert "left_out" not in line
    assert [each["target"] for each in lines[1:5]] == ["gtfn", "gtfn", "dace", "dace"]


@pytest.mark.usefixtures("few")
def test_single_precision_is_half_the_bytes_and_never_the_best(
    compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = Way(Configuration("simd", precision="single"))
    monkeypatch.setattr(kernel_bench, "WAYS", (ONE, single))
    monkeypatch.setattr(kernel_cases, "DYNAMICO", {})
    double, half, best = lines_of(compiled, 1)[:3]
    assert half["precision"] == "single"
    tables = 4 * 2 * 3 * 32 * 32 // 2
    assert (half["bytes"] - tables) * 2 == double["bytes"] - tables
    assert best["way"] == ONE.name


@pytest.mark.usefixtures("few")
def test_a_wrong_value_is_no_time(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_trial, "LARGEST_DIFFERENCE", {"double": 0.0})
    of_its_own = Way(Configuration("simd", "blocked", 64, functions="vector"))  # its pow is ours
    monkeypatch.setattr(kernel_bench, "WAYS", (of_its_own,))
    monkeypatch.setattr(kernel_bench, "WAYS_IN_CACHES", (of_its_own,))
    monkeypatch.setattr(kernel_cases, "ICON_LIKE", ())
    lines = lines_of(compiled, 1)
    assert [line["method"].partition(":")[0] for line in lines] == ["geopot", "geopot in caches"]
    assert all("is not what the reference has" in line["wrong"] for line in lines)
    assert not any("median" in line for line in lines)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_the_page_shows_shares_layouts_and_two_threads(
    compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_bench, "WAYS", (ONE, TWO))
    monkeypatch.setattr(kernel_bench, "LAID_OUT", ("gradient",))
    monkeypatch.setattr(kernel_cases, "DYNAMICO", {})
    found = lines_of(compiled, 2)
    numberings = {line["numbering"] for line in found if "numbering" in line}
    assert numberings == {"rows", "random", "Hilbert", "curve"}
    lines = tmp_path / "kernels.jsonl"
    origin = {"machine": {"cpu": "a <processor>"}, "commit": "abc", "command": ["thalweg"]}
    lines.write_text("".join(json.dumps(line | origin) + "\n" for line in found))
    page = write_report([lines], tmp_path / "page.html").read_text()
    for words in ("two threads against one", "in caches", "a &lt;processor&gt;", "3-D array"):
        assert words in page
    assert (tmp_path / "page_images" / "01-kernels.png").is_file()


def test_a_file_without_lines_of_kernels_is_refused(tmp_path: Path) -> None:
    lines = tmp_path / "other.jsonl"
    lines.write_text('{"bench": "codec", "median": 1}\nno line\n')
    with pytest.raises(ThalwegError, match="holds no line of 'thalweg bench kernels --json'"):
        write_report([lines], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
