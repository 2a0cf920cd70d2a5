# SPDX-License-Identifier: Apache-2.0
"""Tiny run directories and meshes for the tests of the report, made of numbers known in advance."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from thalweg.report import fieldmap, pictures, write_report
from thalweg.testing.told_runs import without_pixels

Array = NDArray[Any]
TIMERS = (  # name, parent, category, total and own seconds on ranks 0, 1 (compute) and 2 (I/O)
    ("total", "", "other", (10.0, 10.0, 0.0), (1.0, 1.0, 0.0)),
    ("integrate", "total", "compute", (9.0, 9.0, 0.0), (6.0, 7.0, 0.0)),
    ("output", "integrate", "send", (3.0, 2.0, 0.0), (0.0, 0.0, 0.0)),
    ("output_copy", "output", "copy", (1.0, 0.5, 0.0), (1.0, 0.5, 0.0)),
    ("output_wait", "output", "wait", (2.0, 1.5, 0.0), (2.0, 1.5, 0.0)),
    ("io_total", "", "other", (0.0, 0.0, 10.0), (0.0, 0.0, 2.5)),
    ("io_write", "io_total", "write", (0.0, 0.0, 7.5), (0.0, 0.0, 7.5)),
)


def icosahedral_mesh(bisections: int) -> tuple[Array, Array]:
    """Unit vectors of the nodes [nodes, 3] and node indices of the triangles [faces, 3]."""
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    nodes = [
        np.roll((0.0, one, two), turn)
        for turn in range(3)
        for one in (-1.0, 1.0)
        for two in (-golden, golden)
    ]
    nodes = [node / np.linalg.norm(node) for node in nodes]
    side = min(float(np.linalg.norm(nodes[0] - node)) for node in nodes[1:]) * 1.01
    close = [[float(np.linalg.norm(a - b)) < side for b in nodes] for a in nodes]
    faces = [
        (a, b, c)
        for a in range(12) for b in range(a + 1, 12) for c in range(b + 1, 12)
        if close[a][b] and close[b][c] and close[a][c]
    ]  # fmt: skip
    for _ in range(bisections):
        middles: dict[tuple[int, int], int] = {}

        def middle(a: int, b: int, middles: dict[tuple[int, int], int] = middles) -> int:
            key = (min(a, b), max(a, b))
            if key not in middles:
                middles[key] = len(nodes)
                nodes.append((nodes[a] + nodes[b]) / np.linalg.norm(nodes[a] + nodes[b]))
            return middles[key]

        finer = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return np.array(nodes), np.array(faces)


def write_mesh_file(path: Path, bisections: int = 2) -> tuple[Array, Array]:
    """An output file, 2 times, 2 levels: 'vor' (sine of latitude) on cells, 'h' on vertices."""
    nodes, faces = icosahedral_mesh(bisections)
    centres = nodes[faces].mean(axis=1)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    with netCDF4.Dataset(path, "w") as file:
        sizes = {"time": 2, "level": 2, "cell": len(faces), "vertex": len(nodes), "three": 3}
        for name, size in sizes.items():
            file.createDimension(name, size)
        mesh = file.createVariable("mesh", "i4")
        mesh.setncatts({
            "cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "vlon vlat",
            "face_coordinates": "clon clat", "face_node_connectivity": "cell_vertices",
        })  # fmt: skip
        for letter, place, points in (("c", "cell", centres), ("v", "vertex", nodes)):
            angles = (np.arctan2(points[:, 1], points[:, 0]), np.arcsin(points[:, 2]))
            for axis, angle in zip(("lon", "lat"), angles, strict=True):
                variable = file.createVariable(letter + axis, "f8", (place,))
                name, units = {
                    "lon": ("longitude", "degrees_east"),
                    "lat": ("latitude", "degrees_north"),
                }[axis]
                variable.setncatts({"standard_name": name, "units": units})
                variable[:] = np.degrees(angle)
        connectivity = file.createVariable("cell_vertices", "i4", ("cell", "three"))
        connectivity.start_index = np.int32(1)
        connectivity[:] = faces + 1
        numbers = file.createVariable("level", "i4", ("level",))
        numbers[:] = [2, 7]
        time = file.createVariable("time", "f8", ("time",))
        time.units = "seconds since 2000-01-01T00:00:00Z"
        time[:] = [0.0, 3600.0]
        for name, place, location, values in (
            ("vor", "cell", "face", centres[:, 2]),
            ("h", "vertex", "node", nodes[:, 2] + 10.0),
        ):
            field = file.createVariable(name, "f8", ("time", "level", place))
            field.setncatts({
                "mesh": "mesh", "location": location, "units": "s-1", "long_name": f"long {name}",
            })  # fmt: skip
            for step in range(2):
                for level in range(2):
                    field[step, level] = values * (1 + step) + 100.0 * level
    return nodes, faces


@pytest.fixture
def make_mesh() -> Callable[[int], tuple[Array, Array]]:
    """icosahedral_mesh, as tests cannot import from here."""
    return icosahedral_mesh


@pytest.fixture
def make_mesh_file() -> Callable[..., tuple[Array, Array]]:
    """write_mesh_file, as tests cannot import from here."""
    return write_mesh_file


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    return run_writer(tmp_path)


@pytest.fixture(scope="session")
def whole_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With its pictures, coarse ones, for they take seconds. One of an earlier page lay there, and
    one of somebody else.
    """
    folder = tmp_path_factory.mktemp("whole_page")
    stale = folder / "sub" / "page_images" / "09-stale.png"
    stale.parent.mkdir(parents=True)
    Image.new("P", (2, 2)).save(stale, pnginfo=pictures._mark())
    Image.new("P", (2, 2)).save(stale.with_name("42-mine.png"))
    coarse = patch.object(pictures, "DOTS_PER_INCH", 40)
    with coarse, patch.object(fieldmap, "PIXELS_PER_INCH", 40):
        return write_report([run_writer(folder)()], folder / "sub" / "page.html")


