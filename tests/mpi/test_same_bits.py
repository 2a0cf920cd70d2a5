# SPDX-License-Identifier: Apache-2.0
"""The bits on disk do not depend on mode, ranks, decomposition, transport or partitions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from thalweg.files.streams import read_streams
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.model_fields import fields_of_all
from thalweg.verify.checks import check_streams
from thalweg.verify.differences import compare_streams


@dataclass(frozen=True)
class Way:
    """One way to write the same output. io_ranks 0 = serial."""

    compute: int
    decomposition: str
    io_ranks: int
    transport: str
    partitions: int

    def __str__(self) -> str:
        how = f"{self.io_ranks}io-{self.transport}" if self.io_ranks else "serial"
        return f"{self.compute}-{self.decomposition}-{how}-{self.partitions}"


DECOMPOSITIONS = ("curve", "bisection")
TRANSPORTS = ("rma", "two_sided")
# Every pair of choices meets in these eight async ways (an orthogonal array of strength 2).
CHOICES = {1: ("0000", "1111"), 2: ("0101", "1010"), 3: ("0011", "1100"), 4: ("0110", "1001")}
ASYNC = [
    Way(compute, DECOMPOSITIONS[int(a)], 1 + int(b), TRANSPORTS[int(c)], 1 + int(d))
    for compute, words in CHOICES.items()
    for a, b, c, d in words
]
SERIAL = [
    Way(compute, DECOMPOSITIONS[compute % 2], 0, "auto", 1 + (compute // 2) % 2)
    for compute in (1, 2, 3, 4)
]
EVERYTHING = [
    *(Way(*choice) for choice in product((1, 2, 3, 4), DECOMPOSITIONS, (0,), ("auto",), (1, 2))),
    *(Way(*choice) for choice in product((1, 2, 3, 4), DECOMPOSITIONS, (1, 2), TRANSPORTS, (1, 2))),
]


def make_run(way: Way, case: Path, folder: Path) -> Path:
    overrides = [
        f"grid.decomposition={way.decomposition}",
        f"io.mode={'async' if way.io_ranks else 'serial'}",
        f"io.ranks={way.io_ranks}",
        f"io.transport={way.transport}",
        f"output.main.partitions={way.partitions}",
    ]
    ranks = way.compute + way.io_ranks
    return run_case(RunRequest(case, ranks, overrides, folder / str(way), quiet=True)).path


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, small_run: Path) -> Path:
    """One compute rank, serial: no other rank can have touched these bits."""
    way = Way(1, "curve", 0, "auto", 1)
    return make_run(way, small_run.parent / "small.toml", tmp_path_factory.mktemp("reference"))


def assert_same_bits(run: Path, reference: Path) -> None:
    ones, others = read_streams(run), read_streams(reference)
    differences, compared = compare_streams(ones, others)
    assert not differences, "\n".join(difference.line(True) for difference in differences)
    assert compared == len(fields_of_all()) + len(fields_of_all(2))


def test_the_reference_holds_a_moving_jet(reference: Path) -> None:
    """Equal bits mean nothing if every bit is zero."""
    checks = {(c.stream, c.field): c for c in check_streams(read_streams(reference))}
    moving = [check for check in checks.values() if check.maximum > check.minimum]
    assert len(moving) > len(checks) / 2
    assert all(check.nan_count == 0 for check in checks.values())
    assert {check.times for check in checks.values()} == {5, 3}


@pytest.mark.some(6)
@pytest.mark.parametrize("way", [*SERIAL, *ASYNC], ids=str)
def test_every_way_writes_the_same_bits(
    way: Way, reference: Path, small_run: Path, tmp_path: Path
) -> None:
    run = make_run(way, small_run.parent / "small.toml", tmp_path)
    assert_same_bits(run, reference)
    partitions = {file.name.split("_2000")[0] for file in (run / "files").glob("main*.nc")}
    assert len(partitions) == way.partitions


@pytest.mark.slow
@pytest.mark.parametrize("way", EVERYTHING, ids=str)
def test_all_combinations_write_the_same_bits(
    way: Way, reference: Path, small_run: Path, tmp_path: Path
) -> None:
    assert_same_bits(make_run(way, small_run.parent / "small.toml", tmp_path), reference)
