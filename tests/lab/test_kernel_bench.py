# SPDX-License-Identifier: Apache-2.0
"""`bench kernels`: every kernel in every way, checked first, as a share of triad."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.lab import kernel_bench
from thalweg.lab.kernel_bench import Way, measure_kernels


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_bench, "WAYS", (Way(Configuration("serial")),))
    monkeypatch.setattr(kernel_bench, "ICON_LIKE", ("gradient",))
    monkeypatch.setattr(kernel_bench, "DYNAMICO", {"comp_geopot": "geopot"})
    monkeypatch.setattr(kernel_bench, "NICAM", {})


@pytest.mark.usefixtures("few")
def test_a_line_for_each_way_and_one_for_the_best(tmp_path: Path) -> None:
    lines = [line for line in measure_kernels(tmp_path, 2, True) if "bench" in line]
    names = [line["method"] for line in lines]
    way = "serial level_innermost 1"
    assert names == [f"gradient: {way}", "gradient", f"geopot: {way}", "geopot"]
    assert lines[1]["way"] == way
    cells, edges, levels = 32 * 32, 3 * 32 * 32 // 2, 8
    assert lines[0]["bytes"] == 8 * levels * (cells + edges) + 4 * 2 * edges
    for line in lines:
        assert line["n"] == 2
        assert 0 < line["p05"] <= line["median"] <= line["p95"]
        assert line["gb_s"] == pytest.approx(line["bytes"] / line["wall_s"] / 1e9)


@pytest.mark.usefixtures("few")
def test_what_is_fused_runs_beside_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ("gradient", "divergence_of_triangles")
    monkeypatch.setattr(kernel_bench, "ICON_LIKE", (*parts, "laplacian"))
    monkeypatch.setattr(kernel_bench, "DYNAMICO", {})
    *others, last = measure_kernels(tmp_path, 2, True)
    assert [line["method"] for line in others if "wall_s" in line][-1] == "laplacian"
    assert last["method"] == "laplacian: against gradient and divergence_of_triangles"
    assert last["n"] == 2
    assert last["median"] > 0
    assert list(last["ways"]) == ["laplacian", *parts]


@pytest.mark.usefixtures("few")
def test_a_wrong_value_is_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_bench, "LARGEST_DIFFERENCE", -1.0)  # pow is another one's here
    monkeypatch.setattr(kernel_bench, "ICON_LIKE", ())
    lines = [line for line in measure_kernels(tmp_path, 1, True) if "bench" in line]
    assert [line["method"].partition(":")[0] for line in lines] == ["geopot"]
    assert all("is not what the reference has" in line["wrong"] for line in lines)
    assert not any("median" in line for line in lines)
