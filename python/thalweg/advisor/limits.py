# SPDX-License-Identifier: Apache-2.0
"""From how many nodes on output and restarts limit a run, of ICON's or of ours."""

from __future__ import annotations

from collections.abc import Callable

# They limit a run that they make this much longer than its steps alone take.
LIMITS_FROM = 0.1
_MOST_NODES = 4096


def limited_from(
    is_limited: Callable[[int], bool | None], ranks_per_node: int, cells: int, nearness: float = 0.0
) -> tuple[int | None, int]:
    """Nodes from which on a run is limited, and the most that were looked at, 0 where none can be
    predicted. On a few ranks it may be so, too, as one that does not compute is much of them: the
    most nodes are looked at first, and halved until it is not.

    is_limited  on so many nodes; None: it cannot be predicted
    nearness    how far off the answer may be: 0.1 for a tenth
    """
    first = -(-2 // ranks_per_node)
    most = min(_MOST_NODES, cells // ranks_per_node)
    counts = [first << i for i in range(_MOST_NODES.bit_length()) if first << i <= most]
    looked_at, found, below = 0, None, first - 1
    for count in reversed(counts):
        limited = is_limited(count)
        looked_at = looked_at if limited is None else max(looked_at, count)
        if limited is False:
            below = count
            break
        found = count if limited else found
    if found is None:
        return None, looked_at
    while found - below > max(1.0, nearness * found):
        middle = (found + below) // 2
        below, found = (middle, found) if is_limited(middle) is False else (below, middle)
    return found, looked_at


def limits_text(found: int | None, looked_at: int, steps: str, known: str) -> str:
    """steps: such as "steps on all ranks"; known: what the prediction is from."""
    if not looked_at:
        return f"from how many on output and restarts limit it cannot be told; {known}"
    if found is None:
        return (
            f"the best way takes less than a tenth longer than {steps} alone, on up to {looked_at} "
            f"nodes; {known}"
        )
    return (
        f"from {found} node{'s' * (found != 1)} on the best way takes a tenth or more longer than "
        f"{steps} alone would; {known}"
    )
