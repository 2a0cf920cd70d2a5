# SPDX-License-Identifier: Apache-2.0
"""Where a page is written: never over what is somebody's own, and never a part of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from thalweg.errors import ThalwegError
from thalweg.report import pictures, write_report
from thalweg.testing.file_sizes import file_sizes_up_to

MakeRun = Callable[..., Path]


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("name", ["experiment.toml", "files/jet.nc", "notes.html"])
def test_a_page_replaces_no_other_file(make_run: MakeRun, name: str) -> None:
    run = make_run()
    (run / "notes.html").write_text("<html>what I think of this run</html>")
    picture = run / "notes_images" / "01-mine.png"
    picture.parent.mkdir()
    picture.write_bytes(b"png")
    before = (run / name).read_bytes()
    with pytest.raises(ThalwegError, match="exists and is no page of thalweg report"):
        write_report([run], run / name)
    assert (run / name).read_bytes() == before
    assert picture.exists()


@pytest.mark.usefixtures("drawn")
def test_a_page_replaces_an_earlier_one(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run("first", with_files=False), make_run("second", with_files=False)]
    page = write_report(runs[:1], tmp_path / "page.html")
    first = page.read_text()
    assert write_report(runs, page).read_text() != first


def test_a_directory_is_no_page(make_run: MakeRun) -> None:
    run = make_run()
    with pytest.raises(ThalwegError, match="files' is a directory; give the name of a file"):
        write_report([run], run / "files")


@pytest.mark.usefixtures("drawn")
def test_a_disk_that_is_full_keeps_the_page_before(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(with_files=False)
    page = write_report([run], tmp_path / "page.html")
    before = page.read_bytes()
    full = pytest.raises(ThalwegError, match=r"page\.html' cannot be written: File too large")
    with file_sizes_up_to(1 << 12), full:
        write_report([run], page)
    assert page.read_bytes() == before
    assert not list(tmp_path.glob("*.part"))


def test_a_page_that_cannot_be_written_leaves_pictures_as_they_were(
    make_run: MakeRun, tmp_path: Path
) -> None:
    page, run = tmp_path / "page.html", make_run(with_files=False)

    def refuse() -> None:
        full = pytest.raises(ThalwegError, match=r"page\.html' cannot be written: File too large")
        with file_sizes_up_to(1 << 16), full:
            write_report([run], page)

    with patch.object(pictures, "DOTS_PER_INCH", 40):
        write_report([run], page)
        kept = {path: path.read_bytes() for path in tmp_path.glob("page_images/*.png")}
        refuse()
    assert {path: path.read_bytes() for path in tmp_path.glob("page_images/*.png")} == kept != {}
