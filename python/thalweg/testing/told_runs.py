# SPDX-License-Identifier: Apache-2.0
"""Every run that a test leaves, whole, failed or damaged, is one that `thalweg report` can tell."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from unittest.mock import patch

from markupsafe import Markup

from thalweg.report import write_report
from thalweg.report.pictures import Draw, Pictures
from thalweg.report.style import NARROW_INCHES
from thalweg.verify.damage import check_wholeness

_HEAD = 4096  # bytes; what comes behind them are values mostly
# The settings that make a run another kind, in the order of its tables.
_CHOSEN = r"^(?:mode|ranks|container|layout|compression|precision|way|events) = .*"


# Of those, what no picture shows; of the map only the first are drawn: the mesh of one is the mesh
# of the next.
_NOT_DRAWN = r"^(?:container|layout|compression|precision|way) = "
_MAPS = 5


@contextmanager
def without_pixels(
    names: list[str], wanted: Callable[[str], bool] = lambda _: True
) -> Iterator[None]:
    """Pages without pixels, which take nine tenths of the time; adds the names of the pictures, of
    which those that are not `wanted` are not drawn.
    """

    def draw_only(self: Pictures, draw: Draw, name: str, alternative: str, caption: str) -> Markup:
        names.append(name)
        if (name != "map" or names.count("map") < _MAPS) and wanted(name):
            draw(NARROW_INCHES)
        return Markup("")

    with patch.object(Pictures, "add", draw_only):
        yield


class ToldRuns:
    """Runs are told once a kind: a file of `kinds`, which several processes may share, is one that
    was. Without `each`, a kind is what its run left, what is damaged of it, and what was chosen of
    _CHOSEN; with it, also every setting and the name of every file. Pictures are drawn of runs that
    differ in what they show.
    """

    def __init__(self, kinds: Path, each: bool) -> None:
        kinds.mkdir(exist_ok=True)
        self.kinds, self.each = kinds, each
        self.drawn: list[str] = []

    def failures_below(self, folder: Path, page: Path) -> list[str]:
        """A line for each run below `folder` whose report fails; pages are written to `page`."""
        failures: list[str] = []
        for file in sorted(folder.rglob("experiment.toml")):
            run = file.parent
            if not (run / "files").is_dir():
                continue
            kind = self._kind(run)
            if not self._is_new(kind):
                continue
            try:
                with without_pixels(self.drawn, partial(self._is_wanted, kind)):
                    write_report([run], page)
            except Exception as error:  # a failure of one run does not hide that of another
                failures.append(f"{run}: {type(error).__name__}: {error}")
        return failures

    def _is_wanted(self, kind: list[object], picture: str) -> bool:
        return self.each or self._is_new([picture, *_seen_of(kind, picture)])

    def _is_new(self, kind: list[object]) -> bool:
        name = hashlib.sha256(json.dumps(kind).encode()).hexdigest()
        try:
            (self.kinds / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _kind(self, run: Path) -> list[object]:
        files = [each.name for each in (run / "files").iterdir()]
        text = (run / "experiment.toml").read_text(encoding="utf-8", errors="replace")
        said, changed = _damage(run)
        if self.each:
            names = sorted(name.partition("_")[2] for name in files)
            contents = [hashlib.sha256(each.read_bytes()).hexdigest() for each in changed]
            return [names, text, _status(run), said, contents]
        left = _without_numbers(each.name for each in run.iterdir())
        ends = _without_numbers(name.partition(".")[2] for name in files)
        chosen = re.findall(_CHOSEN, text, re.MULTILINE) or [text]
        records = _without_numbers(each.name for each in changed)
        return [chosen, _status(run), records, left, ends, _roughly(said)]


def _seen_of(kind: list[object], picture: str) -> list[object]:
    """What of a kind a picture can show: modes and ranks, how it ended, which records changed; a
    map also how values are stored and what is damaged.
    """
    chosen, status, records, *_, said = kind
    assert isinstance(chosen, list)
    if picture == "map":
        return [chosen, status, said]
    return [[each for each in chosen if not re.match(_NOT_DRAWN, each)], status, records]


def _without_numbers(words: Iterable[str]) -> list[str]:
    return sorted({re.sub(r"\d+", "0", word) for word in words})


def _roughly(sentences: Iterable[str]) -> list[str]:
    """Of a place or size that they name only whether it is in the head of a file."""
    head = str(_HEAD)
    return sorted({
        re.sub(r"\d+", lambda found: "0" if int(found[0]) < _HEAD else head, each)
        for each in sentences
    })  # fmt: skip


def _damage(run: Path) -> tuple[list[str], list[Path]]:
    """What `thalweg verify` says of its files and checkpoints, and which of its own records, for
    which there are no checksums, somebody changed after the run had told its end in run.json.
    """
    try:
        state = check_wholeness(run)
        said = [*state.damaged, *state.missing, *state.parts]
    except Exception as error:  # other tests are about what `verify` does then
        said = [type(error).__name__]
    changed = []
    with suppress(OSError):
        end_ns = (run / "run.json").stat().st_mtime_ns
        records = [each for each in run.iterdir() if each.is_file()]
        changed = sorted(each for each in records if each.stat().st_mtime_ns > end_ns)
    return [each.replace(str(run), "") for each in said], changed


def _status(run: Path) -> str:
    try:
        return str(json.loads((run / "run.json").read_text()).get("status"))
    except (OSError, ValueError, AttributeError):
        return "unknown"
