# SPDX-License-Identifier: Apache-2.0
"""The published estimate comes out of the basic COCOMO; others follow by hand."""

from __future__ import annotations

from math import floor

import pytest

from thalweg.loc.cocomo import MODES, MONTH_EUROS, PUBLISHED_SHARE, Model

SEMI, ORGANIC = MODES
BY_HAND = Model().estimate("by hand", 1.0)
PUBLISHED = Model().estimate("published", PUBLISHED_SHARE)


def test_the_published_person_months_are_those_of_400_and_200_kloc() -> None:
    assert (BY_HAND.kloc, PUBLISHED.kloc) == (400.0, pytest.approx(200.0))
    assert [floor(BY_HAND.months(mode)) for mode in (SEMI, ORGANIC)] == [2462, 1295]
    assert [floor(PUBLISHED.months(mode)) for mode in (SEMI, ORGANIC)] == [1133, 625]


@pytest.mark.parametrize("share", [0.30, 0.70])
def test_thirty_percent_of_the_lines_or_off_them_are_not_the_published_person_months(
    share: float,
) -> None:
    assert abs(Model().estimate("other", share).months(SEMI) / 1133 - 1) > 0.05


def test_the_published_costs_come_out_of_the_price_of_a_month() -> None:
    costs = [each.million_euros(mode) for mode in (SEMI, ORGANIC) for each in (BY_HAND, PUBLISHED)]
    assert [round(each, 1) for each in costs] == [12.3, 5.7, 6.5, 3.1]


def test_only_prices_near_ours_give_the_published_costs() -> None:
    def gives(euros: float) -> bool:
        model = Model(euros=euros)
        costs = [
            model.estimate("", share).million_euros(mode)
            for mode in (SEMI, ORGANIC)
            for share in (1.0, PUBLISHED_SHARE)
        ]
        return [round(each, 1) for each in costs] == [12.3, 5.7, 6.5, 3.1]

    found = [euros for euros in range(4000, 6000) if gives(float(euros))]
    assert (found[0], found[-1]) == (4987, 5014)
    assert MONTH_EUROS in found


def test_a_model_without_stencils_costs_the_same_and_more_lines_cost_more() -> None:
    assert Model(100.0, 1e-9).estimate("", 0.2).kloc == pytest.approx(100.0)
    longer = Model().estimate("", 1.1)
    assert longer.kloc == pytest.approx(430.0)
    assert longer.months(SEMI) == pytest.approx(3.0 * 430.0**1.12)
    assert longer.months(SEMI) > BY_HAND.months(SEMI)
