# SPDX-License-Identifier: Apache-2.0
"""Timelines and heat maps lose neither time nor bytes, whatever is merged into a pixel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.files.timing import Timing
from thalweg.report.binning import flatten, group_ranks, integrate
from thalweg.report.heatmap import bytes_in_bins, draw_heatmap, has_bytes
from thalweg.report.rundata import Events, RunData, read_run
from thalweg.report.style import KINDS, NARROW_INCHES, WIDE_INCHES
from thalweg.report.timeline import ROW_PIXELS, coverage, draw_timeline, stack_pixels

MakeRun = Callable[..., Path]


def events_of(rows: list[tuple[int, str, float, float]], size_bytes: float = 0.0) -> Events:
    return Events(
        rank=np.array([row[0] for row in rows], np.int64),
        kind=np.array([KINDS.index(row[1]) for row in rows], np.int64),
        begin_s=np.array([row[2] for row in rows]),
        end_s=np.array([row[3] for row in rows]),
        size_bytes=np.full(len(rows), size_bytes),
    )


def run_of(events: Events, roles: tuple[str, ...]) -> RunData:
    return RunData(Path("run"), "run", {}, {}, Timing(roles, ()), events, [])


def many_short_events(ranks: int, per_rank: int) -> Events:
    """Back to back, 0.1 ms on average: far shorter than a pixel."""
    random = np.random.default_rng(7)
    length = random.exponential(1e-4, (ranks, per_rank))
    end = np.cumsum(length, axis=1)
    return Events(
        rank=np.repeat(np.arange(ranks), per_rank),
        kind=random.integers(0, len(KINDS), ranks * per_rank),
        begin_s=(end - length).ravel(),
        end_s=end.ravel(),
        size_bytes=random.integers(0, 10**6, ranks * per_rank).astype(np.float64),
    )


def test_merging_keeps_the_total_time_of_every_kind() -> None:
    events = many_short_events(ranks=4, per_rank=5000)
    run = run_of(events, ("compute",) * 3 + ("io",))
    edges = np.linspace(0.0, float(events.end_s.max()), 101)
    seconds = coverage(run, [[0, 1], [2], [3]], edges)
    for kind in range(len(KINDS)):
        chosen = events.kind == kind
        expected = (events.end_s - events.begin_s)[chosen].sum()
        assert seconds[kind].sum() == pytest.approx(expected, rel=1e-10)


def test_pixels_show_the_share_of_every_kind() -> None:
    seconds = np.zeros((len(KINDS), 1, 1))
    seconds[0], seconds[2] = 0.5, 0.3  # of one second; the rest is nothing
    column = stack_pixels(seconds, np.ones(1))[0, :, 0]
    counts = np.bincount(column, minlength=len(KINDS) + 1) / ROW_PIXELS
    assert counts[[0, 2, len(KINDS)]] == pytest.approx([0.5, 0.3, 0.2])


def test_interval_is_spread_over_the_bins_it_touches() -> None:
    result = integrate(
        np.array([1]), np.array([0.5]), np.array([2.25]), np.array([4.0]), 2,
        np.array([0.0, 1.0, 2.0, 3.0]),
    )  # fmt: skip
    assert result == pytest.approx(np.array([[0.0, 0.0, 0.0], [2.0, 4.0, 1.0]]))


def test_bins_without_an_event_are_exactly_empty() -> None:
    events = many_short_events(ranks=1, per_rank=5000)
    late = replace(events, begin_s=events.begin_s + 1.0, end_s=events.end_s + 1.0)
    edges = np.linspace(0.0, 10.0, 201)
    density = late.size_bytes / (late.end_s - late.begin_s)
    result = integrate(late.rank, late.begin_s, late.end_s, density, 1, edges)
    touched = (edges[1:] > 1.0) & (edges[:-1] < late.end_s.max())
    assert (result[0] > 0.0).tolist() == touched.tolist()


def test_outer_interval_counts_only_outside_inner_ones() -> None:
    flat = flatten(
        events_of(
            [
                (0, "wait", 0.0, 10.0), (0, "get", 1.0, 3.0), (0, "write", 3.0, 8.0),
                (0, "reorder", 4.0, 5.0), (1, "compute", 0.0, 2.0),
            ]
        )
    )  # fmt: skip
    pieces = {
        (int(r), KINDS[k], float(b), float(e))
        for r, k, b, e in zip(flat.rank, flat.kind, flat.begin_s, flat.end_s, strict=True)
    }
    assert pieces == {
        (0, "wait", 0.0, 1.0), (0, "get", 1.0, 3.0), (0, "write", 3.0, 4.0),
        (0, "reorder", 4.0, 5.0), (0, "write", 5.0, 8.0), (0, "wait", 8.0, 10.0),
        (1, "compute", 0.0, 2.0),
    }  # fmt: skip


def test_partly_overlapping_intervals_fill_their_union_once() -> None:
    random = np.random.default_rng(3)
    begin = np.sort(random.uniform(0.0, 10.0, 300))
    end = begin + random.exponential(0.2, 300)
    rows = [
        (0, KINDS[n % 9], float(b), float(e))
        for n, (b, e) in enumerate(zip(begin, end, strict=True))
    ]
    flat = flatten(events_of(rows))
    order = np.argsort(flat.begin_s)
    assert (flat.begin_s[order][1:] >= flat.end_s[order][:-1]).all()
    moments = np.linspace(0.0, 11.0, 5000)
    covered = ((begin <= moments[:, None]) & (moments[:, None] < end)).any(axis=1)
    shown = ((flat.begin_s <= moments[:, None]) & (moments[:, None] < flat.end_s)).any(axis=1)
    assert (covered == shown).all()


def test_every_rank_and_kind_is_in_the_timeline(make_run: MakeRun) -> None:
    figure = draw_timeline([read_run(make_run())], WIDE_INCHES)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["0", "1", "I/O 2"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["computing", "copying", "waiting for output", "getting", "writing"]


def test_two_timelines_have_the_same_time_axis(make_run: MakeRun) -> None:
    first, second = read_run(make_run("first")), read_run(make_run("second"))
    late = replace(second, events=replace(second.events, end_s=second.events.end_s * 3.0))
    figure = draw_timeline([first, late], NARROW_INCHES)
    assert [axes.get_xlim() for axes in figure.axes] == [(0.0, 28.5)] * 2


def test_rows_hold_every_rank_once_and_never_mix_roles() -> None:
    roles = ["compute"] * 1000 + ["io"] * 9
    rows = group_ranks(roles, max_rows=48)
    assert sorted(rank for row in rows for rank in row) == list(range(1009))
    assert len(rows) <= 48
    assert all(len({roles[rank] for rank in row}) == 1 for row in rows)
    assert [[rank] for rank in range(1000, 1009)] == rows[-9:]


def test_heat_map_keeps_every_byte() -> None:
    events = many_short_events(ranks=3, per_rank=2000)
    instant = replace(events, end_s=events.begin_s)
    for its_events in (events, instant):
        run = run_of(its_events, ("compute", "compute", "io"))
        edges = np.linspace(0.0, float(events.end_s.max()) + 1e-3, 51)
        found = bytes_in_bins(run, ("write", "close"), [[0], [1], [2]], edges)
        chosen = np.isin(events.kind, [KINDS.index("write"), KINDS.index("close")])
        for rank in range(3):
            expected = events.size_bytes[chosen & (events.rank == rank)].sum()
            assert found[rank].sum() == pytest.approx(expected, rel=1e-6)


def test_a_run_whose_events_moved_no_bytes_has_no_picture_of_bytes() -> None:
    assert not has_bytes(run_of(events_of([(0, "compute", 0.0, 1.0)]), ("compute",)))
    assert not has_bytes(run_of(events_of([]), ("compute",)))
    moved = run_of(events_of([(0, "write", 0.0, 1.0)], size_bytes=8.0), ("compute",))
    assert has_bytes(moved)
    titles = [axes.get_title(loc="left") for axes in draw_heatmap(moved, WIDE_INCHES).axes]
    assert titles[0].startswith("8 B written to files")


def test_restart_ranks_have_rows_of_their_own() -> None:
    roles = ("compute", "compute", "io", "restart")
    events = events_of([(rank, "idle", 0.0, 1.0) for rank in range(4)])
    figure = draw_timeline([run_of(events, roles)], WIDE_INCHES)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["0", "1", "I/O 2", "restart 3"]


def test_an_outer_event_leaves_no_moment_without_a_colour() -> None:
    """What a rank did in a wait is drawn on top of it: nothing in between is white."""
    events = events_of([(0, "wait", 0.0, 4.0), (0, "get", 1.0, 2.0), (0, "write", 2.5, 3.0)])
    edges = np.linspace(0.0, 4.0, 41)
    seconds = coverage(run_of(events, ("compute",)), [[0]], edges)
    assert (stack_pixels(seconds, np.array([edges[1]])) < len(KINDS)).all()
    assert seconds[KINDS.index("wait")].sum() == pytest.approx(2.5)
