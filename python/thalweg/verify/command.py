# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify`: prints checks of a run, and what differs from another run."""

from __future__ import annotations

import json
from pathlib import Path

from thalweg.files.streams import read_streams
from thalweg.verify.checks import check_streams
from thalweg.verify.differences import compare_streams


def verify(run: Path, against: Path | None, as_json: bool) -> bool:
    """Prints one line per field. Returns False if the runs differ in any bit."""
    streams = read_streams(run)
    others = read_streams(against) if against else {}
    try:
        checks = check_streams(streams)
        differences, compared = compare_streams(streams, others) if against else ([], 0)
    finally:
        for stream in [*streams.values(), *others.values()]:
            stream.close()
    if as_json:
        content: dict[str, object] = {"run": str(run), "fields": [c.to_json() for c in checks]}
        if against:
            content["against"] = str(against)
            content["same_bits"] = not differences
            content["differences"] = [difference.to_json() for difference in differences]
        print(json.dumps(content, indent=1))
        return not differences
    several = len(streams) > 1
    for check in checks:
        print(check.line(several))
    for difference in differences:
        print(difference.line(several))
    if against:
        verdict = f"{len(differences)} of {compared} fields differ" if differences else "same bits"
        print(f"{verdict}: '{run}' and '{against}', {compared} fields compared")
    return not differences


def same_bits(run: Path, against: Path) -> bool:
    """Do two runs hold the same bits? Prints nothing."""
    streams, others = read_streams(run), read_streams(against)
    try:
        differences, _ = compare_streams(streams, others)
    finally:
        for stream in [*streams.values(), *others.values()]:
            stream.close()
    return not differences
