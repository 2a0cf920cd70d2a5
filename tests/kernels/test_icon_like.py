# SPDX-License-Identifier: Apache-2.0
"""ICON-like kernels: right against vectors and against their formulas, the same bits everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.config.checkout import ROOT
from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Case
from thalweg.kernels.icon_like import cases_of, made_up
from thalweg.kernels.run import run_case
from thalweg.kernels.vectors import find_cases
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, different, outputs

VECTORS = ROOT.parent / "shared" / "reference" / "icon" / "icon_like.npz"
Array = NDArray[Any]
NAMES = [case.kernel.name for case in cases_of(made_up(4, 4))]


def result(case: Case, way: Configuration, folder: Path) -> Array:
    """The one output of an ICON-like kernel, or the first of several."""
    return next(iter(outputs(case, way, folder).values()))


@pytest.fixture(scope="module")
def of_vectors() -> list[Case]:
    return find_cases("icon_like", VECTORS)


@pytest.mark.skipif(not VECTORS.is_file(), reason="the reference vectors are not here")
@pytest.mark.parametrize("name", NAMES)
def test_the_vectors_of_the_original_are_met(name: str, of_vectors: list[Case]) -> None:
    cases = [each for each in of_vectors if each.kernel.name == name]
    assert cases
    for case in cases:
        outcome = run_case(case, REFERENCE, 1)
        assert outcome.passed, outcome.differences


def written_out(data: dict[str, Array]) -> dict[str, Array | tuple[Array, ...]]:
    """The formulas of each kernel, point by point and level by level, without the language: its
    first output, or all of them.
    """
    t, d, flux = data["in_temp"], data["in_dvg"], data["in_grad"]
    levels, cells = t.shape
    first, second = data["grid_edge_cell"]
    around = np.zeros_like(t)
    for k, c in np.ndindex(levels, cells):
        edges = data["grid_cell_edge"][:, c]
        around[k, c] = sum(data["in_o8_a"][n, c] * flux[k, edges[n]] for n in range(3))
    mixed = data["in_o8_prev"].copy()
    q = data["in_o8_p"]
    for k in range(1, levels - 1):
        mixed[k] = q[k] * around[k] + (1 - q[k]) * around[k - 1]
    mixed[-1] = 0.4 * around[-1] + 0.3 * around[-2] + 0.3 * around[-3]
    both, recurrence = d.copy(), t.copy()
    for k in range(1, levels):
        both[k] = d[k] + d[k - 1]
        recurrence[k] = 0.5 * (t[k] + t[k - 1]) + 0.05 * both[k - 1]
    total = data["in_vi_prev"].copy()
    for k in range(levels):
        total += t[k]
    weighted = data["in_cell_param"] * t
    twice = t.copy()
    for _ in range(10):
        twice = twice[:, data["grid_neighbor"]].sum(axis=1) / 3
    slope = t[:, first] - t[:, second]
    divergence = np.einsum("nc,knc->kc", data["grid_div_weight"], flux[:, data["grid_cell_edge"]])
    next_level = [*range(1, levels - 1), 0, levels - 1]
    by_table = 0.5 * flux[:, data["grid_edge_source"]]
    of_all = 0.5 * flux.ravel()[data["grid_edge_level_source"]]
    nothing = np.zeros_like(flux)
    rises = of_blocks(d, int(data["par_nblk_size"]))
    steps = t.copy()
    for _ in range(10):  # div(grad) is the sum of the neighbours less three times the cell
        steps = steps + 0.1 * (steps[:, data["grid_neighbor"]].sum(axis=1) - 3 * steps)
    return {
        "gradient": slope,
        "divergence_of_triangles": divergence,
        "time_step": t + 0.1 * d,
        "neighbour_mean": t[:, data["grid_neighbor"]].sum(axis=1) / 3,
        "vertical_integral": total,
        "weighted_gradient": weighted[:, first] - weighted[:, second],
        "weighted_neighbours": mixed,
        "column_recurrence": recurrence,
        "component_one": steps,
        "laplacian": t[:, data["grid_neighbor"]].sum(axis=1) - 3 * t,
        "neighbour_mean_twice": twice,
        "cleared_edges": nothing,
        "upwind": np.where(flux > 0, t[:, first], t[:, second]),
        "upwind_of_next_level": np.where(
            flux > 0, t[next_level][:, first], t[next_level][:, second]
        ),
        "indexed_edges": by_table,
        "indexed_edge_levels": of_all,
        "block_extremes": rises,
        "component_two": (slope, divergence, t + 0.05 * d, recurrence, *rises),
        "component_three": (total, weighted[:, first] - weighted[:, second], nothing, nothing),
        "component_four": (slope, of_all, by_table, mixed),
    }


def of_blocks(tendency: Array, size: int) -> tuple[Array, ...]:
    """What `block_extremes` sets, block by block."""
    blocks = [tendency[:, at : at + size] for at in range(0, tendency.shape[1], size)]
    largest = np.array([max(0.0, block.max()) for block in blocks])
    return (
        np.stack([(block > 0).any(axis=1) for block in blocks], axis=1).astype(float),
        (tendency > 0).any(axis=1)[:, None].astype(float),
        largest,
        largest.max(keepdims=True),
    )


@pytest.mark.parametrize(("side", "levels", "seed"), [(8, 3, 5), (4, 31, 6)])
def test_the_formulas_are_met(side: int, levels: int, seed: int, compiled: Path) -> None:
    data = made_up(side, levels, seed)
    right = written_out(data)
    for case in cases_of(data):
        name = case.kernel.name
        wanted = right[name]
        ours = tuple(outputs(case, REFERENCE, compiled).values())
        pairs = zip(ours, wanted if isinstance(wanted, tuple) else (wanted,), strict=False)
        for found, should in pairs:
            apart = np.abs(found - should).max() / max(np.abs(should).max(), 1e-300)
            assert apart <= max(case.tolerance, 1e-13 * (name == "laplacian")), name  # it cancels


@pytest.mark.some(31)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(name: str, way: Configuration, compiled: Path) -> None:
    for data in (made_up(8, 3, 5), made_up(4, 31, 6)):
        (case,) = (each for each in cases_of(data) if each.kernel.name == name)
        assert not different(case, way, compiled), case.kernel.name


def test_what_flows_out_of_one_triangle_flows_into_another(compiled: Path) -> None:
    """The sum of div(grad T) over all cells is 0, and that of a constant is 0 everywhere."""
    data = made_up(16, 5)
    cases = {case.kernel.name: case for case in cases_of(data)}
    for temperature in (data["in_temp"], np.full_like(data["in_temp"], 281.5)):
        slope = {**cases["gradient"].arguments, "temperature": temperature}
        difference = result(_with(cases["gradient"], slope), WAYS[0], compiled)
        flow = {**cases["divergence_of_triangles"].arguments, "flux": difference}
        divergence = result(_with(cases["divergence_of_triangles"], flow), WAYS[0], compiled)
        assert np.abs(divergence.sum(axis=1)).max() <= 1e-9
    assert not divergence.any()  # of the constant, which came last


def _with(case: Case, arguments: dict[str, Any]) -> Case:
    return Case(case.kernel, case.sizes, case.tables, arguments)


@pytest.mark.parametrize("size", [0, -5])
def test_a_block_without_cells_is_a_sentence(size: int) -> None:
    with pytest.raises(ThalwegError, match=f"'par_nblk_size' = {size} is no number of cells"):
        cases_of({**made_up(4, 4), "par_nblk_size": np.array(size)})
