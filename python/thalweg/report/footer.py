# SPDX-License-Identifier: Apache-2.0
"""The end of the page: where the figures come from, so that they can be had again."""

from __future__ import annotations

from typing import Any

from thalweg.report.metrics import size_bytes
from thalweg.report.rundata import RunData
from thalweg.report.style import bytes_text

SOURCES = (
    "experiment.toml", "timing.json", "events.jsonl", "diagnostics.jsonl", "run.json", "log.txt",
)  # fmt: skip
MOST_FILES = 8


def source_rows(run: RunData) -> list[tuple[str, str]]:
    """Machine, versions, commit, command, date and file names of a run."""
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
        size = " ".join(bytes_text(size_bytes(file)))
        present.append(f"{file.relative_to(run.path)} ({size})")
    if len(run.files) > MOST_FILES:
        present.append(f"and {len(run.files) - MOST_FILES} more files")
    rows.append(("directory", str(run.path.resolve())))
    rows.append(("files", ", ".join(present) or "none"))
    return rows


def _plain(value: Any, joiner: str) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner, joiner)}" for key, inner in value.items())
    if isinstance(value, list):
        return joiner.join(_plain(inner, joiner) for inner in value)
    return str(value)
