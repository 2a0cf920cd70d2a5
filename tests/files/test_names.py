# SPDX-License-Identifier: Apache-2.0
"""What a run names its files and sets is told apart and put in order of time."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.files.datasets import parts_of
from thalweg.files.restart_sets import list_restart_sets, list_set_directories
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import stream_of


def test_sets_of_one_second_are_in_order_of_time(tmp_path: Path) -> None:
    names = ["20000101T000000Z", "20000101T000000.500Z", "20000101T000001Z"]
    for name in (*reversed(names), "20000101T000000.500Z.part", "20000101T00Z", "notes"):
        (tmp_path / "restart" / name).mkdir(parents=True)
    assert [each.name for each in list_restart_sets(tmp_path)] == names
    assert len(list_set_directories(tmp_path)) == 4


@pytest.mark.parametrize(
    ("name", "stream"),
    [
        ("jet_20000101T000000Z.nc", "jet"),
        ("jet_20000101T000000.250Z.zarr", "jet"),
        ("jet_p1of2_20000101T000000Z.000.nc", "jet"),
        ("jet_p1of2_20000101T000000Z.nc", "jet"),
        ("jet_b_20000101T000000Z.grb2", "jet_b"),
        ("jet_20000101T00Z.nc", "jet_20000101T00Z"),  # no name that a run gives
    ],
)
def test_a_file_belongs_to_the_stream_in_its_name(name: str, stream: str) -> None:
    assert stream_of(Path(name), ["jet", "jet_b"]) == stream


def test_more_than_a_thousand_writers_have_their_parts_in_order(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    names = [f"a_20000101T000000Z.{number:03}.nc" for number in range(1002)]
    for name in (*names, "a.2000.nc", "a_20000102T000000Z.1001.nc", "a_20000101T000000Z.0001.nc"):
        (tmp_path / "files" / name).touch()
    assert [each.name for each in parts_of(tmp_path / "files" / names[0])] == names
    run = RunDirectory(tmp_path)
    assert {each.name for each in run.final_entries()} == {*names, "a_20000102T000000Z.1001.nc"}
    whole = {"a.2000.nc", names[0], "a_20000101T000000Z.0001.nc"}
    assert {each.name for each in run.complete_files()} == whole


def test_only_names_that_a_run_gives_are_its_own(tmp_path: Path) -> None:
    own = ["jet_20000101T000000Z.nc", "jet_20000101T000000.250Z.001.nc", "a_00010101T120000Z.raw"]
    others = ["jet.nc", "jet_20000101.nc", "jet_20000101T000000Z.txt", "x_20000101T000000Z.nc.bak"]
    for name in (*own, *others, "jet_20000101T000000Z.grb2.part"):
        (tmp_path / "files").mkdir(exist_ok=True)
        (tmp_path / "files" / name).touch()
    run = RunDirectory(tmp_path)
    assert sorted(each.name for each in run.final_entries()) == sorted(own)
    assert len(run.all_entries()) == len(own) + 1
