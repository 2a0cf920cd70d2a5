# SPDX-License-Identifier: Apache-2.0
"""The report tells runs of every container, restart mode and set of files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest

from thalweg.errors import ThalwegError
from thalweg.report import page, runmap, write_report
from thalweg.report.binning import flatten
from thalweg.report.meshfield import fields_and_last_time, read_field
from thalweg.report.rundata import read_run
from thalweg.report.runmap import choose_field
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing import told_runs
from thalweg.testing.told_runs import ToldRuns

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT1H"
[[output]]
name = "main"
variables = ["vor"]
interval = "PT30M"
"""

TWO_MORE = """
[[output]]
name = "many"
variables = ["vor"]
interval = "PT0.5S"
file_interval = "PT0.5S"
compression = "deflate"
[[output]]
name = "wave"
variables = ["h"]
interval = "PT1S"
container = "zarr"
"""


def test_a_run_that_cannot_be_told_is_named(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows every test of this session (tests/conftest.py) finds runs, and their faults."""
    out, told = tmp_path / "page.html", ToldRuns(tmp_path / "kinds", each=False)
    assert told.failures_below(small_run.parent, out) == []
    assert len(list(told.kinds.iterdir())) == 5, "a kind of run, and one of each picture"
    assert {"shares", "timeline", "bytes", "map"} <= set(told.drawn)

    def fails(*_: object) -> Path:
        raise KeyError("restart")

    monkeypatch.setattr(told_runs, "write_report", fails)
    assert told.failures_below(small_run.parent, out) == [], "told already"
    failures = ToldRuns(tmp_path / "anew", each=True).failures_below(small_run.parent, out)
    assert failures == [f"{small_run}: KeyError: 'restart'"]


def test_runs_that_look_the_same_are_all_told_and_drawn_once(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(page, "draw_shares", lambda *_: drawn.append("shares"))
    told = ToldRuns(tmp_path / "kinds", each=False)
    for number, (old, new, told_of, drawn_of) in enumerate(
        (("", "", 1, 1), ("levels = 3", "levels = 4", 1, 1), ("chunked", "contiguous", 2, 1),
         ('mode = "async"', 'mode = "serial"', 3, 2)), 1
    ):  # fmt: skip
        run = tmp_path / f"{number}" / "run"
        shutil.copytree(small_run, run)
        text = (run / "experiment.toml").read_text()
        assert old in text
        (run / "experiment.toml").write_text(text.replace(old, new))
        assert told.failures_below(run, tmp_path / "page.html") == []
        assert (told.drawn.count("shares"), len(drawn)) == (told_of, drawn_of), new


@pytest.mark.parametrize("each", [False, True])
def test_a_run_that_is_damaged_after_it_was_told_is_told_again(
    each: bool, small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings, status and names stay; the damage is in a file, then in what tells of the run."""
    run, pages = tmp_path / "run", []
    shutil.copytree(small_run, run)
    monkeypatch.setattr(told_runs, "write_report", lambda _, page: pages.append(page))
    told = ToldRuns(tmp_path / "kinds", each)

    def times_told() -> int:
        assert told.failures_below(run, tmp_path / "page.html") == []
        return len(pages)

    assert (times_told(), times_told()) == (1, 1)
    file = max((run / "files").glob("main_*.nc"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert (times_told(), times_told()) == (2, 2)
    file.write_bytes(whole)
    assert times_told() == 2, "it is as it was"
    events = run / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-9])
    assert (times_told(), times_told()) == (3, 3)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("container", "sentence"),
    [
        ("netcdf4", ""),
        ("cdf5", ""),
        ("zarr", ""),
        ("classic", ""),
        ("grib2", "names no mesh: only netCDF and Zarr have room for one"),
        ("raw", "names no mesh: only netCDF and Zarr have room for one"),
    ],
)
def test_the_map_is_drawn_where_the_container_holds_a_mesh(
    container: str, sentence: str, tmp_path: Path, model: Path, drawn: list[str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    overrides = [f"output.main.container={container}"]
    run = run_case(RunRequest(case, 2, overrides, tmp_path / "run", quiet=True))
    html = write_report([run.path], tmp_path / "page.html").read_text()
    assert ("map" in drawn) == (not sentence)
    assert sentence in html


def run_in_parts(folder: Path, *overrides: str) -> Path:
    """Of two writers, with an index over their parts."""
    (folder / "case.toml").write_text(CASE)
    words = ["io.mode=file_parallel", "io.ranks=2", "output.main.container=netcdf4", *overrides]
    return run_case(RunRequest(folder / "case.toml", 4, words, folder / "run", quiet=True)).path


def test_an_index_with_a_damaged_attribute_is_drawn_or_refused(tmp_path: Path, model: Path) -> None:
    """Bytes behind the name of one: its type and size, which HDF5 alone does not look at."""
    (index,) = (run_in_parts(tmp_path) / "files").glob("*Z.nc")
    whole = index.read_bytes()
    refused = 0
    for found in re.finditer(rb"(mesh|units|long_name)\0", whole):
        for offset in range(0, 12, 3):
            content = bytearray(whole)
            content[found.end() + offset] ^= 0xFF
            index.write_bytes(content)
            try:
                fields_and_last_time(index)
            except ThalwegError:
                refused += 1
    assert refused > 5


def test_a_part_that_was_cut_or_is_gone_is_named(
    tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    run = run_in_parts(tmp_path)
    second = max((run / "files").glob("*.001.nc"))
    index = second.with_name(second.name.replace(".001.nc", ".nc"))
    linked = tmp_path / "linked.nc"
    linked.symlink_to(index)
    (first, *_), _ = fields_and_last_time(linked)
    assert np.isfinite(read_field(linked, first, 0, -1).values).all()
    size = second.stat().st_size
    second.write_bytes(second.read_bytes()[: size // 2])
    text = page_text(write_report([run], tmp_path / "page.html"))
    assert f"There is no map: '{second}' was cut: it ends at byte {size // 2} instead of" in text
    second.write_bytes(b"")
    text = page_text(write_report([run], tmp_path / "page.html"))
    assert f"There is no map: '{second}' cannot be read as netCDF" in text
    second.unlink()
    text = page_text(write_report([run], tmp_path / "page.html"))
    assert f"lacks a part: the file '{second}' does not exist" in text


def test_a_damaged_file_is_named_where_another_one_is_drawn(
    tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    run = run_in_parts(tmp_path, "output.main.file_interval=PT30M")
    last = max((run / "files").glob("*.001.nc"))
    assert "The map is of another file" not in page_text(write_report([run], tmp_path / "a.html"))
    last.unlink()
    text = page_text(write_report([run], tmp_path / "b.html"))
    assert drawn[-1] == "map"
    index = last.with_name(last.name.replace(".001.nc", ".nc"))
    told = f"The map is of another file: '{index}' lacks a part: the file '{last}' does not exist."
    assert told in text


def test_of_each_stream_the_newest_file_is_looked_at_until_one_can_be_drawn(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of a run of a thousand files opens one of each stream."""
    looked_at: list[str] = []

    def look(path: Path) -> tuple[list[str], float]:
        looked_at.append(path.name)
        return fields_and_last_time(path)

    monkeypatch.setattr(runmap, "fields_and_last_time", look)
    (tmp_path / "case.toml").write_text(CASE + TWO_MORE)
    words = ["model.time_step=0.5", "time.duration=PT2S"]
    run = run_case(RunRequest(tmp_path / "case.toml", 2, words, tmp_path / "run", quiet=True)).path
    begins = ("000000", "000000.500", "000001", "000001.500", "000002")
    many = [f"many_20000101T{begin}Z.nc" for begin in begins]
    assert sorted(path.name for path in (run / "files").glob("many*")) == sorted(many)
    whole = ["main_20000101T000000Z.nc", "wave_20000101T000000Z.zarr"]

    assert choose_field(read_run(run)).path.name == many[-1]
    assert sorted(looked_at) == sorted([many[-1], *whole])
    with h5py.File(run / "files" / many[-1], "r") as file:
        chunk = file["vor"].id.get_chunk_info(0)
    with (run / "files" / many[-1]).open("r+b") as raw:
        raw.seek(chunk.byte_offset)
        raw.write(bytes(chunk.size))
    older = choose_field(read_run(run))  # its values cannot be read, though all about them can
    assert older.path.name == many[-2]
    assert many[-1] in "".join(older.damaged)
    looked_at.clear()
    for name in many[2:]:
        (run / "files" / name).write_bytes(b"")
    chosen = choose_field(read_run(run))
    assert [name for name in looked_at if name not in whole] == many[:0:-1]
    assert chosen.path.name == many[1]
    assert [str(run / "files" / name) in said for name, said in
            zip(many[:1:-1], chosen.damaged, strict=True)] == [True] * 3  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("mode", ["sync", "joint_multifile", "dedicated_multifile", "async"])
def test_a_run_with_checkpoints_is_told(
    mode: str, tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    overrides = [f"restart.mode={mode}", "restart.interval=PT30M", "restart.ranks=1",
                 "io.mode=serial"]  # fmt: skip
    ranks = 3 if mode in ("async", "dedicated_multifile") else 2
    run = run_case(RunRequest(case, ranks, overrides, tmp_path / "run", quiet=True))
    text = page_text(write_report([run.path], tmp_path / "page.html"))
    assert "damaged" not in text
    assert ("2 compute + 1 restart" in text) == (ranks == 3)
    assert "timeline" in drawn


def test_a_run_that_kept_no_events_is_told_without_them(
    tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    run = run_case(RunRequest(case, 3, ["io.events=false"], tmp_path / "run", quiet=True))
    assert not (run.path / "events.jsonl").exists()
    text = page_text(write_report([run.path], tmp_path / "page.html"))
    assert "kept no events ([io] events = false), so there is no timeline" in text
    assert "missing" not in text
    assert drawn == ["shares", "map"]
    assert "integrate" in text, "the timers are there all the same"


def untold_share(directory: Path) -> float:
    """Of the life of a compute rank, the most that no event tells."""
    run = read_run(directory)
    flat = flatten(run.events)
    seconds = flat.end_s - flat.begin_s
    shares = []
    for rank in run.timing.ranks("compute"):
        mine = flat.rank == rank
        life_s = seconds[mine].sum()
        assert life_s == pytest.approx(flat.end_s[mine].max(), rel=1e-9)
        assert seconds[mine & flat.of_kinds("start")].sum() > 0.0
        shares.append(seconds[mine & flat.of_kinds("other")].sum() / life_s)
    return max(shares)


def test_no_moment_of_a_compute_rank_is_without_a_word(small_run: Path, tmp_path: Path) -> None:
    """Waiting is drawn as waiting and starting as starting: what no event tells is below 5 %.

    Of a run of a tenth of a second a rank may lose the core for longer; of several hardly."""

    def runs() -> Iterator[Path]:
        yield small_run
        for run in ("second", "third", "fourth"):
            case = small_run.with_name("small.toml")
            yield run_case(RunRequest(case, directory=tmp_path / run, quiet=True)).path

    shares = (untold_share(run) for run in runs())
    assert any(share < 0.05 for share in shares)


Damage = Callable[[netCDF4.Dataset], object]
DAMAGES: dict[str, Damage] = {
    "no numbers": lambda file: file["vlat"].__setitem__(3, np.nan),
    "not a netCDF file that": lambda file: setattr(file["vor"], "coordinates", np.int32(7)),
    "not supported between": lambda file: setattr(file, "cell_global_size", "abc"),
    "ambiguous": lambda file: setattr(file["vor"], "location", np.array([1, 2])),
    "ufunc": lambda file: setattr(file["vor"], "scale_factor", "abc"),
    "along its last dimension": lambda file: setattr(file["vor"], "location", "face"),
    "names no mesh and location": lambda file: setattr(file["vor"], "mesh", "nowhere"),
    "NaN to integer": lambda file: file["level"].setncattr("scale_factor", np.nan),
}


@pytest.mark.some(4)
@pytest.mark.parametrize("told", DAMAGES)
def test_a_file_that_fits_no_convention_is_told_and_an_older_one_drawn(
    told: str, tmp_path: Path, model: Path, drawn: list[str], page_text: Callable[[Path], str]
) -> None:
    (tmp_path / "case.toml").write_text(CASE)
    words = ["output.main.file_interval=PT30M", "output.main.container=netcdf4", "io.mode=serial"]
    run = run_case(RunRequest(tmp_path / "case.toml", 2, words, tmp_path / "run", quiet=True)).path
    newest = max((run / "files").glob("*.nc"))
    with netCDF4.Dataset(newest, "a") as file:
        file.set_auto_maskandscale(False)
        DAMAGES[told](file)
    text = page_text(write_report([run], tmp_path / "page.html"))
    sentence = text.partition("The map is of another file: ")[2].partition("\n")[0]
    assert f"'{newest}'" in sentence
    assert told in sentence
