# SPDX-License-Identifier: Apache-2.0
"""The page about a sweep: the best combination, pictures against I/O ranks, every figure."""

from __future__ import annotations

from datetime import datetime, timezone
from html import escape
from pathlib import Path

from thalweg import __version__
from thalweg.config.errors import ThalwegError
from thalweg.report.page import PAGE
from thalweg.report.pictures import Pictures
from thalweg.report.style import CSS, number_text
from thalweg.report.sweep_data import METRICS, Point, SweepData, is_sweep, read_sweep
from thalweg.report.sweep_plot import draw_sweep

__all__ = ["is_sweep", "write_sweep_report"]

MOST_PICTURES = 12
_CAPTION = "Medians; bars from the smallest to the largest repetition."


def write_sweep_report(path: Path, out: Path) -> Path:
    """Writes one self-contained HTML file, its pictures beside it; returns its path."""
    data = read_sweep(path)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        pictures = Pictures(out.with_suffix("").with_name(f"{out.stem}_images"))
        for old in pictures.folder.glob("[0-9][0-9]-*.png"):
            old.unlink()
        body = _header(data) + "<main>" + _pictures(data, pictures) + _table(data)
        body += _lost(data) + "</main>" + _footer(data, out)
        page = PAGE.substitute(title=escape(f"Thalweg sweep: {path.resolve().name}"), style=CSS,
                               body=body)  # fmt: skip
        out.write_text(pictures.embed(page), encoding="utf-8")
    except OSError as error:
        raise ThalwegError(f"the report '{out}' cannot be written: {error.strerror}") from error
    return out


def _time_s(point: Point) -> float:
    found = point.spread("run_time_s")
    return found[0] if found else float("inf")


def _words(point: Point) -> str:
    ranks = f" with {point.io_ranks} I/O rank{'s' * (point.io_ranks != 1)}"
    return (
        point.mode + (ranks if point.io_ranks else "") + (f", {point.rest}" if point.rest else "")
    )


def _header(data: SweepData) -> str:
    best = min(data.points, key=_time_s)
    worst = max(data.points, key=_time_s)
    heading = f"Fastest: {_words(best)}, {number_text(_time_s(best))} s"
    if worst is not best:
        heading += f"; slowest: {_words(worst)}, {number_text(_time_s(worst))} s"
    trials = sum(len(point.trials) for point in data.points)
    lead = f"{len(data.points)} combinations, {trials} trials \u00b7 {data.path.resolve().name}"
    return (
        '<header><p class="product">Thalweg \u00b7 sweep report</p>'
        f'<h1>{escape(heading)}</h1><p class="lead">{escape(lead)}</p></header>'
    )


def _pictures(data: SweepData, pictures: Pictures) -> str:
    modes = list(dict.fromkeys(point.mode for point in data.points))
    groups = data.groups()
    parts = ["<h2>Against the number of I/O ranks</h2>"]
    for rest, points in list(groups.items())[:MOST_PICTURES]:
        parts.append(f"<h3>{escape(rest)}</h3>" if rest else "")
        caption = f"{_CAPTION} {rest}".strip()
        parts.append(pictures.add(draw_sweep(points, modes), "sweep", f"Sweep {rest}", caption))
    if len(groups) > MOST_PICTURES:
        hidden = len(groups) - MOST_PICTURES
        parts.append(f'<p class="note">{hidden} more combinations of the other settings are in '
                     "the table only.</p>")  # fmt: skip
    return "\n".join(parts)


def _table(data: SweepData) -> str:
    names = list(dict.fromkeys(key for point in data.points for key in point.settings))
    head = "".join(f"<th>{escape(name)}</th>" for name in names) + '<th class="number">n</th>'
    head += "".join(
        f'<th class="number">{escape(m.label)} [{escape(m.unit)}]</th>' for m in METRICS
    )
    lines = [f'<h2>Every combination</h2><div class="scroll"><table><thead><tr>{head}</tr></thead>']
    best = min(data.points, key=_time_s)
    for point in sorted(data.points, key=_time_s):
        cells = "".join(f"<td>{escape(str(point.settings.get(name, '')))}</td>" for name in names)
        cells += f'<td class="number">{len(point.trials)}</td>'
        for metric in METRICS:
            found = point.spread(metric.key)
            mark = " best" if point is best and metric.key == "run_time_s" else ""
            text = "\u2013" if found is None else number_text(found[0])
            hint = "" if found is None else (
                f' title="{number_text(found[1])} to {number_text(found[2])}"')  # fmt: skip
            cells += f'<td class="number{mark}"{hint}>{text}</td>'
        lines.append(f"<tr>{cells}</tr>")
    note = '<p class="note">Medians, the fastest first; point at a figure for its spread.</p>'
    return "\n".join(lines) + "</table></div>" + note


def _lost(data: SweepData) -> str:
    if not data.lost:
        return ""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in data.lost)
    return f'<h2>Not measured</h2><ul class="problems">{items}</ul>'


def _footer(data: SweepData, out: Path) -> str:
    first = data.first
    machine = ", ".join(f"{k} {v}" for k, v in dict(first.get("machine", {})).items())
    facts = [("machine", machine), ("commit", str(first.get("commit", ""))),
             ("command", " ".join(map(str, first.get("command", [])))),
             ("sweep file", str(first.get("sweep", ""))), ("base", str(first.get("base", ""))),
             ("directory", str(data.path.resolve()))]  # fmt: skip
    rows = "".join(
        f"<tr><th>{name}</th><td><code>{escape(value)}</code></td></tr>" for name, value in facts
    )
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"<footer><h2>Where this comes from</h2><table>{rows}</table>"
        f"<p>{escape(out.name)}, made by Thalweg {escape(__version__)} on {now}.</p></footer>"
    )
