# SPDX-License-Identifier: Apache-2.0
"""The patch of a proposal: whatever form a script has, its copy says what is proposed, and no other
line of it changes.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor import limits
from thalweg.advisor.command import advise
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.proposing.command import Asked
from thalweg.errors import ThalwegError

Campaign = Callable[..., list[MeasuredRun]]
DATES = 'start_date="2008-09-01T00:00:00Z"\nend_date="2008-09-11T00:00:00Z"\n'
HEAD = DATES + "# Größe\nnio=9\n"
PARALLEL = "&parallel_nml\n num_io_procs = ${nio} ! as before\n/\n"
RUN = "&run_nml\n num_lev = 30\n dtime = 120.\n/\n"
GRID = "&grid_nml\n dynamics_grid_filename = 'iconR02B05_G.nc'\n/\n"
STREAM = (
    "&output_nml\n output_filename = 'all'\n output_interval = 'PT12M'\n file_interval = 'P1D'\n"
    " ml_varlist = 'u', 'v', 'w', 'temp', 'pres'\n/\n"
)
ONE_LINE = STREAM.replace("\n", " ").strip()


def script(parallel: str = PARALLEL, run: str = RUN, streams: str = STREAM, io: str = "") -> str:
    return f"{HEAD}cat > NAMELIST << EOF\n{parallel}{io}{GRID}{run}{streams}EOF\n"


@pytest.fixture
def machine(tmp_path: Path, made_up_machine: str) -> Path:
    path = tmp_path / "machine.toml"
    path.write_text(made_up_machine)
    return path


@pytest.fixture
def propose(
    machine: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Any]:
    """The answer on a script, in this process. No patch tells from which nodes on output limits,
    and to look at more of them takes as long as all else.
    """
    monkeypatch.setattr(limits, "_MOST_NODES", 1)

    def answer(
        path: Path, write: Path | None = None, cells: Sequence[str] = (), **more: Any
    ) -> Any:
        given = {"nodes": 4, "ranks_per_node": 128, **more}
        asked = Asked(given.pop("machine", machine), write=write, **given)
        advise(path, [], cells, [], "873600000", [], True, asked)
        return json.loads(capsys.readouterr().out)

    return answer


def why_no_patch(answer: Any) -> str:
    assert answer["proposal"]["patch"] is None
    (told,) = (each for each in answer["warnings"] if each.startswith("there is no patch"))
    return str(told)


def apply(patch: str, folder: Path) -> None:
    words = ["patch", "-s", "-p0"]
    subprocess.run(words, input=f"{patch}\n", text=True, cwd=folder, check=True)


FORMS = {
    "as it is": script(),
    "open": script(parallel="&parallel_nml num_io_procs = ${unknown} /\n"),
    "an expression": script(parallel="&parallel_nml num_io_procs = $(( nio * 2 )) /\n"),
    "a default": script(parallel="&parallel_nml num_io_procs = ${n:-2}, nproma = 4 /\n"),
    "twice on a line": script(parallel="&parallel_nml num_io_procs = 5 num_io_procs = 7 /\n"),
    "the group twice": script(parallel=PARALLEL + "&parallel_nml nproma = 8 /\n"),
    "a group behind the end of another": script(parallel="&nh_nml\n a = 1\n/ &parallel_nml\n/\n"),
    "run_nml behind the end of another": script(parallel="", run="&a_nml\n b = 1\n/ " + RUN),
    "in capitals, with tabs": script(parallel="\t&PARALLEL_NML\n\tNUM_IO_PROCS\t=\t2\n\t/\n"),
    "names in comments and texts": script(
        parallel="&parallel_nml ! num_io_procs = 8\n a = 'num_io_procs = 9' num_io_procs = 2\n/\n"
    ),
    "two streams on a line": script(streams=f"{ONE_LINE} {ONE_LINE}\n"),
    "no script": RUN.replace("\n/", "\n nsteps = 7200\n/")
    + STREAM
    + GRID
    + "&time_nml ini_datetime_string = '2008-09-01' /\n",
    "one line": ONE_LINE + " &grid_nml dynamics_grid_filename = 'iconR02B05_G.nc' / "
    "&run_nml num_lev = 30 dtime = 120. nsteps = 7200 /\n",
    "placed partitions": script(
        parallel="&parallel_nml num_io_procs = 20 /\n",
        streams=STREAM.replace(
            "'all'\n", "'all'\n stream_partitions_ml = 4\n pe_placement_ml = 16, 17, 18, 19\n"
        ),
    ),
    "restarts": script(
        io="&io_nml\n restart_write_mode = 'sync' ! 'async'\n dt_checkpoint = 43200.\n/\n"
    ),
    "streams of restarts": script(
        io="&io_nml\n nrestart_streams = 4\n restart_write_mode = 'sync'\n"
        " dt_checkpoint = 43200.\n/\n"
    ),
    "streams of a loop": script(streams="")
    + 'for v in u temp "pres"; do\ncat >> NAMELIST << EOF\n'
    + STREAM.replace("'u', 'v', 'w', 'temp', 'pres'", "'$v'").replace("all", "of_$v")
    + "EOF\ndone\n",
    "restarts on a line": script(io='&io_nml restart_write_mode="${m}" dt_checkpoint=43200. /\n'),
}


ENCODED = [(name, form) for name in ("as it is", "restarts")
           for form in ("windows", "latin-1", "utf-8-sig")]  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize(("name", "form"), [*((name, "utf-8") for name in FORMS), *ENCODED])
def test_a_copy_says_what_is_proposed(
    propose: Callable[..., Any], tmp_path: Path, name: str, form: str
) -> None:
    path, copy = tmp_path / "exp.a", tmp_path / "exp.b"
    text = FORMS[name].replace("\n", "\r\n") if form == "windows" else FORMS[name]
    encoding = "utf-8" if form == "windows" else form
    path.write_bytes(text.encode(encoding))
    proposal = propose(path, copy)["proposal"]
    again = propose(copy)
    assert again["proposal"]["patch"] == ""
    assert again["parallel"]["num_io_procs"] == proposal["io_ranks"]
    assert {each["name"]: each["partitions"] for each in again["streams"]} == proposal["partitions"]
    assert sum(each["files"] for each in again["streams"]) == proposal["files"]
    assert not any("placed" in each or "partitions and places" in each or "only" in each
                   for each in again["warnings"])  # fmt: skip
    assert proposal["patch"].endswith("\n")
    changed = proposal["patch"].count("\n+") + proposal["patch"].count("\n-") - 1
    old, new = path.read_bytes().split(b"\n"), copy.read_bytes().split(b"\n")
    differing = [*(line for line in old if line not in new), *(line for line in new
                 if line not in old)]  # fmt: skip
    assert 0 < len(differing) <= changed
    patched = tmp_path / "exp.c"
    patch = f"{proposal['patch']}\n".encode(encoding.replace("-sig", ""))
    done = subprocess.run(
        ["patch", "--binary", "-s", "-o", patched, path],
        input=patch,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert patched.read_bytes().rstrip() == copy.read_bytes().rstrip()


def test_a_namelist_file_beside_the_script_is_patched(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "exp.a"
    path.write_text(f"{DATES}cp NAMELIST_atm .\n")
    (tmp_path / "NAMELIST_atm").write_text(PARALLEL.replace("${nio}", "9") + GRID + RUN + STREAM)
    proposal = propose(path)["proposal"]
    assert proposal["patch"].startswith("--- NAMELIST_atm\n")
    assert f"\n+ num_io_procs = {proposal['io_ranks']} ! as before\n" in proposal["patch"]
    with pytest.raises(ThalwegError, match="what changes is in 'NAMELIST_atm'"):
        propose(path, tmp_path / "exp.b")
    assert not (tmp_path / "exp.b").exists()


def test_a_patch_of_two_files_is_applied(propose: Callable[..., Any], tmp_path: Path) -> None:
    """The script appends to a copy of a namelist file."""
    path, base = tmp_path / "exp.a", tmp_path / "base.nml"
    base.write_text(GRID + RUN + STREAM)
    path.write_text(f"{HEAD}cp base.nml NAMELIST\ncat >> NAMELIST << EOF\n{PARALLEL}EOF\n")
    patch = propose(path)["proposal"]["patch"]
    assert "--- exp.a\n" in patch
    assert "--- base.nml\n" in patch
    apply(patch, tmp_path)
    assert propose(path)["proposal"]["patch"] == ""


def test_turns_of_a_loop_that_need_different_values_are_told(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    """One needs one partition, which is the default, and the other more."""
    path = tmp_path / "exp.a"
    stream = STREAM.replace("'u', 'v', 'w', 'temp', 'pres'", "$v")
    loop = "for v in \"'u','v','w','temp','pres','rho','theta_v','exner'\" \"'pres_sfc'\"; do\n"
    path.write_text(script(streams="") + f"{loop}cat >> NAMELIST << EOF\n{stream}EOF\ndone\n")
    proposal = propose(path)
    assert len(set(proposal["proposal"]["partitions"].values())) == 2
    told = why_no_patch(proposal)
    assert (
        "these lines of '&output_nml' are written more than once, and stream_partitions_ml would be"
        in told
    )


def test_what_only_some_turns_of_a_loop_have_is_told(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "exp.a"
    stream = STREAM.replace(" ml_varlist", " $e\n ml_varlist")
    loop = "e=\nfor i in 1 2; do\n"
    more = "e='stream_partitions_ml = 2 pe_placement_ml = 7, 8'\n"
    text = script(parallel="&parallel_nml num_io_procs = 9 /\n", streams="")
    path.write_text(f"{text}{loop}cat >> NAMELIST << EOF\n{stream}EOF\n{more}done\n")
    answer = propose(path)
    told = why_no_patch(answer)
    assert "these lines of '&output_nml' are written more than once, with" in told


def test_groups_of_a_loop_that_also_joins_a_file_are_patched(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "exp.a"
    (tmp_path / "line.nml").write_text("! ---\n")
    stream = STREAM.replace("'u', 'v', 'w', 'temp', 'pres'", "'$v'")
    body = f"cat line.nml >> NAMELIST\ncat >> NAMELIST << EOF\n{stream}EOF\n"
    path.write_text(script(streams="") + f"for v in u temp; do\n{body}done\n")
    proposal = propose(path)["proposal"]
    assert len(proposal["partitions"]) == 2
    assert proposal["patch"]


def test_what_cannot_be_changed_is_to_be_set_by_hand(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    """A proposal it is all the same."""
    path = tmp_path / "exp.a"
    path.write_text(script(parallel="&parallel_nml\n num_io_procs =\n  9\n/\n"))
    answer = propose(path)
    ranks = answer["proposal"]["io_ranks"]
    told = why_no_patch(answer)
    assert f"set by hand: exp.a:6 &parallel_nml num_io_procs = {ranks}" in told
    with pytest.raises(ThalwegError, match="in a way that is not changed here"):
        propose(path, tmp_path / "exp.b")


def test_domains_of_one_stream_have_one_number_of_partitions(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    grids = "&grid_nml\n dynamics_grid_filename = 'iconR02B05_G.nc', 'nest.nc'\n" \
            " dynamics_parent_grid_id = 0, 1\n/\n"  # fmt: skip
    path = tmp_path / "exp.a"
    path.write_text(script().replace(GRID, grids).replace("= 30", "= 30, 30"))
    for nodes in (2, 8, 32):
        proposal = propose(path, cells=["2=20000"], nodes=nodes)["proposal"]
        assert len(set(proposal["partitions"].values())) == 1
        assert proposal["patch"]


def test_a_file_of_each_output_is_told(propose: Callable[..., Any], tmp_path: Path) -> None:
    """steps_per_file counts as 1 where there are partitions."""
    path = tmp_path / "exp.a"
    path.write_text(script(streams=STREAM.replace("file_interval = 'P1D'", "steps_per_file = 120")))
    answer = propose(path)
    assert answer["proposal"]["files"] == 1201
    assert any("1201 files instead of 10" in each for each in answer["warnings"])


def test_a_variable_that_is_used_elsewhere_is_told(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "exp.a"
    for line, told in (("srun -n $((512 + nio)) ./icon\n", True), ("# ${nio}\n", False)):
        path.write_text(script() + line)
        assert any("uses 'nio'" in each for each in propose(path)["warnings"]) == told


def test_a_variable_that_a_sourced_script_uses_is_told(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "exp.a"
    path.write_text(f"{script()}. ./launch.sh\n")
    (tmp_path / "launch.sh").write_text("srun -n $((512 + nio)) ./icon\n")
    assert any("launch.sh:1 uses 'nio'" in each
               for each in propose(path)["warnings"])  # fmt: skip


def test_the_file_of_a_folder_is_patched(propose: Callable[..., Any], tmp_path: Path) -> None:
    """Not the one of the same name beside the script."""
    path = tmp_path / "exp.a"
    (tmp_path / "part").mkdir()
    path.write_text(f"{DATES}cp part/base.nml NAMELIST\n. part/exp.a\n")
    (tmp_path / "part" / "base.nml").write_text(PARALLEL.replace("${nio}", "9") + GRID + RUN)
    (tmp_path / "part" / "exp.a").write_text(f"cat >> NAMELIST << EOF\n{STREAM}EOF\n")
    (tmp_path / "base.nml").write_text(PARALLEL.replace("${nio}", "5"))
    patch = propose(path)["proposal"]["patch"]
    assert "--- part/base.nml\n" in patch
    assert "--- part/exp.a\n" in patch
    assert "- num_io_procs = 9" in patch
    apply(patch, tmp_path)
    assert propose(path)["proposal"]["patch"] == ""


def test_lines_that_another_model_has_are_not_changed(
    propose: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "exp.a"
    write = f"w() {{\ncat > $1 << EOF\n{PARALLEL}EOF\n}}\n"
    models = "w NAMELIST_a\nw NAMELIST_b\n"
    more = f"cat >> NAMELIST_a << EOF\n{GRID}{RUN}{STREAM}EOF\n"
    ocean = "cat >> NAMELIST_b << EOF\n&ocean_dynamics_nml\n/\n&run_nml\n/\nEOF\n"
    path.write_text(f"{HEAD}{write}{models}{more}{ocean}")
    told = why_no_patch(propose(path))
    assert "these lines of '&parallel_nml' are written into 'NAMELIST_a' and 'NAMELIST_b'" in told
