# SPDX-License-Identifier: Apache-2.0
"""Assembles the page about runs: one HTML file that needs nothing else, its pictures beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError
from thalweg.report.compare import comparison_rows
from thalweg.report.fieldmap import draw_field
from thalweg.report.footer import source_rows
from thalweg.report.heatmap import draw_heatmap, has_bytes
from thalweg.report.meshfield import UNFIT
from thalweg.report.metrics import WAITING_TEXT, facts, what_limited
from thalweg.report.overview import failure, header, log_end, tiles
from thalweg.report.pictures import Pictures
from thalweg.report.render import cannot_write, start_pictures, write_page
from thalweg.report.rundata import RunData, read_run
from thalweg.report.runmap import Chosen, choose_field
from thalweg.report.shares import bars_by_role, draw_shares
from thalweg.report.timeline import draw_timeline
from thalweg.report.timers import timer_lines

_SHARES_TEXT = "Mean seconds per rank by what they were spent on, each moment once; timing.json."
_TIMELINE_TEXT = (
    "One row per rank. Where several things happen within a pixel they are stacked, so that "
    "coloured area is recorded time. A compute rank waits for output whenever it does not start, "
    "compute, exchange halos or copy. Short exchanges of halos are drawn as computing: the bars "
    "tell them apart."
)
_HEATMAP_TEXT = (
    "The bytes of an event count as spread evenly over its time. "
    "Ranks that moved none are left out."
)


def write_report(runs: list[Path], out: Path) -> Path:
    """Write one self-contained HTML file about these run directories; returns its path.

    The pictures also lie beside it in the folder '<name>_images'. Missing or damaged parts of a run
    become sentences on the page. Raises ThalwegError if a path is no run directory at all, or the
    page cannot be written.
    """
    if not runs:
        raise ThalwegError("no run directory given; name at least one, e.g. 'thalweg report RUN'")
    data = _with_distinct_names([read_run(path) for path in runs])
    pictures = start_pictures(out)
    alone = len(data) == 1
    try:
        comparison = None if alone else _comparison(data, pictures)
        drawn: set[tuple[str, str]] = set()
        sections = [_section(run, pictures, alone, drawn) for run in data]
        content = {
            **header(data),
            "waiting_text": WAITING_TEXT,
            "comparison": comparison,
            "runs": sections,
            "sources": [{"name": run.name, "rows": source_rows(run)} for run in data],
            "picture_folder": pictures.folder.name,
            "picture_names": [picture.path.name for picture in pictures.saved],
        }
        return write_page("run.html", out, pictures, content)
    except OSError as error:
        raise cannot_write(out, error) from error


def _with_distinct_names(runs: list[RunData]) -> list[RunData]:
    """Runs of the same folder name get their parents in front of it."""
    names = [run.name for run in runs]
    return [
        replace(run, name="/".join(run.path.resolve().parts[-2:]))
        if names.count(run.name) > 1 else run
        for run in runs
    ]  # fmt: skip


def _comparison(runs: list[RunData], pictures: Pictures) -> dict[str, Any]:
    limits = []
    for run in runs:
        sentence = f"This run failed: {failure(run)}" if run.failed else what_limited(run)
        limits.append((run.name, sentence or "limit not known"))
    shown = []
    if bars_by_role(runs):
        picture = pictures.add(
            lambda width: draw_shares(runs, width), "shares", "Mean time per rank", _SHARES_TEXT
        )
        shown.append(("Where the time went", picture))
    if any(len(run.events) for run in runs):
        picture = pictures.add(
            lambda width: draw_timeline(runs, width), "timelines", "Timelines", _TIMELINE_TEXT
        )
        shown.append(("What every rank did when, on the same time axis", picture))
    return {
        "limits": limits,
        "names": [run.name for run in runs],
        "rows": comparison_rows(runs),
        "pictures": shown,
    }


def _section(
    run: RunData, pictures: Pictures, alone: bool, drawn: set[tuple[str, str]]
) -> dict[str, Any]:
    # What is not there is told among the problems; a heading over nothing would only repeat it.
    shown: list[tuple[str, str]] = []
    notes: list[str] = []
    if alone and bars_by_role([run]):
        picture = pictures.add(
            lambda width: draw_shares([run], width), "shares", "Mean time per rank", _SHARES_TEXT
        )
        shown.append(("Where the time went", picture))
    if alone and len(run.events):
        picture = pictures.add(
            lambda width: draw_timeline([run], width), "timeline", "Timeline per rank",
            _TIMELINE_TEXT,
        )  # fmt: skip
        shown.append(("What every rank did when", picture))
    if has_bytes(run):
        picture = pictures.add(
            lambda width: draw_heatmap(run, width), "bytes", "MB/s over rank and time",
            _HEATMAP_TEXT,
        )  # fmt: skip
        shown.append(("Bytes over rank and time", picture))
    elif len(run.events):
        notes.append("No event moved bytes, so there is no picture of bytes.")
    known = dict(facts(run))
    subject = (known.get("case", run.name), known.get("grid", ""))
    if subject not in drawn:
        try:
            chosen = choose_field(run)
            try:
                shown.append(("A field on the sphere", _map(chosen, pictures)))
            except UNFIT as error:
                raise ThalwegError(f"'{chosen.path}' cannot be drawn: {error}") from error
            notes += [f"The map is of another file: {sentence}." for sentence in chosen.damaged]
            drawn.add(subject)
        except ThalwegError as error:
            notes.append(f"There is no map: {error}.")
    return {
        "name": "" if alone else run.name,
        "failure": [failure(run)] if run.failed and not alone else [],
        "log_end": log_end(run) if run.failed else "",
        "tiles": tiles(run),
        "facts": facts(run),
        "problems": run.problems,
        "pictures": shown,
        "notes": notes,
        "timers": timer_lines(run),
    }


def _map(chosen: Chosen, pictures: Pictures) -> str:
    return pictures.add(
        lambda width: draw_field(chosen.field, width_inches=width), "map", "Map of one field",
        f"Every point of the mesh in its own colour, equal-area map; from '{chosen.path.name}'.",
    )  # fmt: skip
