# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise`: the streams of a script or an experiment, as a table or JSON, and warnings."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.advisor.icon_process_page import (
    parallel_as_json,
    print_processes,
    restart_as_json,
)
from thalweg.advisor.icon_sample import read_samples
from thalweg.advisor.icon_stream import Stream
from thalweg.advisor.icon_streams import Answer, find_streams
from thalweg.advisor.own_checkpoints import Checkpoints
from thalweg.advisor.own_experiment import OwnAnswer, OwnStream, find_own_streams
from thalweg.config.calendars import short_interval
from thalweg.config.durations import short_duration
from thalweg.config.experiment import Experiment
from thalweg.config.run_script import RunScript, parse_settings, read_run_script
from thalweg.errors import ThalwegError
from thalweg.tables import print_table

if TYPE_CHECKING:
    from thalweg.advisor.own.command import OwnProposed
    from thalweg.advisor.proposing.command import Proposed
    from thalweg.advisor.shapes import Asked

# What the script would write if the files of these names had these lines.
Told = Callable[[Mapping[str, Sequence[str]]], Answer]
_GB = 1e9
_LONGEST_SIZE = 18  # digits: below an exabyte
_CELLS = re.compile(r"(?:(?:DOM)?0*([0-9]+)=)?([0-9]+)", re.IGNORECASE)
_COLUMNS = (
    "stream", "levels", "mesh", "points", "interval", "outputs", "files", "variables",
    "GB per output", "GB in all",
)  # fmt: skip
_SHOWN_IN_JSON = (
    "name", "level_type", "mesh", "points", "interval_s", "outputs", "variables",
    "unknown_variables", "values_per_output", "bytes_per_output", "bytes_once_per_file", "domain",
    "files", "partitions", "filetype", "operation", "bytes_in_all",
)  # fmt: skip
_OWN_IN_JSON = (*_SHOWN_IN_JSON, "parts", "header_bytes_per_file")


def advise(
    script: Path,
    settings: Sequence[str],
    cells: Sequence[str],
    bytes_per_output: Sequence[str],
    bytes_per_restart: str,
    samples: Sequence[Path],
    as_json: bool,
    asked: Asked | None = None,
) -> None:
    """asked: for what a proposal is wanted."""
    if asked is not None and (asked.write is not None or asked.picture is not None):
        from thalweg.advisor.targets import refuse_targets

        refuse_targets(asked)
    if script.suffix.lower() == ".toml":
        for option, given in (
            ("--cells", cells),
            ("--bytes-per-output", bytes_per_output),
            ("--bytes-per-restart", bytes_per_restart),
            ("--sample", samples),
        ):
            if given:
                raise ThalwegError(f"{option} is for ICON scripts; '{script.name}' tells it itself")
        _advise_own(script, settings, as_json, asked)
        return
    read, told_of = icon_reader(
        script, settings, cells, bytes_per_output, bytes_per_restart, samples
    )
    answer = told_of({})
    proposed = None
    if asked is not None:
        from thalweg.advisor.proposing.command import propose_for

        proposed = propose_for(read, answer, asked, told_of)
        answer.warnings += proposed.warnings
    if as_json:
        more = proposed.as_json() if proposed else {}
        _print_json({**answer_as_json(answer), **more})
    else:
        _print(answer, proposed)


def icon_reader(
    script: Path,
    settings: Sequence[str],
    cells: Sequence[str],
    bytes_per_output: Sequence[str],
    bytes_per_restart: str,
    samples: Sequence[Path],
) -> tuple[RunScript, Told]:
    """An ICON script, and what it would write with other lines; words as on the command line."""
    given_bytes = _parse_bytes(bytes_per_output)
    variables, of_grids = parse_settings(settings), parse_cells(cells)
    restart_bytes = _parse_restart(bytes_per_restart)
    sample = read_samples(samples)

    def told_of(lines: Mapping[str, Sequence[str]]) -> Answer:
        read = read_run_script(script, variables, lines)
        return find_streams(read, of_grids, given_bytes, restart_bytes, sample)

    return read_run_script(script, variables), told_of


def _advise_own(
    path: Path, settings: Sequence[str], as_json: bool, asked: Asked | None
) -> None:  # fmt: skip
    experiment = Experiment.read(path, settings)
    own = find_own_streams(experiment)
    proposed = None
    if asked is not None:
        from thalweg.advisor.own.command import propose_for_own

        proposed = propose_for_own(path, settings, experiment, own, asked)
        own = replace(own, warnings=(*own.warnings, *proposed.warnings))
    if as_json:
        more = proposed.as_json() if proposed else {}
        _print_json({**own_answer_as_json(own), **more})
    else:
        _print_own(own, proposed)


