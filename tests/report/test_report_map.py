# SPDX-License-Identifier: Apache-2.0
"""Maps show the right triangle or hexagon in every pixel, at the poles and the date line too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from thalweg.errors import ThalwegError
from thalweg.report import plot_field
from thalweg.report.fieldmap import colour_range, rasterise
from thalweg.report.meshfield import MeshField, fields_and_last_time, read_field
from thalweg.report.sphere import (
    Canvas,
    containing_faces,
    lonlat_canvas,
    mollweide_canvas,
    mollweide_forward,
)

Array = NDArray[Any]
MakeMesh = Callable[[int], tuple[Array, Array]]
MakeMeshFile = Callable[..., tuple[Array, Array]]


def spherical_areas(corners: Array) -> Array:
    """Areas on the unit sphere [faces] of triangles [faces, 3, 3] (van Oosterom, Strackee 1983)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    volume = np.abs(np.einsum("fi,fi->f", a, np.cross(b, c)))
    dots = [np.einsum("fi,fi->f", one, two) for one, two in ((a, b), (b, c), (c, a))]
    areas: Array = 2.0 * np.arctan2(volume, 1.0 + sum(dots))
    return areas


@pytest.mark.parametrize("canvas", [
    mollweide_canvas(300), lonlat_canvas((-180.0, 180.0, -90.0, 90.0), 300),
    lonlat_canvas((170.0, 200.0, 70.0, 90.0), 200),
], ids=["earth", "with_poles", "across_the_date_line"])  # fmt: skip
@pytest.mark.parametrize("bisections", [0, 3])
def test_every_pixel_lies_in_its_triangle(
    make_mesh: MakeMesh, canvas: Canvas, bisections: int
) -> None:
    nodes, faces = make_mesh(bisections)
    _, directions = canvas.directions()
    face, weights = containing_faces(nodes, faces, directions)
    assert weights.min() > -1e-12
    assert weights.sum(axis=1) == pytest.approx(1.0)
    back = (nodes[faces[face]] * weights[:, :, None]).sum(axis=1)
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    assert np.abs(back - directions).max() < 1e-12


@pytest.mark.parametrize("bisections", [0, 2])
def test_a_pixel_beside_all_triangles_lies_in_none(make_mesh: MakeMesh, bisections: int) -> None:
    """A mesh of a region."""
    nodes, faces = make_mesh(bisections)
    few = faces[:5]
    _, directions = mollweide_canvas(300).directions()
    whole, _ = containing_faces(nodes, faces, directions)
    face, weights = containing_faces(nodes, few, directions)
    assert np.array_equal(face, np.where(whole < 5, whole, -1))
    assert np.array_equal(np.isfinite(weights).all(axis=1), whole < 5)
    centres, values = nodes[few].mean(axis=1), np.full(5, 7.0)
    field = MeshField("a", "a", "1", "face", values, centres, nodes, few, level=0, time_text="")
    pixels, _ = rasterise(field, mollweide_canvas(300))
    assert np.isfinite(pixels).sum() == (whole < 5).sum() > 0


def test_triangles_cover_the_earth_by_their_areas(make_mesh: MakeMesh) -> None:
    nodes, faces = make_mesh(1)
    areas = spherical_areas(nodes[faces])
    assert areas.sum() == pytest.approx(4.0 * np.pi, rel=1e-12)
    _, directions = mollweide_canvas(1000).directions()  # equal areas: pixels count
    face, _ = containing_faces(nodes, faces, directions)
    share = np.bincount(face, minlength=len(faces)) / len(face)
    assert share == pytest.approx(areas / (4.0 * np.pi), rel=0.02)


def test_mollweide_is_undone_by_its_inverse() -> None:
    canvas = mollweide_canvas(400)
    on_earth, _ = canvas.directions()
    rows, columns = np.nonzero(on_earth)
    x, y = mollweide_forward(canvas.longitude[on_earth], canvas.latitude[on_earth])
    left, right, bottom, top = canvas.extent
    assert x == pytest.approx(left + (columns + 0.5) / 400 * (right - left), abs=1e-4)
    assert y == pytest.approx(top - (rows + 0.5) / 200 * (top - bottom), abs=1e-4)
    assert on_earth.mean() == pytest.approx(np.pi / 4.0, abs=2e-3)  # an ellipse in its box


def test_fields_of_cells_and_vertices_show_their_own_values(
    make_mesh_file: MakeMeshFile, tmp_path: Path
) -> None:
    nodes, _ = make_mesh_file(tmp_path / "jet.nc", bisections=3)
    canvas = lonlat_canvas((-180.0, 180.0, -90.0, 90.0), 240)
    sine = np.sin(np.radians(canvas.latitude))
    for name, offset in (("vor", 0.0), ("h", 10.0)):
        pixels, _ = rasterise(read_field(tmp_path / "jet.nc", name, level=0, time=0), canvas)
        assert np.abs(pixels - offset - sine).max() < 0.12  # half a mesh width
        assert np.isfinite(pixels).all()
    hexagons, _ = rasterise(read_field(tmp_path / "jet.nc", "h", level=0, time=0), canvas)
    _, directions = canvas.directions()
    nearest = np.argmax(directions @ nodes.T, axis=1).reshape(hexagons.shape)
    assert hexagons == pytest.approx(10.0 + nodes[nearest, 2])


