# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise SCRIPT --machine`: the best way of a made-up machine, and a patch with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.prediction.parameters import Values
from thalweg.advisor.prediction.run_facts import ManyRuns, MeasuredRun
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.proposing.candidates import choices, facts_of
from thalweg.advisor.proposing.machine import fit_machine, load_machine, machine_text
from thalweg.advisor.proposing.partitions import busy_ranks, share_out
from thalweg.advisor.proposing.situation import Series, Situation
from thalweg.advisor.shapes import Nodes
from thalweg.config.run_script import read_run_script

Campaign = Callable[..., list[MeasuredRun]]
Cli = Callable[..., Any]

SCRIPT = """start_date="2008-09-01T00:00:00Z"
end_date="2008-09-11T00:00:00Z"
nio=0
cat > NAMELIST_tc << EOF
&parallel_nml num_io_procs = ${nio}, nproma = 16 /
&grid_nml
 dynamics_grid_filename = 'iconR02B05_G.nc'
/
&run_nml
 num_lev = 30
 dtime   = 120.
/
&output_nml
 output_filename = 'all'
 output_interval = 'PT12M'
 file_interval   = 'P1D'
 ml_varlist      = 'u', 'v', 'w', 'temp', 'pres'
/
EOF
"""
CHECKPOINTS = "&io_nml\n dt_checkpoint = 43200.\n/\n&run_nml\n"


@pytest.fixture
def files(tmp_path: Path, made_up_machine: str) -> tuple[Path, Path]:
    """A script and a machine."""
    script, machine = tmp_path / "exp.tc", tmp_path / "machine.toml"
    script.write_text(SCRIPT)
    machine.write_text(made_up_machine)
    return script, machine


