# SPDX-License-Identifier: Apache-2.0
"""The commands of `thalweg`; each imports what it needs only when it is called."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from thalweg.cli.advise import advise
from thalweg.cli.calibrate import calibrate
from thalweg.cli.cpmip import cpmip
from thalweg.cli.kernels import Config, Layout, Target, kernels_app
from thalweg.cli.loc import loc
from thalweg.cli.logs import logs_app
from thalweg.cli.scaling import scaling
from thalweg.cli.submit import submit
from thalweg.cli.tune import tune
from thalweg.errors import ThalwegError, did_you_mean

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="Run directory.")]


class _Commands(TyperGroup):
    """An unknown command becomes one sentence."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            raise ThalwegError(
                f"command '{cmd_name}' does not exist; choose one of: {', '.join(known)}."
                f"{did_you_mean(cmd_name, known)}"
            )
        return command


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Thalweg: fast output for icosahedral weather and climate models.\n\n"
    "Example: thalweg run examples/jet.toml --out my_run",
)
app.add_typer(kernels_app, name="kernels")
app.add_typer(logs_app, name="logs")
app.command()(calibrate)


def _print_version(asked: bool) -> None:
    if asked:
        from thalweg.run.machine import describe_commit, describe_versions

        about = {**describe_versions(), "commit": describe_commit() or "unknown"}
        for name, value in about.items():
            print(f"{name:16} {value}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="What a bug report needs: commit, libraries, compiler, instruction set.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


@app.command()
def run(
    case: Annotated[Path, typer.Argument(metavar="CASE.toml", help="Experiment to run.")],
    ranks: Annotated[
        Optional[int],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Option(help="Ranks in all, I/O ranks included; default: as [machine] says.", min=1),
    ] = None,
    set_: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer evaluates it on Python 3.10 too
        typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change one setting; repeatable."),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("-o", "--out", help="Run directory to make; default runs/CASE-TIMESTAMP."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old run.")] = False,
    continue_: Annotated[
        bool, typer.Option("--continue", help="Go on with the run in --out from its checkpoint.")
    ] = False,
    target: Annotated[
        str,
        typer.Option(
            help="Of the model's kernels: simd, serial, openmp, mpi, onesided, or cuda, thread by "
            "thread on the CPU. A program each, built when first asked for. Without it simd, or "
            "with --continue that of before."
        ),
    ] = "",
    json_: Json = False,
) -> None:
    """Run a case and leave a run directory.

    Example: thalweg run examples/jet.toml --ranks 3 --set output.jet.interval=PT30M --out my_run
    """
    from thalweg.run.runner import RunRequest, run_case
    from thalweg.run.summary import print_summary

    request = RunRequest(case, ranks or 0, set_ or [], out, overwrite, json_, continue_, target)
    done = run_case(request)
    if json_:
        print(done.summary_path.read_text(encoding="utf-8"), end="")
    else:
        print_summary(done)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where runs and report go.")] = Path(
        "demo"
    ),
    duration: Annotated[str, typer.Option(help="Simulated time, ISO 8601.")] = "",
    json_: Json = False,
) -> None:
    """Compare serial and asynchronous output on the example case; 90 s on 2 cores, once built.

    Example: thalweg demo
    """
    from thalweg.demo.command import DURATION
    from thalweg.demo.command import demo as demonstrate
    from thalweg.files.run_directory import read_json

    with contextlib.redirect_stdout(sys.stderr if json_ else sys.stdout):
        page = demonstrate(out, duration or DURATION)
    if json_:
        runs = {path.parent.name: read_json(path) for path in sorted(out.glob("*/run.json"))}
        print(json.dumps({"report": str(page), "runs": runs}))


