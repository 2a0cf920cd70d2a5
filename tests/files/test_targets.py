# SPDX-License-Identifier: Apache-2.0
"""Files that commands write: whole or not at all, and never in the place of somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target, write_whole, written_aside
from thalweg.testing.file_sizes import file_sizes_up_to


def test_a_file_named_like_what_is_not_complete_stays(tmp_path: Path) -> None:
    mine = tmp_path / "notes.txt.part"
    mine.write_text("mine")
    refuse_target(tmp_path / "notes.txt", overwrite=False)
    write_whole(tmp_path / "notes.txt", "whole")
    with file_sizes_up_to(1 << 12), pytest.raises(ThalwegError, match="File too large"):
        write_whole(tmp_path / "notes.txt", bytes(1 << 13))
    assert mine.read_text() == "mine"
    assert (tmp_path / "notes.txt").read_text() == "whole"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "notes.txt", mine]


def test_a_link_named_like_what_is_not_complete_leads_nowhere_else(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "notes.txt.part").symlink_to(mine)
    write_whole(tmp_path / "notes.txt", "whole")
    assert mine.read_text() == "mine"


def test_what_is_written_aside_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    with pytest.raises(KeyboardInterrupt):
        _interrupted(path)
    assert not list(tmp_path.iterdir())
    with written_aside(path) as one, written_aside(path) as other:
        assert one.parent == other.parent == tmp_path
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


def _interrupted(path: Path) -> None:
    with written_aside(path) as aside:
        aside.write_text("half")
        raise KeyboardInterrupt


def test_others_may_read_a_file_as_the_umask_says(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_whole(tmp_path / "notes.txt", "whole")
    finally:
        os.umask(old)
    assert (tmp_path / "notes.txt").stat().st_mode & 0o777 == 0o640
