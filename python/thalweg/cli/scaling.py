# SPDX-License-Identifier: Apache-2.0
"""`thalweg scaling`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.cli.kernels import Json
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.kernels.device import has_gpu

MOST = 4096  # ranks of a node, threads of a rank
MOST_ROWS = 1_000_000


def scaling(
    kernel: Annotated[str, typer.Argument(help="A kernel on hexagons.")] = "caldyn_horiz",
    target: Annotated[str, typer.Option(help="mpi, onesided or both, as A,B.")] = "mpi,onesided",
    ranks: Annotated[str, typer.Option(help="Numbers, as A,B,C.")] = "1,2",
    threads: Annotated[str, typer.Option(help="Of each rank, as A,B.")] = "1",
    cells: Annotated[
        str, typer.Option(help="I x J: of all ranks (strong), of each (weak).")
    ] = "96x192",
    levels: Annotated[int, typer.Option(min=1, max=1000)] = 30,
    repetitions: Annotated[int, typer.Option(min=1, max=100)] = 5,
    gpus: Annotated[bool, typer.Option("--gpus", help="A GPU for each rank.")] = False,
    probes: Annotated[
        bool,
        typer.Option(
            "--probes/--no-probes", help="Also two ranks with little and with much to exchange."
        ),
    ] = True,
    from_: Annotated[
        Optional[Path],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Option("--from", metavar="FOLDER", help="Measure nothing: tell what is there."),
    ] = None,
    jobs: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NODES", help="Measure nothing: Slurm scripts, a number of nodes each."
        ),
    ] = None,
    ranks_per_node: Annotated[int, typer.Option(min=1, max=MOST)] = 128,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="FOLDER", help="Lines are added to, not replaced."),
    ] = Path("scaling"),
    json_: Json = False,
) -> None:
    """Measure a kernel on more and more ranks: time of computing, packing and waiting; a picture.

    Example: thalweg scaling caldyn_horiz --ranks 1,2 --threads 1,2
    """
    from thalweg.kernels.any_kernel import Shape
    from thalweg.kernels.library import find_kernel
    from thalweg.lab.rank_trials import Wish
    from thalweg.scaling.command import MOST_RANKS, check, scale, tell, write_jobs

    if from_ is not None:
        if jobs is not None:
            raise ThalwegError("--jobs writes scripts, and --from tells what is there; give one")
        tell(from_, json_)
        return
    targets = target.split(",")
    for each in targets:
        if each not in ("mpi", "onesided"):
            raise ThalwegError(
                f"--target '{each}' is no target on ranks; choose mpi, onesided or both."
                f"{did_you_mean(each, ('mpi', 'onesided'))}"
            )
    i, by, j = cells.partition("x")
    if not by:
        raise ThalwegError(f"--cells: '{cells}' is no I x J, as 96x192")
    shape = Shape(_number("--cells", i, MOST_ROWS), _number("--cells", j, MOST_ROWS), levels)
    wish = Wish(find_kernel(kernel), targets, _numbers("--ranks", ranks, MOST_RANKS),
                _numbers("--threads", threads), shape, repetitions, probes=probes,
                on_gpus=gpus)  # fmt: skip
    if gpus and wish.threads != [1]:
        raise ThalwegError("--gpus goes with one thread a rank")
    if jobs is not None:
        words = [kernel, "--target", target, "--threads", threads, "--cells", cells]
        words += ["--levels", str(levels), "--repetitions", str(repetitions)]
        words += ["--gpus"] if gpus else []
        write_jobs(wish, words, _numbers("--jobs", jobs, MOST_RANKS), ranks_per_node, out)
        return
    if gpus and not has_gpu():
        raise ThalwegError(
            "--gpus needs a GPU, and there is none here; with --jobs it writes a cluster's scripts"
        )
    check(wish)
    scale(wish, out, json_)


def _numbers(option: str, text: str, most: int = MOST) -> list[int]:
    return list(dict.fromkeys(_number(option, each, most) for each in text.split(",")))


def _number(option: str, text: str, most: int) -> int:
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not digits or not 0 < int(text) <= most:
        shown = text if len(text) < 40 else f"{text[:20]}..."
        raise ThalwegError(f"{option}: '{shown}' is no number from 1 to {most}")
    return int(text)