@app.command()
def bench(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Benchmark; none = list them.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the bars; exit 1 if one is missed.")
    ] = False,
    json_: Json = False,
    quick: Annotated[bool, typer.Option("--quick", help="A small grid, once; no figures.")] = False,
    layer: Annotated[str, typer.Option(help="MPI-IO layer: ompio, romio or both.")] = "both",
    repetitions: Annotated[
        int, typer.Option(help="Trials of each method; 0 = the benchmark's own number.", min=0)
    ] = 0,
    directory: Annotated[
        Path, typer.Option(help="Where it writes; files are removed afterwards.")
    ] = Path(),
    target: Annotated[
        str, typer.Option(help="Of kernels: mpi or onesided, how much overlap hides.")
    ] = "",
    bars: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Bars for --check; default bench/bars.toml of the checkout."),
    ] = None,
) -> None:
    """Measure this machine and file system against what others do, or list the benchmarks.

    Example: thalweg bench output --check --directory /scratch
    """
    from thalweg.lab.bars import BARS_PATH
    from thalweg.lab.bench import BenchOptions, list_benchmarks
    from thalweg.lab.bench import bench as run_benchmark
    from thalweg.tables import print_entries

    if not name:
        print_entries(list_benchmarks(), json_)
        return
    options = BenchOptions(
        check, json_, quick, layer, repetitions, directory, target, bars or BARS_PATH
    )
    raise typer.Exit(0 if run_benchmark(name, options) else 1)


