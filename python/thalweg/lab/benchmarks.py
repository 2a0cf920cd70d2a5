# SPDX-License-Identifier: Apache-2.0
"""The list of benchmarks: what each measures and how its lines are had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from thalweg.config.checkout import program
from thalweg.dsl.configuration import ON_RANKS
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.lab.codec_input import real_fields
from thalweg.lab.device_bench import measure_on_device
from thalweg.lab.kernel_bench import measure_kernels
from thalweg.lab.native import run_native
from thalweg.lab.rank_bench import measure_ranks
from thalweg.lab.results import Line
from thalweg.lab.waiting import measure_waiting

# --mca io NAME: OMPIO is Open MPI's own MPI-IO layer, ROMIO comes with it under this name.
LAYERS = {"ompio": "ompio", "romio": "romio321"}
OUTPUT_RANKS = 4  # of the workload all figures about parallel output are given for
PLAN_METHODS = "owner_pwrite,shared_cdf5,shared_netcdf4,dedicated_shared_2_2"


@dataclass(frozen=True)
class BenchRequest:
    """How to measure. repetitions 0 = the benchmark's own number."""

    folder: Path  # empty, on the file system to measure
    quick: bool = False
    repetitions: int = 0
    layers: tuple[str, ...] = ("ompio", "romio")
    targets: tuple[str, ...] = ON_RANKS  # of kernels on ranks

    def count(self, usual: int) -> int:
        return self.repetitions or (1 if self.quick else usual)


@dataclass(frozen=True)
class Benchmark:
    """`lines` yields progress objects and result lines."""

    name: str
    meaning: str
    lines: Callable[[BenchRequest], Iterator[Line]]


def _output(request: BenchRequest, methods: str = "") -> Iterator[Line]:
    words = ["--repetitions", str(request.count(5))]
    words += ["--methods", methods] if methods else []
    words += ["--grid", "R2B2", "--steps", "2"] if request.quick else []
    for layer in request.layers:
        native = [str(program("thalweg_output_bench")), str(request.folder), *words]
        yield from run_native([*native, "--layer", layer], OUTPUT_RANKS, request.folder,
                              LAYERS[layer])  # fmt: skip


def _plan(request: BenchRequest) -> Iterator[Line]:
    return (line for line in _output(request, PLAN_METHODS) if line.get("bench") != "output")


def _restart(request: BenchRequest) -> Iterator[Line]:
    words = [str(program("thalweg_restart_bench")), str(request.folder)]
    words += ["--repetitions", str(request.count(5))] + (["--quick"] if request.quick else [])
    yield from run_native(words, OUTPUT_RANKS, request.folder)


def _codec(request: BenchRequest) -> Iterator[Line]:
    yield {"progress": {"done": 0, "of": 2, "method": "mini-model"}}
    fields = real_fields(request.folder, request.quick)
    yield {"progress": {"done": 1, "of": 2, "method": "codecs"}}
    words = [str(program("thalweg_codec_bench")), str(fields)]
    words += ["--repetitions", str(request.count(5))]
    yield from run_native(words, 1, request.folder)


def _grib2(request: BenchRequest) -> Iterator[Line]:
    words = [str(program("thalweg_grib2_bench")), "--repetitions", str(request.count(9))]
    yield from run_native(words + (["--quick"] if request.quick else []), 1, request.folder)


def _waiting(request: BenchRequest) -> Iterator[Line]:
    return measure_waiting(request.folder, request.count(3), request.quick)


def _kernels(request: BenchRequest) -> Iterator[Line]:
    return measure_kernels(request.folder, request.count(7), request.quick)


def _device(request: BenchRequest) -> Iterator[Line]:
    return measure_on_device(request.folder, request.count(7), request.quick)


def _ranks(request: BenchRequest) -> Iterator[Line]:
    return measure_ranks(request.folder, request.targets, request.count(7), request.quick)


BENCHMARKS = (
    Benchmark("output", "every mode and container against what others do, R2B5 x 90 levels x 8 "
              "fields on 4 ranks", _output),
    Benchmark("restart", "checkpoints: write and read, other numbers of ranks", _restart),
    Benchmark("codec", "netCDF-4 deflate of the mini-model's fields on one core against netCDF-C",
              _codec),
    Benchmark("grib2", "packing of GRIB2 values against ecCodes", _grib2),
    Benchmark("kernels", "kernels of three models in every target and layout against STREAM triad",
              _kernels),
    Benchmark("device", "kernels on a GPU in every layout against a copy in its memory", _device),
    Benchmark("ranks", "kernels on two ranks: how much of the waiting overlap hides", _ranks),
    Benchmark("plan", "set-up of the exchange against one output step", _plan),
    Benchmark("waiting", "how long compute ranks wait for output in the example case", _waiting),
)  # fmt: skip


def find_benchmark(name: str) -> Benchmark:
    for benchmark in BENCHMARKS:
        if benchmark.name == name:
            return benchmark
    known = [benchmark.name for benchmark in BENCHMARKS]
    raise ThalwegError(
        f"benchmark '{name}' does not exist; choose one of: {', '.join(known)}."
        f"{did_you_mean(name, known)}"
    )
