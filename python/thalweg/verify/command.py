# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify`: says whether a run is whole, prints checks, and what differs from another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from thalweg.files.readers import is_output
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import Stream, read_streams
from thalweg.verify.checks import check_streams
from thalweg.verify.damage import Wholeness, check_wholeness
from thalweg.verify.differences import compare_streams


def verify(run: Path, against: Path | None, as_json: bool) -> bool:
    """Prints one line per field. Returns False if something is missing or damaged, the run did not
    end, or the runs differ in a bit.
    """
    single = is_output(run)
    wholeness = None if single else check_wholeness(RunDirectory.open(run).path)
    if wholeness and wholeness.lost:  # a damaged file may not even open
        print(_json_text(run, wholeness, {}) if as_json else wholeness.line())
        return False
    streams = _streams(run, wholeness, against)
    others = read_streams(against) if against else {}
    try:
        checks = check_streams(streams)
        differences, compared = compare_streams(streams, others) if against else ([], 0)
    finally:
        _close(streams, others)
    if as_json:
        content: dict[str, object] = {"fields": [c.to_json() for c in checks]}
        if against:
            content["against"] = str(against)
            content["same_bits"] = not differences
            content["differences"] = [difference.to_json() for difference in differences]
        print(_json_text(run, wholeness, content))
        return not differences and (wholeness is None or wholeness.good)
    several = len(streams) > 1
    if wholeness:
        print(wholeness.line())
    for check in checks:
        print(check.line(several))
    for difference in differences:
        print(difference.line(several))
    if against:
        verdict = f"{len(differences)} of {compared} fields differ" if differences else "same bits"
        print(f"{verdict}: '{run}' and '{against}', {compared} fields compared")
    return not differences and (wholeness is None or wholeness.good)


def same_bits(run: Path, against: Path) -> bool:
    """Do two runs hold the same bits? Prints nothing."""
    streams, others = read_streams(run), read_streams(against)
    try:
        differences, _ = compare_streams(streams, others)
    finally:
        _close(streams, others)
    return not differences


def _streams(run: Path, wholeness: Wholeness | None, against: Path | None) -> Mapping[str, Stream]:
    """{} where a run wrote no output."""
    alone = wholeness is not None and not against
    return {} if alone and not RunDirectory(run).complete_files() else read_streams(run)


def _json_text(run: Path, wholeness: Wholeness | None, content: dict[str, object]) -> str:
    whole = {"whole": wholeness.to_json()} if wholeness else {}
    return json.dumps({"run": str(run), **whole, **content}, indent=1)


def _close(*several: Mapping[str, Stream]) -> None:
    for streams in several:
        for stream in streams.values():
            stream.close()