@app.command()
def sweep(
    case: Annotated[Path, typer.Argument(metavar="CASE.toml", help="File with a [sweep] table.")],
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "-o", "--out", help="Directory of the sweep; default sweeps/CASE. Resumed if it exists."
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Run an experiment with every combination of some settings; resumes where it stopped.

    Example: thalweg sweep examples/sweep_small.toml --out my_sweep
    """
    from thalweg.lab.sweep import run_sweep

    raise typer.Exit(0 if run_sweep(case, out, json_) else 1)


@app.command("test")
def check_everything(
    k: Annotated[
        str, typer.Option("-k", metavar="EXPRESSION", help="Only pytest's tests that match.")
    ] = "",
    slow: Annotated[bool, typer.Option("--slow", help="The slow tests as well.")] = False,
) -> None:
    """Run every check and test of the checkout.

    Example: thalweg test -k same_bits --slow
    """
    from thalweg.cli.checks import run_tests

    raise typer.Exit(run_tests(k, slow))


@app.command()
def verify(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run directory or file of output.")],
    against: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="RUN", help="Compare point by point with this run."),
    ] = None,
    json_: Json = False,
) -> None:
    """Print minimum, maximum, sum and checksum of every field; exit 1 if two runs differ.

    Example: thalweg verify my_run --against other_run
    """
    from thalweg.verify.command import verify as verify_run

    raise typer.Exit(0 if verify_run(run, against, json_) else 1)


@app.command()
def merge(
    inputs: Annotated[
        list[Path],
        typer.Argument(metavar="INDEX|PART...", help="Index file, or the files of all writers."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="netCDF file to write.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Read the file back and compare every value.")
    ] = False,
    json_: Json = False,
) -> None:
    """Make one file of the files that the writers of mode file_parallel wrote.

    Example: thalweg merge my_run/files/main_20000101T000000Z.nc -o main.nc
    """
    from thalweg.merge.command import merge as merge_files

    merge_files(inputs, out, overwrite=overwrite, check=check, as_json=json_)


@app.command()
def trace(
    run: RunPath,
    field: Annotated[str, typer.Option(help="Field to follow, e.g. ta.")],
    cell: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Global index of a cell, from 0."),
    ] = None,
    edge: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Global index of an edge, from 0."),
    ] = None,
    vertex: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Global index of a vertex, from 0."),
    ] = None,
    level: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Level of the model, 1 = first; default the file's first."),
    ] = None,
    time: Annotated[int, typer.Option(help="Output number in its stream, from 0.")] = 0,
    stream: Annotated[str, typer.Option(help="Stream, if several hold the field.")] = "",
    calls: Annotated[bool, typer.Option("--calls", help="Show who called whom.")] = False,
    json_: Json = False,
) -> None:
    """Follow one value from the kernel to its bytes in the file.

    Example: thalweg trace my_run --field vor --cell 8888 --level 7 --time 3
    """
    from thalweg.trace.command import trace as trace_value
    from thalweg.trace.place import TraceRequest

    given = [
        (n, i) for n, i in (("cell", cell), ("edge", edge), ("vertex", vertex)) if i is not None
    ]
    if len(given) != 1:
        raise ThalwegError("give exactly one of --cell, --edge and --vertex")
    trace_value(run, TraceRequest(field, *given[0], level, time, stream), json_, calls)


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.")],
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("-o", "--out", help="HTML file; default report.html in the (first) run."),
    ] = None,
    json_: Json = False,
) -> None:
    """Write one HTML page about runs, a sweep, or lines of `bench kernels --json` (LINES.jsonl).

    Example: thalweg report demo/serial demo/async -o comparison.html
    """
    from thalweg.files.run_directory import RunDirectory
    from thalweg.report import write_report

    lines = len(runs) == 1 and runs[0].is_file() and runs[0].suffix == ".jsonl"
    for path in runs:
        if not path.is_dir() and not lines:
            wrong = "is no directory" if path.exists() else "does not exist"
            raise ThalwegError(f"'{path}' {wrong}; give the directory of a run")
    if out is not None and not out.name:
        raise ThalwegError(f"'{out}' is the name of no file; give that of the page to write")
    try:
        beside = runs[0].with_suffix(".html") if lines else RunDirectory(runs[0]).report_path
        page = write_report(runs, out or beside)
        print(json.dumps({"page": str(page)}) if json_ else page)
    except OSError as error:
        raise ThalwegError(f"the report cannot be written: {error}") from error


@app.command()
def grid(
    name: Annotated[str, typer.Argument(metavar="RnBk", help="Grid, e.g. R2B4.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="netCDF file to write.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    json_: Json = False,
) -> None:
    """Write a grid as a UGRID file.

    Example: thalweg grid R2B4 -o grid.nc
    """
    from thalweg.cli.model import write_grid

    write_grid(name, out, overwrite, json_)


app.command("advise")(advise)
app.command("cpmip")(cpmip)
app.command("loc")(loc)
app.command("scaling")(scaling)
app.command("submit")(submit)
app.command("tune")(tune)


@app.command()
def modes(json_: Json = False) -> None:
    """List the output modes, the restart modes and the containers.

    Example: thalweg modes
    """
    from thalweg.cli.model import print_modes

    print_modes(json_)


@app.command()
def fields(json_: Json = False) -> None:
    """List the fields the mini-model can write. Those on request are not in "all".

    Example: thalweg fields --json
    """
    from thalweg.cli.model import print_fields

    print_fields(json_)


@app.command()
def settings(
    json_: Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write docs/settings.md of the checkout.")
    ] = False,
) -> None:
    """List every setting of an experiment.

    Example: thalweg settings
    """
    from thalweg.cli.settings import print_settings

    print_settings(json_, markdown)


@app.command()
def translate(
    kernel: Annotated[str, typer.Argument(help="A kernel's name, or FILE.py or FILE.py:NAME.")],
    target: Target = None,
    layout: Layout = None,
    config: Config = None,
    show: Annotated[
        str, typer.Option(help="code, fortran (a module) or ir (what was understood).")
    ] = "code",
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("-o", "--out", help="File to write; default: print."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an old file.")] = False,
    json_: Json = False,
) -> None:
    """Translate a kernel of the stencil language into code for a target.

    Example: thalweg translate gradient --target serial
    """
    from thalweg.cli.kernels import configured
    from thalweg.cli.kernels import translate as translate_kernel

    configuration = configured(target, layout, config)
    translate_kernel(kernel, configuration, show, out, overwrite=overwrite, as_json=json_)


@functools.cache
def command() -> Any:
    """All commands with their options, which typer takes 0.1 s to look up."""
    return typer.main.get_command(app)
