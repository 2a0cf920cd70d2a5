# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise`: the streams of a run script as a table or as JSON, and warnings."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from thalweg.advisor.icon_stream import Stream
from thalweg.advisor.icon_streams import Answer, find_streams
from thalweg.config.durations import short_duration
from thalweg.config.run_script import parse_settings, read_run_script
from thalweg.errors import ThalwegError
from thalweg.tables import print_table

_GB = 1e9
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


def advise(
    script: Path,
    settings: Sequence[str],
    cells: Sequence[str],
    bytes_per_output: Sequence[str],
    as_json: bool,
) -> None:
    given_bytes = _parse_bytes(bytes_per_output)
    read = read_run_script(script, parse_settings(settings))
    answer = find_streams(read, parse_cells(cells), given_bytes)
    if as_json:
        print(json.dumps(answer_as_json(answer), indent=1, ensure_ascii=False))
        return
    _print(answer)


def answer_as_json(answer: Answer) -> dict[str, object]:
    streams = [{key: getattr(each, key) for key in _SHOWN_IN_JSON} for each in answer.streams]
    return {"streams": streams, "warnings": answer.warnings}


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
        if not equals or not name or not size.isdecimal():
            raise ThalwegError(
                f"--bytes-per-output '{word}' is no size of a stream; write STREAM=BYTES"
            )
        found[name] = int(size)
    return found


def _print(answer: Answer) -> None:
    rows = [_row(stream) for stream in answer.streams]
    in_all = sum(stream.bytes_in_all for stream in answer.streams)
    if rows:
        files = sum(stream.files for stream in answer.streams)
        rows.append(["all", "", "", "", "", "", str(files), "", "", f"{in_all / _GB:.3f}"])
        print_table(_COLUMNS, rows, right=_COLUMNS[3:])
    else:
        print("no output streams")
    for warning in answer.warnings:
        print(f"warning: {warning}")
    sys.stdout.flush()


def _row(stream: Stream) -> list[str]:
    return [
        stream.name,
        stream.level_type,
        stream.mesh,
        str(stream.points),
        short_duration(stream.interval_s),
        str(stream.outputs),
        str(stream.files),
        str(len(stream.variables)),
        f"{stream.bytes_per_output / _GB:.6f}",
        f"{stream.bytes_in_all / _GB:.3f}",
    ]
