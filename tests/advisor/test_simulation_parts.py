# SPDX-License-Identifier: Apache-2.0
"""The parts of a simulation: clock, fluid, track, noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.advisor.simulation.clock import COMPUTE, Clock, Signal
from thalweg.advisor.simulation.fluid import Fluid, water_level
from thalweg.advisor.simulation.noise import Noise
from thalweg.advisor.simulation.track import Track


def test_events_of_one_time_keep_their_order_and_writers_go_first() -> None:
    clock, seen = Clock(), []
    clock.at(1.0, lambda: seen.append("compute"), COMPUTE)
    for name in ("first", "second"):
        clock.at(1.0, lambda name=name: seen.append(name))  # type: ignore[misc]
    clock.at(0.5, lambda: seen.append("before"))
    clock.run()
    assert seen == ["before", "first", "second", "compute"]
    assert clock.now_s == 1.0


def test_a_process_goes_on_when_its_signal_fires() -> None:
    clock, signal, seen = Clock(), Signal(), []

    def waits() -> Iterator[float | Signal]:
        yield signal
        yield 2.0
        seen.append(clock.now_s)

    clock.start(waits())
    clock.at(3.0, signal.fire)
    clock.run()
    assert seen == [5.0]


def ends(whole: float, node: float, flows: list[tuple[float, float, float, int, int]]) -> list:
    """flows: (begin, bytes, alone_s, members, node); their ends."""
    clock = Clock()
    fluid = Fluid(clock, whole, node, Track(10.0))
    found = [math.nan] * len(flows)

    def flow(number: int) -> Iterator[float | Signal]:
        begin_s, size, alone_s, members, at = flows[number]
        yield begin_s
        yield fluid.flow(size, alone_s, members, at)
        found[number] = clock.now_s

    for number in range(len(flows)):
        clock.start(flow(number))
    clock.run()
    return found


def test_rates_are_shared_anew_when_a_writer_comes_and_goes() -> None:
    # 10 bytes/s in all. Alone until 1; then 5 each: the second's 20 need 2 s with the first's
    # rest of 10, then 10 alone.
    assert ends(10.0, math.inf, [(0.0, 20.0, 2.0, 1, 0), (1.0, 20.0, 2.0, 1, 0)]) == [3.0, 4.0]


def test_who_has_a_low_limit_leaves_the_rest_to_others() -> None:
    # 12 bytes/s: one wants 2, two want 10 and get 5.
    found = ends(12.0, math.inf, [(0, 10.0, 5.0, 1, 0), (0, 10.0, 1.0, 1, 1), (0, 10.0, 1.0, 1, 2)])
    assert found == [5.0, 2.0, 2.0]


def test_a_node_bounds_its_writers_and_no_others() -> None:
    found = ends(100.0, 4.0, [(0, 8.0, 1.0, 1, 0), (0, 8.0, 1.0, 1, 0), (0, 8.0, 2.0, 1, 1)])
    assert found == [4.0, 4.0, 2.0]


def test_a_group_counts_as_its_members() -> None:
    # 3 members and 1: a share of the rate for each of the four.
    assert ends(4.0, math.inf, [(0, 30.0, 1.0, 3, 0), (0, 10.0, 1.0, 1, 0)]) == [10.0, 10.0]


@given(
    st.lists(st.tuples(st.floats(0.1, 1e9), st.integers(1, 1000)), min_size=1), st.floats(1, 1e9)
)
def test_a_level_of_water_uses_all_there_is(limits: list[tuple[float, int]], whole: float) -> None:
    level = water_level(limits, whole)
    used = sum(members * min(limit, level) for limit, members in limits)
    if math.isinf(level):
        assert used <= whole * (1 + 1e-9)
    else:
        assert used == pytest.approx(whole)


@given(
    st.lists(st.tuples(st.floats(0.0, 50.0), st.floats(0.0, 9.0)), max_size=50), st.floats(0.1, 1e3)
)
def test_a_track_keeps_the_integral_whatever_its_bins(
    changes: list[tuple[float, float]], about_s: float
) -> None:
    track, now_s, value, integral = Track(about_s), 0.0, 0.0, 0.0
    for passed, new in changes:
        integral += value * passed
        now_s += passed
        value = new
        track.change(now_s, new)
    series = track.series(now_s)
    assert track.integral == pytest.approx(integral)
    assert len(series.times_s) <= 1000
    borders = [*series.times_s, now_s]
    binned = sum(v * (b - a) for v, a, b in zip(series.values, borders, borders[1:], strict=False))
    assert binned == pytest.approx(integral, rel=1e-6, abs=1e-6)
    assert series.largest == max([new for _, new in changes], default=0.0)


def test_noise_has_the_mean_and_spread_that_were_asked_for() -> None:
    noise = Noise(1, 0.4, 0.2)
    drawn = [noise.stretch(1) for _ in range(20_000)]
    assert fmean(drawn) == pytest.approx(1.0, abs=0.01)
    assert stdev(drawn) == pytest.approx(0.4, abs=0.02)
    steps = [noise.steps(100) for _ in range(5000)]
    assert fmean(steps) == pytest.approx(100.0, abs=0.2)
    assert stdev(steps) == pytest.approx(0.2 * math.sqrt(100), rel=0.05)


def test_the_slowest_of_a_team_is_drawn_as_if_each_were() -> None:
    noise = Noise(2, 0.4, 0.0)
    at_once = fmean(noise.stretch(8) for _ in range(5000))
    one_by_one = fmean(max(noise.stretch(1) for _ in range(8)) for _ in range(5000))
    assert at_once == pytest.approx(one_by_one, rel=0.02)
    assert math.isfinite(noise.stretch(10**9))


@pytest.mark.parametrize("variation", [0.0, 1e-200, 1e-9, 1e-3, 100.0])
@pytest.mark.parametrize("count", [0.0, 5e-324, 1e-12, 1.0, 1e9])
def test_noise_of_any_size_is_drawn_and_finite(variation: float, count: float) -> None:
    assert 0.0 <= Noise(3, 0.0, variation).steps(count) < math.inf
