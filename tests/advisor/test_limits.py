# SPDX-License-Identifier: Apache-2.0
"""From how many nodes on output limits a run, idle I/O ranks, and the width of values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from thalweg.advisor.limits import limited_from
from thalweg.advisor.proposing.partitions import deal
from thalweg.advisor.proposing.situation import Series


@pytest.mark.parametrize(
    ("limited", "found"),
    [
        (lambda n: n >= 100, 100),
        (lambda n: n == 2 or n >= 100, 100),
        (lambda n: n == 2, None),
        (lambda n: False, None),
        (lambda n: True, 1),
        (lambda n: None if n > 600 else n >= 37, 37),
        (lambda n: None, None),
    ],
)
def test_from_so_many_nodes_on_it_is_so(
    limited: Callable[[int], bool | None], found: int | None
) -> None:
    """On fewer it may be so, too: that is not asked."""
    answer, looked_at = limited_from(limited, 128, 10**9)
    assert answer == found
    assert looked_at == {None: 0}.get(limited(1), 4096 if limited(4096) is not None else 512)


def test_a_rough_answer_is_as_near_as_is_asked() -> None:
    answer, _ = limited_from(lambda n: n >= 1000, 128, 10**9, 0.1)
    assert answer is not None
    assert 1000 <= answer <= 1100


def test_ranks_that_no_partition_comes_to_are_none() -> None:
    one = (Series("a", 100, 1000, 100, (1, "ml")),)
    assert deal(one, 8, (5,)).used_ranks(8) == 5
    assert deal(one, 8, (8,)).used_ranks(8) == 8
    assert deal(one, 0).used_ranks(0) == 0
