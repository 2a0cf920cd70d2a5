# SPDX-License-Identifier: Apache-2.0
"""Parts that ranks make themselves are those that are dealt of a whole grid, and what is computed
on them is what NumPy computes there; another value is seen.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from thalweg.config.checkout import ROOT
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Array
from thalweg.kernels.compiled import Inputs, bind
from thalweg.kernels.library import all_kernels
from thalweg.kernels.made_grid import MadeGrid
from thalweg.kernels.made_reference import reference, ways_to_values
from thalweg.kernels.on_made_parts import OnMadeParts
from thalweg.kernels.on_ranks import depth_of
from thalweg.kernels.parts import deal
from thalweg.kernels.rhombus import TABLES, Rhombus
from thalweg.kernels.starting_ranks import Launch
from thalweg.run.launch import mpirun_command, mpirun_environment

needs_mpi = pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
KERNELS = all_kernels()
NAMES = ("caldyn_horiz", "caldyn_vert", "pvort")
MPI = Configuration("mpi")


def grid(ranks: int, seed: int = 1) -> MadeGrid:
    """Rows that ranks do not share evenly."""
    return MadeGrid(7, 15, 4, ranks, ("signs", "zeros"), seed)


def whole(name: str) -> Inputs:
    part = grid(1).part(KERNELS[name].ir, 0, depth_of(KERNELS[name], MPI))
    return Inputs(part.inputs.sizes, part.inputs.tables, dict(part.inputs.arguments))


def right(name: str) -> dict[str, Array]:
    bound = bind(KERNELS[name], Configuration("numpy"), whole(name), Path())
    bound.run()
    return bound.outputs()


def on_parts(name: str, ranks: int, folder: Path) -> OnMadeParts:
    launch = Launch(ranks, mpirun_command, mpirun_environment)
    found = OnMadeParts(KERNELS[name], MPI, grid(ranks), launch)
    found.build(folder)
    return found


def own(name: str, ranks: int, rank: int, output: str) -> Array:
    kernel = KERNELS[name].ir
    part, place = grid(ranks).part(kernel, rank, 0), kernel.arguments[output].type.place
    return part.points[place.plural] if place else np.empty(0, int)


def test_a_table_is_the_same_for_all_points_and_for_some() -> None:
    rhombus, some = Rhombus(9, 6), np.array([50, 3, 53, 0])
    tables = rhombus.tables()
    assert tuple(tables) == TABLES
    for name, table in tables.items():
        assert np.array_equal(rhombus.table(name, some), table[:, some]), name
        assert table.max() < rhombus.sizes(1)["edges"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_parts_are_those_that_are_dealt_of_the_whole_grid(name: str, ranks: int) -> None:
    kernel, inputs, made = KERNELS[name].ir, whole(name), grid(ranks)
    places = [place.plural for place in kernel.places()]
    owners = {place: made.owners(np.arange(inputs.sizes[place])) for place in places}
    for rank in range(ranks):
        for depth in (0, 1, 2):
            wanted = deal(kernel, inputs, owners, rank, depth)
            found = made.part(kernel, rank, depth)
            assert found.own == wanted.own
            assert found.inputs.sizes == wanted.inputs.sizes
            for place, points in wanted.points.items():
                assert np.array_equal(found.points[place], points)
            for table, numbers in wanted.inputs.tables.items():
                assert np.array_equal(found.inputs.tables[table], numbers)
            for argument, values in wanted.inputs.arguments.items():
                there = found.inputs.arguments[argument]
                assert np.array_equal(there, values, equal_nan=True), argument


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cells", [1, 20, 105])
def test_pieces_have_the_values_of_the_whole_grid(name: str, cells: int) -> None:
    """Of few cells, whose neighbours' neighbours belong to others, too."""
    wanted, made, kernel = right(name), grid(1), KERNELS[name]
    for first in range(0, made.cells, cells):
        end = min(first + cells, made.cells)
        points = made.own(kernel.ir, first, end)
        for output, values in reference(kernel, made, first, end).items():
            place = kernel.ir.arguments[output].type.place
            assert place is not None
            assert values.tobytes() == wanted[output][..., points[place.plural]].tobytes(), output


