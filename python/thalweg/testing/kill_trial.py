# SPDX-License-Identifier: Apache-2.0
"""Kills a rank of a run, then checks every file it left and continues from its newest checkpoint.

Of each way there is a twin that nobody disturbs: it says how long such a run takes, and what its
files hold, which is what the files of a killed and continued run must hold.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg.files.restart_sets import check_restart_set, list_restart_sets
from thalweg.files.run_directory import read_json_lines
from thalweg.testing.contents import (
    UNFINISHED,
    Content,
    content_of,
    difference,
    difference_in_beginning,
    final_files,
)
from thalweg.testing.ranked_run import RankedRun
from thalweg.testing.ways import (
    Blow,
    Rhythm,
    Way,
    draw_blow,
    draw_rhythm,
    draw_successor,
    draw_way,
)

# R2B2 has 1280 triangles. How often files and checkpoints begin is drawn.
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
[io]
timeout = 20
"""
# A second stream that begins late and ends early.
SECOND = """
[[output]]
name = "part"
variables = ["vor"]
interval = "PT15M"
start = "PT1H"
end = "PT2H15M"
"""


KEPT = 2  # checkpoints: the default of [restart] keep
KILLED_AGAIN = 0.3  # of the continuations


@dataclass
class Tally:
    """What the trials did, for the report."""

    trials: int = 0
    killed: int = 0
    ended_before: int = 0
    files_checked: int = 0
    sets_checked: int = 0
    continued: int = 0
    begun_again: int = 0
    kept_beyond: int = 0  # trials with more sets than `keep` names
    killed_again: int = 0
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
    diagnostics: list[dict[str, Any]]


class KillHarness:
    """Runs trials below a folder; directories of trials that hold are removed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.tally = Tally()
        self._folder = folder
        self._dice = random.Random(seed)
        self._case = folder / "case.toml"
        self._case.write_text(CASE + SECOND, encoding="utf-8")

    def draw(self) -> Way:
        return draw_way(self._dice)

    def kill_several(self, way: Way, kills: int) -> None:
        """Trials that share a twin. Raises AssertionError with the whole story."""
        path = self._folder / "twin"
        rhythm = draw_rhythm(self._dice)
        twin = self._twin(way, path, rhythm)
        for _ in range(kills):
            blow = draw_blow(self._dice, way)
            try:
                self._kill_once(way, rhythm, twin, blow)
            except Exception as error:
                raise AssertionError(f"{way}; {rhythm}; {blow}: {error!r}") from error
        shutil.rmtree(path)

    def _finish(self, way: Way, path: Path, rhythm: Rhythm) -> float:
        run = RankedRun.start(self._case, path, [*way.overrides(), *rhythm.overrides()])
        code, took_s = run.wait()
        assert code == 0, f"{way} ended with code {code}: {run.errors()}"
        return took_s

    def _twin(self, way: Way, path: Path, rhythm: Rhythm) -> Twin:
        took_s = self._finish(way, path, rhythm)
        contents = {name: content_of(file) for name, file in final_files(path).items()}
        assert contents, f"{way} wrote nothing"
        roles = json.loads((path / "timing.json").read_text(encoding="utf-8"))["roles"]
        return Twin(took_s, roles, contents, _diagnostics(path, -1.0))

    def _kill_once(self, way: Way, rhythm: Rhythm, twin: Twin, blow: Blow) -> None:
        path = self._folder / "killed"
        ranks = [rank for rank, role in enumerate(twin.roles) if role == blow.role]
        victim = ranks[blow.number % len(ranks)]
        run = RankedRun.start(self._case, path, [*way.overrides(), *rhythm.first_overrides()])
        entries = min(blow.entries, len(twin.contents))  # long files are few
        killed = run.kill_rank(victim, entries, blow.share * twin.took_s)
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
        self._check_files(path, twin, rhythm)
        whole = self._check_sets(path, before)
        self.tally.kept_beyond += len(whole) > KEPT
        if code != 0 or rhythm.first_end:
            self._go_on(path, way, rhythm, twin)
        shutil.rmtree(path)

    def _check_files(self, path: Path, twin: Twin, rhythm: Rhythm) -> None:
        """Every file under a final name holds what the twin's file holds; of a run that was to end
        earlier it may have fewer times.
        """
        for name, file in final_files(path).items():
            assert name in twin.contents, f"'{name}' is not a file of this way"
            content = content_of(file)
            compare = difference_in_beginning if rhythm.first_end else difference
            other = compare(content, twin.contents[name])
            assert not other, f"'{name}' differs in '{other}'"
            self.tally.files_checked += 1
        self.tally.unfinished_left += len(list((path / "files").glob("*.part")))

    def _check_sets(self, path: Path, before: list[str]) -> list[Path]:
        """The whole sets. Every set with a manifest is whole, and one once there stays."""
        whole = []
        for each in list_restart_sets(path):
            if not (each / "manifest.json").exists():
                continue  # on its way out: a set loses its manifest first
            problems = check_restart_set(each)
            assert not problems, problems
            self.tally.sets_checked += 1
            whole.append(each)
        assert not before or (whole and whole[-1].name >= before[-1]), f"{before} became {whole}"
        return whole

    def _go_on(self, path: Path, way: Way, rhythm: Rhythm, twin: Twin) -> None:
        """To the end in the same directory, as `--continue` does: the files of a run that was never
        interrupted. Some continuations are killed too.
        """
        while True:
            successor = draw_successor(self._dice, way)
            words = [*successor.overrides(), *rhythm.overrides(), f"restart.read={path}"]
            run = RankedRun.start(self._case, path, words)
            killed = self._dice.random() < KILLED_AGAIN and run.kill_rank(
                self._dice.randrange(successor.ranks), 0, self._dice.random() * twin.took_s
            )
            code, _ = run.wait()
            self.tally.launchers_hung += run.launcher_hung
            if not killed or code == 0:
                break
            self._check_files(path, twin, rhythm)
            self.tally.killed_again += 1
        assert code == 0, f"continued as {successor}: {run.errors()}"
        again = "begins at the start again" in run.output()
        self.tally.begun_again += again
        self.tally.continued += not again
        left = [each.name for each in (path / "files").iterdir() if UNFINISHED & {*each.suffixes}]
        assert not left, f"continued as {successor}, and left {left}"
        contents = {name: content_of(file) for name, file in final_files(path).items()}
        assert sorted(contents) == sorted(twin.contents), f"continued as {successor}"
        for name, content in contents.items():
            other = difference(content, twin.contents[name])
            assert not other, f"continued as {successor}, '{name}' differs in '{other}'"
        assert _diagnostics(path, -1.0) == twin.diagnostics, "other diagnostics"


def _diagnostics(run: Path, after_s: float) -> list[dict[str, Any]]:
    lines = read_json_lines(run / "diagnostics.jsonl")
    return [line for line in lines if line["time_s"] > after_s]
