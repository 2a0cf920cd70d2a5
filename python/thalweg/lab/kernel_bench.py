# SPDX-License-Identifier: Apache-2.0
"""How fast kernels are: the share of STREAM triad, in every target and layout."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from thalweg.dsl.configuration import Configuration
from thalweg.kernels import dynamico, icon_like, made_dynamico, made_nicam, nicam
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.compiled import Bound, Inputs, bind
from thalweg.kernels.triad import Triad
from thalweg.lab.results import Line, spread

LARGEST_DIFFERENCE = 1e-12  # of a function of the compiler's library to NumPy's
# Kernels whose share of triad is demanded; others are parts or variants of them.
ICON_LIKE = (
    "gradient", "divergence_of_triangles", "neighbour_mean", "column_recurrence", "laplacian",
    "component_one",
)  # fmt: skip
DYNAMICO = {"comp_pvort": "pvort", "comp_geopot": "geopot", "comp_caldyn_horiz": "caldyn_horiz",
            "comp_caldyn_vert": "caldyn_vert"}  # fmt: skip
NICAM = {
    "dyn_diffusion": ("diffusion",),
    "dyn_divdamp": ("divdamp",),
    "dyn_horiz_adv_flux": ("horizontal_flux",),
    "dyn_horiz_adv_limiter": ("outflow_bounds", "horizontal_limiter"),
    "dyn_vert_adv_limiter": ("vertical_limiter",),
    "dyn_vi_rhow_solver": ("vertical_solver",),
}

# Kernels that do what others do one after the other, without what lies between.
FUSED = {"laplacian": ("gradient", "divergence_of_triangles")}


@dataclass(frozen=True)
class Way:
    configuration: Configuration
    threads: int = 1

    @property
    def name(self) -> str:
        words = [self.configuration.target, self.configuration.layout, str(self.threads)]
        words += ["streaming"] if self.configuration.stores == "streaming" else []
        words += ["vector"] if self.configuration.functions == "vector" else []
        words += [f"tile {self.configuration.tile}"] if self.configuration.tile else []
        return " ".join(words)


LARGE = {"stores": "streaming", "prefetch": 32}  # for arrays beyond the caches
WAYS = (
    Way(Configuration("serial")),
    Way(Configuration("simd")),
    Way(Configuration("simd").changed(**LARGE)),
    Way(Configuration("simd", tile=64)),
    Way(Configuration("simd", "blocked", 64)),
    Way(Configuration("simd", "blocked", 256, functions="vector")),
    Way(Configuration("simd", "point_innermost", 512)),
    Way(Configuration("openmp"), 2),
    Way(Configuration("openmp").changed(**LARGE), 2),
    Way(Configuration("openmp", "blocked", 64), 2),
)


@dataclass
class _Trial:
    case: Case
    way: Way
    bound: Bound
    wrong: str = ""
    apart: tuple[_Trial, ...] = ()  # the same by kernels one after the other
    seconds: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)


def measure_kernels(folder: Path, repetitions: int, quick: bool) -> Iterator[Line]:
    """A line for each kernel and way, then one for the best way of each kernel on one core.

    Ways take turns; before each run triad is measured on as many threads.
    """
    set_threads = ctypes.CDLL("libgomp.so.1").omp_set_num_threads
    triad = Triad(folder)
    groups = _cases(quick)
    for done, (name, make) in enumerate(groups.items()):
        yield {"progress": {"done": done, "of": len(groups), "method": name}}
        case = make()
        trials = [_trial(case, way, folder) for way in WAYS]
        for part in (groups[each]() for each in FUSED.get(name, ())):
            for trial in trials:
                trial.apart += (_trial(part, trial.way, folder),)
        for _ in range(repetitions):
            for trial in trials:
                set_threads(trial.way.threads)
                triad_bytes_s = triad.measure()
                for each in (trial, *trial.apart):
                    _run(each, triad_bytes_s)
        best: tuple[float, Line] | None = None
        for trial in trials:
            line = _line(trial)
            yield line
            if "wrong" not in line and trial.way.threads == 1:
                better = best is None or line["median"] > best[0]
                best = (line["median"], line) if better else best
        if best:
            yield {**best[1], "method": name, "way": best[1]["method"].partition(": ")[2]}
        if name in FUSED:
            yield _against_apart(name, [each for each in trials if each.way.threads == 1])


def _against_apart(name: str, trials: list[_Trial]) -> Line:
    """The best way of the kernel, and the best of each of those that do the same apart."""
    parts = zip(*(trial.apart for trial in trials), strict=True)
    best, *apart = (
        min((each for each in ways if not each.wrong), key=_median_s, default=None)
        for ways in (trials, *parts)
    )
    line: Line = {"bench": "kernels", "method": f"{name}: against {' and '.join(FUSED[name])}"}
    if best is None or None in apart:
        return line | {"wrong": "a kernel is not what the reference has in any way"}
    rivals = [each for each in apart if each]
    together = (sum(times) for times in zip(*(each.seconds for each in rivals), strict=True))
    ratios = [other / own for own, other in zip(best.seconds, together, strict=True)]
    ways = {each.case.kernel.name: each.way.name for each in (best, *rivals)}
    return line | {"unit": "times as fast", **spread(ratios), "ways": ways}


def _median_s(trial: _Trial) -> float:
    return float(np.median(trial.seconds))


def _cases(quick: bool) -> dict[str, Callable[[], Case]]:
    """Sizes beyond the caches: those of the published measurements."""
    side, levels = (32, 8) if quick else (256, 64)
    n_i, n_j, layers = (20, 20, 10) if quick else (184, 200, 60)
    cells, nicam_layers = (16, 8) if quick else (128, 40)

    def icon() -> list[Case]:
        return icon_like.cases_of(icon_like.made_up(side, levels))

    def hexagons(vectors: str) -> list[Case]:
        return dynamico.cases_of(vectors, made_dynamico.made_up(n_i, n_j, layers))

    def region(vectors: str) -> list[Case]:
        return nicam.cases_of(vectors, made_nicam.made_up(cells, nicam_layers))

    made: list[tuple[str, Callable[[], list[Case]]]] = [
        *((name, icon) for name in ICON_LIKE),
        *((name, partial(hexagons, vectors)) for vectors, name in DYNAMICO.items()),
        *((name, partial(region, vectors)) for vectors, names in NICAM.items() for name in names),
    ]
    return {name: partial(_of, name, cases) for name, cases in made}


def _of(name: str, cases: Callable[[], list[Case]]) -> Case:
    return next(each for each in cases() if each.kernel.name == name)


def _trial(case: Case, way: Way, folder: Path) -> _Trial:
    inputs = Inputs(case.sizes, case.tables, case.arguments)
    bound = bind(case.kernel, way.configuration, inputs, folder)
    trial = _Trial(case, way, bound)
    reference = bind(case.kernel, Configuration("numpy"), inputs, folder)
    reference.run()
    bound.run()
    found = bound.outputs()
    for name, right in reference.outputs().items():
        if not np.allclose(found[name], right, LARGEST_DIFFERENCE, 0.0, equal_nan=True):
            trial.wrong = f"'{name}' is not what the reference has"
    return trial


def _run(trial: _Trial, triad_bytes_s: float) -> None:
    trial.bound.begin_again()
    cpu, wall = time.process_time(), time.perf_counter()
    trial.bound.run()
    wall_s = time.perf_counter() - wall
    trial.cpu_s.append(time.process_time() - cpu)
    trial.seconds.append(wall_s)
    trial.shares.append(_bytes(trial.case) / wall_s / triad_bytes_s)


def _bytes(case: Case) -> int:
    """Every array counts once, tables as the indices of four bytes that they are."""
    arrays = [each for each in case.arguments.values() if isinstance(each, np.ndarray)]
    values = sum(_float_bytes(each) for each in arrays)
    tables = case.kernel.ir.neighbour_tables()
    return values + sum(4 * case.tables[each.full_name].size for each in tables)


def _float_bytes(array: Array) -> int:
    return array.nbytes if array.dtype == np.float64 else 0


def _line(trial: _Trial) -> Line:
    name = f"{trial.case.kernel.name}: {trial.way.name}"
    line: Line = {"bench": "kernels", "method": name}
    if trial.wrong:
        return line | {"wrong": trial.wrong}
    size = _bytes(trial.case)
    return line | {
        "unit": "of triad",
        **spread(trial.shares),
        "bytes": size,
        "gb_s": size / float(np.median(trial.seconds)) / 1e9,
        "wall_s": float(np.median(trial.seconds)),
        "cpu_s": float(np.median(trial.cpu_s)),
        "threads": trial.way.threads,
        "sizes": dict(trial.case.sizes),
    }
