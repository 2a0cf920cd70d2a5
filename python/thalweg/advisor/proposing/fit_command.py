# SPDX-License-Identifier: Apache-2.0
"""`thalweg calibrate --from RUNS`: a machine fitted to runs that exist, as a file."""

from __future__ import annotations

import json
from pathlib import Path

from thalweg.advisor.prediction.page import parameter_state, print_parameters
from thalweg.advisor.prediction.parameters import BY_NAME, PARAMETERS
from thalweg.advisor.prediction.run_table import read_runs
from thalweg.advisor.proposing.machine import (
    ONE_GROUP,
    FittedMachine,
    fit_machine,
    machine_text,
)
from thalweg.advisor.words import many
from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target, write_whole


def fit_to_file(
    table: Path, out: Path, levels: int, overwrite: bool, json_wanted: bool
) -> FittedMachine:
    """levels: of the fitted runs, 0 = not told. Raises a sentence; nothing is written then."""
    refuse_target(out, overwrite)
    if out.suffix.lower() != ".toml":
        raise ThalwegError(f"'{out}' is no machine file; end its name with .toml")
    machine = fit_machine(read_runs(table), table.stem, levels)
    write_whole(out, machine_text(machine))
    _print_json(machine) if json_wanted else _print(machine, out)
    return machine


def _print(machine: FittedMachine, out: Path) -> None:
    fit = machine.predictor.fit
    print_parameters(fit)
    for name in fit.dropped:
        print(f"left out: {name}: the runs do not tell it, and the form does without")
    for name in fit.open:
        print(f"not told: {name} ({BY_NAME[name].meaning}): what needs it is not predicted")
    runs = many(machine.runs, "run")
    print(f"'{out}': fitted to {runs}{ONE_GROUP * machine.predictor.noise.assumed}")


def _print_json(machine: FittedMachine) -> None:
    fit = machine.predictor.fit
    parameters = [
        {"name": each.name, "value": fit.values[each.name], "unit": each.unit,
         "spread": fit.spread(each.name), "state": parameter_state(fit, each.name)}
        for each in PARAMETERS
    ]  # fmt: skip
    content = {
        "name": machine.name,
        "runs": machine.runs,
        "levels": machine.levels,
        "parameters": parameters,
        "left_out": list(fit.dropped),
        "not_separated": list(fit.open),
    }
    print(json.dumps(content, indent=1, ensure_ascii=False))
