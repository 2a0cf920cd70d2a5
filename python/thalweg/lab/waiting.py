# SPDX-License-Identifier: Apache-2.0
"""How long compute ranks wait for output in the example case with an I/O rank that keeps up."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.files.streams import read_streams
from thalweg.lab.results import Line, spread
from thalweg.run.runner import RunRequest, run_case

EXAMPLE = ROOT / "examples" / "jet.toml"
# Computing takes about three times as long as output then, as in the README's measured result: one
# I/O rank is enough.
EXTRA_WORK = 2.5
METHODS = {"async_2_1": (3, ["io.mode=async", "io.ranks=1"]), "serial_2": (2, ["io.mode=serial"])}


def measure_waiting(folder: Path, repetitions: int, quick: bool) -> Iterator[Line]:
    """One line per mode; the modes take turns. Waiting at the end of the run counts as well."""
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    trials, done = repetitions * len(METHODS), 0
    for _ in range(repetitions):
        for name, (ranks, overrides) in METHODS.items():
            yield {"progress": {"done": done, "of": trials, "method": name}}
            samples[name].append(_run(folder / name, ranks, overrides, quick))
            done += 1
    wrong = _difference(*(folder / name for name in METHODS))
    for name, figures in samples.items():
        if wrong:
            yield {"bench": "waiting", "method": name, "wrong": wrong}
            continue
        percent = [f["wait_percent"] for f in figures]
        yield {
            "bench": "waiting",
            "method": name,
            "meaning": "waiting for output, at the end of the run too, mean over compute ranks",
            "unit": "% of the run",
            **spread(percent),
            **{
                key: statistics.median(f[key] for f in figures)
                for key in ("wait_s", "closing_s", "run_time_s")
            },
        }


def _difference(one: Path, other: Path) -> str:
    """The first field of the last runs that is not the same bit by bit, or nothing."""
    streams, others = read_streams(one), read_streams(other)
    try:
        for name, stream in streams.items():
            slots = zip(stream.slots, others[name].slots, strict=True)
            for (mine, theirs), field in product(slots, stream.fields):
                values = stream.values(field, mine), others[name].values(field, theirs)
                if values[0].tobytes() != values[1].tobytes():
                    return (
                        f"'{field}' at {mine.time_s:g} s differs between {one.name}, {other.name}"
                    )
    finally:
        for stream in (*streams.values(), *others.values()):
            stream.close()
    return ""


def _run(path: Path, ranks: int, overrides: list[str], quick: bool) -> dict[str, float]:
    small = ["grid.name=R2B2", "model.levels=3", "time.duration=PT3H"] if quick else []
    words = [*overrides, f"model.extra_work={EXTRA_WORK}", *small]
    run = run_case(RunRequest(EXAMPLE, ranks, words, path, overwrite=True, quiet=True))
    metrics: dict[str, float] = run.summary()["metrics"]
    return metrics