def test_interpolation_for_contours_is_smoother_than_the_cells(
    make_mesh_file: MakeMeshFile, tmp_path: Path
) -> None:
    make_mesh_file(tmp_path / "jet.nc", bisections=3)
    canvas = lonlat_canvas((0.0, 360.0, 10.0, 80.0), 240)
    field = read_field(tmp_path / "jet.nc", "vor", level=0, time=0)
    pixels, smooth = rasterise(field, canvas, with_smooth=True)
    sine = np.sin(np.radians(canvas.latitude))
    assert smooth is not None
    assert np.abs(smooth - sine).max() < 0.25 * np.abs(pixels - sine).max()


def test_level_and_time_are_those_asked_for(make_mesh_file: MakeMeshFile, tmp_path: Path) -> None:
    make_mesh_file(tmp_path / "jet.nc", bisections=0)
    first = read_field(tmp_path / "jet.nc", "vor", level=0, time=0)
    last = read_field(tmp_path / "jet.nc", "vor", level=7, time=-1)
    assert last.values == pytest.approx(2.0 * first.values + 100.0)
    assert first.level == 2
    assert (last.level, last.time_text) == (7, "2000-01-01 01:00")
    assert fields_and_last_time(tmp_path / "jet.nc")[0] == ["vor", "h"]


def test_signed_fields_get_a_symmetric_colour_bar() -> None:
    low, high, signed = colour_range(np.linspace(-3.0, 8.0, 1001))
    assert signed
    assert low == -high
    assert high == pytest.approx(8.0, rel=0.01)
    low, high, signed = colour_range(np.linspace(9000.0, 10000.0, 1001))
    assert not signed
    assert 9000.0 <= low < high <= 10000.0
    low, high, signed = colour_range(np.full(10, 5.0))
    assert not signed
    assert low < 5.0 < high


def test_plot_field_writes_a_picture_of_the_region(
    make_mesh_file: MakeMeshFile, tmp_path: Path
) -> None:
    make_mesh_file(tmp_path / "jet.nc", bisections=3)
    out = plot_field(
        tmp_path / "jet.nc", "vor", 2, -1, tmp_path / "new" / "map.png",
        extent=(0.0, 360.0, 10.0, 80.0), contour_interval=0.2,
    )  # fmt: skip
    with Image.open(out) as picture:
        colours = picture.convert("RGB").getcolors(1 << 24)
        assert picture.width > 1000
    assert colours is not None
    assert len(colours) > 50


@pytest.mark.parametrize(
    ("field", "level", "time", "sentence"),
    [
        ("vorr", 1, 0, "has no variable 'vorr'. Did you mean 'vor'?"),
        ("vor", 3, 0, "has levels 2 to 7, not 3"),
        ("vor", 2, 2, "has 2 times, there is no 2"),
        ("clon", 1, 0, "names no mesh and location"),
    ],
)
def test_wrong_requests_are_refused_in_one_sentence(
    make_mesh_file: MakeMeshFile, tmp_path: Path, field: str, level: int, time: int, sentence: str
) -> None:
    make_mesh_file(tmp_path / "jet.nc", bisections=0)
    with pytest.raises(ThalwegError) as caught:
        read_field(tmp_path / "jet.nc", field, level, time)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("corner", [100_000, 0, -4])
def test_a_triangle_of_nodes_that_are_not_there_is_told(
    make_mesh_file: MakeMeshFile, tmp_path: Path, corner: int
) -> None:
    """Corners count from 1."""
    make_mesh_file(tmp_path / "jet.nc")
    with netCDF4.Dataset(tmp_path / "jet.nc", "a") as file:
        file["cell_vertices"][0, 0] = corner
    with pytest.raises(ThalwegError, match=r"jet\.nc' has triangles with corners .* of 162 nodes"):
        read_field(tmp_path / "jet.nc", "vor", level=0, time=0)


@pytest.mark.parametrize(("attribute", "value", "said"), [
    ("units", 5, "3600"), ("units", "seconds since noon", "3600"), ("time", 1e300, "1e+300"),
    ("time", np.nan, "nan"),
])  # fmt: skip
def test_a_time_that_is_none_is_told_as_it_stands(
    make_mesh_file: MakeMeshFile, tmp_path: Path, attribute: str, value: Any, said: str
) -> None:
    make_mesh_file(tmp_path / "jet.nc")
    with netCDF4.Dataset(tmp_path / "jet.nc", "a") as file:
        if attribute == "units":
            file["time"].units = value
        else:
            file["time"][1] = value
    assert read_field(tmp_path / "jet.nc", "vor", level=0, time=-1).time_text == said
