# SPDX-License-Identifier: Apache-2.0
"""Words of `thalweg submit`: a script to try a proposal of, or a directory with test runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from thalweg.config.durations import parse_duration_s
from thalweg.errors import ThalwegError

Paths = Optional[list[Path]]  # noqa: UP045
Words = Optional[list[str]]  # noqa: UP045
Given = Optional[Path]  # noqa: UP045
_MOST_RUNS = 20  # each costs a job of all nodes


def submit(
    script: Annotated[Given, typer.Argument(metavar="SCRIPT", help="ICON run script.")] = None,
    machine: Annotated[
        Given, typer.Option(metavar="MACHINE", help="As for 'advise': machine.toml, or runs.")
    ] = None,
    nodes: Annotated[int, typer.Option(metavar="N", help="Nodes of each test run.")] = 0,
    ranks_per_node: Annotated[
        int, typer.Option(metavar="P", help="Ranks on a node; 0 = as the fitted runs.")
    ] = 0,
    runs: Annotated[int, typer.Option(metavar="K", help="Test runs, at most.")] = 5,
    duration: Annotated[
        str, typer.Option(metavar="ISO", help="Model time of a test run, as PT6H; else as needed.")
    ] = "",
    directory: Annotated[
        Given, typer.Option(metavar="DIR", help="To make; default SCRIPT.tests here.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write, do not submit.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the jobs, then collect.")] = False,
    collect: Annotated[
        Given, typer.Option(metavar="DIR", help="States and times of the test runs in DIR.")
    ] = None,
    continue_: Annotated[
        Given, typer.Option("--continue", metavar="DIR", help="Submit what in DIR is not yet.")
    ] = None,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Jobs do not wait for one another.")
    ] = False,
    time_limit: Annotated[
        str, typer.Option(metavar="ISO", help="Of each job; else three times what is predicted.")
    ] = "",
    directory_variable: Annotated[
        str, typer.Option(metavar="NAME", help="Variable of the script for the run's directory.")
    ] = "EXPDIR",
    keep_directory: Annotated[
        bool, typer.Option("--keep-directory", help="Also where the script goes elsewhere.")
    ] = False,
    link: Annotated[
        Paths, typer.Option(metavar="FILE", help="Link into each directory; repeatable.")
    ] = None,
    every: Annotated[
        str, typer.Option(metavar="ISO", help="With --wait: look so often.")
    ] = "PT30S",
    at_most: Annotated[str, typer.Option(metavar="ISO", help="With --wait: no longer.")] = "P1D",
    set_: Annotated[
        Words, typer.Option("--set", metavar="NAME=VALUE", help="As for 'advise'; repeatable.")
    ] = None,
    cells: Annotated[Words, typer.Option(metavar="[DOMAIN=]N", help="As for 'advise'.")] = None,
    bytes_per_output: Annotated[
        Words, typer.Option(metavar="STREAM=BYTES", help="As for 'advise'.")
    ] = None,
    bytes_per_restart: Annotated[
        str, typer.Option(metavar="BYTES", help="Size of a restart set of ICON.")
    ] = "",
    sample: Annotated[Paths, typer.Option(metavar="FILE", help="As for 'advise'.")] = None,
    step: Annotated[
        str, typer.Option(metavar="S@RANKS", help="Seconds of a step on so many compute ranks.")
    ] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
) -> None:
    """Try a proposal of 'advise' and its neighbours in short Slurm jobs, and show measured times
    beside predicted ones; docs/submit.md.

    Example: thalweg submit exp.my_run --machine machine.toml --nodes 4 --wait
    """
    chosen = [each for each in (script, collect, continue_) if each is not None]
    if len(chosen) != 1:
        raise ThalwegError("give one of: a run script, --collect DIR, --continue DIR")
    every_s, at_most_s = _seconds(every, "--every"), _seconds(at_most, "--at-most")
    limit_s = _seconds(time_limit, "--time-limit") if time_limit else 0.0
    of_script: list[object] = [
        machine,
        nodes,
        ranks_per_node,
        duration,
        directory,
        at_once,
        time_limit,
        link,
    ]
    of_script += [keep_directory, set_, cells, bytes_per_output, bytes_per_restart, sample, step]
    if script is None:
        if any(of_script):
            raise ThalwegError("what tells of a script is in DIR already; leave it out")
        if collect is not None and dry_run:
            raise ThalwegError("--dry-run is for what is submitted; leave it out")
    else:
        _check(script, machine, runs, dry_run and wait, directory_variable, link or [])
    from thalweg.submit.command import Follow, collect_from, submit_again, submit_new

    follow = Follow(dry_run, wait, every_s, at_most_s, json_)
    if collect is not None:
        raise typer.Exit(collect_from(collect, follow))
    if continue_ is not None:
        raise typer.Exit(submit_again(continue_, follow))
    assert script is not None
    assert machine is not None
    from thalweg.advisor.command import icon_reader
    from thalweg.advisor.shapes import Asked
    from thalweg.submit.prepare import Wish

    read, told_of = icon_reader(script, set_ or [], cells or [], bytes_per_output or [],
                                bytes_per_restart, sample or [])  # fmt: skip
    wish = Wish(
        directory or Path(f"{script.name}.tests"), runs, duration, step, limit_s, at_once,
        directory_variable, keep_directory, link or [],
    )  # fmt: skip
    asked = Asked(machine, nodes, ranks_per_node, step)
    raise typer.Exit(submit_new(read, told_of, asked, wish, follow))


def _seconds(word: str, option: str) -> float:
    try:
        seconds = parse_duration_s(word)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < 1e9:
        raise ThalwegError(f"{option} '{word}' is no time; write it as PT30S or PT2H")
    return seconds


def _check(
    script: Path, machine: Path | None, runs: int, both: bool, variable: str, links: list[Path]
) -> None:
    if script.suffix.lower() == ".toml":
        raise ThalwegError(f"'{script}' is an experiment of ours; test runs are for ICON scripts")
    if machine is None:
        raise ThalwegError("a proposal needs the machine; give --machine MACHINE and --nodes N")
    if not 1 <= runs <= _MOST_RUNS:
        raise ThalwegError(f"--runs is {runs}; give 1 to {_MOST_RUNS}")
    if both:
        raise ThalwegError("--dry-run submits nothing that --wait could wait for; give one")
    if variable and not variable.isidentifier():
        raise ThalwegError(f"--directory-variable '{variable}' is the name of no variable")
    for path in links:
        if not path.exists():
            raise ThalwegError(f"--link '{path}' does not exist")
