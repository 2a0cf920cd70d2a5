# SPDX-License-Identifier: Apache-2.0
"""Which smooth maximum the stalls of simulated runs correspond to, and the picture of a run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PIL import Image

from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.advisor.prediction.run_facts import RunFacts
from thalweg.advisor.simulation import Checkpoints, Machine, Plan, Stream, simulate
from thalweg.advisor.simulation.picture import write_picture
from thalweg.advisor.simulation.sharpness import fit_sharpness
from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError
from thalweg.testing.examples import examples

VALUES = {p.name: p.centre for p in PARAMETERS}
RATIOS = examples((0.8, 1.0, 1.2), (0.7, 0.9, 1.0, 1.1, 1.4))


def facts(io_ranks: float) -> RunFacts:
    return RunFacts(81920, 7200, 2, 128, 252, io_ranks=io_ranks, outputs=1201)


def sharpness(io_ranks: float, variation: float) -> float:
    machine = Machine({**VALUES, "startup_s": 0.0}, service_variation=variation)
    return fit_sharpness(facts(io_ranks), machine, RATIOS, seeds=1).sharpness


def test_without_variation_the_maximum_is_hard() -> None:
    assert sharpness(1, 0.0) > 100


def test_variation_and_ranks_that_take_turns_make_it_soft() -> None:
    assert sharpness(1, 0.2) > sharpness(1, 0.5) > sharpness(4, 0.5)


@pytest.mark.some(2)
@pytest.mark.parametrize(("io_ranks", "variation"), [(1, 0.4), (4, 0.2)])
def test_the_page_has_what_is_found(io_ranks: int, variation: float) -> None:
    page = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if "|" in line]
    head = next(row for row in rows if row[0] == "I/O ranks")
    row = next(row for row in rows if row[0] == str(io_ranks) and len(row) == len(head))
    told = float(row[head.index(str(variation))])
    machine = Machine({**VALUES, "startup_s": 0.0, "io_event_s": 0.0}, service_variation=variation)
    found = fit_sharpness(facts(io_ranks), machine, seeds=2).sharpness
    assert found == pytest.approx(told, rel=0.1)


def test_one_rank_loses_what_the_mean_of_a_maximum_says() -> None:
    # One slot, equal services: a cycle takes max(1, X), X lognormal of mean 1. Its mean is
    # 2 Phi(sigma / 2): 1.154 for a variation of 0.4.
    machine = Machine({**VALUES, "startup_s": 0.0}, service_variation=0.4)
    found = fit_sharpness(facts(1), machine, (1.0,), seeds=8)
    sigma = math.sqrt(math.log1p(0.4**2))
    expected = 1.0 + math.erf(sigma / 2.0 / math.sqrt(2.0))
    assert found.excess[0] == pytest.approx(expected, rel=0.01)
    assert 2.0 ** (1.0 / found.sharpness) == pytest.approx(found.excess[0], rel=0.01)


def test_a_run_without_io_ranks_has_no_sharpness() -> None:
    with pytest.raises(ThalwegError, match="I/O ranks and outputs"):
        fit_sharpness(facts(0), Machine(VALUES))


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["run.png", "run.svg"])
def test_a_picture_is_drawn(tmp_path: Path, name: str) -> None:
    streams = tuple(Stream(f"s{i}", 4e9, 20, 3.0, partitions=2) for i in range(9))
    plan = Plan(81920, 100, 100, streams, Checkpoints("async", 2, 1e9, 2, 50.0), io_ranks=4)
    write_picture(simulate(plan, Machine(VALUES, service_variation=0.3)), tmp_path / name)
    if name.endswith("png"):
        with Image.open(tmp_path / name) as image:
            assert image.size == (1300, 936)
            assert len(image.convert("RGB").getcolors(10**6) or []) > 20
    else:
        assert "<svg" in (tmp_path / name).read_text(encoding="utf-8")


def test_a_run_of_nothing_has_a_picture_too(tmp_path: Path) -> None:
    nothing = Machine({**dict.fromkeys(VALUES, 0.0), "sharpness": math.inf})
    write_picture(simulate(Plan(1, 0, 1), nothing), tmp_path / "nothing.png")


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    found = simulate(Plan(1, 0, 1), Machine(VALUES))
    with pytest.raises(ThalwegError, match="is no picture"):
        write_picture(found, tmp_path / "run.txt")
    with pytest.raises(ThalwegError, match="cannot be written"):
        write_picture(found, tmp_path / "nowhere" / "run.png")
