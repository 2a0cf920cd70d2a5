# SPDX-License-Identifier: Apache-2.0
"""Words of `thalweg advise`: a script to tell about, or tables of runs to validate with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.errors import ThalwegError

Paths = Optional[list[Path]]  # noqa: UP045
Words = Optional[list[str]]  # noqa: UP045
Given = Optional[Path]  # noqa: UP045
_OF_SCRIPT = ("--set", "--cells", "--bytes-per-output", "--bytes-per-restart", "--sample",
              "--machine", "--nodes", "--ranks-per-node", "--step", "--write",
              "--simulate")  # fmt: skip
_OF_MACHINE = ("--nodes", "--ranks-per-node", "--step", "--write", "--simulate", "--picture")


def advise(
    script: Annotated[
        Given,
        typer.Argument(
            metavar="SCRIPT|EXPERIMENT.toml",
            help="ICON run script or namelist file, or an experiment of ours.",
        ),
    ] = None,
    set_: Annotated[
        Words,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A variable of the script, or table.key of the experiment; repeatable.",
        ),
    ] = None,
    cells: Annotated[
        Words,
        typer.Option(metavar="[DOMAIN=]N", help="Cells of a grid whose name does not tell them."),
    ] = None,
    bytes_per_output: Annotated[
        Words,
        typer.Option(metavar="STREAM=BYTES", help="Size of a stream with unknown variables."),
    ] = None,
    bytes_per_restart: Annotated[
        str, typer.Option(metavar="BYTES", help="Size of a restart set of ICON.")
    ] = "",
    sample: Annotated[
        Paths,
        typer.Option(metavar="FILE", help="Output of an earlier run: tells of unknown variables."),
    ] = None,
    machine: Annotated[
        Given,
        typer.Option(
            metavar="MACHINE",
            help="Propose ranks and modes: machine.toml of 'calibrate --from' or a table of runs "
            "for ICON, of 'calibrate' for an experiment.",
        ),
    ] = None,
    nodes: Annotated[int, typer.Option(metavar="N", help="Nodes of the allocation.")] = 0,
    ranks_per_node: Annotated[
        int, typer.Option(metavar="P", help="Ranks on a node; 0 = as the fitted runs.")
    ] = 0,
    step: Annotated[
        str, typer.Option(metavar="S@RANKS", help="Seconds of a step on so many compute ranks.")
    ] = "",
    write: Annotated[
        Given,
        typer.Option(metavar="FILE", help="Write a copy of the script with what is proposed."),
    ] = None,
    simulate: Annotated[
        str,
        typer.Option(
            metavar="V", help="Run the proposal event by event, times of outputs varying by V."
        ),
    ] = "",
    validate: Annotated[
        Given,
        typer.Option(
            metavar="RUNS",
            help="Table of measured runs, CSV or Parquet: predict each group of them. With "
            "--machine: directory of runs of ours.",
        ),
    ] = None,
    fit: Annotated[
        Given,
        typer.Option(metavar="RUNS", help="With --validate: fit on this table, predict the other."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the bars; exit 1 if one is missed.")
    ] = False,
    picture: Annotated[
        Given,
        typer.Option(
            metavar="FILE",
            help="Draw the curve over I/O ranks (or .html), or predicted against measured.",
        ),
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print JSON for a machine to read.")
    ] = False,
) -> None:
    """List what a run will write; with --machine, propose ranks, modes and partitions for it;
    docs/advise.md, docs/propose.md, docs/propose-own.md.

    With --validate RUNS.csv: predict the time of measured runs from the others, and say how well.

    Example: thalweg advise exp.my_run --machine machine.toml --nodes 4
    """
    of_script = (set_, cells, bytes_per_output, bytes_per_restart, sample)
    of_machine = (nodes, ranks_per_node, step, write)
    if validate is not None:
        if script is not None:
            raise ThalwegError(f"--validate takes no script; leave out '{script}'")
        nodes_of_script = 0 if machine else nodes
        _refuse((*of_script, None, nodes_of_script, *of_machine[1:], simulate), _OF_SCRIPT,
                "is for a script; leave it out with --validate")  # fmt: skip
        if machine is not None:
            _refuse((fit, picture), ("--fit", "--picture"),
                    "is for tables of ICON's runs; leave it out with --machine")  # fmt: skip
            from thalweg.advisor.own.validate_command import validate_own_runs

            if not validate_own_runs(validate, machine, nodes, check, json_):
                raise typer.Exit(1)
            return
        if validate.is_dir():
            raise ThalwegError(
                f"'{validate}' is a directory; runs of ours need --machine MACHINE, those of ICON "
                "a table, CSV or Parquet"
            )
        from thalweg.advisor.prediction.command import validate as validate_runs

        if not validate_runs(validate, fit, check, json_, picture):
            raise typer.Exit(1)
        return
    _refuse((fit, check), ("--fit", "--check"), "goes with --validate RUNS; give both")
    if script is None:
        raise ThalwegError("give a run script or an experiment, or --validate RUNS.csv")
    asked = None
    if machine is None:
        _refuse(
            (*of_machine, simulate, picture), _OF_MACHINE, "goes with --machine MACHINE; give both"
        )
    else:
        from thalweg.advisor.shapes import Asked

        asked = Asked(machine, *of_machine, picture, simulate)
    from thalweg.advisor.command import advise as advise_run

    advise_run(script, set_ or [], cells or [], bytes_per_output or [], bytes_per_restart,
               sample or [], json_, asked)  # fmt: skip


def _refuse(given: Sequence[object], names: Sequence[str], why: str) -> None:
    for value, name in zip(given, names, strict=True):
        if value:
            raise ThalwegError(f"{name} {why}")
