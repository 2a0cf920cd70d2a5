# SPDX-License-Identifier: Apache-2.0
"""Words of `thalweg advise`: a script to tell about, or tables of runs to validate with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.errors import ThalwegError

RunTable = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        metavar="RUNS", help="Table of measured runs, CSV or Parquet: predict each group of them."
    ),
]
FitTable = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(metavar="RUNS", help="With --validate: fit on this table, predict the other."),
]
Picture = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(metavar="FILE", help="With --validate: draw predicted against measured."),
]
ScriptWords = tuple[Sequence[str], Sequence[str], Sequence[str], str, Sequence[Path]]
_OF_SCRIPT = ("--set", "--cells", "--bytes-per-output", "--bytes-per-restart", "--sample")
TableWords = tuple[Optional[Path], Optional[Path], bool, Optional[Path]]  # noqa: UP045


def advise_or_validate(
    script: Path | None, of_script: ScriptWords, of_tables: TableWords, as_json: bool
) -> bool:
    """False if --check found a bar missed. Raises a sentence where words do not go together."""
    table, fit_table, check, picture = of_tables
    if table is not None:
        if script is not None:
            raise ThalwegError(f"--validate takes no script; leave out '{script}'")
        _refuse(of_script, _OF_SCRIPT, "is for a script; leave it out with --validate")
        from thalweg.advisor.prediction.command import validate

        return validate(table, fit_table, check, as_json, picture)
    _refuse((fit_table, check, picture), ("--fit", "--check", "--picture"),
            "goes with --validate RUNS.csv; give both")  # fmt: skip
    if script is None:
        raise ThalwegError("give a run script or an experiment, or --validate RUNS.csv")
    from thalweg.advisor.command import advise

    advise(script, *of_script, as_json)
    return True


def _refuse(given: Sequence[object], names: Sequence[str], why: str) -> None:
    for value, name in zip(given, names, strict=True):
        if value:
            raise ThalwegError(f"{name} {why}")
