# SPDX-License-Identifier: Apache-2.0
"""Commands about runs that exist: logs import, logs columns."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.errors import ThalwegError

logs_app = typer.Typer(
    help="Read what runs that exist tell about themselves.\n\n"
    "Example: thalweg logs import LOG.exp.my_run.run.4711.o -o runs.parquet",
    no_args_is_help=True,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]


@logs_app.command("import")
def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="ICON logs, tables of runs (CSV), Darshan logs, run directories, folders of them.",
        ),
    ],
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Option("-o", "--out", metavar="TABLE.parquet", help="Parquet file to write."),
    ] = None,
    script: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--script",
            metavar="SCRIPT",
            help="Script or namelist of these runs of ICON: cells, outputs, checkpoints, which "
            "logs do not tell.",
        ),
    ] = None,
    settings: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--set", metavar="NAME=VALUE", help="A variable that the script leaves open."),
    ] = None,
    cells: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--cells", metavar="[DOMAIN=]N", help="Cells of a grid that is not here."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    json_: Json = False,
) -> None:
    """Make one table of runs, a row each, and say what their sources tell differently.

    Example: thalweg logs import measurements/ -o runs.parquet
    """
    from thalweg.logs.command import import_logs

    complete = None
    if script is not None:
        from thalweg.advisor.command import icon_reader
        from thalweg.advisor.proposing.run_script_facts import FactsOfScript

        _, told_of = icon_reader(script, settings or [], cells or [], [], "", [])
        answer = told_of({})
        for warning in answer.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        complete = FactsOfScript(script, answer).complete
    elif settings or cells:
        raise ThalwegError("--set and --cells are of a --script; give it, too")
    import_logs(paths, out, overwrite=overwrite, as_json=json_, complete=complete)


@logs_app.command("columns")
def columns(json_: Json = False) -> None:
    """List the columns of the table: type, unit, meaning.

    Example: thalweg logs columns
    """
    from thalweg.logs.command import print_columns

    print_columns(json_)
