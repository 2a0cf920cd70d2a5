# SPDX-License-Identifier: Apache-2.0
"""`thalweg tune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.errors import ThalwegError

Given = Optional[Path]  # noqa: UP045
_MOST_RUNS = 100


def tune(
    experiment: Annotated[
        Given, typer.Argument(metavar="EXPERIMENT.toml", help="Experiment of the mini-model.")
    ] = None,
    machine: Annotated[
        Given,
        typer.Option(
            metavar="MACHINE.toml", help="Of 'thalweg calibrate'; without it, it calibrates first."
        ),
    ] = None,
    set_: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change one setting; repeatable."),
    ] = None,
    nodes: Annotated[int, typer.Option(metavar="N", help="Nodes; 0 = as calibrated.", min=0)] = 0,
    ranks_per_node: Annotated[
        int, typer.Option(metavar="P", help="Ranks on a node; 0 = as the experiment has.", min=0)
    ] = 0,
    neighbours: Annotated[
        int, typer.Option(help="Ways that are run beside the proposal and the present one.", min=0)
    ] = 2,
    repeats: Annotated[int, typer.Option(help="Runs of each way.", min=1)] = 1,
    minutes: Annotated[
        float, typer.Option(help="Of the calibration, without --machine.", min=0.01, max=60.0)
    ] = 3.0,
    out: Annotated[Path, typer.Option("-o", "--out", help="Directory of the runs.")] = Path("tune"),
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace runs of the same names in --out.")
    ] = False,
    keep_files: Annotated[bool, typer.Option("--keep-files", help="Keep what they write.")] = False,
    from_: Annotated[
        Given,
        typer.Option(
            "--from", metavar="RUNS", help="Run nothing: keep what these runs or sweeps tell."
        ),
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print JSON for a machine to read.")
    ] = False,
) -> None:
    """Propose how to run an experiment, run that and its neighbours, and keep what they tell.

    Example: thalweg tune examples/jet.toml --machine machine.toml --out my_tune
    """
    from thalweg.advisor.own.tune import TuneRequest, learn_from
    from thalweg.advisor.own.tune import tune as tune_runs

    if from_ is not None:
        if experiment is not None or machine is None:
            raise ThalwegError("--from RUNS goes with --machine MACHINE and without an experiment")
        learn_from(from_, machine, nodes, json_)
        return
    if experiment is None:
        raise ThalwegError("give an experiment, or --from RUNS")
    if repeats * (neighbours + 2) > _MOST_RUNS:
        raise ThalwegError(
            f"--repeats {repeats} of {neighbours + 2} ways are more than {_MOST_RUNS} runs; give "
            "fewer"
        )
    tune_runs(
        TuneRequest(experiment, set_ or [], machine, out, nodes, ranks_per_node, neighbours,
                    repeats, minutes, keep_files, json_, overwrite)
    )  # fmt: skip
