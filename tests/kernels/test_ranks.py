# SPDX-License-Identifier: Apache-2.0
"""Targets mpi and onesided on real ranks, each with its part of a grid and NaN beyond it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from thalweg.config.checkout import ROOT
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.errors import ThalwegError
from thalweg.kernels import on_ranks
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.compiled import translate
from thalweg.kernels.library import all_kernels
from thalweg.kernels.on_ranks import OnRanks
from thalweg.kernels.starting_ranks import Launch
from thalweg.run.launch import mpirun_command, mpirun_environment
from thalweg.testing.command import ThalwegCommand
from thalweg.testing.kernels.ways import REFERENCE, outputs

Cli = ThalwegCommand
pytestmark = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
KERNELS = all_kernels()
# One neighbourhood; two exchanges and ranges of points; two neighbourhoods at once; no neighbours.
WAYS = (
    ("divergence", Configuration("mpi", "blocked", 32, each_rank="serial"), 4),
    ("caldyn_horiz", Configuration("mpi", "level_innermost", prefetch=2, stores="streaming"), 3),
    ("anticipation", Configuration("mpi", "point_innermost", 16, each_rank="openmp"), 2),
    ("anticipation", Configuration("onesided", "level_innermost", each_rank="openmp"), 3),
    ("caldyn_horiz", Configuration("onesided", "blocked", 8), 4),
    ("column_recurrence", Configuration("onesided", each_rank="serial"), 2),
    ("caldyn_horiz", Configuration("mpi", "blocked", 8, each_rank="cuda"), 3),
    ("anticipation", Configuration("mpi", "point_innermost", each_rank="cuda"), 2),
    ("divergence", Configuration("onesided", each_rank="cuda"), 4),
    ("pvort", Configuration("onesided", "point_innermost", each_rank="cuda"), 2),
)


def by_chance(case: Case, ranks: int) -> dict[str, Array]:
    """Whose points are whose follows no order, and one rank has few."""
    random = np.random.default_rng(ranks)
    shares = np.append(np.ones(ranks - 1), 0.05)
    return {
        place.plural: random.choice(ranks, case.sizes[place.plural], p=shares / shares.sum())
        for place in case.kernel.ir.places()
    }


def started(ranks: int) -> Launch:
    return Launch(ranks, mpirun_command, mpirun_environment)


@pytest.mark.some(3, 1)
@pytest.mark.parametrize(
    ("name", "way", "ranks"),
    WAYS,
    ids=[f"{name}-{way.target}-{way.each_rank}-{n}" for name, way, n in WAYS],
)
def test_own_points_have_the_bits_of_the_reference(
    name: str, way: Configuration, ranks: int, compiled: Path
) -> None:
    """Three calls, each on what the one before has left."""
    case = made_case(KERNELS[name])
    owners = by_chance(case, ranks)
    found = OnRanks(KERNELS[name], way, case.inputs, compiled, started(ranks), owners)
    found.run(times=3)
    right = outputs(Case(**{**vars(case), "times": 3}), REFERENCE, compiled)
    assert {each: value.tobytes() for each, value in found.outputs().items()} == {
        each: value.tobytes() for each, value in right.items()
    }
    talks = bool(KERNELS[name].ir.neighbour_tables())
    assert all((each.bytes > 0) == talks for each in found.told)


def test_a_halo_that_is_too_shallow_is_refused_on_all_ranks(
    compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ranks, "depth_of", lambda *_: 0)
    case = made_case(KERNELS["divergence"])
    tried = OnRanks(case.kernel, Configuration("mpi"), case.inputs, compiled, started(2))
    with pytest.raises(ThalwegError, match=r"kernel 'divergence': rank 0 has no halo that is deep"):
        tried.run()


@pytest.mark.parametrize("levels", [0, -1])
def test_fewer_levels_than_a_kernel_has_are_told(levels: int, compiled: Path) -> None:
    case = made_case(KERNELS["divergence"])
    tried = OnRanks(case.kernel, Configuration("mpi"), case.inputs, compiled, started(2))
    for part in tried.parts:
        part.inputs.sizes["levels"] = levels
    words = f"calls kernel 'divergence' with {levels} levels, and it needs 1 at least"
    with pytest.raises(ThalwegError, match=words):
        tried.run()


def test_a_halo_is_as_deep_as_the_longest_way_of_any_statement(
    compiled: Path, tmp_path: Path
) -> None:
    """Both fields travel before the first statement, which needs one of them, and less far."""
    (tmp_path / "far.py").write_text("""from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Edge


