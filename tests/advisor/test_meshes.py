# SPDX-License-Identifier: Apache-2.0
"""Points of a mesh come from a grid's name only where it tells them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from netCDF4 import Dataset

from thalweg.advisor.icon_meshes import mesh_of_cells, mesh_of_file, mesh_of_name
from thalweg.advisor.icon_streams import Answer
from thalweg.errors import ThalwegError

Advise = Callable[..., Answer]
Streams = Callable[..., Answer]


@pytest.mark.parametrize(
    ("name", "cells", "edges", "vertices"),
    [
        ("iconR2B04_DOM01.nc", 20480, 30720, 10242),
        ("iconR2B05-grid.nc", 81920, 122880, 40962),
        ("icon_grid_0024_R02B06_G.nc", 327680, 491520, 163842),
        ("/pool/icon_grid_R03B07_G.nc", 2949120, 4423680, 1474562),
        ("Torus_Triangles_64x32_100m.nc", 4096, 6144, 2048),
    ],
)
def test_global_names_tell_points(name: str, cells: int, edges: int, vertices: int) -> None:
    mesh = mesh_of_name(name, limited=False)
    assert mesh is not None
    assert (mesh.cells, mesh.edges, mesh.vertices) == (cells, edges, vertices)
    assert not mesh.regional


@pytest.mark.parametrize(
    "name",
    [
        "iconR2B07_DOM02.nc", "icon_grid_0028_R02B07_N02.nc", "icon_grid_0001_R19B07_L.nc",
        "icon_grid_R19B07_LR.nc", "icon_grid_0043_R02B04_O.nc", "lam_R02B10.nc", "icon_grid.nc",
        "europe044_DOM01.nc", "icon_grid_0023_R02B05_R.nc",
    ],
)  # fmt: skip
def test_other_names_do_not(name: str) -> None:
    assert mesh_of_name(name, limited=False) is None


def test_a_limited_run_has_no_global_grid() -> None:
    assert mesh_of_name("iconR2B04_DOM01.nc", limited=True) is None


def test_given_cells_of_a_whole_grid_have_exact_edges() -> None:
    whole = mesh_of_cells("icon_R02B04_G", 20480)
    part = mesh_of_cells("icon_R02B04_G", 20481)
    assert (whole.edges, whole.vertices, whole.regional) == (30720, 10242, False)
    assert (part.edges, part.regional) == (30722, True)


def test_a_grid_file_tells_all_its_points(tmp_path: Path) -> None:
    with Dataset(tmp_path / "grid.nc", "w") as grid:
        for name, size in (("cell", 10), ("edge", 17), ("vertex", 8)):
            grid.createDimension(name, size)
    mesh = mesh_of_file(tmp_path / "grid.nc")
    assert mesh is not None
    assert [mesh.points(place) for place in ("cell", "edge", "vertex")] == [10, 17, 8]
    (tmp_path / "text").write_text("no grid")
    assert mesh_of_file(tmp_path / "text") is None


def test_a_grid_that_cannot_be_is_refused() -> None:
    with pytest.raises(ThalwegError, match="grid 'R0B3' does not exist"):
        mesh_of_name("iconR0B3.nc", limited=False)


def test_cells_that_a_name_denies_are_told(streams: Streams) -> None:
    """R2B4 has 20480."""
    (told,) = [each for each in streams("", cells=("1000",)).warnings if "--cells" in each]
    assert "a grid with 20480 cells, and --cells says 1000, which are counted" in told
    assert not any("--cells" in each for each in streams("", cells=("20480",)).warnings)


def test_what_run_nml_leaves_out_is_told(advise: Advise) -> None:
    text = "&grid_nml dynamics_grid_filename = 'iconR2B04_G.nc' /\n&run_nml nsteps = 9 {} /\n"
    told = "".join(advise(text.format("")).warnings)
    assert "exp.test:2: there is no dtime: ICON's own of 600 s is counted" in told
    assert "exp.test:2: there is no num_lev: ICON's own of 31 is counted" in told
    given = "".join(advise(text.format("dtime = 60., num_lev = 9")).warnings)
    assert "ICON's own" not in given
