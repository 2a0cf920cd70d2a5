# SPDX-License-Identifier: Apache-2.0
"""From how many nodes on output limits a run, of ICON's or of ours, and idle I/O ranks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from thalweg.advisor.limits import LIMITS_FROM, find_limits, limits_text
from thalweg.advisor.own.form import services_of
from thalweg.advisor.own.learned import learn_own
from thalweg.advisor.own.outlook import own_limits
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.own.ways import choices, is_risky, quick_totals
from thalweg.advisor.proposing.partitions import deal
from thalweg.advisor.proposing.situation import Series
from thalweg.advisor.shapes import Nodes
from thalweg.calibrate.machine_file import Machine

CASE = """
[grid]
name = "R2B4"
[model]
levels = 30
[time]
duration = "PT12H"
[[output]]
name = "all"
interval = "PT15M"
[restart]
mode = "sync"
interval = "PT3H"
[io]
mode = "serial"
[machine]
ranks = 8
"""


@pytest.mark.parametrize(
    ("limited", "found", "here"),
    [
        (lambda n: n >= 100, 100, False),
        (lambda n: n == 2 or n >= 100, 100, False),
        (lambda n: n <= 4, None, True),
        (lambda n: False, None, False),
        (lambda n: True, 1, True),
        (lambda n: None if n > 600 else n >= 37, 37, False),
        (lambda n: None if 64 < n <= 100 else n > 100, 101, False),
        (lambda n: None, None, None),
        (lambda n: n >= 3000, 3000, False),
    ],
)
@pytest.mark.parametrize("step", [2, 4])
def test_from_so_many_nodes_on_it_is_so(
    limited: Callable[[int], bool | None], found: int | None, here: bool | None, step: int
) -> None:
    """On fewer it may be so, too: that is told of those of the user alone."""
    limits = find_limits(limited, 128, 10**9, 4, step=step)
    assert (limits.limited_from, limits.here) == (found, here)
    assert (limits.looked_at == 0) is (here is None)


def test_the_text_says_what_holds_on_the_nodes_of_the_user() -> None:
    few = find_limits(lambda n: n <= 4, 128, 10**9, 3)
    assert "on 3 nodes the best way takes a tenth or more" in limits_text(few, 3, "steps", "known")
    none = find_limits(lambda n: n <= 2, 128, 10**9, 3)
    assert "less than a tenth" in limits_text(none, 3, "steps", "known")
    rough = find_limits(lambda n: n >= 1000, 128, 10**9, 3, nearness=0.1)
    assert rough.limited_from is not None
    assert 1000 <= rough.limited_from <= 1100
    text = limits_text(rough, 3, "steps", "known", "about ")
    assert f"from about {rough.limited_from} nodes on" in text


def test_more_cells_than_ranks_end_what_is_looked_at() -> None:
    assert find_limits(lambda _: False, 128, 128 * 640, 4).looked_at == 640


@pytest.mark.some(3)
@pytest.mark.parametrize("nodes", [1, 6, 64])
def test_few_ways_tell_what_all_ways_tell(
    situation: Callable[..., OwnSituation], calibrated: Callable[..., Machine], nodes: int
) -> None:
    """Whatever the nodes of the user are."""
    given, rates = situation(), learn_own(calibrated(nodes=1, ranks=8, cores=8), []).rates()

    def totals(count: int) -> tuple[list[OwnChoice], list[float]]:
        asked = choices(given, Nodes(count, 8))
        return asked, quick_totals(rates, given, asked, Nodes(count, 8))

    def is_limited(count: int) -> bool:
        there, (asked, found) = Nodes(count, 8), totals(count)
        alone = services_of(given, OwnChoice("serial", 0, (1,)), there, rates)
        limit_s = (1.0 + LIMITS_FROM) * float((alone.startup + alone.steps)[0])
        usual = [not is_risky(given, way, there) for way in asked]
        return min(s for s, each in zip(found, usual, strict=True) if each) > limit_s

    limits = own_limits(rates, given, Nodes(nodes, 8), *totals(nodes))
    assert limits.here is is_limited(nodes)
    most = limits.looked_at if limits.limited_from is None else limits.limited_from
    assert is_limited(most) is (limits.limited_from is not None)
    if limits.limited_from is not None and limits.limited_from > 10:
        assert not is_limited(int(limits.limited_from * 0.85))


def test_ranks_that_no_partition_comes_to_are_none() -> None:
    one = (Series("a", 100, 1000, 100, (1, "ml")),)
    assert deal(one, 8, (5,)).used_ranks(8) == 5
    assert deal(one, 8, (8,)).used_ranks(8) == 8
    assert deal(one, 0).used_ranks(0) == 0
