# SPDX-License-Identifier: Apache-2.0
"""A run that continues from a checkpoint writes the same bits as one that was never interrupted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.files.restart_sets import check_restart_set, list_restart_sets
from thalweg.files.run_directory import read_json_lines
from thalweg.files.streams import read_streams
from thalweg.run.runner import RunRequest, run_case

HALF_S = 3600.0  # where the first run ends and the second begins
END_DATE = "20000101T020000Z"


@dataclass(frozen=True)
class Way:
    """How one run computes and writes its checkpoints."""

    mode: str
    compute: int
    restart_ranks: int = 0
    decomposition: str = "bisection"
    io_mode: str = "serial"

    def __str__(self) -> str:
        return f"{self.mode}-{self.compute}+{self.restart_ranks}-{self.decomposition}"


WAYS = {
    "sync": Way("sync", 3, 0, "curve"),
    "joint": Way("joint_multifile", 2),
    "async": Way("async", 3, 2, "curve", "async"),
    "dedicated": Way("dedicated_multifile", 2, 1, "bisection", "async"),
    "one": Way("sync", 1, 0, "curve"),
}
# Every mode writes once and continues once, each time with other numbers of ranks.
PAIRS = [
    ("sync", "joint"),
    ("joint", "async"),
    ("async", "dedicated"),
    ("dedicated", "one"),
    ("one", "sync"),
]
ALL_WAYS = [
    *(Way(mode, n) for mode in ("sync", "joint_multifile") for n in (1, 2, 3, 4)),
    *(
        Way(mode, n, r, "curve", "async")
        for mode in ("async", "dedicated_multifile")
        for n, r in ((1, 1), (2, 1), (2, 2), (3, 2), (4, 1))
    ),
]


def make_run(way: Way, case: Path, path: Path, *overrides: str) -> Path:
    settings = [
        f"grid.decomposition={way.decomposition}",
        f"io.mode={way.io_mode}",
        f"restart.mode={way.mode}",
        f"restart.ranks={way.restart_ranks}",
        "restart.interval=PT30M",
        *overrides,
    ]
    ranks = way.compute + way.restart_ranks + (1 if way.io_mode == "async" else 0)
    return run_case(RunRequest(case, ranks, settings, path, quiet=True)).path


@pytest.fixture(scope="module")
def case(small_run: Path) -> Path:
    return small_run.parent / "small.toml"


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, case: Path) -> Path:
    """Never interrupted, one compute rank."""
    return make_run(WAYS["one"], case, tmp_path_factory.mktemp("reference") / "run")


def diagnostics(run: Path, after_s: float) -> list[dict[str, Any]]:
    lines = read_json_lines(run / "diagnostics.jsonl")
    return [line for line in lines if line["time_s"] > after_s]


def assert_same_from(begin_s: float, run: Path, reference: Path) -> None:
    """The run holds exactly the reference's times after begin_s, bit by bit."""
    ones, others = read_streams(run), read_streams(reference)
    assert list(ones) == list(others)
    compared = 0
    for name, stream in ones.items():
        slots = [slot for slot in others[name].slots if slot.time_s > begin_s]
        assert [slot.time_s for slot in stream.slots] == [slot.time_s for slot in slots]
        for mine, other in zip(stream.slots, slots, strict=True):
            for field in others[name].fields:
                values = stream.values(field, mine)
                assert values.tobytes() == others[name].values(field, other).tobytes(), field
                compared += 1
    assert compared >= 60
    lines = diagnostics(run, -1.0)
    assert lines
    assert lines == diagnostics(reference, begin_s)


def check_pair(first: Way, second: Way, case: Path, reference: Path, folder: Path) -> Path:
    begun = make_run(first, case, folder / "first", "time.duration=PT1H")
    assert [each.name for each in list_restart_sets(begun)] == [
        "20000101T003000Z",
        "20000101T010000Z",
    ]
    assert not any(
        problem for each in list_restart_sets(begun) for problem in check_restart_set(each)
    )
    run = make_run(second, case, folder / "second", f"restart.read={begun}")
    assert_same_from(HALF_S, run, reference)
    return run


def test_the_reference_moves_and_has_checkpoints(reference: Path) -> None:
    """Equal bits mean nothing if nothing changes between the times that are compared."""
    stream = read_streams(reference)["main"]
    before, after = stream.values("h", stream.slots[2]), stream.values("h", stream.slots[-1])
    assert np.mean(before != after) > 0.5
    assert [each.name for each in list_restart_sets(reference)] == ["20000101T013000Z", END_DATE]


@pytest.mark.some(3, 2)  # the other modes write and continue in the last test
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_continued_run_writes_the_same_bits(
    first: str, second: str, case: Path, reference: Path, tmp_path: Path
) -> None:
    run = check_pair(WAYS[first], WAYS[second], case, reference, tmp_path)
    if second == "one":  # the same mode and ranks: even the checkpoints are the same files
        path = f"restart/{END_DATE}/parts.bin"
        assert (run / path).read_bytes() == (reference / path).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [*product(ALL_WAYS, ALL_WAYS)], ids=str)
def test_every_pair_of_ways_continues_with_the_same_bits(
    first: Way, second: Way, case: Path, reference: Path, tmp_path: Path
) -> None:
    check_pair(first, second, case, reference, tmp_path)


def test_a_damaged_checkpoint_is_named_and_the_one_before_is_taken(
    case: Path, reference: Path, tmp_path: Path
) -> None:
    begun = make_run(WAYS["joint"], case, tmp_path / "first", "time.duration=PT1H")
    path = begun / "restart/20000101T010000Z/part_000001.bin"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    (problem,) = check_restart_set(path.parent)
    assert "part_000001.bin" in problem
    run = make_run(WAYS["sync"], case, tmp_path / "second", f"restart.read={begun}")
    notes = json.loads((run / "run.json").read_text())["notes"]
    assert any("20000101T010000Z" in note and "damaged" in note for note in notes)
    assert any("continues at 1800 s" in note for note in notes)
    assert_same_from(1800.0, run, reference)
