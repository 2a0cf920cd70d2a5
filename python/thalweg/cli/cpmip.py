# SPDX-License-Identifier: Apache-2.0
"""The command cpmip: what the user gives becomes numbers with units."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.errors import ThalwegError

_MB = 1e6  # bytes
_MOST_CORES = 10**9
_SHORTEST_S = 1e-3


def cpmip(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN|LOG|TABLE...",
            help="Run directories, ICON logs, tables of runs (CSV, Parquet), folders of them.",
        ),
    ],
    simulated: Annotated[
        str, typer.Option(metavar="DURATION", help="Model time of each run, e.g. P10D.")
    ] = "",
    cores: Annotated[
        Optional[int],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Option(
            help="Cores of the run; default: ranks x threads as far as known.",
            min=1,
            max=_MOST_CORES,
        ),
    ] = None,
    cores_per_node: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            help="Cores of a node: all of them count, used or not.", min=1, max=_MOST_CORES
        ),
    ] = None,
    read_rate: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MB/S", help="Post-processing reads so fast, 10^6 bytes a second."),
    ] = None,
    write_rate: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MB/S", help="It writes so fast; default: as the run's writer."),
    ] = None,
    write_share: Annotated[
        float, typer.Option(help="Bytes that it writes for each that it reads.")
    ] = 1.0,
    measure_read: Annotated[
        bool, typer.Option("--measure-read", help="Read files of each run, 2 s at most.")
    ] = False,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("-o", "--out", metavar="FILE.json", help="File for the JSON as well."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    json_: Annotated[
        bool, typer.Option("--json", help="Print JSON for a machine to read.")
    ] = False,
) -> None:
    """Tell what a simulated year costs: SYPD, CHSY, data intensity, output cost, post-processing.

    Example: thalweg cpmip runs/jet --read-rate 500
    """
    from thalweg.cpmip.command import cpmip as tell
    from thalweg.cpmip.metrics import Given

    if not math.isfinite(write_share) or write_share < 0.0:
        raise ThalwegError(f"--write-share is {write_share:g}; a number from 0 on is needed")
    if cores is not None and cores_per_node is not None:
        raise ThalwegError("give --cores or --cores-per-node, not both")
    if read_rate is not None and measure_read:
        raise ThalwegError("give --read-rate or --measure-read, not both")
    given = Given(
        simulated_s=_duration_s(simulated) if simulated else None,
        cores=cores,
        cores_per_node=cores_per_node,
        read_rate=_rate("--read-rate", read_rate),
        write_rate=_rate("--write-rate", write_rate),
        write_share=write_share,
        measure_read=measure_read,
    )
    tell(paths, given, out, overwrite=overwrite, as_json=json_)


def _duration_s(text: str) -> float:
    from thalweg.config.durations import parse_duration_s

    try:
        seconds = parse_duration_s(text)
    except ValueError as error:
        raise ThalwegError(f"--simulated: {error}; write it as P10D or PT6H") from None
    if not math.isfinite(seconds) or seconds < _SHORTEST_S:
        raise ThalwegError(f"--simulated is '{text}'; a millisecond or more is needed")
    return seconds


def _rate(option: str, mb_per_s: float | None) -> float | None:
    if mb_per_s is None:
        return None
    if not math.isfinite(mb_per_s) or mb_per_s <= 0.0:
        raise ThalwegError(f"{option} is {mb_per_s:g}; a number of MB/s above 0 is needed")
    return mb_per_s * _MB
