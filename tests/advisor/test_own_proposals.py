# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise EXPERIMENT.toml --machine`: the best way, the patch, and what runs tell of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.own.memory import memory_path
from thalweg.calibrate.machine_file import Machine, write_machine
from thalweg.config.experiment import Experiment

Cli = Callable[..., Any]
Calibrated = Callable[..., Machine]
CASE = """# what we ran last year
[grid]
name = "R2B3"
[model]
levels = 10
[time]
duration = "PT6H"
[[output]]
name = "all"          # every field
interval = "PT15M"
[restart]
mode = "sync"         # one for all
interval = "PT1H"
[io]
mode = "serial"       # slow
ranks = 0
[machine]
ranks = 4
"""


@pytest.fixture
def case(tmp_path: Path, model: Path) -> Path:
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    return path


def advise(here: Cli, case: Path, machine: Path, *words: object) -> Any:
    done = here("advise", case, "--machine", machine, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_copy_says_what_is_proposed_and_keeps_its_comments(
    here: Cli, case: Path, tmp_path: Path, calibrated: Calibrated
) -> None:
    machine, copy = tmp_path / "m.toml", tmp_path / "copy.toml"
    write_machine(calibrated(nodes=2, ranks=8, cores=4), machine)
    words = ("--nodes", 2, "--ranks-per-node", 4, "--write", copy)
    answer = advise(here, case, machine, *words)
    best = answer["proposal"]
    changed = Experiment.read(copy)
    assert changed.text("io", "mode") == best["mode"] != "serial"
    assert changed.integer("io", "ranks") == best["io_ranks"]
    assert changed.text("restart", "mode") == best["restart_mode"] != "sync"
    assert changed.integer("machine", "ranks") == 8
    assert [each.integer("partitions") for each in changed.outputs] == [best["partitions"]["all"]]
    assert best["compute_ranks"] + best["io_ranks"] + best["restart_ranks"] == 8
    assert all(word in copy.read_text() for word in ("# slow", "# one for all", "# every field"))
    assert any("of several nodes: do not" in each for each in answer["warnings"])
    assert best["low_s"] < best["total_s"] < best["high_s"]
    assert best["total_s"] < best["now"]["total_s"]
    modes = {each["mode"] for each in answer["alternatives"]}
    assert "serial" not in modes
    assert len(answer["alternatives"]) >= 3
    again = advise(here, copy, machine, *words[:4])
    assert again["proposal"]["patch"] == ""
    assert again["proposal"]["total_s"] == best["total_s"]


def test_the_page_tells_what_the_json_tells(here: Cli, case: Path, calibrated_file: Path) -> None:
    done = here("advise", case, "--machine", calibrated_file)
    assert done.returncode == 0, done.stderr
    best = advise(here, case, calibrated_file)["proposal"]
    for word in ("now       serial; restart sync", "limited by", "node hours", "80 % between",
                 f"{best['compute_ranks']} ranks compute", "the calibration had"):  # fmt: skip
        assert word in done.stdout, word
    assert best["looked_at_nodes"] > 0
    assert f"from about {best['output_limits_from_nodes']} node" in done.stdout


@pytest.mark.some(2)
@pytest.mark.parametrize(("name", "begin"), [("a.png", b"\x89PNG"), ("a.html", b"<!doctype")])
def test_the_curve_over_io_ranks_is_drawn_and_told(
    here: Cli, case: Path, tmp_path: Path, calibrated_file: Path, name: str, begin: bytes
) -> None:
    picture = tmp_path / name
    words = ("--nodes", 1, "--ranks-per-node", 8, "--set", "restart.mode=none")
    best = advise(here, case, calibrated_file, *words, "--picture", picture)["proposal"]
    assert picture.read_bytes().startswith(begin)
    curve = {each["io_ranks"]: each for each in best["curve"]}
    assert sorted(curve) == [0, 1, 2, 3, 4]
    assert curve[best["io_ranks"]]["total_s"] == best["total_s"]
    assert all(each["low_s"] < each["total_s"] < each["high_s"] for each in curve.values())
    assert min(each["total_s"] for each in curve.values()) > best["total_s"] / 1.011


def test_the_curve_has_no_point_that_the_model_refuses(
    here: Cli, case: Path, calibrated_file: Path
) -> None:
    """One I/O rank would hold a whole output, and two a half of it."""
    words = ("--nodes", 1, "--ranks-per-node", 8, "--set", "restart.mode=none")
    (stream,) = advise(here, case, calibrated_file, *words)["streams"]
    budget = (8 * stream["values_per_output"]) >> 20
    best = advise(here, case, calibrated_file, *words, "--set", f"io.budget={budget}")["proposal"]
    assert [each["io_ranks"] for each in best["curve"]] == [0, 2, 3, 4]


def test_little_output_needs_no_ranks_of_its_own(
    here: Cli, case: Path, calibrated_file: Path
) -> None:
    """Ties go to fewer I/O ranks."""
    words = ("--set", "output.all.interval=PT6H", "--set", "restart.mode=none",
             "--set", "time.duration=P10D")  # fmt: skip
    best = advise(here, case, calibrated_file, *words, "--ranks-per-node", 2, "--nodes", 1)
    assert best["proposal"]["io_ranks"] == 0 == best["proposal"]["restart_ranks"]


@pytest.mark.some(3, 2)
@pytest.mark.parametrize(
    ("words", "each"), [((), 4), (("--ranks-per-node", 4), 4), (("--ranks-per-node", 5), 5)]
)
def test_ranks_that_fill_no_whole_nodes_are_not_more_than_asked(
    here: Cli, case: Path, tmp_path: Path, calibrated: Calibrated, words: tuple[object, ...],
    each: int,
) -> None:  # fmt: skip
    machine = tmp_path / "m.toml"
    write_machine(calibrated(nodes=2, ranks=8, cores=4), machine)
    asked = ("--set", "machine.ranks=7", *words)
    best = advise(here, case, machine, *asked)["proposal"]
    assert (best["nodes"], best["ranks_per_node"], best["ranks"]) == (2, each, 7)
    assert best["compute_ranks"] + best["io_ranks"] + best["restart_ranks"] == 7
    page = here("advise", case, "--machine", machine, *asked)
    assert f"2 nodes of 4 cores with 7 ranks, at most {each} ranks each" in page.stdout


def test_a_container_of_whole_grids_is_not_divided(
    here: Cli, case: Path, calibrated_file: Path
) -> None:
    answer = advise(here, case, calibrated_file, "--set", "output.all.container=zarr")
    ways = [answer["proposal"], *answer["alternatives"]]
    assert all(each["mode"] != "file_parallel" for each in ways)
    assert any("the time of packing" in each for each in answer["warnings"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("format = 1", "format = 7"), "'format' is 7"),
        (('name = "cell_level_step_s"', 'name = "cell_levl"'), "'name' is not known"),
        (("format = 1", 'format = 1\nkind = "fitted"'), "fitted to runs of ICON"),
    ],
)
def test_a_wrong_machine_file_is_one_sentence(
    here: Cli, case: Path, calibrated_file: Path, change: tuple[str, str], sentence: str
) -> None:
    calibrated_file.write_text(calibrated_file.read_text().replace(*change))
    done = here("advise", case, "--machine", calibrated_file)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_wrong_words_are_one_sentence(
    here: Cli, case: Path, tmp_path: Path, calibrated: Calibrated, calibrated_file: Path
) -> None:
    poor = tmp_path / "poor.toml"
    write_machine(calibrated(writer_bytes_per_s=None), poor)
    fast = ("advise", case, "--machine", calibrated_file)
    for words, sentence in (
        (("advise", case, "--machine", poor), "does not tell 'writer_bytes_per_s'"),
        (("advise", case, "--machine", tmp_path / "none.toml"), "does not exist"),
        ((*fast, "--step", "0.1@2"), "--step is for ICON scripts"),
        ((*fast, "--nodes", 9999, "--ranks-per-node", 9), "more than the 5120 cells"),
        ((*fast, "--write", case), "exists; give --write another name"),
        (("advise", "--validate", tmp_path, "--machine", calibrated_file), "no complete run"),
        (("advise", "--validate", tmp_path, "--machine", calibrated_file, "--fit", case), "--fit"),
        ((*fast, "--picture", tmp_path / "a.txt"), "is no picture"),
        (("advise", "--validate", tmp_path), "is a directory; runs of ours need --machine"),
        (("tune", case, "--machine", poor), "does not tell 'writer_bytes_per_s'"),
    ):
        done = here(*words, cwd=tmp_path)
        assert done.returncode == 2, (words, done.stderr)
        assert sentence in done.stderr, (words, done.stderr)
        assert done.stderr.count("\n") == 1
    assert case.read_text() == CASE


