# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise --validate`: fits, predicts runs that were not fitted, and says how well."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from thalweg.advisor.prediction.bars import BARS, judge_bars
from thalweg.advisor.prediction.outside import outside_of
from thalweg.advisor.prediction.page import as_json, print_page
from thalweg.advisor.prediction.predictor import Predictor, learn
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.prediction.run_table import read_runs, read_two
from thalweg.advisor.prediction.splits import GROUP, HARDER, most_nodes, situation
from thalweg.advisor.prediction.validation import Result, judge, try_on, validate_split
from thalweg.advisor.words import many
from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target


@dataclass(frozen=True)
class Validation:
    """result: what the bars judge. harder: other splits of the same table."""

    result: Result
    harder: tuple[Result, ...]
    predictor: Predictor
    fitted_runs: int
    notes: tuple[str, ...]


def validate(
    table: Path, fit_table: Path | None, checks: bool, json_wanted: bool, picture: Path | None
) -> bool:
    """False if `checks` and a bar is missed."""
    if picture is not None:
        refuse_target(picture, overwrite=True)
    found = validate_tables(table, fit_table)
    judged = judge_bars(found.result, BARS)
    if picture is not None:
        from thalweg.advisor.prediction.picture import write_picture

        write_picture(found.result, picture)
    if json_wanted:
        print(json.dumps({"validation": as_json(found, judged)}, indent=1, ensure_ascii=False))
    else:
        print_page(found, judged)
    return not checks or all(each.met for each in judged)


def validate_tables(table: Path, fit_table: Path | None) -> Validation:
    """Raises a sentence, also where the runs fitted tell of no run to be predicted."""
    found = _of_one(table) if fit_table is None else _of_two(fit_table, table)
    if not found.result.tried:
        reason = found.result.untold[0].prediction.reason
        raise ThalwegError(f"no run of '{table}' can be predicted: {reason}")
    return found


def _of_one(table: Path) -> Validation:
    runs = read_runs(table)
    result = validate_split(runs, GROUP)
    if result is None:
        raise ThalwegError(
            f"all runs of '{table}' are one group: nothing is left to fit; give --fit FIT.csv"
        )
    harder = [validate_split(runs, split) for split in (*HARDER, most_nodes(runs))]
    told = tuple(each for each in harder if each is not None and each.tried)
    return Validation(result, told, learn(runs), len(runs), ())


def _of_two(fit_table: Path, table: Path) -> Validation:
    fitted, runs = read_two(fit_table, table)
    predictor = learn(fitted)
    result = judge("other", f"all runs of {table.name}", try_on(predictor, runs))
    notes = (*_overlaps(fitted, runs), *outside_of(fitted, result))
    return Validation(result, (), predictor, len(fitted), notes)


def _overlaps(fitted: list[MeasuredRun], runs: list[MeasuredRun]) -> tuple[str, ...]:
    notes = []
    both = {run.name for run in fitted} & {run.name for run in runs}
    if both:
        notes.append(f"{len(both)} runs are in both tables: they are no test")
    groups = {situation(run) for run in fitted} & {situation(run) for run in runs}
    if groups and not both:
        notes.append(f"runs of {many(len(groups), 'group')} are in both tables")
    return tuple(notes)
