# SPDX-License-Identifier: Apache-2.0
"""What a fitted machine does not tell, a proposal does not invent; and files that no fit wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.command import advise
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.proposing.command import Asked
from thalweg.advisor.proposing.machine import fit_machine, load_machine, machine_text
from thalweg.errors import ThalwegError

Campaign = Callable[..., list[MeasuredRun]]
SCRIPT = """start_date="2008-09-01T00:00:00Z"
end_date="2008-09-11T00:00:00Z"
cat > NAMELIST_tc << EOF
&parallel_nml num_io_procs = {io}, num_restart_procs = {restart} {more} /
&io_nml dt_checkpoint = {checkpoint}. /
&grid_nml dynamics_grid_filename = 'iconR02B05_G.nc' /
&run_nml num_lev = 30 dtime = 120. /
&output_nml output_filename = 'all' output_interval = 'PT{interval}' file_interval = 'P1D'
 ml_varlist = 'u', 'v', 'w', 'temp', 'pres' /
EOF
"""
GIVEN = {"io": 0, "restart": 0, "more": "", "checkpoint": 43200, "interval": "12M"}


@pytest.fixture
def propose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The answer for these runs, or this text of a machine file."""

    def answer(machine: list[MeasuredRun] | str, nodes: int = 4, ranks: int = 128,
               text: str = "", **more: object) -> Any:  # fmt: skip
        script, path = tmp_path / "exp.tc", tmp_path / "machine.toml"
        script.write_text(SCRIPT.format(**{**GIVEN, **more}) + text)
        told = machine if isinstance(machine, str) else machine_text(fit_machine(machine, "m", 30))
        path.write_text(told)
        advise(script, [], [], [], "873600000", [], True, Asked(path, nodes, ranks))
        return json.loads(capsys.readouterr().out)

    return answer


def test_what_no_run_tells_is_not_told_to_a_few_percent(
    propose: Callable[..., Any], campaign: Campaign, made_up_machine: str
) -> None:
    """Runs without I/O ranks do not tell how long one of them takes: it may be ten times as long as
    is usual, and hides behind steps where it is not.
    """
    some = [run for run in campaign(0.01) if not run.facts.io_ranks]
    answer = propose(some)
    blind, known = answer["proposal"], propose(made_up_machine)["proposal"]
    assert blind["io_ranks"] > known["io_ranks"]
    assert blind["high_s"] / blind["total_s"] > 1.5 * known["high_s"] / known["total_s"] - 0.5
    warnings = answer["warnings"]
    assert any("left out: the runs that were fitted do not tell 'io_s_per_gb'" in text
               for text in warnings)  # fmt: skip
    assert any("had none of these: I/O ranks" in text for text in warnings)


def test_serial_output_is_not_proposed_for_want_of_anything_else(
    propose: Callable[..., Any], campaign: Campaign
) -> None:
    """Outputs of every step by I/O ranks that no run tells of: rather none than that."""
    some = [run for run in campaign(0.01) if not run.facts.io_ranks]
    with pytest.raises(ThalwegError, match=r"nothing can be proposed: .*'io_s_per_gb'"):
        propose(some, nodes=64, interval="2M")


def test_all_that_lies_outside_is_in_one_sentence(
    propose: Callable[..., Any], made_up_machine: str
) -> None:
    (told,) = [each for each in propose(made_up_machine, 40, 4)["warnings"] if "outside" in each]
    assert "40 nodes (1 to 4), 4 ranks on a node (128), 12.4 million values of an output" in told


def test_an_io_rank_holds_what_moves(propose: Callable[..., Any], made_up_machine: str) -> None:
    """4 bytes a value, 8 with use_dp_mpi2io, whatever is in the files."""
    half, whole, of_float64 = (
        propose(made_up_machine, more=more)["proposal"]["bytes_on_an_io_rank"]
        for more in ("", "use_dp_mpi2io = .true.", "/ &io_nml lnetcdf_flt64_output = .true.")
    )
    assert 0 < 2 * half == whole == of_float64


