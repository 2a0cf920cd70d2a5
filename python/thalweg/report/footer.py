# SPDX-License-Identifier: Apache-2.0
"""The end of the page: where the figures come from, so that they can be had again."""

from __future__ import annotations

from datetime import datetime, timezone
from html import escape
from pathlib import Path
from typing import Any

from thalweg import __version__
from thalweg.report.rundata import RunData
from thalweg.report.style import bytes_text

SOURCES = (
    "experiment.toml", "timing.json", "events.jsonl", "diagnostics.jsonl", "run.json", "log.txt",
)  # fmt: skip
MOST_FILES = 8


def footer(runs: list[RunData], pictures: list[Path], out: Path) -> str:
    """Machine, versions, commit, command, date and file names of every run, and of this page."""
    parts = ["<footer><h2>Where this comes from</h2>"]
    parts += [_run_lines(run) for run in runs]
    names = ", ".join(f"<code>{escape(path.name)}</code>" for path in pictures)
    if pictures:
        parts.append(f"<p>Pictures in <code>{escape(pictures[0].parent.name)}/</code>: {names}</p>")
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    parts.append(f"<p>{escape(out.name)}, made by Thalweg {escape(__version__)} on {now}.</p>")
    return "\n".join(parts) + "</footer>"


def _run_lines(run: RunData) -> str:
    rows = []
    for label, key in (
        ("machine", "machine"),
        ("versions", "versions"),
        ("commit", "commit"),
        ("command", "command"),
        ("date", "began"),
    ):
        value = run.summary.get(key)
        if value:
            rows.append((label, _plain(value, joiner=" " if key == "command" else ", ")))
    present = [name for name in SOURCES if (run.path / name).is_file()]
    for file in run.files[:MOST_FILES]:
        size = " ".join(bytes_text(file.stat().st_size))
        present.append(f"{file.relative_to(run.path)} ({size})")
    if len(run.files) > MOST_FILES:
        present.append(f"and {len(run.files) - MOST_FILES} more files")
    rows.append(("directory", str(run.path.resolve())))
    rows.append(("files", ", ".join(present) or "none"))
    body = "".join(
        f"<tr><th>{escape(label)}</th><td><code>{escape(value)}</code></td></tr>"
        for label, value in rows
    )
    return (
        f'<h3>{escape(run.name)}</h3><div class="scroll"><table><tbody>{body}</tbody></table></div>'
    )


def _plain(value: Any, joiner: str) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner, joiner)}" for key, inner in value.items())
    if isinstance(value, list):
        return joiner.join(_plain(inner, joiner) for inner in value)
    return str(value)
