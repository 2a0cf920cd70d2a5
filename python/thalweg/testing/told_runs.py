# SPDX-License-Identifier: Apache-2.0
"""Every run that a test leaves, whole, failed or damaged, is one that `thalweg report` can tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from markupsafe import Markup

from thalweg.report import write_report
from thalweg.report.pictures import Draw, Pictures
from thalweg.report.style import NARROW_INCHES


@contextmanager
def without_pixels(names: list[str]) -> Iterator[None]:
    """Pages without pixels, which take nine tenths of the time; adds the names of the pictures."""

    def draw_only(self: Pictures, draw: Draw, name: str, alternative: str, caption: str) -> Markup:
        names.append(name)
        if name != "map" or names.count("map") < 5:  # the mesh of one is the mesh of the next
            draw(NARROW_INCHES)
        return Markup("")

    with patch.object(Pictures, "add", draw_only):
        yield


class ToldRuns:
    """The runs that were told so far: one of those that were asked for, and left, the same."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.drawn: list[str] = []

    def failures_below(self, folder: Path, page: Path) -> list[str]:
        """A line for each run below `folder` whose report fails; pages are written to `page`."""
        failures: list[str] = []
        for file in sorted(folder.rglob("experiment.toml")):
            run = file.parent
            if not (run / "files").is_dir() or (kind := _kind(run)) in self.kinds:
                continue
            self.kinds.add(kind)
            try:
                with without_pixels(self.drawn):
                    write_report([run], page)
            except Exception as error:  # a failure of one run does not hide that of another
                failures.append(f"{run}: {type(error).__name__}: {error}")
        return failures


def _kind(run: Path) -> str:
    left = sorted(each.name.partition("_")[2] for each in (run / "files").iterdir())
    tables = (run / "experiment.toml").read_text(encoding="utf-8", errors="replace")
    return json.dumps([tables, left, _status(run)])


def _status(run: Path) -> str:
    try:
        return str(json.loads((run / "run.json").read_text()).get("status"))
    except (OSError, ValueError, AttributeError):
        return "unknown"
