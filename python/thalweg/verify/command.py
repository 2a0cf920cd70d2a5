# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify`: says whether a run is whole, prints checks, and what differs from another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.readers import SUFFIXES, is_output
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import Stream, read_streams
from thalweg.verify.checks import check_streams
from thalweg.verify.damage import Wholeness, check_wholeness
from thalweg.verify.differences import Difference, compare_streams


def verify(run: Path, against: Path | None, as_json: bool) -> bool:
    """Prints one line per field. Returns False if something is missing or damaged, the run did not
    end, or the runs differ in a bit.
    """
    for each in (run, *([against] if against else [])):
        _refuse_what_holds_no_output(each)
    single = is_output(run)
    wholeness = None if single else check_wholeness(RunDirectory.open(run).path)
    if wholeness and wholeness.lost:  # a damaged file may not even open
        print(_json_text(run, wholeness, {}) if as_json else wholeness.line())
        return False
    streams = _streams(run, wholeness, against)
    others = read_streams(against) if against else {}
    try:
        damaged: list[str] = []
        checks = check_streams(streams, damaged)
        compares = against and not damaged
        differences, compared = compare_streams(streams, others) if compares else ([], 0)
    finally:
        _close(streams, others)
    if damaged:
        _print_damage(run, wholeness, damaged, as_json)
        return False
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
        print(f"{_verdict(differences, compared)}: '{run}' and '{against}'")
    return not differences and (wholeness is None or wholeness.good)


def _verdict(differences: list[Difference], compared: int) -> str:
    if not differences:
        return f"same bits, {compared} fields compared"
    problems = sum(bool(each.problem) for each in differences)
    words = [f"{len(differences) - problems} of {compared} fields differ"] if compared else []
    words += [f"{problems} could not be compared"] if problems else []
    return ", ".join(words)


def _print_damage(
    run: Path, wholeness: Wholeness | None, damaged: list[str], as_json: bool
) -> None:
    """Of values that cannot be decoded; a single file is not known to be whole or not."""
    if wholeness:
        wholeness.damaged += damaged
    if as_json:
        print(_json_text(run, wholeness, {} if wholeness else {"damaged": damaged}))
    elif wholeness:
        print(wholeness.line())
    else:
        print("\n".join(f"-damaged[{each}]" for each in damaged))


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


def _refuse_what_holds_no_output(path: Path) -> None:
    """A model of its own that writes through the library leaves no run directory."""
    if not path.exists():
        raise ThalwegError(
            f"'{path}' does not exist; give the directory of a run or one file of output"
        )
    if not path.is_dir() or RunDirectory(path).looks_like_a_run() or is_output(path):
        return
    for file in sorted(path.iterdir()):
        if file.suffix in SUFFIXES and is_output(file) and not file.name.startswith("."):
            raise ThalwegError(
                f"'{path}' is not a run directory, but holds output: name one of its files, as "
                f"'{file}'"
            )


def _json_text(run: Path, wholeness: Wholeness | None, content: dict[str, object]) -> str:
    whole = {"whole": wholeness.to_json()} if wholeness else {}
    return json.dumps({"run": str(run), **whole, **content}, indent=1)


def _close(*several: Mapping[str, Stream]) -> None:
    for streams in several:
        for stream in streams.values():
            stream.close()
