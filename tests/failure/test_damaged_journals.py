# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` names a journal that is damaged, in a sentence."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., "CompletedProcess[str]"]
NAME = "out_20000101T000000Z.nc"


def sealed(*texts: str) -> list[str]:
    """Lines of a journal, as src/output/files/journal.cpp writes them."""
    return [f'{text},"crc32":"{zlib.crc32(text.encode()):08x}"}}\n' for text in texts]


HEAD, *TIMES = sealed(
    '{"settings":"as they were","history":"written today"',
    *(f'{{"step":{n},"time_ms":{3600000 * n},"files":{{"{NAME}":{{}}}}' for n in range(3)),
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """What a killed run leaves of one file."""
    found = tmp_path / "run"
    for folder in ("files", "journal"):
        (found / folder).mkdir(parents=True)
    (found / "experiment.toml").write_text('[[output]]\nname = "out"\n')
    (found / f"files/{NAME}.part").write_bytes(bytes(100))
    return found


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ([HEAD, HEAD, *TIMES], 2),
        ([HEAD, TIMES[0], HEAD, TIMES[1]], 3),
        ([*TIMES], 1),
        ([HEAD, *sealed('{"step":0,"files":{}'), *TIMES], 2),
        ([HEAD, *sealed('[{"step":0}]'), *TIMES], 2),
        ([HEAD, TIMES[0][:-9] + "\n", *TIMES[1:]], 2),
    ],
)
def test_a_journal_whose_lines_are_not_what_was_written_is_called_damaged(
    lines: list[str], number: int, run: Path, cli: Cli
) -> None:
    journal = run / f"journal/{NAME}.jsonl"
    journal.write_text("".join([HEAD, *TIMES]))
    whole = cli("verify", run)
    assert whole.returncode == 1, whole.stderr  # it did not end
    assert "3 times up to 7200 s are whole in it" in whole.stdout
    assert "damaged" not in whole.stdout
    journal.write_text("".join(lines))
    result = cli("verify", run)
    assert result.returncode == 1, result.stderr
    assert result.stderr == ""
    assert f"-damaged[line {number} of '{journal}' is damaged" in result.stdout
