# SPDX-License-Identifier: Apache-2.0
"""Assembles the page: one HTML file that needs nothing else, and its pictures beside it."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from string import Template

from thalweg.config.errors import ThalwegError
from thalweg.report.compare import comparison_table, draw_shares
from thalweg.report.footer import footer
from thalweg.report.heatmap import draw_heatmap
from thalweg.report.metrics import facts, title, what_limited
from thalweg.report.overview import fact_list, failure, header, log_end, tiles
from thalweg.report.pictures import Pictures
from thalweg.report.rundata import RunData, read_run
from thalweg.report.runmap import draw_run_map
from thalweg.report.style import CSS
from thalweg.report.timeline import draw_timeline
from thalweg.report.timers import timer_table

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
</head>
<body>
$body
</body>
</html>
""")


def write_report(runs: list[Path], out: Path) -> Path:
    """Write one self-contained HTML file about these run directories; returns its path.

    The pictures also lie beside it in the folder '<name>_images'. Missing or damaged parts of a run
    become sentences on the page. Raises ThalwegError if a path is no run directory at all, or the
    page cannot be written.
    """
    if not runs:
        raise ThalwegError("no run directory given; name at least one, e.g. 'thalweg report RUN'")
    data = _with_distinct_names([read_run(path) for path in runs])
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        return _write_page(data, out)
    except OSError as error:
        raise ThalwegError(f"the report '{out}' cannot be written: {error.strerror}") from error


def _write_page(data: list[RunData], out: Path) -> Path:
    pictures = Pictures(out.with_suffix("").with_name(out.with_suffix("").name + "_images"))
    for old in pictures.folder.glob("[0-9][0-9]-*.png"):
        old.unlink()
    alone = len(data) == 1
    sections = [] if alone else [_comparison(data, pictures)]
    drawn: set[tuple[str, str]] = set()
    sections += [_run_section(run, pictures, alone, drawn) for run in data]
    body = header(data) + "<main>" + "\n".join(sections) + "</main>"
    body += footer(data, [path for path, _ in pictures.saved], out)
    heading = title(data[0]) if alone else ", ".join(run.name for run in data)
    page = PAGE.substitute(title=escape(f"Thalweg report: {heading}"), style=CSS, body=body)
    out.write_text(pictures.embed(page), encoding="utf-8")
    return out


def _with_distinct_names(runs: list[RunData]) -> list[RunData]:
    """Runs of the same folder name get their parents in front of it."""
    names = [run.name for run in runs]
    return [
        replace(run, name="/".join(run.path.resolve().parts[-2:]))
        if names.count(run.name) > 1 else run
        for run in runs
    ]  # fmt: skip


def _comparison(runs: list[RunData], pictures: Pictures) -> str:
    parts = ["<h2>Comparison</h2><ul>"]
    for run in runs:
        sentence = f"This run failed: {failure(run)}" if run.failed else what_limited(run)
        parts.append(f"<li><b>{escape(run.name)}</b>: {escape(sentence or 'limit not known')}</li>")
    parts.append("</ul>" + comparison_table(runs))
    parts.append('<p class="note">The best value of a row is bold where one is better.</p>')
    shares = draw_shares(runs)
    if shares is not None:
        parts.append("<h3>Where the time went</h3>")
        parts.append(
            pictures.add(shares, "shares", "Mean time per rank by activity",
                         "Mean time per rank by activity, from timing.json.")
        )  # fmt: skip
    timelines = draw_timeline(runs)
    if timelines is not None:
        parts.append("<h3>Timelines on the same time axis</h3>")
        parts.append(pictures.add(timelines, "timelines", "Timelines of all runs", _TIMELINE_TEXT))
    return "\n".join(parts)


_TIMELINE_TEXT = (
    "One row per rank, I/O ranks in green letters. Where several things happen within a pixel they "
    "are stacked, so that coloured area is recorded time; white: nothing recorded. In serial mode, "
    "sending includes waiting for rank 0 to take the data."
)
_HEATMAP_TEXT = (
    "The bytes of an event count as spread evenly over its time. "
    "Ranks that moved none are left out."
)
_TIMER_TEXT = (
    "Point at a row for its meaning. Ranks that never used a timer do not count in its figures."
)


def _run_section(run: RunData, pictures: Pictures, alone: bool, drawn: set[tuple[str, str]]) -> str:
    parts = [f"<h2>{escape(run.name)}</h2>" if not alone else ""]
    if run.failed:
        again = "" if alone else f'<ul class="problems"><li>{escape(failure(run))}</li></ul>'
        parts.append(again + log_end(run))
    parts += [tiles(run), fact_list(run)]
    if run.problems:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in run.problems)
        parts.append(f'<ul class="problems">{items}</ul>')
    # What is not there is told above; a heading over nothing would only repeat it.
    timeline = draw_timeline([run]) if alone else None
    if timeline is not None:
        picture = pictures.add(timeline, "timeline", "Timeline per rank", _TIMELINE_TEXT)
        parts.append(f"<h3>What every rank did when</h3>{picture}")
    heatmap = draw_heatmap(run)
    if heatmap is not None:
        picture = pictures.add(heatmap, "bytes", "MB/s over rank and time", _HEATMAP_TEXT)
        parts.append(f"<h3>Bytes over rank and time</h3>{picture}")
    elif len(run.events):
        parts.append('<p class="note">No event moved bytes, so there is no heat map of bytes.</p>')
    if run.timing.timers:
        parts.append(f'<h3>Timers</h3>{timer_table(run)}<p class="note">{_TIMER_TEXT}</p>')
    parts.append(_map(run, pictures, drawn))
    return "\n".join(parts)


def _map(run: RunData, pictures: Pictures, drawn: set[tuple[str, str]]) -> str:
    known = dict(facts(run))
    subject = (known.get("case", run.name), known.get("grid", ""))
    if subject in drawn:
        return ""
    heading = "<h3>A field on the sphere</h3>"
    try:
        figure, source = draw_run_map(run)
    except ThalwegError as error:
        return f'{heading}<p class="note">There is no map: {escape(str(error))}.</p>'
    drawn.add(subject)
    caption = f"Every triangle in its own colour, equal-area map; from {source}."
    return heading + pictures.add(figure, "map", "Map of one field on the sphere", caption)