def advise(here: Cli, script: Path, machine: Path, *words: object, nodes: int = 2) -> Any:
    done = here("advise", script, "--machine", machine, "--nodes", nodes, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_machine_file_reads_back(campaign: Campaign, tmp_path: Path) -> None:
    machine = fit_machine(campaign(0.02), "made up", 30)
    path = tmp_path / "machine.toml"
    path.write_text(machine_text(machine))
    again = load_machine(path)
    facts = [run.facts for run in campaign()][:20]
    assert again.predictor.predict(facts) == machine.predictor.predict(facts)
    assert (again.levels, again.runs, again.ranges) == (30, machine.runs, machine.ranges)


def test_the_proposal_is_the_best_of_all_ways(
    here: Cli, files: tuple[Path, Path], machine: Values
) -> None:
    """As the machine that made the runs has it, within what the fit does not know."""
    script, path = files
    for nodes, size in ((1, 0), (2, 0), (2, 873_600_000), (4, 873_600_000)):
        text = SCRIPT.replace("&run_nml\n", CHECKPOINTS) if size else SCRIPT
        script.write_text(text)
        words = ["--bytes-per-restart", size] if size else []
        answer = advise(here, script, path, *words, nodes=nodes)
        proposal, (stream,) = answer["proposal"], answer["streams"]
        situation = Situation(
            81920, 30, 7200, 864000.0,
            (Series("all", stream["outputs"], stream["values_per_output"], stream["outputs"],
                    (1, "ml")),),
            19 if size else 0, size, None, (1,),
        )  # fmt: skip
        ways = choices(situation, Nodes(nodes, 128))
        all_facts = [facts_of(situation, Nodes(nodes, 128), way) for way in ways]
        times = predict(ManyRuns.of(all_facts), machine).total_s
        mine = next(
            time
            for way, time in zip(ways, times, strict=True)
            if (way.io_ranks, way.restart_mode, way.restart_ranks)
            == tuple(proposal[key] for key in ("io_ranks", "restart_mode", "restart_ranks"))
        )
        assert mine <= 1.01 * times.min(), (nodes, size)
        assert proposal["low_s"] <= mine <= proposal["high_s"] * 1.02
        assert (
            proposal["compute_ranks"]
            == 128 * nodes - proposal["io_ranks"] - (proposal["restart_ranks"])
        )
        for other in answer["alternatives"]:
            assert other["total_s"] >= proposal["total_s"] * 0.998
        assert proposal["now"]["total_s"] > proposal["total_s"] or nodes == 1
        assert not nodes > 1 or proposal["io_ranks"] > 0


def test_the_changed_script_says_what_is_proposed(
    here: Cli, files: tuple[Path, Path], tmp_path: Path
) -> None:
    script, machine = files
    script.write_text(SCRIPT.replace("&run_nml\n", CHECKPOINTS))
    size = ("--bytes-per-restart", 873_600_000)
    answer = advise(here, script, machine, *size, "--write", tmp_path / "exp.new", nodes=4)
    proposal = answer["proposal"]
    before = script.read_text()
    again = advise(here, tmp_path / "exp.new", machine, *size, nodes=4)
    assert script.read_text() == before
    assert again["parallel"]["num_io_procs"] == proposal["io_ranks"]
    assert again["streams"][0]["partitions"] == proposal["partitions"]["all"]
    assert again["restart"]["mode"].replace(" procs ", "_") == proposal["restart_mode"]
    assert again["parallel"]["num_restart_procs"] == proposal["restart_ranks"]
    assert sum(stream["files"] for stream in again["streams"]) == proposal["files"]
    assert again["proposal"]["patch"] == ""
    assert again["proposal"]["now"]["total_s"] == pytest.approx(proposal["total_s"])
    for line in proposal["patch"].splitlines():
        if line.startswith("+ "):
            assert line[1:] in (tmp_path / "exp.new").read_text()
    refused = here("advise", script, "--machine", machine, "--nodes", 4, *size,
                  "--write", tmp_path / "exp.new")  # fmt: skip
    assert refused.returncode == 2
    assert "exp.new' exists; give --write another name" in refused.stderr


def test_a_stream_with_an_operation_has_one_partition(here: Cli, files: tuple[Path, Path]) -> None:
    script, machine = files
    script.write_text(SCRIPT.replace("'all'\n", "'all'\n operation = 'mean'\n"))
    proposal = advise(here, script, machine)["proposal"]
    assert proposal["partitions"] == {"all": 1}


def test_partitions_load_ranks_evenly() -> None:
    series = (
        Series("large", 1201, 1_000_000, 1201, (1, "ml")),
        Series("small", 1201, 10_000, 1201, (2, "ml")),
        Series("mean", 241, 500_000, 1, (3, "ml")),
    )
    for io_ranks in (1, 2, 3, 4, 7, 16, 64):
        parts = share_out(series, io_ranks)
        assert all(1 <= count <= io_ranks for count in parts)
        assert parts[2] == 1
        busy = busy_ranks(series, parts, io_ranks)
        assert busy <= io_ranks * (1 + 1e-12)
        for tried in ((io_ranks, 1, 1), (1, 1, 1)):
            assert busy >= busy_ranks(series, tried, io_ranks) / 1.001
    assert share_out(series, 0) == (1, 1, 1)
    assert busy_ranks((Series("a", 0, 5, 1, (1, "ml")),), (1,), 3) == 1.0


def test_steps_of_other_levels_and_measured_steps(here: Cli, files: tuple[Path, Path]) -> None:
    script, machine = files
    thirty = advise(here, script, machine)["proposal"]["now"]["steps_s"]
    script.write_text(SCRIPT.replace("num_lev = 30", "num_lev = 90"))
    answer = advise(here, script, machine)
    assert answer["proposal"]["now"]["steps_s"] == pytest.approx(3 * thirty, rel=0.02)
    assert any("3 times as long as those of 'made up'" in text for text in answer["warnings"])
    told = advise(here, script, machine, "--step", "0.5@256")["proposal"]["now"]["steps_s"]
    assert told == pytest.approx(7200 * 0.5, rel=0.02)


def test_output_limits_some_runs_from_some_nodes_on(
    here: Cli, files: tuple[Path, Path], campaign: Campaign
) -> None:
    """All writers together are as slow as a step on two nodes, or on four."""
    script, path = files
    assert advise(here, script, path)["proposal"]["output_limits_from_nodes"] is None
    found = fit_machine(campaign(), "made up", 30)
    whole_gb = 1201 * 81920 * 151 * 8 / 1e9  # 5 fields on 30 levels, one of them on 31
    for nodes in (2, 4):
        values = dict(found.predictor.fit.values)
        step_s = (
            values["cell_step_s"] * 81920 / (128 * nodes) + values["shared_cell_step_s"] * 81920
        )
        values["all_writers_s_per_gb"] = 7200 * step_s / whole_gb
        fit = replace(found.predictor.fit, values=Values(values))
        slow = replace(found, predictor=replace(found.predictor, fit=fit))
        path.write_text(machine_text(slow))
        first = advise(here, script, path)["proposal"]["output_limits_from_nodes"]
        assert nodes / 2 < first <= nodes
        for count in (first - 1, first):
            total_s = advise(here, script, path, nodes=count)["proposal"]["total_s"]
            alone_s = 7200 * (values["cell_step_s"] * 81920 / (128 * count)
                              + values["shared_cell_step_s"] * 81920)  # fmt: skip
            assert (total_s > 1.1 * alone_s) == (count == first)


@pytest.mark.some(2, 1)
@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("a.png", b"\x89PNG"),
        ("a.svg", b"<?xml"),
        ("a.pdf", b"%PDF"),
        ("a.html", b"<!doctype html>"),
    ],
)
def test_the_curve_is_drawn(
    here: Cli, files: tuple[Path, Path], tmp_path: Path, name: str, begin: bytes
) -> None:
    advise(here, *files, "--picture", tmp_path / name)
    content = (tmp_path / name).read_bytes()
    assert content.startswith(begin)
    assert b"<svg" in content or not name.endswith(("svg", "html"))


