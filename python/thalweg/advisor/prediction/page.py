# SPDX-License-Identifier: Apache-2.0
"""What `thalweg advise --validate` prints: tables for people, or one JSON object."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from thalweg.advisor.prediction.bars import Judgement, bar_lines, bars_as_json
from thalweg.advisor.prediction.fit import Fit
from thalweg.advisor.prediction.parameters import PARAMETERS
from thalweg.advisor.prediction.proposal import RULES
from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.prediction.validation import Decision, Result
from thalweg.advisor.shapes import COVERAGE, NORMAL_80
from thalweg.advisor.words import percent
from thalweg.config.durations import short_duration
from thalweg.tables import print_table

if TYPE_CHECKING:
    from thalweg.advisor.prediction.command import Validation


def print_page(found: Validation, judged: Sequence[Judgement]) -> None:
    _print_results([found.result, *found.harder])
    print()
    _print_decisions(found.result.decisions)
    print()
    print_parameters(found.predictor.fit)
    print()
    for line in bar_lines(judged):
        print(line)
    for sentence in (*_untold(found.result), *found.notes):
        print(f"note: {sentence}")
    sys.stdout.flush()


def _print_results(results: Sequence[Result]) -> None:
    columns = ("predicted from the others", "runs", "untold", "median", "90th", "inside 80 %",
               "regret", *(f"rule: {rule.meaning}" for rule in RULES))  # fmt: skip
    rows = [
        [
            result.meaning,
            str(len(result.tried)),
            str(len(result.untold)),
            percent(result.median_error),
            percent(result.p90_error),
            percent(result.inside_80),
            percent(result.regret),
            *(percent(result.rules[rule.name]) for rule in RULES),
        ]
        for result in results
    ]
    print_table(columns, rows, right=columns[1:])


def _print_decisions(decisions: Sequence[Decision]) -> None:
    if not decisions:
        print("no group leaves a choice: no regret")
        return
    columns = ("group", "runs", "proposed", "its time", "regret",
               *(f"rule: {rule.meaning}" for rule in RULES))  # fmt: skip
    rows = [
        [
            group_name(each.proposed),
            str(len(each.runs)),
            way(each.proposed),
            f"{each.proposed_s:.0f} s",
            percent(each.regret),
            *(percent(each.rules[rule.name]) for rule in RULES),
        ]
        for each in decisions
    ]
    print_table(columns, rows, right=(*columns[1:2], *columns[3:]))


def print_parameters(fit: Fit) -> None:
    columns = ("parameter", "value", "80 % between", "unit", "meaning")
    rows = []
    for parameter in PARAMETERS:
        value, low, high = parameter_range(fit, parameter.name)
        between = {"fitted": f"{low:.3g} {high:.3g}", "left out": "left out", "open": "open"}
        state = parameter_state(fit, parameter.name)
        rows.append(
            [parameter.name, f"{value:.4g}", between[state], parameter.unit, parameter.meaning]
        )
    print_table(columns, rows, right=columns[1:2])


def parameter_range(fit: Fit, name: str) -> tuple[float, float, float]:
    """The value, and what 80 % of the posterior lies between."""
    value, wide = fit.values[name], math.exp(NORMAL_80 * fit.spread(name))
    return value, value / wide, value * wide


def parameter_state(fit: Fit, name: str) -> str:
    """open: needed, and the runs do not determine it. left out: not needed for the same reason."""
    if name in fit.dropped:
        return "left out"
    return "open" if name in fit.open else "fitted"


def as_json(found: Validation, judged: Sequence[Judgement]) -> dict[str, object]:
    result = found.result
    fit = found.predictor.fit
    parameters = []
    for parameter in PARAMETERS:
        value, low, high = parameter_range(fit, parameter.name)
        state = parameter_state(fit, parameter.name)
        about = {"name": parameter.name, "unit": parameter.unit, "of": parameter.of}
        parameters.append({**about, "value": value, "low": low, "high": high, "state": state})
    return {
        **_figures(result),
        "coverage": COVERAGE,
        "fitted_runs": found.fitted_runs,
        "bars": bars_as_json(judged),
        "per_run": [
            {
                "run": each.run.name,
                "total_s": each.run.total_s,
                "predicted_s": each.prediction.total_s,
                "low_s": each.prediction.low_s,
                "high_s": each.prediction.high_s,
            }
            for each in result.tried
        ],
        "not_predicted": [
            {"run": each.run.name, "reason": each.prediction.reason} for each in result.untold
        ],
        "groups": [_decision_as_json(each) for each in result.decisions],
        "splits": [_figures(each) for each in found.harder],
        "parameters": parameters,
        "notes": list(found.notes),
    }


def _figures(result: Result) -> dict[str, object]:
    return {
        "split": result.name,
        "runs": len(result.tried),
        "untold": len(result.untold),
        "median_error": result.median_error,
        "p90_error": result.p90_error,
        "inside_80": result.inside_80,
        "regret": result.regret,
        "rules": result.rules,
        "risky_proposals": result.risky_proposals,
    }


def _decision_as_json(each: Decision) -> dict[str, object]:
    return {
        "group": group_name(each.proposed),
        "runs": [run.name for run in each.runs],
        "proposed": each.proposed.name,
        "regret": each.regret,
        "rules": each.rules,
    }


def group_name(run: MeasuredRun) -> str:
    facts = run.facts
    nodes = f"{facts.nodes:g} node{'s' * (facts.nodes != 1)}"
    words = [run.grid or f"{facts.cells:.0f} cells", nodes]
    for count, interval_s, what in (
        (facts.outputs, run.output_interval_s, "output"),
        (facts.checkpoints, run.checkpoint_interval_s, "restart"),
    ):
        if count:
            often = f"every {short_duration(interval_s)}" if interval_s else f"{count:g} times"
            words.append(f"{what} {often}")
    return ", ".join(words)


def way(run: MeasuredRun) -> str:
    """How the run writes: what a proposal consists of."""
    facts = run.facts
    words = []
    if facts.outputs:
        words.append(f"{facts.io_ranks:g} I/O" if facts.io_ranks else "serial output")
    if facts.checkpoints:
        mode = facts.restart_mode.replace("_", " ")
        words.append(f"{mode} {facts.restart_ranks:g}" if facts.restart_ranks else mode)
    return ", ".join(words) or "nothing to write"


def _untold(result: Result) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for each in result.untold:
        by_reason.setdefault(each.prediction.reason, []).append(each.run.name)
    return [
        f"no prediction of {', '.join(names[:3])}{' and others' * (len(names) > 3)}: {reason}"
        for reason, names in by_reason.items()
    ]