def test_a_piece_without_all_that_is_needed_has_no_values() -> None:
    """Where a way is forgotten, what lies behind it is NaN."""
    kernel = KERNELS["pvort"]
    part = grid(1).piece(kernel.ir, ways_to_values(kernel)[:-1], 40, 60)
    bound = bind(kernel, Configuration("numpy"), part.inputs, Path())
    bound.run()
    assert np.isnan(bound.outputs()["edge_vorticity"][..., : part.own["edges"]]).any()


def test_a_part_of_a_large_grid_takes_no_more_than_one_of_a_small() -> None:
    """Of 10^11 cells; as many as in the whole of the other."""
    kernel, sizes = KERNELS["pvort"].ir, []
    for made, rank in ((MadeGrid(100, 10, 3, 1, ()), 0), (MadeGrid(1000, 10**8, 3, 10**5, ()), 7)):
        first = made.first(rank)
        tracemalloc.start()
        reference(KERNELS["pvort"], made, first, first + 1000)
        if made.ranks == 1:
            made.part(kernel, rank, 1)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sizes[1] < 8 * sizes[0]  # nine segments of rows, for all are shorter than one
    assert made.owners(np.array([made.first(7) - 1, made.first(7)])).tolist() == [6, 7]
    part = MadeGrid(10, 10**6, 3, 10**5, ()).part(kernel, 99_999, 1)
    assert part.own == {"cells": 100, "edges": 300, "vertices": 200}
    assert sum(len(each) for each in part.points.values()) < 900


def test_values_have_both_signs_zeros_and_sizes_around_one() -> None:
    part = MadeGrid(300, 100, 3, 1, ("signs", "zeros")).part(KERNELS["pvort"].ir, 0, 0)
    values = part.inputs.arguments["velocity"]
    sizes = np.abs(values[values != 0.0])
    assert sizes.min() >= 0.5
    assert sizes.max() < 1.5
    assert sizes.mean() == pytest.approx(1.0, abs=0.01)
    assert np.mean(values == 0.0) == pytest.approx(0.05, abs=0.002)
    assert np.mean(np.signbit(values)) == pytest.approx(0.5, abs=0.01)
    assert abs(np.corrcoef(values[0], values[1])[0, 1]) < 0.02
    assert abs(np.corrcoef(values[0, 1:], values[0, :-1])[0, 1]) < 0.02
    others = MadeGrid(300, 100, 3, 1, (), 2).part(KERNELS["pvort"].ir, 0, 0).inputs.arguments
    assert others["velocity"].min() >= 0.5
    assert others["gravity"] != part.inputs.arguments["gravity"]


SCRIPT = """
import json, sys
from pathlib import Path
import numpy as np
from thalweg.kernels.on_a_made_rank import MadeRank
from thalweg.kernels.on_a_rank import number_of_rank

folder, number = Path(sys.argv[1]), int(number_of_rank())
rank = MadeRank(json.loads((folder / "job.json").read_text()), number)
rank.rank.run(1)
np.savez(folder / f"{number}.npz", **rank.outputs())
rank.rank.end()
"""


@needs_mpi
@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("name", "ranks"), [("caldyn_horiz", 5), ("caldyn_vert", 3), ("pvort", 2), ("pvort", 1)]
)
def test_ranks_that_make_their_parts_have_the_bits_of_the_reference(
    name: str, ranks: int, compiled: Path, tmp_path: Path
) -> None:
    found = on_parts(name, ranks, compiled)
    (tmp_path / "job.json").write_text(json.dumps(found.job(0.0)))
    (tmp_path / "tried.py").write_text(SCRIPT)
    words = mpirun_command(ranks, [sys.executable, str(tmp_path / "tried.py"), str(tmp_path)])
    environment = {**mpirun_environment(), "PYTHONPATH": str(ROOT / "python")}
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    wanted = right(name)
    for rank in range(ranks):
        with np.load(tmp_path / f"{rank}.npz") as arrays:
            assert set(arrays) == set(wanted)
            for output, values in wanted.items():
                points = own(name, ranks, rank, output)
                mine = arrays[output][..., : len(points)]
                assert mine.tobytes() == values[..., points].tobytes(), (rank, output)


