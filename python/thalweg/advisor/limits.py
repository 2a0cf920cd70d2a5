# SPDX-License-Identifier: Apache-2.0
"""From how many nodes on output and restarts limit a run, of ICON's or of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thalweg.advisor.words import many

# They limit a run that they make this much longer than its steps alone take.
LIMITS_FROM = 0.1
_MOST_NODES = 4096


@dataclass(frozen=True)
class Limits:
    """Numbers of nodes. limited_from: from these on output limits; None: not up to looked_at.

    looked_at  the most that were; 0 where none can be predicted
    here       whether output limits on as many as the user has; None where that is not known
    """

    limited_from: int | None
    looked_at: int
    here: bool | None


def find_limits(
    is_limited: Callable[[int], bool | None], ranks_per_node: int, cells: int, here: int,
    *, step: int = 2, nearness: float = 0.0,
) -> Limits:  # fmt: skip
    """On a few ranks it may be so, too, as one that does not compute is much of them: the most
    nodes are looked at first, and then fewer until it is not.

    is_limited  on so many nodes; None: it cannot be predicted
    here        nodes of the user
    step        between numbers that are looked at first; nearness: of the answer, 0.1 for a tenth
    """
    most = min(_MOST_NODES, cells // ranks_per_node)
    counts = {here, most} if here <= most else {here}
    count = max(1, -(-2 // ranks_per_node))
    while count <= most:
        counts.add(count)
        count *= step
    at_here = is_limited(here)
    looked_at, found, below = 0, None, 0
    for count in sorted(counts, reverse=True):
        limited = at_here if count == here else is_limited(count)
        looked_at = looked_at if limited is None else max(looked_at, count)
        if limited is False:
            below = count
            break
        found = count if limited else found
    while found is not None and found - below > max(1.0, nearness * found):
        middle = (found + below) // 2
        below, found = (below, middle) if is_limited(middle) else (middle, found)
    return Limits(found, looked_at, at_here)


def limits_text(limits: Limits, here: int, steps: str, known: str, about: str = "") -> str:
    """here: nodes of the user. steps: such as "steps on all ranks"; known: what the prediction is
    from; about: "about " where the number is none exactly.
    """
    if not limits.looked_at:
        return f"from how many on output and restarts limit it cannot be told; {known}"
    longer = f"a tenth or more longer than {steps} alone would"
    if limits.limited_from is not None:
        nodes = many(limits.limited_from, "node")
        return f"from {about}{nodes} on the best way takes {longer}; {known}"
    if limits.here:
        return (
            f"on {many(here, 'node')} the best way takes {longer}, as one rank that does not "
            f"compute is much of so few; not on more, up to {limits.looked_at}; {known}"
        )
    return (
        f"the best way takes less than a tenth longer than {steps} alone, on these and on up to "
        f"{limits.looked_at} nodes; {known}"
    )
