# SPDX-License-Identifier: Apache-2.0
"""The command loc: what the user gives becomes kernels and the size of a model."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.cli.kernels import Config, Json, Layout, configured
from thalweg.errors import ThalwegError

LARGEST = 1e9  # thousand lines, or euros


def loc(
    names: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Argument(
            metavar="[KERNEL|FILE.py|FOLDER]...",
            help="What to count, files and folders as one application; none = all our kernels.",
        ),
    ] = None,
    layout: Layout = None,
    config: Config = None,
    kloc: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Thousand lines of the model whose cost is estimated; default 400."),
    ] = None,
    reducible: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Thousand lines of it that are stencils; default 300."),
    ] = None,
    month: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option("--month", metavar="EUROS", help="Price of a person-month; default 5000."),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("-o", "--out", metavar="FILE.json", help="File for the JSON as well."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    json_: Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write the tables of docs/loc.md of the checkout.")
    ] = False,
) -> None:
    """Count lines of kernels, of their code for each target and of originals; what that saves.

    Example: thalweg loc gradient mini/kernels/pvort.py
    """
    from thalweg.loc.cocomo import MODEL_KLOC, MONTH_EUROS, REDUCIBLE_KLOC, Model
    from thalweg.loc.command import loc as tell
    from thalweg.loc.command import page_part
    from thalweg.loc.page import write_page

    if markdown and any((names, layout, config, kloc, reducible, month, out, json_)):
        raise ThalwegError("--markdown writes the tables of all our kernels; give it alone")
    if markdown:
        print(write_page(page_part()))
        return

    for option, value in (("--kloc", kloc), ("--reducible", reducible), ("--month", month)):
        if value is None:
            continue
        if names:
            raise ThalwegError(f"{option} goes with all our kernels; leave out '{names[0]}'")
        if not math.isfinite(value) or value <= 0.0:
            raise ThalwegError(f"{option} is {value:g}; a number above 0 is needed")
        if value > LARGEST:
            raise ThalwegError(f"{option} is {value:g}; at most {LARGEST:g} makes sense")
    model = Model(kloc or MODEL_KLOC, reducible or REDUCIBLE_KLOC, month or MONTH_EUROS)
    if model.reducible > model.kloc:
        raise ThalwegError(
            f"a model of {model.kloc:g} thousand lines has no {model.reducible:g} thousand of "
            "stencils; give both, --kloc and --reducible"
        )
    tell(names or [], configured(None, layout, config), model, out, overwrite=overwrite,
         as_json=json_)  # fmt: skip
