# SPDX-License-Identifier: Apache-2.0
"""docs/propose-own.md shows what `advise EXPERIMENT.toml --machine` prints, and our numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thalweg.advisor.own import work
from thalweg.config.checkout import ROOT
from thalweg.testing.pages import Cli, blocks, compare_session

PAGE = (ROOT / "docs" / "propose-own.md").read_text(encoding="utf-8")
WITHIN = 0.02  # other versions of NumPy may draw otherwise


@pytest.fixture
def folder(tmp_path: Path, model: Path) -> Path:
    for name, text in zip(("storm.toml", "machine.toml"), blocks(PAGE, "toml"), strict=True):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_example_prints_what_the_page_says(cli: Cli, folder: Path) -> None:
    (session,) = blocks(PAGE, "console")
    assert compare_session(session, cli, folder, WITHIN) == 1


def test_the_page_lists_every_key(cli: Cli, folder: Path) -> None:
    done = cli("advise", "storm.toml", "--machine", "machine.toml", "--json", cwd=folder)
    answer = json.loads(done.stdout)
    assert {"streams", "proposal", "alternatives", "warnings"} <= set(answer)
    assert all(f"`{key}`" in PAGE for key in answer["proposal"])


def test_the_form_has_the_numbers_of_the_code() -> None:
    (form,) = (text for text in blocks(PAGE, "text") if "workers" in text)
    for number in (work.DYNAMICS, work.TRACER, work.SWEEP, work.DIAGNOSTICS, work.CHECK,
                   work.COPY, work.COPY_STAGED, work.DERIVE, work.INIT, work.MESH, work.FILE,
                   work.VARIABLE, work.OPEN_S):  # fmt: skip
        assert f"{number:g}" in form, number
    assert f"{work.REORDER:.3f}" in form
    assert f"{work.STAGE:.3f}" in form
