# SPDX-License-Identifier: Apache-2.0
"""Which groups of a namelist ICON reads, which ranks neither compute nor write, and what partitions
would leave out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.command import advise as advise_command
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.proposing.command import Asked
from thalweg.errors import ThalwegError

Advise = Callable[..., Answer]
Streams = Callable[..., Answer]
GRID = "&grid_nml dynamics_grid_filename = 'iconR2B04_DOM01.nc' {} /\n"
RUN = "&run_nml iforcing = 3 num_lev = 30 dtime = 120. nsteps = {} /\n"
OUTPUT = (
    "&output_nml output_bounds = 0, 864000, {} steps_per_file = 0\n"
    " ml_varlist = 'u','v','w','temp','pres' /\n"
)


@pytest.fixture
def propose(
    tmp_path: Path, made_up_machine: str, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    def answer(text: str) -> Any:
        (tmp_path / "machine.toml").write_text(made_up_machine)
        path = tmp_path / "NAMELIST"
        path.write_text(text)
        asked = Asked(tmp_path / "machine.toml", nodes=4, ranks_per_node=128)
        advise_command(path, [], ["81920"], [], "", [], True, asked)
        return json.loads(capsys.readouterr().out)

    return answer


def said(warnings: Sequence[str], words: str) -> bool:
    return any(words in each for each in warnings)


def test_of_a_repeated_group_the_first_one_is_read(advise: Advise) -> None:
    """As position_nml of ICON looks for it: its items alone, not those of the others."""
    answer = advise(
        GRID.format("")
        + RUN.format(120)
        + "&run_nml nsteps = 144 num_lev = 90 /\n&parallel_nml num_restart_procs = 3 /\n"
        + OUTPUT.format(3600)
        + "&parallel_nml num_io_procs = 5 /\n"
    )
    (stream,) = answer.streams
    assert stream.outputs == 5  # of 120 steps of 2 min
    assert stream.values_per_output == 20480 * (5 * 30 + 1)
    assert answer.processes[0].parallel.values["num_io_procs"] == 0
    assert said(answer.warnings, ":3: '&run_nml' is there again, after that at")
    assert said(answer.warnings, ":7: '&parallel_nml' is there again")
    assert not said(answer.warnings, "'&output_nml' is there again")


def test_the_patch_changes_the_group_that_is_read(propose: Callable[..., Any]) -> None:
    text = "&parallel_nml\n nproma = 8\n/\n&parallel_nml\n num_io_procs = 1\n/\n"
    answer = propose(text + GRID.format("") + RUN.format(7200) + OUTPUT.format(720))
    chosen = answer["proposal"]["io_ranks"]
    assert chosen > 1
    assert f"+ num_io_procs = {chosen}\n  nproma = 8" in answer["proposal"]["patch"]
    assert "-num_io_procs = 1" not in answer["proposal"]["patch"].replace(" ", "")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("outptu_nml", "output_nml"), ("paralell_nml", "parallel_nml"), ("gribut_nml", "gribout_nml")],
)
def test_a_misspelt_group_is_told(advise: Advise, name: str, meant: str) -> None:
    text = GRID.format("") + RUN.format(72) + OUTPUT.format(3600)
    answer = advise(text + f"&{name} ml_varlist = 'temp' /\n")
    assert said(answer.warnings, f"reads no group '&{name}' that is known here. Did you mean "
                f"'{meant}'?")  # fmt: skip


@pytest.mark.parametrize(
    "name", ["gridref_nml", "nonhydrostatic_nml", "nh_pzlev_nml", "aes_phy_nml", "my_own_nml"]
)
def test_other_groups_of_icon_are_no_slips(advise: Advise, name: str) -> None:
    answer = advise(GRID.format("") + RUN.format(72) + OUTPUT.format(3600) + f"&{name} a = 1 /\n")
    assert not said(answer.warnings, "ICON reads no group")


@pytest.mark.parametrize(
    ("grid", "more", "aside", "named"),
    [
        ("l_limited_area = T", "&limarea_nml itype_latbc = 1 /", 1, "num_prefetch_proc 1"),
        ("l_limited_area = T", "&limarea_nml itype_latbc = 0 /", 0, ""),
        ("l_limited_area = T", "", 0, ""),
        ("", "&limarea_nml itype_latbc = 1 /", 0, ""),
        ("", "&limarea_nml itype_latbc = 1 /&nudging_nml nudge_type = 2 /", 1, "num_prefetch_proc"),
        ("", "&parallel_nml proc0_shift = 2 num_io_procs_radar = 3 /", 2, "ICON sets it to 0"),
        ("", "&parallel_nml proc0_shift = 2 num_io_procs_radar = 3 p_test_run = T /", 3, "p_test"),
    ],
)
def test_ranks_that_do_neither_are_taken_off(
    propose: Callable[..., Any], grid: str, more: str, aside: int, named: str
) -> None:
    answer = propose(GRID.format(grid) + f"{more}\n" + RUN.format(7200) + OUTPUT.format(720))
    best = answer["proposal"]
    assert best["io_ranks"] + best["compute_ranks"] + aside == 512
    assert said(answer["warnings"], "neither compute nor write") == (aside > 0)
    assert said(answer["warnings"], named)


def test_a_stream_that_partitions_would_cut_off_has_one(propose: Callable[..., Any]) -> None:
    """10 days end at no multiple of 26 min: include_last adds an output."""
    text = GRID.format("") + RUN.format(7200)
    ends = propose(text + OUTPUT.format(1560))
    assert said(ends["warnings"], "one partition each is proposed for output_nml_1")
    assert ends["proposal"]["partitions"] == {"output_nml_1": 1}
    meets = propose(text + OUTPUT.format(720))
    assert not said(meets["warnings"], "one partition each")
    assert meets["proposal"]["partitions"]["output_nml_1"] > 1


def test_points_of_longitude_and_latitude_are_exact_on_a_region(streams: Streams) -> None:
    mesh = "remap = 1 reg_lon_def = 0., 1., 10. reg_lat_def = 0., 1., 10."
    edges = "edges or vertices of a regional grid"
    for more, expected in ((mesh, False), ("", True)):
        answer = streams(f"ml_varlist = 'vn' {more}", grid="l_limited_area = T", cells=("1000",))
        assert said(answer.warnings, edges) is expected


def test_partitions_that_write_nothing_or_wait_are_told(streams: Streams) -> None:
    groups = "&parallel_nml num_io_procs = 3 /"
    answer = streams("ml_varlist = 'u' stream_partitions_ml = 30", groups=groups)
    assert said(answer.warnings, "has 30 partitions for 25 outputs: the others write nothing")
    assert said(answer.warnings, "has 30 partitions and the run 3 I/O ranks: some write several")
    answer = streams("ml_varlist = 'u' stream_partitions_ml = 3", groups=groups)
    assert not said(answer.warnings, "partitions")


def test_checkpoints_are_no_rarer_than_restarts(streams: Streams) -> None:
    start = "&time_nml ini_datetime_string = '2000-01-01' dt_restart = 43200. /"
    answer = streams("ml_varlist = 'u'", io="dt_checkpoint = 86400.", groups=start)
    restart = answer.processes[0].restart
    assert restart.checkpoint is not None
    assert restart.checkpoint.nominal_ms() == 43_200_000
    assert restart.sets == 1


SCRIPT = """#!/bin/bash
cat > NAMELIST << EOF
&grid_nml dynamics_grid_filename = 'iconR2B04_DOM01.nc' /
&run_nml num_lev = 10 dtime = 600. nsteps = {} /
EOF
"""


def test_a_command_in_arithmetic_is_no_variable(advise: Advise) -> None:
    with pytest.raises(ThalwegError) as refused:
        advise(SCRIPT.format("$(( $(date +%Y) * 2 + extra ))"))
    assert "'`date`'" in refused.value.sentence
    assert refused.value.sentence.endswith("give --set extra=VALUE")


def test_a_head_that_the_shell_swallows_is_told(advise: Advise) -> None:
    head, end = SCRIPT.format(72).rsplit("EOF", 1)
    answer = advise(f"{head}$output_nml\n ml_varlist = 'u'\n/\nEOF{end}")
    assert answer.streams == []
    assert said(
        answer.warnings, "'${output_nml}' is not known, and groups in it are not counted; write '&"
    )
