# SPDX-License-Identifier: Apache-2.0
"""Commands about kernels: translate, kernels list, kernels run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from thalweg.dsl import Kernel
    from thalweg.dsl.configuration import Configuration

kernels_app = typer.Typer(
    help="List the kernels of the mini-models, and run one by itself.\n\n"
    "Example: thalweg kernels run gradient --target serial",
    no_args_is_help=True,
)
Target = Annotated[
    Optional[str],  # noqa: UP045 - typer evaluates it on Python 3.10 too
    typer.Option(help="numpy, serial, openmp, simd, cuda, mpi or onesided; default: serial."),
]
Layout = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(help="level_innermost, point_innermost or blocked; default: level_innermost."),
]
Config = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(help="TOML file with target, layout, block, precision …; options come before it."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]


@kernels_app.command("list")
def list_kernels(json_: Json = False) -> None:
    """List every kernel: what it computes, and where it is written.

    Example: thalweg kernels list
    """
    from thalweg.kernels.library import all_kernels
    from thalweg.tables import print_entries

    entries = [
        {"kernel": name, "file": each.ir.file_name, "meaning": _first_sentence(each.ir.doc)}
        for name, each in all_kernels().items()
    ]
    print_entries(entries, json_)


def _first_sentence(doc: str) -> str:
    """To its full stop, which that of "et al." is not, on one line."""
    paragraph = " ".join(doc.split("\n\n")[0].split())
    return re.split(r"(?<=\.)(?<!\bal\.) ", paragraph, maxsplit=1)[0]


@kernels_app.command("run")
def run(
    name: Annotated[
        str, typer.Argument(help="Kernel, FILE.py:KERNEL, or a set of vectors such as icon_like.")
    ],
    data: Annotated[
        Optional[Path],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Option(
            help="Vectors (.npz) with inputs and expected outputs; none = made-up inputs."
        ),
    ] = None,
    target: Target = None,
    layout: Layout = None,
    config: Config = None,
    repeat: Annotated[
        int, typer.Option(help="How often; each time on the same inputs.", min=1)
    ] = 1,
    ranks: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Of target mpi or onesided; default: 2.", min=1, max=256),
    ] = None,
    json_: Json = False,
) -> None:
    """Run a kernel, compare its values, print its time; exit 1 if a value differs too much.

    Without --data the target numpy is what it is compared with.

    Example: thalweg kernels run gradient --target serial --repeat 10
    """
    from thalweg.errors import ThalwegError
    from thalweg.kernels.device import has_gpu
    from thalweg.kernels.run import print_outcome, run_cases
    from thalweg.kernels.starting_ranks import Launch
    from thalweg.run.launch import mpirun_command, mpirun_environment

    outcomes = []
    configuration = configured(target, layout, config)
    if ranks and not configuration.is_on_ranks:
        raise ThalwegError(f"--ranks is nothing for target '{configuration.target}'")
    launch = Launch(ranks or 2, mpirun_command, mpirun_environment)
    if configuration.target == "cuda" and not has_gpu():
        typer.echo(
            "thalweg: no GPU here: its threads run one after the other on this CPU", err=True
        )
    for number, outcome in enumerate(run_cases(name, data, configuration, repeat, launch), start=1):
        outcomes.append(outcome)
        if not json_:
            print_outcome(outcome, number)
    if json_:
        print(json.dumps([each.as_json() for each in outcomes], indent=1))
    raise typer.Exit(0 if all(each.passed for each in outcomes) else 1)


@kernels_app.command("compare")
def compare(
    names: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Argument(metavar="[KERNEL]...", help="Kernels; none = all of this checkout."),
    ] = None,
    ranks: Annotated[int, typer.Option(help="Of targets mpi and onesided.", min=1, max=256)] = 3,
    json_: Json = False,
    models: Annotated[
        bool, typer.Option("--models", help="Of whole runs of both mini-models instead.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write the table of docs/targets.md.")
    ] = False,
) -> None:
    """Say for every target whether it gives the reference's bits; exit 1 if a value is wrong.

    Compiles each kernel for each target: all of them take half an hour. --models builds the
    mini-models for each target.

    Example: thalweg kernels compare divergence caldyn_horiz
    """
    from thalweg.errors import ThalwegError
    from thalweg.kernels.compare import compare as compared
    from thalweg.kernels.comparison_page import print_rows, write_page
    from thalweg.kernels.library import all_kernels, find_kernel
    from thalweg.kernels.run import BUILT
    from thalweg.kernels.starting_ranks import Launch
    from thalweg.lab.model_targets import compare_models
    from thalweg.run.launch import mpirun_command, mpirun_environment

    if models:
        if names or json_:
            raise ThalwegError("--models goes with --ranks and --markdown, and names no kernel")
        raise typer.Exit(0 if compare_models(ranks, markdown) else 1)
    if markdown and names:
        raise ThalwegError("--markdown writes the table of all kernels; name none")
    kernels = [find_kernel(each) for each in names] if names else list(all_kernels().values())
    launch = Launch(ranks, mpirun_command, mpirun_environment)
    rows = []
    for number, kernel in enumerate(kernels, start=1):
        typer.echo(f"thalweg: {number} of {len(kernels)}: {kernel.name}", err=True)
        rows.append(compared(kernel, BUILT, launch))
    if markdown:
        write_page(rows)
    print_rows(rows, json_)
    raise typer.Exit(0 if all(each.passed for each in rows) else 1)


def configured(target: str | None, layout: str | None, config: Path | None) -> Configuration:
    """What the file says, changed by what the options say."""
    from thalweg.dsl.configuration import Configuration
    from thalweg.kernels.configured import read_configuration

    if config:
        return read_configuration(config, target=target, layout=layout)
    return Configuration().changed(target=target, layout=layout)


def translate(
    name: str,
    configuration: Configuration,
    show: str,
    out: Path | None,
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Print or write the code of a kernel, or print what the language understood of it."""
    from thalweg.dsl.printing import print_ir
    from thalweg.dsl.targets import fortran_target
    from thalweg.errors import ThalwegError, did_you_mean
    from thalweg.files.targets import refuse_target, write_whole
    from thalweg.kernels.compiled import translate as translated
    from thalweg.kernels.library import find_kernel

    shown: dict[str, Callable[[Kernel], str]] = {
        "code": lambda kernel: translated(kernel, configuration),
        "ir": lambda kernel: print_ir(kernel.ir),
        "fortran": lambda kernel: fortran_target.translate(kernel.ir, configuration),
    }
    if show not in shown:
        raise ThalwegError(
            f"--show '{show}' does not exist; choose one of: {', '.join(shown)}."
            f"{did_you_mean(show, shown)}"
        )
    kernel = find_kernel(name)
    text = shown[show](kernel)
    if out is not None and out.resolve() == Path(kernel.ir.file).resolve():
        raise ThalwegError(f"'{out}' is the file of the kernel; name another one for its code")
    if out is not None:
        refuse_target(out, overwrite)
        write_whole(out, text)
    if as_json:
        print(json.dumps({"kernel": kernel.name, "target": configuration.target, show: text}))
    elif out is None:
        print(text, end="")
