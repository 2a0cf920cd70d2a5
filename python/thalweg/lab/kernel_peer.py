# SPDX-License-Identifier: Apache-2.0
"""GT4Py beside our kernels: its gtfn and DaCe, in both layouts, where it is installed."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.kernels.cases import Array, Case
from thalweg.kernels.compiled import aligned, written
from thalweg.lab.kernel_trial import Trial, difference_to_reference

# No recurrence along columns: DaCe 2.0.0b1 compiles no scan, and with shifts by a level the process
# ends by signal 11.
NAMES = ("gradient", "divergence_of_triangles", "neighbour_mean", "laplacian")
INSTALLED = importlib.util.find_spec("gt4py") is not None
MISSING = "gt4py is not installed (the extra 'peers' brings it)"
Ndarrays = dict[str, Array]


@dataclass(frozen=True)
class PeerWay:
    """A backend of GT4Py, with levels or points next to each other in memory."""

    target: str
    layout: str
    threads: int = 1
    order: str = "numbered"
    precision: str = "double"
    is_single: bool = False

    @property
    def name(self) -> str:
        return f"{self.target} {self.layout}"


WAYS = tuple(
    PeerWay(target, layout)
    for target in ("gtfn", "dace")
    for layout in ("level_innermost", "point_innermost")
)


def peer_trials(case: Case, folder: Path) -> tuple[list[Trial], str]:
    """One for each way that can be had, which says in `wrong` what has other values than the
    reference; and why others are left out.
    """
    if not INSTALLED:
        return [], MISSING
    found = [_trial(case, way, folder) for way in WAYS]
    reasons = [each for each in found if isinstance(each, str)]
    return [each for each in found if isinstance(each, Trial)], "; ".join(reasons)


def _trial(case: Case, way: PeerWay, folder: Path) -> Trial | str:
    try:
        bound = _Program(case, way, folder / "gt4py")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about how it compiles
            bound.run()
    except Exception as error:  # of compilers that are not ours: other ways are measured
        return f"{way.name} failed: {type(error).__name__}: {str(error)[:200]}"
    return Trial(case, way, bound, difference_to_reference(case, bound, way.precision, folder))


class _Program:
    """A program of GT4Py with its arguments; compiled at its first run."""

    def __init__(self, case: Case, way: PeerWay, folder: Path) -> None:
        # It reads these when it is imported. As our own compiler is called: for this machine.
        os.environ.setdefault("CXXFLAGS", "-march=native")
        os.environ["GT4PY_BUILD_JOBS"] = "0"  # compiled here, and not by a process of its own
        os.environ["GT4PY_BUILD_CACHE_LIFETIME"] = "persistent"
        os.environ["GT4PY_BUILD_CACHE_DIR"] = str(folder)
        folder.mkdir(parents=True, exist_ok=True)
        import gt4py.next as gtx
        from gt4py.next import common
        from gt4py.next.program_processors.runners.dace import run_dace_cpu
        from gt4py.next.program_processors.runners.gtfn import run_gtfn

        from thalweg.lab import gt4py_programs as said

        kernel = case.kernel.ir
        self.case = case
        self.fields: Ndarrays = {}
        fields: dict[str, Any] = {}
        for name, each in kernel.arguments.items():
            kind = each.type
            assert kind.place is not None
            axes = [said.AXES[axis.full_name] for axis in kind.axes]  # type: ignore[union-attr]
            dims = [said.PLACES[kind.place.plural], *axes, *([said.K] if kind.level else [])]
            # Ours is (axes..., levels, points); either way an index of it is [point][level].
            values = np.asarray(case.arguments[name], np.float64)
            if way.layout == "level_innermost":
                laid = aligned(np.ascontiguousarray(np.moveaxis(values, -1, 0)))
            else:
                laid = np.moveaxis(aligned(np.ascontiguousarray(values)), -1, 0)
            self.fields[name] = laid
            extent = dict(zip(dims, laid.shape, strict=True))
            fields[name] = common._field(laid, domain=common.domain(extent))
        tables: dict[str, Any] = {}
        for relation in kernel.neighbour_tables():
            word, source, local, target = said.TABLES[relation.full_name]
            # For its checker, if it is installed, NumPy's arrays are none.
            table: Any = np.ascontiguousarray(case.tables[relation.full_name].T, np.int32)
            tables[word] = gtx.as_connectivity([source, local], target, table)
        backend: Any = {"gtfn": run_gtfn, "dace": run_dace_cpu}[way.target]
        program = said.PROGRAMS[case.kernel.name].with_backend(backend)
        self.call: Callable[[], object] = lambda: program(**fields, offset_provider=tables)

    def run(self) -> None:
        self.call()

    def wait(self) -> None:
        """It is done."""

    def begin_again(self) -> None:
        """None of these kernels reads what it sets."""

    def outputs(self) -> Ndarrays:
        return {name: np.moveaxis(self.fields[name], 0, -1) for name in written(self.case.kernel)}

    def arrays(self) -> list[Array]:
        return list(self.fields.values())
