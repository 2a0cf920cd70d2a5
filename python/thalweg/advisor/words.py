# SPDX-License-Identifier: Apache-2.0
"""Numbers as pages of proposals write them."""

from __future__ import annotations


def many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def seconds(value: float) -> str:
    if value < 100.0:
        return f"{value:.3g} s"
    return f"{value:.0f} s" if value < 36000.0 else f"{value / 3600.0:.1f} h"


def percent(value: float | None) -> str:
    """Of a share; nothing where it is not known."""
    return "" if value is None else f"{100.0 * value:.1f} %"