@needs_mpi
def test_values_that_come_from_another_rank_are_compared(compiled: Path, tmp_path: Path) -> None:
    """Rank 1 has made other values than rank 0 takes them for; its own are right to itself, but for
    those that come from rank 0.
    """
    found = on_parts("pvort", 2, compiled)
    assert found.check(1) == []
    assert found.memory > 1e6
    assert [len(each.seconds) for each in found.told] == [1, 1]
    (tmp_path / "sitecustomize.py").write_text("""
import os
if os.environ.get("OMPI_COMM_WORLD_RANK") == "1":
    from thalweg.kernels import made_grid
    class Other(made_grid.MadeGrid):
        def __init__(self, *words, **more):
            super().__init__(*words, **{**more, "seed": 2})
    made_grid.MadeGrid = Other
""")
    paths = os.pathsep.join([str(ROOT / "python"), str(tmp_path)])
    found.launch = Launch(2, mpirun_command, lambda: {**mpirun_environment(), "PYTHONPATH": paths})
    others = found.check(1)
    assert "'vorticity' on rank 0" in others
    assert "'vorticity' on rank 1" in others


@needs_mpi
def test_a_rank_without_memory_for_its_part_says_so(compiled: Path, tmp_path: Path) -> None:
    found = on_parts("pvort", 2, compiled)
    (tmp_path / "sitecustomize.py").write_text("""
import os
if os.environ.get("OMPI_COMM_WORLD_RANK") == "1":
    from thalweg.kernels import made_grid
    def part(*_):
        raise MemoryError
    made_grid.MadeGrid.part = part
""")
    paths = os.pathsep.join([str(ROOT / "python"), str(tmp_path)])
    found.launch = Launch(2, mpirun_command, lambda: {**mpirun_environment(), "PYTHONPATH": paths})
    with pytest.raises(ThalwegError, match=r"^rank 1 has too little memory .* --cells$") as told:
        found.run(1)
    assert told.value.exit_code == 2


@needs_mpi
def test_code_that_computes_something_else_is_refused(compiled: Path, tmp_path: Path) -> None:
    text = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.hexagons import Cell


@kernel
def around(v: Field[Cell], near: Out[Cell]) -> None:
    near = sum(v[n] for n in Cell.neighbours)
"""
    (tmp_path / "around.py").write_text(text)
    (tmp_path / "other.py").write_text(text.replace("v[n]", "2.0 * v[n]"))
    made = {}
    for name in ("around", "other"):
        kernel = load_file(tmp_path / f"{name}.py")["around"]
        launch = Launch(2, mpirun_command, mpirun_environment)
        made[name] = OnMadeParts(kernel, MPI, grid(2), launch)
        made[name].build(compiled)
    assert made["around"].check(1) == []
    made["around"].library = made["other"].library
    assert made["around"].check(1) == ["'near' on rank 0", "'near' on rank 1"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("sum(v[n] for n in Cell.beyond)", "has neighbours 'cell_beyond', which a rhombus of"),
        ("v[2]", "needs at least 3 levels, there are 2"),
    ],
)
def test_what_a_rhombus_does_not_have_is_told(value: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(f"""from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.hexagons import Cell, Level

if "beyond" in {value!r}:
    Cell.relate("beyond", Cell, 2)


@kernel
def odd(v: Field[Cell, Level], out: Out[Cell, Level]) -> None:
    out = {value}
""")
    kernel = load_file(tmp_path / "odd.py")["odd"]
    launch = Launch(1, mpirun_command, mpirun_environment)
    with pytest.raises(ThalwegError, match=sentence):
        OnMadeParts(kernel, MPI, MadeGrid(4, 4, 2, 1, ()), launch)
