# SPDX-License-Identifier: Apache-2.0
"""Without a terminal, progress is a line every ten seconds, with an honest time left."""

from __future__ import annotations

import pytest

from thalweg.run import progress
from thalweg.run.progress import RunProgress


def test_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock_s = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock_s)
    hour_s = 3600.0
    with RunProgress("case") as display:
        for elapsed_s, hours, outputs in ((0, 0, 1), (5, 1, 2), (11, 2, 1), (15, 3, 4), (22, 4, 5)):
            clock_s = 100.0 + elapsed_s
            display.update(hours * hour_s, 6 * hour_s, outputs)
        clock_s = 140.0
        display.update(6 * hour_s, 6 * hour_s, 7)
    assert capsys.readouterr().err.splitlines() == [
        "case: 2 h of 6 h, 1 output, 22 s left",
        "case: 4 h of 6 h, 5 outputs, 11 s left",
        "case: 6 h of 6 h, 7 outputs, closing files",
    ]


def test_quiet_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock_s = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock_s)
    display = RunProgress("case", quiet=True)
    clock_s = 100.0
    display.update(1.0, 2.0, 1)
    display.note("nothing to see")
    assert capsys.readouterr().err == ""
