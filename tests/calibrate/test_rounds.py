# SPDX-License-Identifier: Apache-2.0
"""Rounds of a calibration fill the time that there is, whatever a machine does in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from thalweg.calibrate.rounds import Allotment, Pacing, choose_pace, measure_rounds
from thalweg.calibrate.samples import Series

PACES = Pacing().paces
KINDS = 6  # of runs of the model: on one rank and on two, of three sizes
AROUND_S = 1.0
MINUTES = 3.0


@dataclass
class Kind:
    grid: str
    series: Series
    around_s: float = AROUND_S


@dataclass
class MadeUpMachine:
    """Has a clock that goes on by what is measured; it is both timers of a calibration.

    slow  how many times as long everything takes that begins at so many seconds
    """

    slow: Callable[[float], float] = lambda now_s: 1.0
    now_s: float = 1000.0
    ranks: int = 2
    kinds: list[Kind] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    steps: list[tuple[str, float]] = field(default_factory=list)  # what was asked for
    rounds: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kinds = [
            Kind(f"R2B{i}", Series("step", 1 + i % 2, {"cells": 20 << i, "levels": 1}))
            for i in range(KINDS)
        ]

    def calibrate(self, minutes: float = MINUTES) -> int:
        allotment = Allotment.from_now(minutes, lambda: self.now_s)
        timers: tuple[Any, Any] = (self, MadeUpFiles(self))
        return measure_rounds(*timers, allotment, PACES, self.shown.append)

    def measure(self, kind: Kind, seconds: float) -> None:
        self.steps.append((kind.grid, seconds))
        kind.series.wall_s.append(1e-3 * self.slow(self.now_s))
        self.now_s += (kind.around_s + seconds) * self.slow(self.now_s)


@dataclass
class MadeUpFiles:
    machine: MadeUpMachine
    ranks: int = 2

    def measure(self, seconds: float, number: int, show: Callable[[], None]) -> None:
        show()
        self.machine.rounds.append((number, seconds))
        self.machine.now_s += seconds * self.machine.slow(self.machine.now_s)


@pytest.mark.parametrize(
    ("left_s", "pace", "rounds"),
    [
        (1000.0, PACES[0], 8),  # at most
        (174.0, PACES[0], 7),  # of 6 * (1 + 1) + 12 s
        (72.0, PACES[0], 3),
        (71.0, PACES[1], 4),  # of 6 * (1 + 0.5) + 6 s
        (44.0, PACES[2], 4),  # of 6 * (1 + 0.2) + 3 s
        (21.0, PACES[2], 2),  # not three of any
        (0.1, PACES[2], 1),
        (-5.0, PACES[2], 1),  # trying out took it all
    ],
)
def test_the_longest_pace_with_three_rounds_is_chosen(
    left_s: float, pace: object, rounds: int
) -> None:
    assert choose_pace(left_s, KINDS * AROUND_S, KINDS, PACES) == (pace, rounds)


@pytest.mark.parametrize("minutes", [0.5, 1.0, MINUTES])
def test_rounds_fill_the_time_to_its_end(minutes: float) -> None:
    machine = MadeUpMachine()
    pace, planned = choose_pace(60.0 * minutes, KINDS * AROUND_S, KINDS, PACES)
    assert machine.calibrate(minutes) == planned > 1
    assert machine.now_s == pytest.approx(1000.0 + 60.0 * minutes)
    assert [number for number, _ in machine.rounds] == list(range(1, planned + 1))
    assert {seconds for _, seconds in machine.steps} == {pace.steps_s}
    native_s = [seconds for _, seconds in machine.rounds]
    assert native_s == pytest.approx([native_s[0]] * planned), "each has its share of what is left"
    assert native_s[0] >= pace.native_s


def test_each_round_has_all_kinds_in_an_order_of_its_own() -> None:
    machine = MadeUpMachine()
    rounds = machine.calibrate()
    grids = [grid for grid, _ in machine.steps]
    orders = [grids[i * KINDS : (i + 1) * KINDS] for i in range(rounds)]
    assert [sorted(order) for order in orders] == [[kind.grid for kind in machine.kinds]] * rounds
    assert all(one != other for one, other in pairwise(orders))
    assert machine.shown[: KINDS + 1] == [
        *(f"round 1 of {rounds}, steps on {grid}" for grid in orders[0]),
        f"round 1 of {rounds}, messages and files",
    ]


def test_there_is_no_other_round_when_the_time_is_used_up() -> None:
    """A disk that takes three times as long as it was given: seven rounds were to be."""
    machine = MadeUpMachine(slow=lambda now_s: 3.0)
    rounds = machine.calibrate()
    assert 1 < rounds < 7
    assert machine.rounds[-1][0] == rounds
    used_s, all_s = machine.now_s - 1000.0, 60.0 * MINUTES
    assert used_s < 1.1 * all_s
    assert used_s + used_s / rounds > 1.1 * all_s, "another one would not have ended in time"


def test_everything_is_measured_once_though_there_is_no_time() -> None:
    machine = MadeUpMachine()
    assert machine.calibrate(0.01) == 1
    assert [len(kind.series.wall_s) for kind in machine.kinds] == [1] * KINDS
    assert machine.rounds == [(1, PACES[-1].native_s)]


def test_a_slow_minute_is_in_the_spread_of_every_kind() -> None:
    machine = MadeUpMachine(slow=lambda now_s: 2.0 if 1050.0 < now_s < 1110.0 else 1.0)
    rounds = machine.calibrate()
    for kind in machine.kinds:
        figure = kind.series.figure()
        assert figure.n == rounds
        assert (figure.p05, figure.median) == (1e-3, 1e-3)
        assert figure.p95 > 1.4e-3
