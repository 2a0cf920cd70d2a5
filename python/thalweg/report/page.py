# SPDX-License-Identifier: Apache-2.0
"""Assembles the page: one HTML file that needs nothing else, and its pictures beside it."""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from thalweg.config.durations import short_duration
from thalweg.config.errors import ThalwegError
from thalweg.report.compare import comparison_table, draw_shares, waiting_sentence
from thalweg.report.footer import footer
from thalweg.report.heatmap import draw_heatmap
from thalweg.report.metrics import METRICS, facts, measure, simulated_s, title, what_limited
from thalweg.report.rundata import RunData, read_run
from thalweg.report.style import CSS, bytes_text, number_text, picture_bytes
from thalweg.report.timeline import draw_timeline
from thalweg.report.timers import timer_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PICTURE_BYTES = 2_000_000  # as PNG; base64 adds a third, and the page stays below 3 MB
LOG_LINES = 12

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


@dataclass
class Pictures:
    """The pictures of a page in order: saved beside it, and put into it at the end."""

    folder: Path
    saved: list[tuple[Path, bytes]] = field(default_factory=list)

    def add(self, figure: Figure, name: str, alternative: str, caption: str) -> str:
        """Save a figure; returns HTML with a placeholder that embed() replaces."""
        path = self.folder / f"{len(self.saved) + 1:02d}-{name}.png"
        content = picture_bytes(figure)
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.saved.append((path, content))
        return (
            f'<figure><img src="@@picture{len(self.saved) - 1}@@" alt="{escape(alternative)}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def embed(self, html: str) -> str:
        """Replace the placeholders by the pictures, made smaller if they are too many bytes."""
        total = sum(len(content) for _, content in self.saved)
        scale = min(1.0, math.sqrt(MOST_PICTURE_BYTES / total)) if total else 1.0
        for number, (_, content) in enumerate(self.saved):
            text = base64.b64encode(_resized(content, scale)).decode("ascii")
            html = html.replace(f"@@picture{number}@@", f"data:image/png;base64,{text}")
        return html


def write_report(runs: list[Path], out: Path) -> Path:
    """Write one self-contained HTML file about these run directories; returns its path.

    The pictures also lie beside it in the folder '<name>_images'. Missing or damaged parts of a run
    become sentences on the page. Raises ThalwegError if there is no run directory to report on.
    """
    if not runs:
        raise ThalwegError("no run directory given; name at least one, e.g. 'thalweg report RUN'")
    for path in runs:
        if not path.is_dir():
            raise ThalwegError(f"the run directory '{path}' does not exist")
    data = _with_distinct_names([read_run(path) for path in runs])
    out.parent.mkdir(parents=True, exist_ok=True)
    pictures = Pictures(out.with_suffix("").with_name(out.with_suffix("").name + "_images"))
    for old in pictures.folder.glob("[0-9][0-9]-*.png"):
        old.unlink()
    sections = [_header(data)]
    if len(data) > 1:
        sections.append(_comparison(data, pictures))
    drawn: set[tuple[str, str]] = set()
    for run in data:
        sections.append(_run_section(run, pictures, alone=len(data) == 1, drawn=drawn))
    body = sections[0] + "<main>" + "\n".join(sections[1:]) + "</main>"
    body += footer(data, [path for path, _ in pictures.saved], out)
    heading = title(data[0]) if len(data) == 1 else ", ".join(run.name for run in data)
    page = PAGE.substitute(title=escape(f"Thalweg report: {heading}"), style=CSS, body=body)
    out.write_text(pictures.embed(page), encoding="utf-8")
    return out


def _with_distinct_names(runs: list[RunData]) -> list[RunData]:
    """Runs of the same folder name get their parents in front of it."""
    from dataclasses import replace

    names = [run.name for run in runs]
    return [
        replace(run, name="/".join(run.path.resolve().parts[-2:]))
        if names.count(run.name) > 1 else run
        for run in runs
    ]  # fmt: skip


def _header(runs: list[RunData]) -> str:
    if len(runs) == 1:
        run = runs[0]
        failed = f"This run failed: {_failure(run)}" if run.failed else ""
        heading = failed or what_limited(run) or "What limited this run is not known."
        lead = title(run)
        duration = simulated_s(run)
        if not math.isnan(duration):
            lead += f", {short_duration(duration)} simulated"
        lead += f" \u00b7 {run.name}"
    else:
        heading = waiting_sentence(runs) or f"{len(runs)} runs side by side"
        lead = " \u00b7 ".join(f"{run.name}: {title(run)}" for run in runs)
    return (
        '<header><p class="product">Thalweg \u00b7 run report</p>'
        f'<h1>{escape(heading)}</h1><p class="lead">{escape(lead)}</p></header>'
    )


def _comparison(runs: list[RunData], pictures: Pictures) -> str:
    parts = ["<h2>Comparison</h2><ul>"]
    for run in runs:
        sentence = f"This run failed: {_failure(run)}" if run.failed else what_limited(run)
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
    "are stacked, so that coloured area is recorded time; white: nothing recorded."
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
        parts.append(f'<ul class="problems"><li>{escape(_failure(run))}</li></ul>{_log_end(run)}')
    parts += [_tiles(run), _facts(run)]
    if run.problems:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in run.problems)
        parts.append(f'<ul class="problems">{items}</ul>')
    if alone:
        parts.append("<h3>What every rank did when</h3>")
        timeline = draw_timeline([run])
        parts.append(
            pictures.add(timeline, "timeline", "Timeline per rank", _TIMELINE_TEXT)
            if timeline is not None
            else '<p class="note">No events were recorded, so there is no timeline.</p>'
        )
    parts.append("<h3>Bytes over rank and time</h3>")
    heatmap = draw_heatmap(run)
    parts.append(
        pictures.add(heatmap, "bytes", "Heat map of MB/s over rank and time", _HEATMAP_TEXT)
        if heatmap is not None
        else '<p class="note">No event moved bytes, so there is no heat map.</p>'
    )
    parts.append("<h3>Timers</h3>" + timer_table(run))
    parts.append(f'<p class="note">{_TIMER_TEXT}</p>')
    parts.append(_map(run, pictures, drawn))
    return "\n".join(parts)


