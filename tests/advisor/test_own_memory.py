# SPDX-License-Identifier: Apache-2.0
"""Output that waits for I/O ranks: what the fullest one holds, and what finds no room."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.advisor.own.form import slots_of
from thalweg.advisor.own.lanes import lanes_of
from thalweg.advisor.own.learned import untaught
from thalweg.advisor.own.pressure import without_a_slot
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.own.ways import way_of
from thalweg.advisor.shapes import Nodes
from thalweg.calibrate.machine_file import Machine

Cli = Callable[..., Any]
Calibrated = Callable[..., Machine]
CASE = """
[grid]
name = "R2B4"
[[output]]
name = "all"
interval = "PT1H"
[[output]]
name = "flat"
variables = ["group:2d"]
interval = "PT1H"
[machine]
ranks = 8
"""
NODE = Nodes(1, 8)


def test_an_io_rank_holds_what_the_fullest_one_has(
    situation: Callable[..., OwnSituation], calibrated: Calibrated
) -> None:
    """Streams are dealt one to each: the second I/O rank has the small one."""
    given = situation()
    large, small = (8 * each.values for each in given.series)
    assert large > 3 * small
    predictor = untaught(calibrated(cores=8, ranks=8))
    rates = predictor.rates(2)

    def held(mode: str, io_ranks: int, *parts: int) -> int:
        choice = OwnChoice(mode, io_ranks, parts)
        return way_of(predictor, rates, given, choice, NODE).bytes_on_io_rank

    assert held("async", 2, 1, 1) == large
    assert held("async", 1, 1, 1) == large + small
    assert held("async", 3, 3, 1) == large + small, "the fourth lane is the first rank's"
    assert held("file_parallel", 2, 1, 1) == pytest.approx((large + small) / 2, abs=1)
    assert held("shared_file", 2, 1, 1) >= (large + small) / 2
    assert held("serial", 0, 1, 1) == 0


def test_slots_are_those_that_the_budget_of_the_fullest_has_room_for(
    situation: Callable[..., OwnSituation],
) -> None:
    """Four I/O ranks that share files have a fourth each, and room for four times as many."""

    def slots(budget: int, io_ranks: int) -> int:
        given = situation(f"io.budget={budget}")
        lanes = lanes_of(given, OwnChoice("file_parallel", io_ranks, (1, 1)), 8 - io_ranks)
        return slots_of(given, lanes)

    size = lanes_of(situation(), OwnChoice("async", 1, (1, 1)), 7).fullest_bytes
    budget = 3 * (size >> 20) + 4
    assert [slots(0, 1), slots(budget, 1), slots(budget, 4)] == [2, 3, 12]
    assert slots(100 * budget, 1) == 16


@pytest.mark.parametrize("pressure", ["spill", "thin"])
def test_output_that_finds_no_slot_is_told_with_sizes(
    situation: Callable[..., OwnSituation], calibrated: Calibrated, pressure: str
) -> None:
    choice = OwnChoice("async", 1, (1, 1))

    def told(machine: Machine, *words: str) -> list[str]:
        rates = untaught(machine).rates(64)
        return list(without_a_slot(situation(*words), choice, NODE, rates))

    slow = calibrated(cores=8, ranks=8, writer_bytes_per_s=1e6)
    quick = calibrated(cores=8, ranks=8, writer_bytes_per_s=1e10, file_s=1e-6)
    behind = f"io.backpressure={pressure}"
    assert not told(slow), "compute ranks wait"
    assert not told(quick, behind, "model.extra_work=20")
    (warning,) = told(slow, behind, "io.spill_directory=/fast")
    assert f'backpressure = "{pressure}"' in warning
    assert "[io] budget = 0 (two outputs) has room for 2 outputs" in warning
    given = situation()
    count = sum(each.outputs for each in given.series)
    whole = sum(8 * each.outputs * each.values for each in given.series) / 1e9
    if pressure == "spill":
        late = float(warning.split("up to ")[1].split(" GB")[0])
        assert 0.5 * whole < late < whole
        assert f"of {whole:.3g} GB would lie in '/fast'" in warning
    else:
        late = float(warning.split("up to ")[1].split(" of ")[0])
        assert 0.5 * count < late <= count - 4
        assert f"of {count} outputs would be missing" in warning
    roomy = told(slow, behind, "io.budget=100000")
    assert not roomy or "room for 16 outputs" in roomy[0]
    assert np.isfinite(late)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("mode", "io_ranks", "parts"),
    [("async", 1, 1), ("async", 2, 1), ("async", 2, 2), ("async", 3, 3), ("shared_file", 3, 1),
     ("file_parallel", 3, 2)],
)  # fmt: skip
def test_the_fullest_io_rank_has_what_the_model_says_it_has(
    cli: Cli, situation: Callable[..., OwnSituation], tmp_path: Path, mode: str, io_ranks: int,
    parts: int,
) -> None:  # fmt: skip
    """It refuses a budget that is smaller, with the size."""
    choice = OwnChoice(mode, io_ranks, (parts, 1))
    told = lanes_of(situation(), choice, 8 - io_ranks).fullest_bytes
    words = (f"io.mode={mode}", f"io.ranks={io_ranks}", f"output.all.partitions={parts}",
             "io.budget=1", "restart.mode=none")  # fmt: skip
    asked = [each for word in words for each in ("--set", word)]
    done = cli("run", tmp_path / "case.toml", *asked, "--out", tmp_path / "run")
    assert done.returncode == 2
    found = re.search(r"an I/O rank, which is (\d+) MiB", done.stderr)
    assert found, done.stderr
    assert int(found[1]) == pytest.approx((told >> 20) + 1, abs=1)