@kernel
def far(t: Field[Cell], v: Field[Cell], near: Out[Cell], second: Out[Edge]) -> None:
    near = sum(v[n] for n in Cell.neighbours)
    second = max(t[n, Edge.cells.second] for n in Cell.neighbours)
""")
    case = made_case(load_file(tmp_path / "far.py")["far"])
    right = outputs(case, REFERENCE, compiled)
    for target in ("mpi", "onesided"):
        way = Configuration(target)
        found = OnRanks(case.kernel, way, case.inputs, compiled, started(3), by_chance(case, 3))
        found.run()
        for name, values in found.outputs().items():
            assert values.tobytes() == right[name].tobytes(), (target, name)


SCRIPT = """
import json, sys
from pathlib import Path
import numpy as np
from thalweg.kernels.on_a_rank import Rank, address

import os
number = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]
folder = Path(sys.argv[1])
job = json.loads((folder / f"{number}.json").read_text())
with np.load(folder / f"{number}.npz") as read:
    arrays = {name: read[name] for name in read.files}
rank = Rank(job, arrays)
"""


def prepared(name: str, way: Configuration, folder: Path, compiled: Path) -> OnRanks:
    case = made_case(KERNELS[name])
    found = OnRanks(case.kernel, way, case.inputs, compiled, started(2))
    for number, part in enumerate(found.parts):
        found._write(folder, number, part)
    return found


def run_script(folder: Path, lines: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """`before`: what is done to the lists of a rank before they are told."""
    begin, made = SCRIPT.split("rank = Rank")
    (folder / "tried.py").write_text(f"{begin}{before}\nrank = Rank{made}{lines}")
    words = mpirun_command(2, [sys.executable, str(folder / "tried.py"), str(folder)])
    environment = {**mpirun_environment(), "PYTHONPATH": str(ROOT / "python")}
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("target", ["mpi", "onesided"])
def test_what_is_kept_travels_once_and_after_a_change(
    target: str, tmp_path: Path, compiled: Path
) -> None:
    prepared("divergence", Configuration(target), tmp_path, compiled)
    told = run_script(
        tmp_path,
        """
def left():
    return rank.run(1)["bytes"]
first = left()
assert left() == first > 0
field = address(arrays[sorted(set(arrays) & {"velocity", "flux"})[0]])
rank.call("keeps", None, rank.ranks, field)
assert left() == first  # nobody knows what was there before
assert left() == 0  # nobody has set it
rank.call("changed", None, rank.ranks, field)
assert left() == first
rank.end()
print("kept")
""",
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("kept") == 2


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("target", ["mpi", "onesided"])
def test_a_rank_that_does_not_come_ends_the_wait(
    target: str, tmp_path: Path, compiled: Path
) -> None:
    found = prepared("divergence", Configuration(target), tmp_path, compiled)
    for number in range(len(found.parts)):
        path = tmp_path / f"{number}.json"
        path.write_text(path.read_text().replace('"limit_s": 60.0', '"limit_s": 2.0'))
    told = run_script(
        tmp_path,
        """
import signal
if number == "1":
    signal.pause()
rank.run(1)
""",
    )
    assert told.returncode != 0
    assert "rank 0 has waited for 2 s for" in told.stderr


@pytest.mark.some(2)
@pytest.mark.parametrize("target", ["mpi", "onesided"])
def test_values_of_another_exchange_are_not_taken(
    target: str, tmp_path: Path, compiled: Path
) -> None:
    """One rank alone says that a field has changed: its message comes when others need the next."""
    prepared("divergence", Configuration(target), tmp_path, compiled)
    told = run_script(
        tmp_path,
        """
