# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise --validate`: figures, bars, splits, sentences about tables that do not fit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.prediction.command import validate_tables
from thalweg.advisor.prediction.page import as_json
from thalweg.advisor.prediction.predictor import Prediction
from thalweg.advisor.prediction.proposal import RULES, choose, nearest
from thalweg.advisor.prediction.run_facts import MeasuredRun, RunFacts
from thalweg.advisor.prediction.run_table import read_runs, read_two
from thalweg.advisor.prediction.splits import GROUP, HARDER, folds, most_nodes, situation
from thalweg.advisor.prediction.validation import Tried, judge, validate_split
from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError

Campaign = Callable[..., list[MeasuredRun]]
MakeRun = Callable[..., RunFacts]
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
LEVANTE = ROOT.parent / "shared" / "reference" / "levante" / "runs_visible.csv"


def test_one_table_is_predicted_group_by_group(here: Cli, table: Path) -> None:
    """Without runs on two nodes: the fewer groups, the fewer fits."""
    rows = table.read_text().splitlines(keepends=True)
    table.write_text("".join(row for row in rows if ",2,256," not in row))
    result = here("advise", "--validate", table, "--check", "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)["validation"]
    assert told["runs"] == len(told["per_run"]) == table.read_text().count("\n") - 1
    assert told["median_error"] < 0.04
    assert told["p90_error"] < 0.10
    assert 0.7 <= told["inside_80"] <= 0.9
    assert told["regret"] < min(told["rules"].values())
    assert all(bar["met"] for bar in told["bars"])
    assert {split["split"] for split in told["splits"]} == {
        "grid", "nodes", "interval", "kind", "most nodes",
    }  # fmt: skip
    for run in told["per_run"]:
        assert set(run) == {"run", "total_s", "predicted_s", "low_s", "high_s"}
        assert 0.0 < run["low_s"] < run["predicted_s"] < run["high_s"]


def test_another_table_is_predicted_from_the_first(here: Cli, table: Path, tmp_path: Path) -> None:
    head, *rows = table.read_text().splitlines()
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    small.write_text("\n".join([head, *(row for row in rows if ",327680,4," not in row)]))
    large.write_text("\n".join([head, *(row for row in rows if ",327680,4," in row)]))
    result = here("advise", "--fit", small, "--validate", large, "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)["validation"]
    assert told["runs"] == len(large.read_text().splitlines()) - 1
    assert told["fitted_runs"] == len(small.read_text().splitlines()) - 1
    assert told["median_error"] < 0.06
    assert told["notes"] == ["27 runs lie outside the fitted ones (nodes): 100.0 % are inside"]
    again = here("advise", "--fit", small, "--validate", small)
    assert "they are no test" in again.stdout


def test_repeats_of_a_way_are_one_way(campaign: Campaign) -> None:
    """Rules get the shortest of the ways that are as near, and not the shortest of its repeats."""
    runs = [run for run in campaign(0.0) if run.facts.outputs and not run.facts.checkpoints]
    again = [replace(run, total_s=run.total_s * factor) for run in runs
             for factor in (0.7, 1.0, 1.02)]  # fmt: skip
    once, thrice = (
        judge("group", "", [Tried(run, Prediction(run.total_s, 0.0, 1e9)) for run in given])
        for given in (runs, again)
    )
    assert thrice.rules == pytest.approx(once.rules)
    assert thrice.regret == pytest.approx(once.regret)


def test_ways_with_other_sizes_are_others_and_repeats_alone_no_choice(campaign: Campaign) -> None:
    run = next(each for each in campaign(0.0) if each.facts.outputs)
    larger = replace(run, facts=replace(run.facts, output_bytes=10 * run.facts.output_bytes))
    slower = replace(larger, total_s=3.0 * run.total_s)
    tried = [Tried(each, Prediction(each.total_s, 0.0, 1e9)) for each in (run, run, slower)]
    (decision,) = judge("group", "", tried).decisions
    assert decision.proposed_s == run.total_s
    assert not judge("group", "", tried[:2]).decisions


def few_groups(table: Path) -> list[str]:
    """Its lines that are of one grid on one node, with outputs or checkpoints and not both."""
    return [
        row
        for row in table.read_text().splitlines()
        if ",327680," not in row and ",81920,2," not in row and not row.endswith(",both")
    ]


def test_people_get_tables_and_a_picture(here: Cli, table: Path, tmp_path: Path) -> None:
    table.write_text("\n".join(few_groups(table)))
    picture = tmp_path / "told.png"
    result = here("advise", "--validate", table, "--picture", picture)
    assert result.returncode == 0, result.stderr
    for word in ("a decision", "4 per node, at most 32", "write_s_per_gb", "met     median_error"):
        assert word in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    refused = here("advise", "--validate", table, "--picture", tmp_path / "told.csv")
    assert refused.returncode == 2
    assert "is no picture" in refused.stderr


def test_a_bar_that_is_missed_fails_the_check(here: Cli, table: Path, tmp_path: Path) -> None:
    """Totals that no form explains: each run as long as another one."""
    head, *rows = few_groups(table)
    rows = [row for row in rows if row.endswith(",io")]
    totals = [row.split(",")[-2] for row in rows]
    moved = [
        ",".join([*row.split(",")[:-2], totals[at - 7], row.split(",")[-1]])
        for at, row in enumerate(rows)
    ]
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("\n".join([head, *moved]))
    result = here("advise", "--validate", wrong, "--check")
    assert result.returncode == 1
    assert "MISSED  median_error" in result.stdout


def test_a_parquet_of_logs_import_says_the_same(here: Cli, table: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "runs.parquet"
    assert here("logs", "import", table, "-o", parquet).returncode == 0
    assert read_runs(parquet) == read_runs(table)


def test_no_split_has_runs_of_one_group_on_both_sides(campaign: Campaign) -> None:
    runs = campaign()
    for split in (GROUP, *HARDER, most_nodes(runs)):
        for fold in folds(runs, split):
            inside = {situation(runs[at]) for at in fold}
            outside = {situation(run) for at, run in enumerate(runs) if at not in fold}
            assert fold
            assert not inside & outside, split.name


def test_bytes_that_a_run_does_not_tell_are_those_of_others(table: Path) -> None:
    runs = {run.name: run.facts for run in read_runs(table)}
    serial = [facts for facts in runs.values() if facts.outputs and not facts.io_ranks]
    assert serial
    for facts in serial:
        assert facts.output_bytes == pytest.approx(facts.cells * 388 * 8.0)


def test_bytes_that_a_table_does_not_tell_are_those_of_the_table_that_is_fitted(
    table: Path, tmp_path: Path
) -> None:
    runs = read_runs(table)
    blind = tmp_path / "blind.csv"
    blind.write_text(table.read_text().replace("mb_per_event_logged", "mb"))
    assert [run.name for run in read_runs(blind, known=runs)] == [run.name for run in runs]
    for mine, theirs in zip(read_runs(blind, known=runs), runs, strict=True):
        assert mine.facts.output_bytes == pytest.approx(theirs.facts.output_bytes)
        assert mine.facts.checkpoint_bytes == pytest.approx(theirs.facts.checkpoint_bytes)
    with pytest.raises(ThalwegError, match="bytes of outputs of run 'run_0'"):
        read_runs(blind)
    both = [read_two(blind, table), read_two(table, blind)]
    assert [len(each) for pair in both for each in pair] == [len(runs)] * 4
    with pytest.raises(ThalwegError, match="bytes of outputs of run 'run_0'"):
        read_two(blind, blind)


def test_ties_go_to_fewer_ranks_and_one_writer_for_several_nodes_is_not_proposed(
    made_up: MakeRun,
) -> None:
    eight, two, none = (made_up(nodes=2, io_ranks=n, outputs=1201) for n in (8, 2, 0))
    assert choose([eight, two, none], [1000.0, 1000.5, 900.0]) == 1
    assert choose([eight, two, none], [1000.0, 1010.0, 900.0]) == 0
    assert choose([none], [900.0]) == 0
    alone = replace(none, nodes=1.0)
    assert choose([eight, alone], [1000.0, 900.0]) == 1


def test_rules_take_what_is_nearest_and_of_several_the_shortest(made_up: MakeRun) -> None:
    ranks = [made_up(nodes=2, io_ranks=n, outputs=1201) for n in (0, 4, 12, 32)]
    chosen = {rule.name: nearest(rule, ranks) for rule in RULES}
    assert chosen == {"four_per_node": [1, 2], "always_8": [1, 2], "none": [0]}
    tried = [
        Tried(MeasuredRun(str(at), facts, time), Prediction(guess, guess, guess))
        for at, (facts, time, guess) in enumerate(
            zip(ranks, (200.0, 125.0, 100.0, 110.0), (9.0, 3.0, 2.0, 1.0), strict=True)
        )
    ]
    (decision,) = judge("one", "one", tried).decisions
    assert decision.proposed.name == "3"
    assert decision.regret == pytest.approx(0.1)
    assert decision.rules == pytest.approx({"four_per_node": 0.0, "always_8": 0.0, "none": 1.0})


HOSTILE: tuple[tuple[Callable[[str], str], str], ...] = (
    (lambda text: "", "is empty"),
    (lambda text: text.splitlines()[0] + "\n", "no runs"),
    (lambda text: text.replace("worker_ranks", "wroker_ranks"),
     "'worker_ranks' is missing. Did you mean 'wroker_ranks'?"),
    (lambda text: text.replace("steps", "a").replace("cells", "b"),
     "columns 'cells', 'steps' are missing"),
    (lambda text: text.replace("\nrun_1,81920", "\nrun_1,many"), "cells is 'many'"),
    (lambda text: text.replace("\nrun_1,81920", "\nrun_1,-81920"), "cells is '-81920'"),
    (lambda text: text.replace("\nrun_1,81920", "\nrun_1,nan"), "cells is 'nan'"),
    (lambda text: text.replace("\nrun_1,81920", "\nrun_1,0"), "'cells' is 0"),
    (lambda text: text.replace("\nrun_1,81920", "\nrun_1,"), "'cells' is empty"),
    (lambda text: text.replace("\nrun_1,81920", "\nrun_1,1e300"), "'cells' is 1e+300; 0 to 1e+18"),
    (lambda text: text.replace("\nrun_1,81920,1,128,", "\nrun_1,81920,1,12,"),
     "128 ranks by their roles and 12 in all"),
    (lambda text: text.replace(",async,", ",asynch,"),
     "restart mode 'asynch' does not exist; choose one of: none, sync, async"),
    (lambda text: text.replace(",0,1,async,", ",0,0,async,"), "needs restart ranks"),
    (lambda text: text.replace(",sync,", ",none,"), "has checkpoints and no restart mode"),
    (lambda text: text.replace("mb_per_event_logged", "mb"), "bytes of outputs of run 'run_0'"),
    (lambda text: text.replace("\nrun_2,", "\nrun_1,"), "run 'run_1' is there twice"),
    (lambda text: text.replace(",io\n", ",oi\n"), "kind 'oi' does not exist"),
    (lambda text: "\n".join(text.splitlines()[:5]), "all runs of"),
    (lambda text: "PAR1" + text, "cannot be read as Parquet"),
)  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), HOSTILE, ids=[s[:40] for _, s in HOSTILE])
def test_a_table_that_does_not_fit_is_one_sentence(
    change: Callable[[str], str], sentence: str, table: Path
) -> None:
    text = table.read_text()
    changed = change(text)
    assert changed != text
    table.write_text(changed)
    with pytest.raises(ThalwegError) as error:
        validate_tables(table, None)
    assert sentence in error.value.sentence
    assert error.value.exit_code == 2
    assert "\n" not in error.value.sentence


def test_tables_of_which_one_lacks_a_column_or_a_kind(table: Path, tmp_path: Path) -> None:
    head, *rows = table.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([head.replace("steps", "stages"), *rows]))
    with pytest.raises(ThalwegError, match=r"other\.csv: column 'steps' is missing"):
        validate_tables(other, table)
    with pytest.raises(ThalwegError, match=r"other\.csv: column 'steps' is missing"):
        validate_tables(table, other)
    only_output, only_sync = tmp_path / "output.csv", tmp_path / "sync.csv"
    only_output.write_text("\n".join([head, *(row for row in rows if row.endswith(",io"))]))
    sync = [row for row in rows if ",81920," in row and ",sync,0,1200," in row]
    only_sync.write_text("\n".join([head, *sync]).replace(",,", ",900,"))
    with pytest.raises(ThalwegError, match=r"can be predicted: .* do not tell 'restart_gather_s'"):
        validate_tables(only_sync, only_output)
    found = validate_tables(table, only_output)
    told: Any = as_json(found, [])
    assert told["runs"] + len(told["not_predicted"]) == len(rows)
    assert all("do not tell" in each["reason"] for each in told["not_predicted"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "give a run script or an experiment, or --validate RUNS.csv"),
        (("--fit", "a.csv"), "--fit goes with --validate"),
        (("--check", "a.run"), "--check goes with --validate"),
        (("--validate", "nowhere.csv"), "'nowhere.csv' is no file"),
        (("--validate", "."), "'.' is a directory"),
        (("a.run", "--validate", "a.csv"), "--validate takes no script"),
        (("--validate", "a.csv", "--set", "x=1"), "--set is for a script"),
    ],
)
def test_wrong_words_are_one_sentence(
    words: tuple[str, ...], sentence: str, here: Cli, tmp_path: Path
) -> None:
    result = here("advise", *words, cwd=tmp_path)
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("thalweg: error: ")
    assert sentence in line


def test_the_bars_are_met_on_the_runs_of_levante() -> None:
    if not LEVANTE.is_file():
        pytest.skip(f"the figures measured on Levante are not on this machine: {LEVANTE}")
    result = validate_split(read_runs(LEVANTE), GROUP)
    assert result is not None
    assert len(result.tried) == 78
    assert result.median_error <= 0.06
    assert result.p90_error <= 0.20
    assert 0.70 <= result.inside_80 <= 0.90
    assert result.regret is not None
    assert result.regret < min(rule for rule in result.rules.values() if rule is not None)
    assert result.risky_proposals == 0
