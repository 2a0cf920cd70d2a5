# SPDX-License-Identifier: Apache-2.0
"""Target cuda: nvcc takes its code, and its threads on the CPU give the bits of the reference."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.cases import Case
from thalweg.kernels.compiled import translate
from thalweg.kernels.device import FLAGS, nvcc
from thalweg.kernels.library import all_kernels
from thalweg.testing.kernels.ways import different

KERNELS = all_kernels()
# Free levels, a recurrence, columns of local values, ranges of points, half levels, groups, values
# of the whole grid, and many sweeps.
TRIED = (
    "gradient", "column_recurrence", "vertical_solver", "pvort", "caldyn_horiz", "block_extremes",
    "level_mean", "first_stage", "shallow_water",
)  # fmt: skip
LAYOUTS = ("level_innermost", "point_innermost", "blocked")


@pytest.mark.some(7)  # in every layout, of every kind
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TRIED)
def test_threads_give_the_bits_of_the_reference(name: str, layout: str, compiled: Path) -> None:
    way = Configuration("cuda", layout, 32)
    assert different(made_case(KERNELS[name]), way, compiled) == []


def test_a_second_call_begins_where_the_first_did(compiled: Path) -> None:
    """Local fields of the device stay from call to call; what is not set is NaN again."""
    case = replace(made_case(KERNELS["caldyn_horiz"]), times=3)
    assert different(case, Configuration("cuda", "point_innermost"), compiled) == []


def test_levels_are_threads_only_where_none_needs_another(tmp_path: Path, compiled: Path) -> None:
    path = tmp_path / "tried.py"
    path.write_text(
        "from thalweg.dsl import Field, InOut, Out, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell, Level\n\n\n"
        "@kernel\n"
        "def tried(t: Field[Cell, Level], a: Out[Cell, Level], b: InOut[Cell, Level]) -> None:\n"
        "    a = 2 * t\n"
        "    for k in Level[1:]:\n"
        "        b[k] = a[k - 1] + a[k]\n"
    )
    kernel = load_file(path)["tried"]
    assert different(made_case(kernel), Configuration("cuda"), compiled) == []
    code = translate(kernel, Configuration("cuda"))
    sweeps = code.count("SWEEP tried_sweep_")
    assert code.count("level_of_thread = ") in (sweeps, 0)
    assert sweeps == 2 or "level_of_thread" not in code


def test_ranges_may_be_more_than_a_launch_takes(tmp_path: Path, compiled: Path) -> None:
    """A GPU has 65535 rows of blocks at most, and here it ends the program with more."""
    path = tmp_path / "tried.py"
    path.write_text(
        "from thalweg.dsl import Field, InOut, Points, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell\n\n\n"
        "@kernel\n"
        "def tried(t: Field[Cell], some: Points[Cell], a: InOut[Cell]) -> None:\n"
        "    with some:\n"
        "        a = 2 * t\n"
    )
    cells = 2 * 65536 + 7
    arguments = {"t": np.arange(float(cells)), "some": np.arange(0, cells, 2), "a": np.ones(cells)}
    case = Case(load_file(path)["tried"], {"cells": cells}, {}, arguments).checked()
    assert different(case, Configuration("cuda", "point_innermost"), compiled) == []


@pytest.mark.some(5)
@pytest.mark.skipif(not nvcc(), reason="no nvcc on this machine: pip install nvidia-cuda-nvcc")
@pytest.mark.parametrize(
    "name", ["gradient", "vertical_solver", "caldyn_horiz", "block_extremes", "vertical_limiter"]
)
def test_nvcc_compiles_it_without_a_warning(
    name: str, link: Callable[[Sequence[str], Sequence[Path], Path], Path], tmp_path: Path
) -> None:
    source = tmp_path / f"{name}.cu"
    source.write_text(translate(KERNELS[name], Configuration("cuda", "point_innermost")))
    words = [*nvcc(), *FLAGS, "-arch=sm_90", "-Werror", "all-warnings"]
    library = link(words, [source], tmp_path)
    symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True)
    for function in (name, f"{name}_room", f"{name}_free", f"{name}_in", f"{name}_out"):
        assert f" T {function}\n" in symbols.stdout


@pytest.mark.some(2)
@pytest.mark.skipif(
    not (nvcc() and shutil.which("mpicxx")),
    reason="no nvcc (pip install nvidia-cuda-nvcc nvidia-cuda-runtime) or no mpicxx",
)
@pytest.mark.parametrize("target", ["mpi", "onesided"])
def test_nvcc_compiles_what_travels_between_devices(
    target: str, link: Callable[[Sequence[str], Sequence[Path], Path], Path], tmp_path: Path
) -> None:
    source = tmp_path / "caldyn_horiz.cu"
    way = Configuration(target, "point_innermost", each_rank="cuda")
    source.write_text(translate(KERNELS["caldyn_horiz"], way))
    words = [*nvcc(), "-ccbin", "mpicxx", *FLAGS, "-arch=sm_90", "-Werror", "all-warnings"]
    link(words, [source], tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("tile", 64), ("prefetch", 4), ("stores", "streaming"), ("functions", "vector"),
     ("order", "curve")],
)  # fmt: skip
def test_what_a_gpu_has_no_use_for_is_refused(key: str, value: int | str) -> None:
    with pytest.raises(ThalwegError, match=f"{key} = {value!r} is nothing for target cuda"):
        Configuration("cuda").changed(**{key: value})


def test_the_command_says_where_its_threads_run(cli: Callable[..., Any]) -> None:
    told = cli("kernels", "run", "gradient", "--target", "cuda")
    assert told.returncode == 0, told.stderr
    assert "+diff[difference] relative=0.000e+00" in told.stdout
    assert "no GPU here: its threads run one after the other on this CPU" in told.stderr
