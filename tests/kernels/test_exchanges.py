# SPDX-License-Identifier: Apache-2.0
"""What travels between ranks, when, and what is left out because nobody has set it since."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.passes.exchanges import Schedule, find_exchanges
from thalweg.dsl.translation import plan_of
from thalweg.errors import ThalwegError
from thalweg.kernels.library import all_kernels

HEAD = """from thalweg.dsl import Field, InOut, Out, Points, kernel
from thalweg.dsl.grids.triangles import Cell, Edge, Level


@kernel
def tried(
    some: Points[Cell],
    t: InOut[Cell, Level],
    v: Field[Edge, Level],
    p: InOut[Edge, Level],
    q: InOut[Edge, Level],
) -> None:
"""


def schedule(body: str, folder: Path) -> Schedule:
    (folder / "tried.py").write_text(HEAD + "".join(f"    {line}\n" for line in body.split("; ")))
    kernel = load_file(folder / "tried.py")["tried"].ir
    return find_exchanges(kernel, plan_of(kernel, Configuration("mpi", fuse=False)))


def test_all_that_is_known_travels_at_once(tmp_path: Path) -> None:
    found = schedule("p = t[Edge.cells.first]; t = sum(v[e] for e in Cell.edges)", tmp_path)
    (only,) = found.exchanges
    assert (sorted(only.names), sorted(only.given)) == (["t", "v"], ["t", "v"])
    assert (only.begin, only.needed) == (0, 0)
    assert found.changed == ("t", "p")


def test_what_is_set_travels_again_and_no_sooner(tmp_path: Path) -> None:
    body = "p = t[Edge.cells.first]; t = 2 * t; q = t[Edge.cells.first] - t[Edge.cells.second]"
    first, second = schedule(body, tmp_path).exchanges
    assert (first.names, sorted(first.given), first.needed) == (("t",), ["t"], 0)
    assert (second.names, sorted(second.given)) == (("t",), [])
    assert first.needed < second.begin == second.needed


def test_sweeps_that_need_nothing_are_done_meanwhile(tmp_path: Path) -> None:
    body = "t = 2 * t; p = v + 1; x = sum(t[n] for n in Cell.neighbours); q = x[Edge.cells.first]"
    of_t, of_x = schedule(body, tmp_path).exchanges
    assert (of_t.names, of_t.begin, of_t.needed) == (("t",), 1, 2)
    assert (of_x.names, of_x.begin, of_x.needed) == (("x",), 3, 3)


def test_what_travelled_last_is_not_told_as_changed(tmp_path: Path) -> None:
    found = schedule("t = 2 * t; p = t[Edge.cells.first]", tmp_path)
    assert found.changed == ("p",)


def test_groups_are_refused_with_their_line() -> None:
    kernel = all_kernels()["block_extremes"].ir
    with pytest.raises(ThalwegError, match=r"block_extremes.py:\d+: kernel 'block_extremes' goes"):
        find_exchanges(kernel, plan_of(kernel, Configuration("mpi")))
