# SPDX-License-Identifier: Apache-2.0
"""How much a test looks at: less by default, all of it with --slow."""

from __future__ import annotations

from typing import TypeVar

Amount = TypeVar("Amount")
slow = False  # --slow, as tests/conftest.py notes before any test is imported


def examples(default: Amount, with_slow: Amount) -> Amount:
    """A number of examples, or the examples themselves. For cases of a parameter there is the mark
    `some(n)`.
    """
    return with_slow if slow else default