def answer_as_json(answer: Answer) -> dict[str, object]:
    """parallel and restart: of the first atmosphere of the script."""
    streams = [{key: getattr(each, key) for key in _SHOWN_IN_JSON} for each in answer.streams]
    found = answer.processes[:1]
    return {
        "streams": streams,
        "parallel": parallel_as_json(found[0]) if found else None,
        "restart": restart_as_json(found[0].restart) if found else None,
        "warnings": answer.warnings,
    }


def own_answer_as_json(answer: OwnAnswer) -> dict[str, object]:
    """checkpoints: null where the run writes none."""
    streams = [{key: getattr(each, key) for key in _OWN_IN_JSON} for each in answer.streams]
    sets = answer.checkpoints
    more = {"bytes_in_all": sets.bytes_in_all, "bytes_kept": sets.bytes_kept} if sets else {}
    checkpoints = {**asdict(sets), **more} if sets else None
    return {"streams": streams, "checkpoints": checkpoints, "warnings": answer.warnings}


def parse_cells(words: Sequence[str]) -> dict[int, int]:
    """ "N" is that of domain 1 and has the key 0, "DOM=N" that of another."""
    found = {}
    for word in words:
        match = _CELLS.fullmatch(word)
        if match is None or int(match[2]) < 1 or match[1] == "0":
            raise ThalwegError(f"--cells '{word}' is no number of cells; write N or DOMAIN=N")
        found[int(match[1] or 0)] = int(match[2])
    return found


def _parse_bytes(words: Sequence[str]) -> dict[str, int]:
    found = {}
    for word in words:
        name, equals, size = word.rpartition("=")
        if not equals or not name or not _is_size(size):
            raise ThalwegError(
                f"--bytes-per-output '{word}' is no size of a stream; write STREAM=BYTES"
            )
        found[name] = int(size)
    return found


def _parse_restart(word: str) -> int | None:
    if word and not _is_size(word):
        raise ThalwegError(f"--bytes-per-restart '{word}' is no number of bytes; write BYTES")
    return int(word) if word else None


def _is_size(word: str) -> bool:
    return word.isdecimal() and len(word) <= _LONGEST_SIZE


def _print_json(content: dict[str, object]) -> None:
    print(json.dumps(content, indent=1, ensure_ascii=False))


def _print(answer: Answer, proposed: Proposed | None) -> None:
    _print_streams(answer.streams)
    for each in answer.processes:
        print()
        print_processes(each)
    if proposed is not None:
        proposed.print()
    _print_warnings(answer.warnings)


def _print_own(answer: OwnAnswer, proposed: OwnProposed | None) -> None:
    _print_streams(answer.streams)
    if answer.checkpoints:
        _print_checkpoints(answer.checkpoints)
    if proposed is not None:
        proposed.print()
    _print_warnings(answer.warnings)


def _print_streams(streams: Sequence[Stream | OwnStream]) -> None:
    rows = [_row(stream) for stream in streams]
    in_all = sum(stream.bytes_in_all for stream in streams)
    if rows:
        files = sum(stream.files for stream in streams)
        rows.append(["all", "", "", "", "", "", str(files), "", "", f"{in_all / _GB:.3f}"])
        print_table(_COLUMNS, rows, right=_COLUMNS[3:])
    else:
        print("no output streams")


def _print_checkpoints(sets: Checkpoints) -> None:
    columns = ("checkpoints", "interval", "sets", "kept", "files of a set", "GB of a set",
               "GB in all", "GB kept")  # fmt: skip
    row = [
        sets.mode,
        short_duration(sets.interval_s),
        str(sets.sets),
        str(sets.kept),
        str(sets.files),
        f"{sets.bytes_per_set / _GB:.6f}",
        f"{sets.bytes_in_all / _GB:.3f}",
        f"{sets.bytes_kept / _GB:.3f}",
    ]
    print()
    print_table(columns, [row], right=columns[1:])


def _print_warnings(warnings: Sequence[str]) -> None:
    for warning in warnings:
        print(f"warning: {warning}")
    sys.stdout.flush()


def _row(stream: Stream | OwnStream) -> list[str]:
    if isinstance(stream, OwnStream):
        interval = short_duration(stream.interval_s)
    else:
        interval = short_interval(stream.interval)
    return [
        stream.name,
        stream.level_type,
        stream.mesh,
        str(stream.points),
        interval,
        str(stream.outputs),
        str(stream.files),
        str(len(stream.variables)),
        f"{stream.bytes_per_output / _GB:.6f}",
        f"{stream.bytes_in_all / _GB:.3f}",
    ]