def _tiles(run: RunData) -> str:
    figures = measure(run)
    size, unit = bytes_text(figures["bytes_written"])
    intensity, intensity_unit = bytes_text(figures["data_intensity"] * 1e9)
    by_key = {metric.key: metric for metric in METRICS}
    entries = [
        (number_text(figures["run_time_s"]), "s", "run time", "run_time_s"),
        (number_text(figures["sypd"]), "SYPD", "simulated years per day", "sypd"),
        (number_text(figures["chsy"]), "CHSY", "core hours per simulated year", "chsy"),
        (number_text(figures["wait_s"]), "s", f"waiting for output per compute rank, "
         f"{number_text(figures['wait_percent'], 2)} %", "wait_s"),
        (number_text(figures["output_cost"]), "\u00d7", "data output cost", "output_cost"),
        (size, unit, f"in {figures['files']:.0f} file{'s' * (figures['files'] != 1)}",
         "bytes_written"),
        (intensity, intensity_unit, "per core hour: data intensity", "data_intensity"),
    ]  # fmt: skip
    tiles = "".join(
        f'<div class="tile" title="{escape(by_key[key].meaning)}">'
        f"<b>{value} <small>{unit}</small></b><span>{escape(label)}</span></div>"
        for value, unit, label, key in entries
    )
    return f'<div class="tiles">{tiles}</div>'


def _facts(run: RunData) -> str:
    entries = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts(run)
    )
    return f'<dl class="facts">{entries}</dl>' if entries else ""


def _map(run: RunData, pictures: Pictures, drawn: set[tuple[str, str]]) -> str:
    from thalweg.report.runmap import draw_run_map

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


def _failure(run: RunData) -> str:
    status = run.summary.get("status", "")
    return str(run.summary.get("error") or f"'run.json' says '{status}' and no reason")


def _log_end(run: RunData) -> str:
    try:
        lines = (run.path / "log.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "<pre>" + escape("\n".join(lines[-LOG_LINES:])) + "</pre>" if lines else ""


def _resized(content: bytes, scale: float) -> bytes:
    if scale >= 1.0:
        return content
    from PIL import Image

    picture = Image.open(io.BytesIO(content)).convert("RGB")
    size = (max(1, int(picture.width * scale)), max(1, int(picture.height * scale)))
    smaller = io.BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS).quantize(256).save(smaller, format="png")
    return smaller.getvalue()
