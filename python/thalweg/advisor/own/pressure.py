# SPDX-License-Identifier: Apache-2.0
"""What becomes of output that finds no slot free: [io] backpressure spill and thin, with sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from thalweg.advisor.own.form import services_of, slots_of
from thalweg.advisor.own.lanes import VALUE_BYTES, lanes_of
from thalweg.advisor.own.rates import Rates
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.shapes import Nodes
from thalweg.advisor.words import many, seconds

_GB = 1e9
_SURE = 0.9  # of draws have no more


def with_room(situation: OwnSituation, asked: Sequence[OwnChoice]) -> list[int]:
    """Positions of those whose I/O ranks have room for one output: the model refuses others."""
    known: dict[tuple[object, ...], bool] = {}

    def has_room(choice: OwnChoice) -> bool:
        if not choice.io_ranks or not situation.budget_bytes:
            return True
        key = (choice.mode, choice.io_ranks, choice.partitions)
        if key not in known:
            fullest_bytes = lanes_of(situation, choice, 1).fullest_bytes
            known[key] = fullest_bytes <= situation.budget_bytes
        return known[key]

    return [at for at, each in enumerate(asked) if has_room(each)]


def without_a_slot(
    situation: OwnSituation, choice: OwnChoice, nodes: Nodes, rates: Rates
) -> Iterator[str]:
    """Compute ranks do not wait then: what I/O ranks have not written while these compute is on a
    disk (spill) or nowhere (thin), but for what slots hold; and so is what comes while streams
    meet. rates: with draws.
    """
    io = situation.experiment.tables["io"]
    pressure = io.text("backpressure")
    if not choice.io_ranks or pressure == "block" or not situation.outputs:
        return
    lanes = lanes_of(situation, choice, nodes.ranks - choice.ranks)
    services = services_of(situation, choice, nodes, rates, lanes)
    computing = services.workers - services.stall - services.tail
    late = np.maximum(0.0, 1.0 - computing / services.output)  # share of all outputs, at the end
    frequent = max(situation.series, key=lambda each: each.outputs)
    met = services.stall / computing * frequent.outputs  # outputs of that stream
    parts = zip(situation.series, choice.partitions, strict=True)
    slots = slots_of(situation, lanes)
    held = [min(each.outputs, slots * count) for each, count in parts]
    outputs, size = met, met * frequent.values * VALUE_BYTES
    for each, its in zip(situation.series, held, strict=True):
        behind = np.maximum(0.0, late * each.outputs - its)
        outputs, size = outputs + behind, size + behind * each.values * VALUE_BYTES
    count, most_bytes = (float(np.quantile(each, _SURE)) for each in (outputs, size))
    if count < 1.0:
        return
    whole = sum(each.outputs * each.values for each in situation.series) * VALUE_BYTES
    budget = io.integer("budget")
    room = f"{budget} MiB" if budget else "0 (two outputs)"
    told = (
        f"I/O ranks take {seconds(float(services.output[0]))} for outputs that are made in "
        f"{seconds(float(computing[0]))}, and [io] budget = {room} has room for "
        f"{many(slots, 'output')} of a partition ({lanes.fullest_bytes / _GB:.3g} GB on an I/O "
        "rank)"
    )
    if pressure == "thin":
        yield (
            f'backpressure = "thin": {told}; up to {count:.0f} of {situation.outputs} outputs '
            "would be missing from the files"
        )
    else:
        where = io.text("spill_directory") or "TMPDIR or /tmp"
        yield (
            f'backpressure = "spill": {told}; up to {most_bytes / _GB:.3g} GB of '
            f"{whole / _GB:.3g} GB would lie in '{where}' of the nodes until they are written"
        )
