# SPDX-License-Identifier: Apache-2.0
"""The bars of bench/bars.toml: figures that must be reached, and whether they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from thalweg.config import toml
from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.lab.results import Line

BARS_PATH = ROOT / "bench" / "bars.toml"


@dataclass(frozen=True)
class Bar:
    """One demanded figure.

    method   whose result line
    against  rival: the paired ratio to it is judged; "" = the line's own figure
    figure   key of the line; other than "median" with `against`: the ratio of both lines' figures
    """

    name: str
    bench: str
    method: str
    unit: str
    source: str
    against: str = ""
    figure: str = "median"
    at_least: float | None = None
    at_most: float | None = None

    def met_by(self, value: float) -> bool:
        above = self.at_least is None or value >= self.at_least
        return above and (self.at_most is None or value <= self.at_most)

    @property
    def demand(self) -> str:
        word, limit = ("at least", self.at_least) if self.at_most is None else (
            "at most", self.at_most)  # fmt: skip
        return f"{word} {limit:g} {self.unit}"


@dataclass(frozen=True)
class Verdict:
    """A bar beside its figure; without one, `reason` says why."""

    bar: Bar
    layer: str
    value: float | None
    reason: str = ""

    @property
    def met(self) -> bool:
        return self.value is not None and self.bar.met_by(self.value)

    def as_line(self) -> Line:
        words = "met" if self.met else "missed"
        return {
            "bar": self.bar.name, "bench": self.bar.bench, "method": self.bar.method,
            "layer": self.layer, "value": self.value, "demand": self.bar.demand,
            "verdict": words, "reason": self.reason, "source": self.bar.source,
        }  # fmt: skip


def read_bars(path: Path = BARS_PATH) -> list[Bar]:
    """Every bar of the file. Raises one sentence where it is wrong."""
    try:
        content = toml.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ThalwegError(f"the bars '{path}' cannot be read: {error}") from error
    found = content.get("bar", [])
    entries = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    if not entries:
        raise ThalwegError(f"'{path}' holds no [[bar]]")
    return [
        _bar(path.name, number, each)
        for number, entry in enumerate(entries, 1)
        for each in _of_each_method(entry)
    ]


def _of_each_method(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """`method` may be a list: a bar for each, with {method} in its name."""
    methods = entry.get("method")
    if not isinstance(methods, list):
        return [entry]
    name = str(entry.get("name", ""))
    return [
        {**entry, "method": each, "name": name.replace("{method}", str(each))} for each in methods
    ]


def _bar(file_name: str, number: int, entry: dict[str, Any]) -> Bar:
    where = f"{file_name}: bar {number} ('{entry.get('name', '')}')"
    known = [field.name for field in fields(Bar)]
    for key in entry:
        if key not in known:
            raise ThalwegError(f"{where} has an unknown key '{key}'.{did_you_mean(key, known)}")
    if ("at_least" in entry) == ("at_most" in entry):
        raise ThalwegError(f"{where} needs either 'at_least' or 'at_most'")
    try:
        return Bar(**entry)
    except TypeError:
        needed = ("name", "bench", "method", "unit", "source")
        lacking = [key for key in needed if key not in entry]
        raise ThalwegError(f"{where} lacks '{', '.join(lacking)}'") from None


def judge(bars: Sequence[Bar], lines: Sequence[Line]) -> Iterator[Verdict]:
    """One verdict per bar and MPI-IO layer that was measured."""
    layers = list(dict.fromkeys(str(line.get("layer", "")) for line in lines)) or [""]
    for bar in bars:
        for layer in layers:
            of_layer = [line for line in lines if str(line.get("layer", "")) == layer]
            if of_layer or layer == "":
                yield _verdict(bar, layer, of_layer)


def _verdict(bar: Bar, layer: str, lines: Sequence[Line]) -> Verdict:
    by_method = {line.get("method"): line for line in lines if line.get("bench") == bar.bench}
    line = by_method.get(bar.method)
    if line is None:
        return Verdict(bar, layer, None, f"'{bar.method}' was not measured")
    if "skipped" in line:
        return Verdict(bar, layer, None, f"'{bar.method}' was skipped: {line['skipped']}")
    if not bar.against:
        return _found(bar, layer, line.get(bar.figure), f"its line has no '{bar.figure}'")
    if bar.figure == "median":
        ratio = line.get("paired_ratio", {}).get(bar.against, {}).get("median")
        return _found(bar, layer, ratio, f"no paired ratio to '{bar.against}'")
    own, rival = line.get(bar.figure), by_method.get(bar.against, {}).get(bar.figure)
    return _found(bar, layer, own / rival if own and rival else None,
                  f"no '{bar.figure}' of both '{bar.method}' and '{bar.against}'")  # fmt: skip


def _found(bar: Bar, layer: str, value: Any, reason: str) -> Verdict:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Verdict(bar, layer, float(value))
    return Verdict(bar, layer, None, reason)
