# SPDX-License-Identifier: Apache-2.0
"""The model of an exchange finds the figures that times were made of, and says what is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from thalweg.lab.rank_trials import hidden_share
from thalweg.scaling.exchange_model import ExchangeModel, fit

MADE = ExchangeModel(point_s=2e-9, message_s=3e-6, byte_s=2e-10, rim_bytes=40.0, exchanges=2)
ROW, LEVELS = 96, 10


def line(kind: str, ranks: int, row: int, rows: int, *, overlaps: bool = False) -> dict[str, Any]:
    size = 2 * row * LEVELS * MADE.rim_bytes if ranks > 1 else 0.0
    messages = 2 * MADE.exchanges if ranks > 1 else 0
    cells = row * rows
    exchange_s = messages * MADE.message_s + size * MADE.byte_s
    return {
        "target": "mpi", "threads": 1, "ranks": ranks, "kind": kind, "overlaps": overlaps,
        "cells": cells, "levels": LEVELS, "messages": messages, "bytes": size,
        "exchanges": MADE.exchanges, "median": cells * LEVELS * MADE.point_s / ranks + exchange_s,
        "packing_s": 0.25 * exchange_s, "waiting_s": 0.75 * exchange_s,
    }  # fmt: skip


LINES = [
    line("strong", 1, ROW, 96), line("strong", 2, ROW, 96), line("weak", 2, ROW, 192),
    line("few", 2, 16, 32), line("many", 2, 4 * ROW, 16),
]  # fmt: skip


def test_what_times_were_made_of_is_found() -> None:
    found = fit(LINES, "mpi", ROW)
    assert found is not None
    for name in ("point_s", "message_s", "byte_s", "rim_bytes", "exchanges"):
        assert getattr(found, name) == pytest.approx(getattr(MADE, name), rel=1e-6), name


def test_nothing_is_found_where_too_little_was_measured() -> None:
    assert fit(LINES[:2], "mpi", ROW) is None
    assert fit(LINES[1:], "mpi", ROW) is None
    assert fit(LINES, "onesided", ROW) is None


def test_compact_parts_have_a_rim_of_the_root_of_their_cells() -> None:
    one, many = MADE.compact_s(1e6, LEVELS, 1), MADE.compact_s(1e6, LEVELS, 100)
    assert one == pytest.approx(1e6 * LEVELS * MADE.point_s)
    expected = MADE.call_s(1e4, LEVELS, 2 * 6, 4 * 100 * LEVELS * MADE.rim_bytes)
    assert many == pytest.approx(expected)
    # With two ranks there is one neighbour; a part is never smaller than its rim.
    assert MADE.compact_s(4.0, LEVELS, 2) == pytest.approx(
        MADE.call_s(2.0, LEVELS, 2, 2 * LEVELS * MADE.rim_bytes)
    )


def test_hidden_is_the_share_of_waiting_that_is_gone() -> None:
    without = line("strong", 2, ROW, 96)
    with_ = line("strong", 2, ROW, 96, overlaps=True)
    with_["waiting_s"] = 0.1 * without["waiting_s"]
    assert hidden_share([without, with_], with_) == pytest.approx(0.9)
    with_["waiting_s"] = 2 * without["waiting_s"]
    assert hidden_share([without, with_], with_) == 0.0
    assert hidden_share([with_], with_) is None
