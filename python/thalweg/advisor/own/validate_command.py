# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise --validate RUNS --machine M`: how far predictions of runs of ours are off."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thalweg.advisor.own.bars import OWN_BARS
from thalweg.advisor.own.learned import OwnPredictor, learn_own
from thalweg.advisor.own.rates import FACTORS, load_calibrated
from thalweg.advisor.own.runs import read_own_runs
from thalweg.advisor.own.validation import RULES, OwnDecision, OwnResult, validate_own
from thalweg.advisor.prediction.bars import Judgement, bar_lines, bars_as_json, judge_bars
from thalweg.advisor.shapes import COVERAGE, NORMAL_80
from thalweg.advisor.words import many, percent, seconds
from thalweg.config.durations import short_duration
from thalweg.tables import print_table


def validate_own_runs(
    path: Path, machine_path: Path, nodes: int, checks: bool, as_json: bool
) -> bool:
    """False if `checks` and a bar is missed, by what the other groups tell where there are any."""
    machine = load_calibrated(machine_path)
    runs, notes = read_own_runs(path, nodes or 1)
    results = validate_own(machine, runs)
    predictor = learn_own(machine, runs)
    judged = judge_bars(results[-1], OWN_BARS)
    if as_json:
        content = {**_as_json(results, predictor, notes), "bars": bars_as_json(judged)}
        print(json.dumps({"validation": content}, indent=1, ensure_ascii=False))
    else:
        _print(results, predictor, judged, notes)
    return not checks or all(each.met for each in judged)


def _print(
    results: Sequence[OwnResult], predictor: OwnPredictor, judged: Sequence[Judgement],
    notes: Sequence[str],
) -> None:  # fmt: skip
    columns = ("predicted from", "runs", "points", "median", "90th", "inside 80 %",
               "within repeats", "regret", *_rules())  # fmt: skip
    rows = [
        [
            each.name, str(len(each.tried)), str(len(each.points)), percent(each.median_error),
            percent(each.p90_error), percent(each.inside_80), percent(each.within_repeats),
            percent(each.regret), *(percent(each.rules[rule.name]) for rule in RULES),
        ]
        for each in results
    ]  # fmt: skip
    print_table(columns, rows, right=columns[1:])
    print()
    _print_decisions(results[-1].decisions)
    print()
    print_factors(predictor)
    print()
    for line in bar_lines(judged):
        print(line)
    for note in notes:
        print(f"note: {note}")
    sys.stdout.flush()


def print_factors(predictor: OwnPredictor) -> None:
    rows = [
        [name, f"{value:.3g}", f"{low:.3g} {high:.3g}"]
        for name, value, low, high in factors_of(predictor)
    ]
    print_table(("factor on the calibration", "value", "80 % between"), rows, right=("value",))


def _print_decisions(decisions: Sequence[OwnDecision]) -> None:
    if not decisions:
        print("no group leaves a choice: no regret")
        return
    columns = ("group", "ways", "proposed", "its time", "regret", *_rules())
    rows = [
        [
            _group_name(each), str(len(each.points)), str(each.proposed.choice),
            seconds(each.proposed.median_s), percent(each.regret),
            *(percent(each.rules[rule.name]) for rule in RULES),
        ]
        for each in decisions
    ]  # fmt: skip
    print_table(columns, rows, right=(*columns[1:2], *columns[3:]))


def factors_of(predictor: OwnPredictor) -> list[tuple[str, float, float, float]]:
    """Name, value, and what 80 % of its posterior lies between."""
    deviations = np.sqrt(np.diag(predictor.covariance))
    found = []
    for name, middle, deviation in zip(FACTORS, predictor.middle, deviations, strict=True):
        value, wide = math.exp(middle), math.exp(NORMAL_80 * deviation)
        found.append((name, value, value / wide, value * wide))
    return found


def _rules() -> list[str]:
    return [f"rule: {rule.meaning}" for rule in RULES]


def _group_name(decision: OwnDecision) -> str:
    run = decision.proposed.runs[0]
    given = run.situation
    words = [given.mesh.name, many(given.levels, "level"), many(run.nodes.ranks, "rank")]
    for each in given.series:
        often = short_duration(each.output.number("interval"))
        words.append(f"{each.bytes_per_output / 1e6:.3g} MB every {often}")
    if given.sets:
        words.append(many(given.sets, "checkpoint"))
    return ", ".join(words)


def _as_json(
    results: Sequence[OwnResult], predictor: OwnPredictor, notes: Sequence[str]
) -> dict[str, object]:
    last = results[-1]
    return {
        "coverage": COVERAGE,
        "splits": [_figures(each) for each in results],
        "per_run": [
            {
                "run": each.run.name,
                "choice": str(each.run.choice),
                "total_s": each.run.total_s,
                "predicted_s": each.prediction.total_s,
                "low_s": each.prediction.low_s,
                "high_s": each.prediction.high_s,
            }
            for each in last.tried
        ],
        "groups": [
            {
                "group": _group_name(each),
                "ways": len(each.points),
                "proposed": str(each.proposed.choice),
                "regret": each.regret,
                "rules": each.rules,
            }
            for each in last.decisions
        ],
        "factors": [
            {"name": name, "value": value, "low": low, "high": high}
            for name, value, low, high in factors_of(predictor)
        ],
        "notes": list(notes),
    }


def _figures(result: OwnResult) -> dict[str, object]:
    return {
        "from": result.name,
        "runs": len(result.tried),
        "points": len(result.points),
        "median_error": result.median_error,
        "p90_error": result.p90_error,
        "inside_80": result.inside_80,
        "within_repeats": result.within_repeats,
        "regret": result.regret,
        "rules": result.rules,
    }
