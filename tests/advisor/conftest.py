# SPDX-License-Identifier: Apache-2.0
"""Scripts of ICON for tests: one that is measured, and streams laid into a small namelist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.advisor.command import parse_cells
from thalweg.advisor.icon_streams import Answer, find_streams
from thalweg.config.run_script import parse_settings, read_run_script

# A day of NWP physics on R2B4: 20480 cells, 30720 edges, 10242 vertices.
NAMELIST = """
&grid_nml dynamics_grid_filename = {grids} {grid} /
&run_nml iforcing = 3, num_lev = {levels}, dtime = 600, nsteps = 144, output = 'nml' {run} /
&io_nml {io} /
&nwp_phy_nml inwp_gscp = 1, inwp_surface = 1 /
{groups}
"""
STREAM = "&output_nml output_bounds = 0, 86400, 3600 steps_per_file = 0 {stream} /"
Advise = Callable[..., Answer]
Streams = Callable[..., Answer]


@pytest.fixture
def advise(tmp_path: Path) -> Advise:
    """The answer on a script, with words of --set, --cells and --bytes-per-output."""

    def answer(
        text: str, *settings: str, cells: tuple[str, ...] = (), given: dict[str, int] | None = None
    ) -> Answer:
        path = tmp_path / "exp.test"
        path.write_text(text, encoding="utf-8")
        script = read_run_script(path, parse_settings(settings))
        return find_streams(script, parse_cells(cells), given or {})

    return answer


@pytest.fixture
def streams(advise: Advise) -> Streams:
    """The answer on output_nml groups with these items. Words named go where NAMELIST has them."""

    def answer(
        *items: str, cells: tuple[str, ...] = (), bare: bool = False, **words: str
    ) -> Answer:
        head = {"grids": "'iconR02B04_G.nc'", "levels": "10", "grid": "", "run": "", "io": ""}
        head |= {"groups": "", **words}
        group = "&output_nml {stream} /" if bare else STREAM
        groups = [group.format(stream=item) for item in items]
        return advise("\n".join([NAMELIST.format(**head), *groups]), cells=cells)

    return answer
