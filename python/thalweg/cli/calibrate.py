# SPDX-License-Identifier: Apache-2.0
"""`thalweg calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.errors import ThalwegError

LONGEST_MINUTES = 60.0
MINUTES = 3.0


def calibrate(
    directory: Annotated[
        Path, typer.Option(help="On the file system to measure; nothing is left there.")
    ] = Path(),
    ranks: Annotated[
        int, typer.Option(help="0 = all of the allocation, or the cores of this machine.", min=0)
    ] = 0,
    minutes: Annotated[
        float,
        typer.Option(
            help="About how long it takes; below 0.5 it is only seen to work.",
            min=0.01,
            max=LONGEST_MINUTES,
        ),
    ] = MINUTES,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="MACHINE.toml", help="File to write.")
    ] = Path("machine.toml"),
    from_: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--from",
            metavar="RUNS",
            help="Measure nothing: fit to runs of ICON that exist, CSV or Parquet.",
        ),
    ] = None,
    levels: Annotated[
        int, typer.Option(help="With --from: levels that those runs had; 0 = not told.", min=0)
    ] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    json_: Annotated[
        bool, typer.Option("--json", help="Print JSON for a machine to read.")
    ] = False,
) -> None:
    """Measure what advise needs to know of this machine: steps, messages, files; docs/calibrate.md.
    With --from fit it to runs of ICON, for advise --machine; docs/propose.md.

    Example: thalweg calibrate --directory /scratch/me -o machine.toml
    """
    if from_ is not None:
        if directory != Path() or ranks or minutes != MINUTES:
            raise ThalwegError(
                "--directory, --ranks and --minutes are for measuring; leave them out with --from"
            )
        from thalweg.advisor.proposing.fit_command import fit_to_file

        fit_to_file(from_, out, levels, overwrite, json_)
        return
    if levels:
        raise ThalwegError("--levels goes with --from RUNS; give both")
    from thalweg.calibrate.command import CalibrateRequest
    from thalweg.calibrate.command import calibrate as measure

    measure(CalibrateRequest(directory, out, ranks, minutes, overwrite, json_))
