# SPDX-License-Identifier: Apache-2.0
"""docs/propose.md shows what `calibrate --from` and `advise --machine` print."""

from __future__ import annotations

import json
from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.testing.pages import Cli, blocks, compare_session

PAGE = (ROOT / "docs" / "propose.md").read_text(encoding="utf-8")
# Other versions of SciPy end a fit elsewhere within its tolerance.
WITHIN = 0.02
WORDS = ("advise", "exp.storm", "--machine", "machine.toml", "--nodes", "4",
         "--bytes-per-restart", "893600000")  # fmt: skip


def test_the_example_prints_what_the_page_says(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(blocks(PAGE, "csv")[0])
    (tmp_path / "exp.storm").write_text(blocks(PAGE, "sh")[1])
    (session,) = blocks(PAGE, "console")
    (told,) = blocks(PAGE, "text")
    calibration, _, advice = session.partition("$ thalweg advise ")
    assert compare_session(calibration, cli, tmp_path, WITHIN) == 1
    assert advice.split() == [*WORDS[1:], "--write", "exp.storm.new"]
    head = cli(*WORDS[:2], *WORDS[6:], cwd=tmp_path).stdout.partition("warning: ")[0]
    whole = f"$ thalweg advise {advice.strip()}\n{head}\n{told}"
    assert compare_session(whole, cli, tmp_path, WITHIN) == 1
    changed = (tmp_path / "exp.storm.new").read_text()
    assert all(line[1:] in changed for line in told.splitlines() if line.startswith("+ "))


def test_the_page_lists_every_key(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(blocks(PAGE, "csv")[0])
    (tmp_path / "exp.storm").write_text(blocks(PAGE, "sh")[1])
    words = [word.replace("machine.toml", "runs.csv") for word in WORDS]
    answer = json.loads(cli(*words, "--json", cwd=tmp_path).stdout)
    assert {"streams", "proposal", "alternatives", "warnings"} <= set(answer)
    assert all(f"`{key}`" in PAGE for key in answer["proposal"])
