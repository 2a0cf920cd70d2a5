# SPDX-License-Identifier: Apache-2.0
"""Parameters are those that times were made of, and where times cannot tell there is a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.calibrate.machine_file import Figure, NotSeparated
from thalweg.calibrate.parameters import parameters_of
from thalweg.calibrate.quantities import BY_NAME
from thalweg.calibrate.samples import Series

MB = 1e6
BYTES = 100 << 20


def steps(ranks: int, overhead_s: float, cell_s: float, n: int = 5) -> list[Series]:
    sizes = ((80, 1), (80, 8), (20480, 30))
    return [
        Series("step", ranks, {"cells": cells, "levels": levels},
               [overhead_s + cell_s * cells * levels / ranks] * n)
        for cells, levels in sizes
    ]  # fmt: skip


def messages(name: str, ranks: int, latency_s: float, rate: float) -> list[Series]:
    return [Series(name, ranks, {"bytes": size, "team": "all"}, [latency_s + size / rate] * 5)
            for size in (8, 1 << 20)]  # fmt: skip


def writers(name: str, ranks: int, nodes: int, rates: list[float]) -> Series:
    facts = {"bytes": BYTES * ranks, "nodes": nodes, "team": f"{ranks}"}
    return Series(name, ranks, dict(facts), [BYTES * ranks / rate for rate in rates])


def told(series: list[Series], ranks: int, nodes: int = 1) -> dict[tuple[str, int], Figure]:
    """And everything else has a reason."""
    found = parameters_of(series, ranks, nodes)
    figures = {(f.name, f.ranks): f for f in found if isinstance(f, Figure)}
    reasons = {f.parameter for f in found if isinstance(f, NotSeparated)}
    names = set(BY_NAME) - {"file_s"}
    assert {name for name, _ in figures} | reasons == names
    return figures


ONE = [writers(name, 1, 1, [1000 * MB] * 9) for name in ("write_new", "overwrite")]


@given(
    st.floats(1e-6, 1e-2), st.floats(1e-10, 1e-6), st.floats(1e-7, 1e-3), st.floats(1e6, 1e11)
)  # fmt: skip
def test_parameters_are_found_again(
    overhead_s: float, cell_s: float, latency_s: float, rate: float
) -> None:
    series = [*steps(1, overhead_s, cell_s), *steps(2, 3 * overhead_s, cell_s), *ONE]
    for name in ("exchange", "gather"):
        series += messages(name, 2, latency_s, rate)
    figures = told(series, 2)
    assert figures["cell_level_step_s", 1].median == pytest.approx(cell_s, rel=1e-3)
    assert figures["step_overhead_s", 2].median == pytest.approx(3 * overhead_s, rel=1e-3)
    for name in ("exchange", "gather"):
        assert figures[f"{name}_latency_s", 2].median == pytest.approx(latency_s, rel=1e-3)
        assert figures[f"{name}_bytes_per_s", 2].median == pytest.approx(rate, rel=1e-3)
    for figure in figures.values():
        assert figure.unit == BY_NAME[figure.name].unit
        assert figure.p05 <= figure.median <= figure.p95


def test_one_rank_has_nobody_to_send_to() -> None:
    figures = told([*steps(1, 1e-4, 1e-8), *ONE], 1)
    assert {name for name, _ in figures} == {
        "cell_level_step_s", "step_overhead_s", "writer_bytes_per_s",
        "writer_overwrite_bytes_per_s",
    }  # fmt: skip


def test_messages_of_which_large_ones_are_no_slower_tell_nothing() -> None:
    small, large = messages("gather", 2, 1e-6, 1e9)
    large.wall_s = [each * 0.5 for each in small.wall_s]
    figures = told([*steps(1, 1e-4, 1e-8), *ONE, small, large], 2)
    assert ("gather_bytes_per_s", 2) not in figures


@pytest.mark.parametrize(
    ("many", "limited"),
    [
        ([1100.0] * 9, True),  # no more than one has alone
        ([1900.0] * 9, False),  # nearly twice: they do not share much
        ([1100.0] * 5 + [1950.0] * 4, False),  # nobody knows
        ([1100.0] * 4, False),  # too few samples to say so
    ],
)
def test_a_node_has_a_limit_if_its_writers_clearly_share_one(
    many: list[float], limited: bool
) -> None:
    rates = [rate * MB for rate in many]
    series = [*steps(1, 1e-4, 1e-8), writers("overwrite", 1, 1, [1000 * MB] * len(many)),
              writers("write_new", 1, 1, [1000 * MB] * len(many)),
              writers("write_new", 2, 1, rates)]  # fmt: skip
    assert (("node_bytes_per_s", 2) in told(series, 2)) == limited


def test_a_limit_is_seen_though_single_samples_spread_widely() -> None:
    swing = [500.0, 1000.0, 2000.0] * 4
    series = [*steps(1, 1e-4, 1e-8), ONE[1],
              writers("write_new", 1, 1, [each * MB for each in swing]),
              writers("write_new", 2, 1, [1.1 * each * MB for each in swing])]  # fmt: skip
    assert ("node_bytes_per_s", 2) in told(series, 2)


def test_nodes_that_write_together_tell_the_limit_of_the_file_system() -> None:
    series = [*steps(4, 1e-4, 1e-8), ONE[1], ONE[0],
              writers("write_new", 2, 1, [1200 * MB] * 9),
              writers("write_new", 4, 2, [1500 * MB] * 9)]  # fmt: skip
    figures = told(series, 4, nodes=2)
    assert figures["node_bytes_per_s", 2].median == pytest.approx(1200 * MB)
    assert figures["file_system_bytes_per_s", 4].median == pytest.approx(1500 * MB)
    series[-1] = writers("write_new", 4, 2, [2400 * MB] * 9)
    assert ("file_system_bytes_per_s", 4) not in told(series, 4, nodes=2)
