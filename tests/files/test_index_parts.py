# SPDX-License-Identifier: Apache-2.0
"""Files behind an index are looked for where HDF5 looks, which fills in what it does not find."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from thalweg.errors import UnreadableError
from thalweg.files.index_parts import part_of, require_parts, virtual_sources
from thalweg.trace.hdf5_spot import hdf5_spot

HERE, THERE, FILL = 1.0, 2.0, -9.0


def write_part(path: Path, value: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file["a"] = np.full(4, value, np.float32)
    return path


def write_index(path: Path, name: str) -> Path:
    """`whole` is the part of this name, `own` what the index has itself."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file["a"] = np.full(4, HERE, np.float32)
        for variable, source in (("whole", name), ("own", ".")):
            layout = h5py.VirtualLayout((4,), np.float32)
            layout[:] = h5py.VirtualSource(source, "a", (4,))
            file.create_virtual_dataset(variable, layout, fillvalue=FILL)
    return path


def linked(path: Path, to: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "current").mkdir()
    monkeypatch.chdir(tmp_path / "current")
    return tmp_path


# Name in the index, where the part is, and by which links, each to the one before, it is opened.
PLACES = {
    "beside": ("p.h5", "runs/p.h5", []),
    "in a folder": ("sub/p.h5", "runs/sub/p.h5", []),
    "above": ("../p.h5", "p.h5", []),
    "absolute": ("{folder}/other/p.h5", "other/p.h5", []),
    "moved": ("/no/such/folder/p.h5", "runs/p.h5", []),
    "moved and linked": ("/no/such/folder/p.h5", "runs/p.h5", ["links/i.h5"]),
    "current folder": ("p.h5", "current/p.h5", []),
    "behind a link": ("p.h5", "runs/p.h5", ["links/i.h5"]),
    "behind two links": ("p.h5", "runs/p.h5", ["links/i.h5", "more/j.h5"]),
    "beside a link": ("p.h5", "links/p.h5", ["links/i.h5"]),
    "beside the link between": ("p.h5", "links/p.h5", ["links/i.h5", "more/j.h5"]),
    "nowhere": ("p.h5", "elsewhere/p.h5", []),
    "of no run": ("/no/such/folder/p.h5", "elsewhere/p.h5", ["links/i.h5"]),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_part_is_found_where_hdf5_finds_it(place: str, folder: Path) -> None:
    name, its_place, links = PLACES[place]
    part = write_part(folder / its_place, THERE)
    index = write_index(folder / "runs/i.h5", name.format(folder=folder))
    for link in links:
        index = linked(folder / link, index)
    with h5py.File(index, "r") as file:
        is_found = file["whole"][0] == THERE
        assert is_found or file["whole"][0] == FILL
        assert file["own"][0] == HERE
    (source,) = virtual_sources(index)
    assert source.exists() == is_found
    spot = hdf5_spot(index, "own", (2,))
    assert np.frombuffer(spot.file.read_bytes()[spot.offset :], spot.dtype)[0] == HERE
    if is_found:
        assert source.resolve() == part.resolve()
        require_parts(index)
        assert hdf5_spot(index, "whole", (2,)).file.resolve() == part.resolve()
    else:
        with pytest.raises(UnreadableError, match=r"lacks a part: the file '.*' does not exist"):
            require_parts(index)


def test_the_nearest_of_two_parts_is_the_one_that_hdf5_reads(folder: Path) -> None:
    for number, place in enumerate(("links/p.h5", "current/p.h5", "runs/p.h5")):
        write_part(folder / place, 10.0 + number)
    index = linked(folder / "links/i.h5", write_index(folder / "runs/i.h5", "p.h5"))
    for _ in range(3):
        source = part_of(index, "p.h5")
        with h5py.File(index, "r") as file, h5py.File(source, "r") as part:
            assert file["whole"][0] == part["a"][0]
        source.unlink()


def test_a_folder_in_place_of_a_part_is_no_file(folder: Path) -> None:
    index = write_index(folder / "runs/i.h5", "p.h5")
    (folder / "runs/p.h5").mkdir()
    with pytest.raises(UnreadableError, match=r"lacks a part: the file '.*' is no file"):
        require_parts(index)


def test_parts_by_number_are_as_many_as_there_are(folder: Path) -> None:
    index = folder / "runs/i.h5"
    for number in range(2):
        write_part(folder / f"runs/p{number}.h5", THERE)
    some, part = h5py.h5s.create_simple((8,), (h5py.h5s.UNLIMITED,)), h5py.h5s.create_simple((4,))
    each = some.copy()
    each.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (4,), (4,))
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_virtual(each, b"p%b.h5", b"a", part)
    with h5py.File(index, "w") as file:
        h5py.h5d.create(file.id, b"whole", h5py.h5t.IEEE_F32LE, some, made)
        assert (file["whole"][:] == np.full(8, THERE)).all()
    require_parts(index)