def test_a_run_is_predicted_remembered_and_counted(
    here: Cli, case: Path, tmp_path: Path, calibrated_file: Path
) -> None:
    """One real run: what tune keeps of it is what advise and validate read."""
    words = ("--set", "grid.name=R2B1", "--set", "time.duration=PT1H", "--set", "restart.mode=none")
    more = ("--neighbours", 0, "--ranks-per-node", 2, "--nodes", 1, "--out", tmp_path / "tuned")
    tuned = here("tune", case, "--machine", calibrated_file, *words, *more, "--json")
    assert tuned.returncode == 0, tuned.stderr
    ways = json.loads(tuned.stdout)["ways"]
    assert ways[0]["name"] == "proposed"
    assert 1 <= len(ways) <= 2
    lines = memory_path(calibrated_file).read_text().splitlines()
    assert len(lines) == len(ways)
    kept = [json.loads(line)["run_time_s"] for line in lines]
    assert kept == [each["measured_s"][0] for each in ways]
    summary = json.loads((tmp_path / "tuned" / "proposed" / "run.json").read_text())
    assert summary["metrics"]["run_time_s"] == kept[0]
    best = advise(here, case, calibrated_file, *words, "--ranks-per-node", 2, "--nodes", 1)
    assert best["proposal"]["learned_from_runs"] == len(ways)
    shutil.copytree(tmp_path / "tuned", tmp_path / "runs")
    done = here("advise", "--validate", tmp_path / "runs", "--machine", calibrated_file, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["validation"]
    assert sorted(each["total_s"] for each in found["per_run"]) == sorted(kept)
    others = lines[0].replace('"machine": "', '"machine": "not ')
    memory_path(calibrated_file).write_text(f"{others}\n")
    refused = here("advise", case, "--machine", calibrated_file)
    assert refused.returncode == 2
    assert "a run on 'not " in refused.stderr
    memory_path(calibrated_file).write_text(f"{lines[0]}\n{lines[0][:40]}\n")
    told = here("advise", case, "--machine", calibrated_file)
    assert told.returncode == 0, told.stderr
    assert "1 line of no run left out" in told.stderr
    memory_path(calibrated_file).write_text('{"format": 9}\n')
    refused = here("advise", case, "--machine", calibrated_file)
    assert refused.returncode == 2
    assert "'format' is 9" in refused.stderr


def test_repeats_of_a_sweep_count_each(here: Cli, tmp_path: Path, calibrated_file: Path,
                                       small_run: Path) -> None:  # fmt: skip
    """A sweep's directories hold the last repetition only; RESULTS.jsonl has all."""
    sweep = tmp_path / "campaign" / "outputs"
    sweep.mkdir(parents=True)
    shutil.copytree(small_run, sweep / "trial_000")
    summary = json.loads((small_run / "run.json").read_text())
    summary["metrics"]["run_time_s"] = 1.1
    (sweep / "trial_000" / "run.json").write_text(json.dumps(summary))
    lines = [
        {"status": "complete", "settings": {"io.mode": mode, "io.ranks": ranks}, "ranks": 3,
         "figures": {"run_time_s": seconds}}
        for mode, ranks, seconds in (("serial", 0, 1.0), ("serial", 0, 1.1), ("async", 1, 0.8),
                                     ("async", 1, 0.9), ("file_parallel", 0, 0.7))
    ]  # fmt: skip
    lines.append({"status": "failed", "settings": {"io.mode": "auto"}, "ranks": 3})
    changed = [{**each, "digest": "of the sweep as it was before"} for each in lines[:2]]
    lines = [*({**each, "figures": {"run_time_s": 77.0}} for each in changed), *lines]
    (sweep / "RESULTS.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    done = here(
        "advise", "--validate", tmp_path / "campaign", "--machine", calibrated_file, "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["validation"]
    assert found["splits"][0]["runs"] == 5
    assert any(each.startswith("2 of 7 lines of") for each in found["notes"])
    assert found["splits"][0]["points"] == 3
    (group,) = found["groups"]
    assert group["ways"] == 3
    medians = {"serial": 1.05, "async, 1 I/O": 0.85, "file_parallel": 0.7}
    assert group["regret"] == pytest.approx(medians[group["proposed"]] / 0.7 - 1.0)
    assert group["rules"]["always_serial"] == pytest.approx(0.5)
    assert group["rules"]["default"] == pytest.approx(0.85 / 0.7 - 1.0)
    kept = here("tune", "--from", tmp_path / "campaign", "--machine", calibrated_file, "--json")
    assert kept.returncode == 0, kept.stderr
    assert json.loads(kept.stdout)["runs"] == 5
    assert len(memory_path(calibrated_file).read_text().splitlines()) == 5


def test_a_proposal_is_run_event_by_event(here: Cli, case: Path, calibrated_file: Path) -> None:
    answer = advise(here, case, calibrated_file, "--simulate", "0.3")
    simulated = answer["proposal"]["simulation"]
    assert simulated["total_s"] == pytest.approx(answer["proposal"]["total_s"], rel=0.3)
    done = here("advise", case, "--machine", calibrated_file, "--simulate", "0")
    assert "simulated, times of outputs varying by 0 %" in done.stdout
    refused = here("advise", case, "--machine", calibrated_file, "--simulate", "x")
    assert refused.returncode == 2
    assert "--simulate 'x' is no variation" in refused.stderr
