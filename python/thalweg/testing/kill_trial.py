# SPDX-License-Identifier: Apache-2.0
"""Kills a rank of a run, then checks every file it left and continues from its newest checkpoint.

Of each way there is a twin that nobody disturbs: it says how long such a run takes, and what its
files hold. One run of one rank says what a continued run must write.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from thalweg.files.restart_sets import check_restart_set, list_restart_sets, read_manifest
from thalweg.files.run_directory import read_json_lines
from thalweg.files.streams import Stream, read_streams
from thalweg.testing.contents import Content, content_of, difference, final_files
from thalweg.testing.ranked_run import RankedRun
from thalweg.testing.ways import STORAGES, Blow, Way, draw_blow, draw_way

# R2B2 has 1280 triangles. A file and a checkpoint for every output time: many moments to strike.
CASE = """
[grid]
name = "R2B2"
[model]
levels = 2
[time]
duration = "PT3H"
[[output]]
name = "main"
interval = "PT15M"
file_interval = "PT15M"
[io]
timeout = 20
[restart]
interval = "PT15M"
"""
LONGER = "time.duration=PT4H"  # than a killed run: even its last checkpoint can be continued
REFERENCE = Way(
    1, "serial", 0, STORAGES[0], 1, "auto", "block", way="direct", restart_mode="sync",
    restart_ranks=0,
)  # fmt: skip


@dataclass
class Tally:
    """What the trials did, for the report."""

    trials: int = 0
    killed: int = 0
    ended_before: int = 0
    files_checked: int = 0
    sets_checked: int = 0
    continued: int = 0
    without_set: int = 0
    unfinished_left: int = 0
    launchers_hung: int = 0
    kills_by_role: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return json.dumps(self.__dict__)


@dataclass(frozen=True)
class Twin:
    """The undisturbed run of a way."""

    took_s: float
    roles: list[str]
    contents: dict[str, Content]


class KillHarness:
    """Runs trials below a folder; directories of trials that hold are removed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.tally = Tally()
        self._folder = folder
        self._dice = random.Random(seed)
        self._case = folder / "case.toml"
        self._case.write_text(CASE, encoding="utf-8")
        self._reference = folder / "reference"
        self._finish(REFERENCE, self._reference, LONGER)

    def draw(self) -> Way:
        return draw_way(self._dice)

    def kill_several(self, way: Way, kills: int) -> None:
        """Trials that share a twin. Raises AssertionError with the whole story."""
        path = self._folder / "twin"
        twin = self._twin(way, path)
        for _ in range(kills):
            blow = draw_blow(self._dice, way)
            try:
                self._kill_once(way, twin, blow)
            except Exception as error:
                raise AssertionError(f"{way}; {blow}: {error!r}") from error
        shutil.rmtree(path)

    def _finish(self, way: Way, path: Path, *more: str) -> float:
        run = RankedRun.start(self._case, path, [*way.overrides(), *more])
        code, took_s = run.wait()
        assert code == 0, f"{way} ended with code {code}: {run.errors()}"
        return took_s

    def _twin(self, way: Way, path: Path) -> Twin:
        took_s = self._finish(way, path)
        contents = {name: content_of(file) for name, file in final_files(path).items()}
        assert len(contents) >= 13, f"{way} wrote {sorted(contents)}"
        roles = json.loads((path / "timing.json").read_text(encoding="utf-8"))["roles"]
        return Twin(took_s, roles, contents)

    def _kill_once(self, way: Way, twin: Twin, blow: Blow) -> None:
        path = self._folder / "killed"
        ranks = [rank for rank, role in enumerate(twin.roles) if role == blow.role]
        victim = ranks[blow.number % len(ranks)]
        run = RankedRun.start(self._case, path, way.overrides())
        killed = run.kill_rank(victim, blow.entries, blow.share * twin.took_s)
        before = [each.name for each in list_restart_sets(path)]
        code, _ = run.wait()
        self.tally.trials += 1
        self.tally.launchers_hung += run.launcher_hung
        if killed and code != 0:
            self.tally.killed += 1
            counts = self.tally.kills_by_role
            counts[blow.role] = counts.get(blow.role, 0) + 1
        else:
            assert code == 0, f"ended with code {code} before the kill: {run.errors()}"
            self.tally.ended_before += 1
        self._check_files(path, twin)
        newest = self._check_sets(path, before)
        if newest is None:
            self.tally.without_set += 1
        else:
            self._continue(path, newest)
        shutil.rmtree(path)

    def _check_files(self, path: Path, twin: Twin) -> None:
        """Every file under a final name holds what the twin's file holds."""
        for name, file in final_files(path).items():
            assert name in twin.contents, f"'{name}' is not a file of this way"
            other = difference(content_of(file), twin.contents[name])
            assert not other, f"'{name}' differs in '{other}'"
            self.tally.files_checked += 1
        self.tally.unfinished_left += len(list((path / "files").glob("*.part")))

    def _check_sets(self, path: Path, before: list[str]) -> Path | None:
        """The newest whole set. Every set with a manifest is whole, and one once there stays."""
        whole = []
        for each in list_restart_sets(path):
            if not (each / "manifest.json").exists():
                continue  # on its way out: a set loses its manifest first
            problems = check_restart_set(each)
            assert not problems, problems
            self.tally.sets_checked += 1
            whole.append(each)
        assert not before or (whole and whole[-1].name >= before[-1]), f"{before} became {whole}"
        return whole[-1] if whole else None

    def _continue(self, killed: Path, newest: Path) -> None:
        """On other ranks, in another mode: the same bits as a run that was never interrupted."""
        path = self._folder / "continued"
        way = replace(draw_way(self._dice), storage=STORAGES[0])
        if way.mode == "file_parallel":
            way = replace(way, mode="serial", io_ranks=0)
        run = RankedRun.start(
            self._case, path, [*way.overrides(), LONGER, f"restart.read={killed}"]
        )
        code, _ = run.wait()
        assert code == 0, f"continued as {way}: {run.errors()}"
        begin_s = float(read_manifest(newest)["time_s"])
        assert f"continues at {begin_s:g} s from" in run.output(), run.output()
        self._check_continued(path, begin_s)
        self.tally.continued += 1
        shutil.rmtree(path)

    def _check_continued(self, path: Path, begin_s: float) -> None:
        ones, others = read_streams(path), read_streams(self._reference)
        try:
            assert list(ones) == list(others)
            for name, stream in ones.items():
                _check_same_after(begin_s, stream, others[name])
        finally:
            for each in (*ones.values(), *others.values()):
                each.close()
        lines = _diagnostics(path, -1.0)
        assert lines == _diagnostics(self._reference, begin_s), "other diagnostics"


def _check_same_after(begin_s: float, one: Stream, other: Stream) -> None:
    slots = [slot for slot in other.slots if slot.time_s > begin_s]
    times_s = [slot.time_s for slot in one.slots]
    assert times_s == [slot.time_s for slot in slots], f"times {times_s} after {begin_s}"
    for mine, theirs in zip(one.slots, slots, strict=True):
        for name in other.fields:
            same = one.values(name, mine).tobytes() == other.values(name, theirs).tobytes()
            assert same, f"continued from {begin_s} s, '{name}' differs at {mine.time_s} s"


def _diagnostics(run: Path, after_s: float) -> list[dict[str, Any]]:
    lines = read_json_lines(run / "diagnostics.jsonl")
    return [line for line in lines if line["time_s"] > after_s]