field = address(arrays[sorted(set(arrays) & {"velocity", "flux"})[0]])
rank.call("keeps", None, rank.ranks, field)
rank.run(2)
if number == "1":
    rank.call("changed", None, rank.ranks, field)
rank.run(1)
rank.call("changed", None, rank.ranks, field)
rank.run(1)
""",
    )
    assert told.returncode != 0
    assert "they call kernels differently, or changed() on some only" in told.stderr


@pytest.mark.some(3)
@pytest.mark.parametrize("table", ["cell_edges", "edge_cells", "edge_others"])
def test_a_hole_is_seen_in_every_table(table: str, tmp_path: Path, compiled: Path) -> None:
    """Also in those of sweeps whose values have come with others'. Its sweeps set points of
    arguments alone: it is known with these.
    """
    prepared(WAYS[1][0], WAYS[1][1], tmp_path, compiled)
    hole = f"arrays['table {table}'].flat[0] = -1 if number == '1' else 0"
    told = run_script(tmp_path, "rank.run(1)", hole)
    assert told.returncode != 0
    sentence = "rank 1 was to set, in kernel 'caldyn_horiz', number 0, which has a neighbour -1:"
    assert sentence in told.stderr


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("arrays['owners edges'][-1] = -1", "rank 1 was given rank -1 as the owner of number"),
        ("arrays['owners edges'][0] = 0", "rank 1 was given rank 0 as the owner of number 0"),
        ("arrays['globals edges'][-1] = arrays['globals edges'][0]", "of the edges twice"),
        ("job['own'] = [999999 for _ in job['own']]", "rank 1 was told to own 999999 of"),
    ],
)
def test_lists_of_one_rank_that_make_no_sense_are_told_on_all(
    before: str, sentence: str, tmp_path: Path, compiled: Path
) -> None:
    prepared("divergence", Configuration("mpi"), tmp_path, compiled)
    told = run_script(tmp_path, "", f"if number == '1':\n    {before}")
    assert told.returncode == 2, told.stderr
    assert sentence in told.stderr


@pytest.mark.some(2)  # that for onesided: also test_calls_on_ranks.py
@pytest.mark.parametrize("target", ["mpi", "onesided"])
def test_code_for_ranks_has_no_warning(target: str, tmp_path: Path) -> None:
    source = tmp_path / "pvort.cpp"
    source.write_text(translate(KERNELS["pvort"], Configuration(target, each_rank="openmp")))
    words = ["mpicxx", "-std=c++20", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    words += ["-Wno-unused-parameter", "-fsyntax-only", str(source)]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Configuration("mpi", tile=64), "tile = 64 is nothing for target mpi"),
        (lambda: Configuration("onesided", order="curve"), "order = 'curve' is nothing for"),
        (lambda: Configuration("mpi", each_rank="numpy"), "each_rank 'numpy' does not exist"),
        (
            lambda: Configuration("mpi", each_rank="cuda", prefetch=4),
            "prefetch = 4 is nothing for each_rank cuda",
        ),
        (lambda: Configuration("simd", each_rank="serial"), "each_rank = 'serial' is nothing for"),
    ],
)
def test_what_ranks_have_no_use_for_is_refused(
    make: Callable[[], Configuration], sentence: str
) -> None:
    with pytest.raises(ThalwegError, match=sentence):
        make()


def test_the_command_starts_ranks(cli: Cli) -> None:
    words = ["kernels", "run", "gradient", "--target", "onesided"]
    told = cli(*words, "--ranks", "3")
    assert told.returncode == 0, told.stderr
    assert "+diff[difference] relative=0.000e+00" in told.stdout
    told = cli(*words[:-1], "simd", "--ranks", "3")
    assert (told.returncode, told.stderr) == (
        2, "thalweg: error: --ranks is nothing for target 'simd'\n"
    )  # fmt: skip
