# SPDX-License-Identifier: Apache-2.0
"""`thalweg bench`: measures, shows, and compares with the bars."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from thalweg.dsl.configuration import ON_RANKS
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.interrupts import INTERRUPTED_CODE
from thalweg.kernels.device import has_gpu
from thalweg.lab.bars import BARS_PATH, judge, read_bars
from thalweg.lab.bench_table import print_results, print_verdicts
from thalweg.lab.benchmarks import BENCHMARKS, LAYERS, Benchmark, BenchRequest, find_benchmark
from thalweg.lab.results import Line, provenance
from thalweg.run.machine import busy_note
from thalweg.run.progress import ProgressDisplay

BY_ITSELF = ("cuda", *ON_RANKS)  # targets


@dataclass(frozen=True)
class BenchOptions:
    """The words of the command line."""

    check: bool = False
    json: bool = False
    quick: bool = False
    layer: str = "both"
    repetitions: int = 0
    directory: Path = Path()
    target: str = ""
    bars: Path = BARS_PATH


def list_benchmarks() -> list[dict[str, str]]:
    return [{"name": each.name, "meaning": each.meaning} for each in BENCHMARKS]


def bench(name: str, options: BenchOptions) -> bool:
    """Runs one benchmark; False if --check found a bar missed."""
    benchmark = find_benchmark(_chosen(name, options.target))
    name = benchmark.name
    if name == "device" and not has_gpu():
        raise ThalwegError(
            "kernels of target cuda need a GPU, and there is none here; their values: thalweg "
            "kernels compare"
        )
    bars = [bar for bar in read_bars(options.bars) if bar.bench == name] if options.check else []
    if options.check and not bars:
        raise ThalwegError(f"'{options.bars}' has no bar of benchmark '{name}'")
    try:
        lines = _measure(benchmark, options)
    except KeyboardInterrupt:
        raise ThalwegError("interrupted; nothing is left behind", INTERRUPTED_CODE) from None
    if not options.json:
        print_results(lines)
    verdicts = list(judge(bars, lines)) if bars else []
    if verdicts and options.json:
        for verdict in verdicts:
            print(json.dumps(verdict.as_line()), flush=True)
    elif verdicts:
        print_verdicts(verdicts)
    return all(verdict.met for verdict in verdicts)


def _measure(benchmark: Benchmark, options: BenchOptions) -> list[Line]:
    if not options.directory.is_dir():
        raise ThalwegError(
            f"the directory '{options.directory}' does not exist; give one on the file system "
            "to measure with --directory"
        )
    layers = _layers(options.layer)
    origin, results, busy = provenance(), [], busy_note(os.getloadavg()[0])
    with (
        tempfile.TemporaryDirectory(prefix="thalweg-bench-", dir=options.directory) as outer,
        ProgressDisplay(benchmark.name) as display,
    ):
        if busy:
            display.note(busy)
        if options.quick:
            display.note("--quick tries each method once on a small grid: its figures mean nothing")
        folder = Path(outer) / "files"
        folder.mkdir()
        request = BenchRequest(folder.resolve(), options.quick, options.repetitions,
                               layers, (options.target,) if options.target in ON_RANKS
                               else ON_RANKS)  # fmt: skip
        for line in benchmark.lines(request):
            if "progress" in line:
                told = line["progress"]
                done, trials = int(told["done"]), int(told["of"])
                state = f"{done} of {trials} trials, {told.get('method', '')}"
                display.show(done / max(1, trials), state)
            elif "bench" in line:
                results.append(line | origin)
                if options.json:
                    print(json.dumps(results[-1]), flush=True)
    return results


def _chosen(name: str, target: str) -> str:
    """Kernels of a target on ranks are a benchmark of their own."""
    if not target:
        return name
    if name not in ("kernels", "ranks"):
        raise ThalwegError(f"--target goes with benchmark kernels or ranks, not with '{name}'")
    if target == "cuda":
        return "device"
    if target not in ON_RANKS:
        raise ThalwegError(
            f"--target '{target}' is none that is timed by itself; choose one of: "
            f"{', '.join(BY_ITSELF)}. Without --target kernels are timed in all others."
            f"{did_you_mean(target, BY_ITSELF)}"
        )
    return "ranks"


def _layers(word: str) -> tuple[str, ...]:
    known = [*LAYERS, "both"]
    if word not in known:
        raise ThalwegError(
            f"--layer: MPI-IO layer '{word}' does not exist; choose one of: {', '.join(known)}."
            f"{did_you_mean(word, known)}"
        )
    return tuple(LAYERS) if word == "both" else (word,)
