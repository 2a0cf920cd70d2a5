# SPDX-License-Identifier: Apache-2.0
"""`bench kernels --target cuda`: what it does on a GPU, here thread after thread on the CPU."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path

import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.kernels import device_copy
from thalweg.kernels.compiled import Bound, Inputs, bind
from thalweg.lab import device_bench, kernel_cases, kernel_trial
from thalweg.lab.bars import read_bars
from thalweg.lab.kernel_trial import Way
from thalweg.lab.results import Line

POINTS = Way(Configuration("cuda", "point_innermost"))
SINGLE = Way(Configuration("cuda", "point_innermost", precision="single"))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_bench, "WAYS", (POINTS, SINGLE))
    monkeypatch.setattr(device_copy, "VALUES", 1000)
    monkeypatch.setattr(kernel_cases, "ICON_LIKE", ("gradient",))
    monkeypatch.setattr(kernel_cases, "DYNAMICO", {"comp_geopot": "geopot"})
    monkeypatch.setattr(kernel_cases, "NICAM", {})


def another_kernel(
    kernel: Kernel, configuration: Configuration, inputs: Inputs, folder: Path
) -> Bound:
    """Begins with other values on the device than the reference."""
    if configuration.target == "cuda":
        first, *_ = [name for name, each in kernel.ir.arguments.items() if each.type.role == "in"]
        changed = {**inputs.arguments, first: 2.0 * inputs.arguments[first]}
        inputs = replace(inputs, arguments=changed)
    return bind(kernel, configuration, inputs, folder)


def lines_of(folder: Path) -> list[Line]:
    found = device_bench.measure_on_device(folder, 2, True)
    return [line for line in found if "bench" in line]


def test_a_line_for_each_way_and_one_for_the_best(compiled: Path) -> None:
    lines = lines_of(compiled)
    ways = (f": {POINTS.name}", f": {SINGLE.name}", "")
    assert [line["method"] for line in lines] == [
        f"{name}{way}" for name in ("gradient", "geopot") for way in ways
    ]
    cells, edges, levels = 32 * 32, 3 * 32 * 32 // 2, 8
    assert lines[0]["bytes"] == 8 * levels * (cells + edges) + 4 * 2 * edges
    assert lines[2]["way"] == POINTS.name  # single precision is never the best
    for line in lines:
        assert (line["bench"], line["n"], line["unit"]) == ("device", 2, "of a copy there")
        share = line["bytes"] / line["wall_s"] / 1e9 / line["copy_gb_s"]
        assert 0 < line["p05"] <= line["median"] <= line["p95"]
        assert share > 0  # of one call, which need not be near the median of pairs


def test_a_device_is_waited_for(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch returns at once: without a wait behind it, its time would be nothing."""
    waits: list[str] = []
    found = kernel_trial.make_trial(
        kernel_cases.made_cases(kernel_cases.QUICK)["gradient"](), POINTS, compiled
    )
    monkeypatch.setattr(found.bound, "wait", lambda: waits.append("waited"))
    found.run(1.0, 3)
    assert waits == ["waited"] * 2  # behind what warms up, and behind the last call


def test_a_wrong_value_is_no_time(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_trial, "bind", another_kernel)
    lines = lines_of(compiled)
    assert all("is not what the reference has" in line["wrong"] for line in lines)
    assert [line["method"] for line in lines[:2]] == [
        f"gradient: {POINTS.name}", f"gradient: {SINGLE.name}"
    ]  # fmt: skip
    assert not any("median" in line for line in lines)


def test_a_copy_that_does_not_arrive_is_seen(
    compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = device_copy.DeviceCopy(compiled)
    assert copy.measure() > 0
    copy.rooms.append(copy.rooms.pop(0))  # from the other one, which has the values now
    ctypes.memset(copy.rooms[0], 0, 8 * device_copy.VALUES)
    with pytest.raises(AssertionError):
        copy.measure()


def test_every_kernel_that_is_timed_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    bars = [bar for bar in read_bars() if bar.bench == "device"]
    assert {bar.method for bar in bars} == set(kernel_cases.made_cases(kernel_cases.QUICK))
    wanted = {bar.method for bar in bars if bar.at_least == 0.8}
    assert wanted == set(kernel_cases.ICON_LIKE)