def test_no_io_rank_is_idle(propose: Callable[..., Any], made_up_machine: str) -> None:
    """Of many: each computes, or has a partition."""
    answer = propose(made_up_machine, nodes=160, interval="2M", checkpoint=0)
    ways = [answer["proposal"], *answer["alternatives"]]
    assert max(way["io_ranks"] for way in ways) > 12
    assert all(way["io_ranks"] <= sum(way["partitions"].values()) for way in ways)


def test_few_ranks_that_serial_output_suits_better_are_told(
    propose: Callable[..., Any], made_up_machine: str
) -> None:
    """One of four ranks for output is a third more time."""
    answer = propose(made_up_machine, 2, 2)
    assert answer["proposal"]["io_ranks"] > 0
    assert answer["proposal"]["now"]["total_s"] < answer["proposal"]["total_s"]
    assert any("serial output" in text and "would take" in text for text in answer["warnings"])
    assert answer["proposal"]["output_limits_from_nodes"] is None
    assert propose(made_up_machine, 2, 1)["proposal"]["looked_at_nodes"] >= 2


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"io": 200, "restart": 300, "checkpoint": 0}, "has 500 I/O and restart ranks now"),
        ({"io": 300, "checkpoint": 0, "nodes": 16}, "is 300, more than 256: ICON stops"),
        ({"io": -1}, "num_io_procs is -1, and ICON takes it as 0"),
        ({"more": "pio_type = 2"}, "predictions are of ICON's own I/O ranks"),
        ({"text": "cat > NAMELIST_oce << EOF\n&run_nml /\n&ocean_forcing_nml /\nEOF\n"},
         "those of the atmosphere alone: NAMELIST_oce needs its own"),
        ({"interval": "14M", "nodes": 16}, "one partition each is proposed for"),
    ],
)  # fmt: skip
def test_what_a_scientist_would_trip_over_is_told(
    propose: Callable[..., Any], made_up_machine: str, given: dict[str, Any], sentence: str
) -> None:
    answer = propose(made_up_machine, **{"nodes": 2, **given})
    assert any(sentence in text for text in answer["warnings"])
    assert answer["proposal"]["io_ranks"] > 0
    assert (answer["proposal"]["now"] is None) is (given.get("io", 0) > 0)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (r'(name = "sharpness"\nvalue = )\S+', r"\g<1>0", "'value' of 'sharpness' is 0, which no"),
        (r'(name = "io_s_per_gb"\nvalue = )\S+', r"\g<1>1e80", "is 1e+80, which no fit gives"),
        (r"reach = \S+", "reach = 1e200", "'reach' is 1e+200; above 0 and up to 30 is possible"),
        (r"levels = 30", "levels = 30.5", "'levels' is 30.5; a whole number is needed"),
        (r"nodes = \[\s*1.0,", "nodes = [7.0,", "'nodes' of 'ranges' begins at 7 and ends at 4"),
        (r"covariance = \[\s*\[\s*[^,]*,\s*[^,]*", "covariance = [[1e-3, 50", "that none can have"),
        (r'free = \[\s*"[a-z_]*"', 'free = ["sharpness"', "'free' has a parameter twice"),
        (r'(\[\[parameter\]\]\nname = "cell_step_s"[^\[]*)', r"\1\1", "is there twice"),
        (r'name = "made up"', r'name = "a\\nb"', "a text on one line is needed"),
    ],
)
def test_a_machine_file_that_no_fit_wrote_is_one_sentence(
    made_up_machine: str, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    path = tmp_path / "machine.toml"
    text, count = re.subn(old, new, made_up_machine, count=1)
    assert count == 1
    path.write_text(text)
    with pytest.raises(ThalwegError, match=re.escape(sentence)):
        load_machine(path)