def run_writer(folder: Path) -> Callable[..., Path]:
    """A function that writes a run directory of two compute ranks and one I/O rank."""

    def make(name: str = "first", with_files: bool = True, **summary: Any) -> Path:
        run = folder / name
        (run / "files").mkdir(parents=True)
        events = [
            {"rank": 0, "kind": "compute", "begin_s": 0.0, "end_s": 6.0},
            {"rank": 0, "kind": "copy", "begin_s": 6.0, "end_s": 7.0, "bytes": 500},
            {"rank": 1, "kind": "compute", "begin_s": 0.0, "end_s": 7.0},
            {"rank": 1, "kind": "wait", "begin_s": 7.0, "end_s": 8.5},
            {"rank": 2, "kind": "get", "begin_s": 1.0, "end_s": 2.0, "bytes": 1000},
            {"rank": 2, "kind": "write", "begin_s": 2.0, "end_s": 9.5, "bytes": 4000},
        ]
        lines = [json.dumps({"stream": "jet", "field": "vor", "step": 0, **e}) for e in events]
        (run / "events.jsonl").write_text("\n".join(lines) + "\n")
        timers = [
            {
                "name": timer, "parent": parent, "category": category, "icon": "",
                "meaning": f"meaning of {timer}", "calls": [int(s > 0.0) for s in seconds],
                "total_s": list(seconds), "own_s": list(own), "min_s": list(seconds),
                "max_s": list(seconds),
            }
            for timer, parent, category, seconds, own in TIMERS
        ]  # fmt: skip
        kinds = [{"name": "wait", "meaning": "waiting for output"}]
        timing = {"ranks": 3, "roles": ["compute", "compute", "io"], "kinds": kinds,
                  "timers": timers}  # fmt: skip
        (run / "timing.json").write_text(json.dumps(timing))
        metrics = {
            "run_time_s": 10.0,
            "sypd": 23.4,
            "wait_s": 1.75,
            "wait_percent": 17.5,
            "closing_s": 0.0,
        }
        content = {"status": "complete", "limited_by": "output: I/O rank 2 was busy 75 %",
                   "machine": {"host": "testhost"}, "command": ["thalweg", "run", "jet.toml"],
                   "metrics": metrics, **summary}  # fmt: skip
        (run / "run.json").write_text(json.dumps(content))
        (run / "experiment.toml").write_text(
            '[grid]\nname = "R2B1"\n[model]\ncase = "jet"\n[time]\nduration = 86400.0\n'
            '[[output]]\nname = "jet"\ninterval = 3600.0\n[io]\nmode = "async"\n'
        )
        (run / "log.txt").write_text("first line\nlast line of the log\n")
        if with_files:
            write_mesh_file(run / "files" / "jet.nc", bisections=1)
        return run

    return make


@pytest.fixture
def page_text() -> Callable[[Path], str]:
    """A function that gives the visible text of a page."""

    class Reader(HTMLParser):
        text = ""

        def handle_data(self, data: str) -> None:
            self.text += data

    def read(page: Path) -> str:
        reader = Reader()
        reader.feed(page.read_text(encoding="utf-8"))
        return reader.text

    return read


@pytest.fixture
def drawn() -> Iterator[list[str]]:
    """Pages without pixels; the names of their pictures."""
    names: list[str] = []
    with without_pixels(names):
        yield names
