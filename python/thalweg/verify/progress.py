# SPDX-License-Identifier: Apache-2.0
"""A progress bar over fields: on a terminal only, on standard error, gone when done."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def tracked(items: Sequence[Item], title: str) -> Iterable[Item]:
    if not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, title, console=Console(stderr=True), transient=True)