def test_the_proposal_runs_event_by_event(here: Cli, files: tuple[Path, Path]) -> None:
    script, machine = files
    script.write_text(SCRIPT.replace("&run_nml\n", CHECKPOINTS))
    size = ("--bytes-per-restart", 873_600_000)
    plain = advise(here, script, machine, *size)["proposal"]
    assert plain["simulation"] is None
    still = advise(here, script, machine, *size, "--simulate", 0)["proposal"]["simulation"]
    assert still["total_s"] == pytest.approx(plain["total_s"], rel=0.02)
    assert still["compute_s"] == pytest.approx(plain["steps_s"], rel=0.01)
    varied = advise(here, script, machine, *size, "--simulate", 0.8)["proposal"]["simulation"]
    assert varied["waiting_s"] > still["waiting_s"]
    assert varied["written_bytes"] == pytest.approx(still["written_bytes"])
    done = here("advise", script, "--machine", machine, "--nodes", 2, *size, "--simulate", "0.3")
    assert "simulated, times of outputs varying by 30 %" in done.stdout


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--machine", "none.toml", "--nodes", "2"], "cannot be read (No such file or directory)"),
        (["--machine", "exp.tc", "--nodes", "2"], "exp.tc: columns 'run', 'total_s'"),
        (["--machine", "machine.toml"], "give --nodes N"),
        (["--machine", "machine.toml", "--nodes", "-3"], "--nodes -3 is no number of nodes"),
        (
            ["--machine", "machine.toml", "--nodes", "4", "--ranks-per-node", "-1"],
            "--ranks-per-node -1 is no number of ranks",
        ),
        (["--nodes", "2"], "--nodes goes with --machine MACHINE; give both"),
        (["--step", "1@2"], "--step goes with --machine MACHINE; give both"),
        (["--write", "a"], "--write goes with --machine MACHINE; give both"),
        (["--machine", "machine.toml", "--nodes", "2", "--step", "0@2"], "no time of a step"),
        (["--machine", "machine.toml", "--nodes", "2", "--step", "fast"], "no time of a step"),
        (["--simulate", "0"], "--simulate goes with --machine MACHINE; give both"),
        (["--machine", "machine.toml", "--nodes", "2", "--simulate", "-1"], "is no variation"),
        (["--machine", "machine.toml", "--nodes", "999999999"], "no machine has as many"),
        (["--machine", "machine.toml", "--nodes", "1000"], "more than the 81920 cells"),
        (["--machine", "machine.toml", "--nodes", "1", "--ranks-per-node", "1"], "two ranks"),
        (["--machine", "machine.toml", "--nodes", "2", "--picture", "a.txt"], "is no picture"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(
    here: Cli, files: tuple[Path, Path], words: list[str], sentence: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    done = here("advise", "exp.tc", *words)
    assert done.returncode == 2, done.stdout
    assert sentence in done.stderr
    assert done.stderr.count("\n") <= 2
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exp.tc", "machine.toml"]


def test_restarts_of_unknown_size_are_asked_for(here: Cli, files: tuple[Path, Path]) -> None:
    script, machine = files
    script.write_text(SCRIPT.replace("&run_nml\n", CHECKPOINTS))
    done = here("advise", script, "--machine", machine, "--nodes", 2)
    assert done.returncode == 2
    assert "writes 19 restart sets" in done.stderr
    assert "give --bytes-per-restart BYTES" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("format = 1", "format = 2", "'format' is 2, but this version reads 1"),
        ('kind = "fitted"', 'kind = "measured"', "tells nothing of how long ICON's steps take"),
        ('"sharpness"', '"sharpnes"', "parameter 'sharpnes' is not known"),
        ('unit = "s GB-1"', 'unit = "GB"', "'unit' of 'write_s_per_gb' must be 's GB-1'"),
        ("runs = ", "runs = -", "'runs' is -"),
        ("covariance = [", "covariance = [[1.0],", "'covariance' is no table of"),
        ("[noise]", "[nois]", "table 'noise' is missing"),
    ],
)
def test_a_damaged_machine_file_is_one_sentence(
    here: Cli, files: tuple[Path, Path], old: str, new: str, sentence: str
) -> None:
    script, machine = files
    text = machine.read_text()
    assert old in text
    machine.write_text(text.replace(old, new, 1))
    done = here("advise", script, "--machine", machine, "--nodes", 2)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_calibrate_from_runs_writes_a_machine(
    here: Cli, files: tuple[Path, Path], tmp_path: Path, table: Path, campaign: Campaign
) -> None:
    script, _ = files
    out = tmp_path / "fitted.toml"
    done = here("calibrate", "--from", table, "-o", out, "--levels", 30)
    assert done.returncode == 0, done.stderr
    assert f"fitted to {len(campaign())} runs" in done.stdout
    from_file = advise(here, script, out)["proposal"]
    from_table = advise(here, script, table)["proposal"]
    assert from_file["total_s"] == pytest.approx(from_table["total_s"], rel=1e-6)
    again = here("calibrate", "--from", table, "-o", out)
    assert again.returncode == 2
    assert "--overwrite" in again.stderr
    wrong = here("calibrate", "--levels", 30)
    assert wrong.returncode == 2
    assert "--levels goes with --from RUNS" in wrong.stderr
    wrong = here("calibrate", "--from", table, "-o", out, "--overwrite", "--ranks", 4)
    assert wrong.returncode == 2
    assert "leave them out with --from" in wrong.stderr


def test_the_script_is_read_with_other_lines(tmp_path: Path) -> None:
    path = tmp_path / "exp.a"
    path.write_text("&run_nml num_lev = 30 /\n")
    (group,) = read_run_script(path, {}, {"exp.a": ["&run_nml num_lev = 7 /"]}).groups["exp.a"]
    assert group.items["num_lev"].values == [7]
