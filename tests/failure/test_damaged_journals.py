# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` names a journal that is damaged, in a sentence."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.files.journal import read_journal
from thalweg.run.runner import RunRequest, run_case
from thalweg.verify.command import verify

Cli = Callable[..., "CompletedProcess[str]"]
NAME = "out_20000101T000000Z.nc"


def sealed(*texts: str) -> list[str]:
    """Lines of a journal, as src/output/files/journal.cpp writes them."""
    sums = accumulate(texts, lambda sum_, text: zlib.crc32(text.encode(), sum_), initial=0)
    return [
        f'{text},"crc32":"{sum_:08x}"}}\n' for text, sum_ in zip(texts, [*sums][1:], strict=True)
    ]


FIRST = f'{{"file":"{NAME}","settings":"as they were","history":"written today"'
OTHER = FIRST.replace("20000101", "20000102")
TOLD = [f'{{"step":{n},"time_ms":{3600000 * n},"files":{{"{NAME}":{{}}}}' for n in range(3)]
HEAD, *TIMES = sealed(FIRST, *TOLD)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """What a killed run leaves of one file."""
    found = tmp_path / "run"
    for folder in ("files", "journal"):
        (found / folder).mkdir(parents=True)
    (found / "experiment.toml").write_text('[[output]]\nname = "out"\n')
    (found / f"files/{NAME}.part").write_bytes(bytes(100))
    return found


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[Path], str]:
    """What `verify` says of a run that is not whole."""

    def call(run: Path) -> str:
        assert not verify(run, None, as_json=False)
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    return call


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ([HEAD, HEAD, *TIMES], 2),
        ([HEAD, TIMES[0], HEAD, TIMES[1]], 3),
        ([*TIMES], 1),
        (sealed(FIRST, '{"step":0,"files":{}', *TOLD), 2),
        (sealed(FIRST, '[{"step":0}]', *TOLD), 2),
        ([HEAD, TIMES[0][:-9] + "\n", *TIMES[1:]], 2),
        ([HEAD, TIMES[0], TIMES[2]], 3),
        ([HEAD, TIMES[0], TIMES[0], *TIMES[1:]], 3),
        ([HEAD, *TIMES, TIMES[2]], 5),
        ([HEAD, TIMES[1], TIMES[0], TIMES[2]], 2),
        (sealed(FIRST, *TOLD[:2], TOLD[1]), 4),
        (sealed(FIRST, TOLD[0], TOLD[2], TOLD[1]), 4),
    ],
)
def test_a_journal_whose_lines_are_not_what_was_written_is_called_damaged(
    lines: list[str], number: int, run: Path, told: Callable[[Path], str]
) -> None:
    journal = run / f"journal/{NAME}.jsonl"
    journal.write_text("".join([HEAD, *TIMES]))
    whole = told(run)  # it did not end
    assert "3 times up to 7200 s are whole in it" in whole
    assert "damaged" not in whole
    journal.write_text("".join(lines))
    assert f"-damaged[line {number} of '{journal}' is damaged" in told(run)


def test_a_last_line_that_a_kill_cut_short_is_left_out_wherever_it_was_cut(run: Path) -> None:
    journal = run / f"journal/{NAME}.jsonl"
    text = "".join([HEAD, *TIMES])
    for left in range(len(text)):
        journal.write_text(text[:left])
        read = read_journal(journal)
        whole = text[: left + 1].count("\n") - 1  # of a line only its end may be missing
        assert [time.step for time in read.times] == [*range(max(0, whole))]


def test_the_journal_of_another_file_is_called_damaged(run: Path, cli: Cli) -> None:
    journal = run / f"journal/{NAME}.jsonl"
    journal.write_text("".join(sealed(OTHER, *TOLD)))
    result = cli("verify", run)
    assert (result.returncode, result.stderr) == (1, "")
    other = NAME.replace("20000101", "20000102")
    assert f"-damaged['{journal}' is damaged: it is the journal of '{other}'" in result.stdout


CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT3H"
[[output]]
name = "main"
interval = "PT30M"
file_interval = "PT2H"
container = "cdf5"
[restart]
mode = "sync"
interval = "PT90M"
[machine]
ranks = 2
"""


@pytest.fixture(scope="module")
def continued(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """The run of CASE: two files, each with its journal."""
    folder = tmp_path_factory.mktemp("continued")
    case = folder / "case.toml"
    case.write_text(CASE)
    return run_case(RunRequest(case, directory=folder / "run", quiet=True)).path


def lines_of(journal: Path) -> list[bytes]:
    return journal.read_bytes().splitlines(keepends=True)


def kept_of(run: Path) -> dict[Path, bytes]:
    """All that the run wrote, and its records: not who tried last, how, and what it was told."""
    files = (path for path in run.rglob("*") if path.is_file())
    tried = {"run.lock", "experiment.toml", "log.txt"}
    return {each: each.read_bytes() for each in files if each.name not in tried}


def cut_out(run: Path) -> None:
    last = max((run / "journal").glob("*.jsonl"))
    first, *others = lines_of(last)
    last.write_bytes(first + b"".join(others[1:]))


def double(run: Path) -> None:
    last = max((run / "journal").glob("*.jsonl"))
    first, second, *others = lines_of(last)
    last.write_bytes(b"".join([first, second, second, *others]))


def swap(run: Path) -> None:
    one, other = sorted((run / "journal").glob("*.jsonl"))
    texts = one.read_bytes(), other.read_bytes()
    other.write_bytes(texts[0])
    one.write_bytes(texts[1])


def put_in_place_of_the_complete_one(run: Path) -> None:
    one, other = sorted((run / "journal").glob("*.jsonl"))
    one.write_bytes(other.read_bytes())


def cut_out_of_the_complete_one(run: Path) -> None:
    one = min((run / "journal").glob("*.jsonl"))
    first, *others = lines_of(one)
    one.write_bytes(first + b"".join(others[1:]))


@pytest.mark.some(5)
@pytest.mark.parametrize(
    "damage",
    [cut_out, double, swap, put_in_place_of_the_complete_one, cut_out_of_the_complete_one],
)
def test_a_journal_that_is_not_what_was_written_is_not_gone_on_with(
    damage: Callable[[Path], None], continued: Path, cli: Cli, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(continued, run)
    assert verify(run, None, as_json=False)
    damage(run)
    before = kept_of(run)
    verified = cli("verify", run)
    assert (verified.returncode, verified.stderr) == (1, "")
    assert "is damaged" in verified.stdout
    words = ("--out", run, "--continue", "--set", "time.duration=PT5H")
    refused = cli("run", continued.parent / "case.toml", *words)
    assert refused.returncode == 2, refused.stdout + refused.stderr
    assert "is damaged" in refused.stderr
    assert kept_of(run) == before


def test_a_file_whose_journal_has_a_damaged_end_is_written_anew(
    continued: Path, cli: Cli, tmp_path: Path
) -> None:
    """No checkpoint counts that needs it; of an earlier one, nothing of the file is kept."""
    words = (continued.parent / "case.toml", "--continue", "--set", "time.duration=PT5H")
    runs = tmp_path / "whole", tmp_path / "damaged"
    for run in runs:
        shutil.copytree(continued, run)
    last = max((runs[1] / "journal").glob("*.jsonl"))
    *others, _, closed = lines_of(last)
    last.write_bytes(b"".join([*others, closed]))
    for run, begins in zip(runs, ("10800 s", "5400 s"), strict=True):
        done = cli("run", *words, "--out", run)
        assert done.returncode == 0, done.stderr
        assert f"continues at {begins} from" in done.stderr
    assert cli("verify", runs[1], "--against", runs[0]).returncode == 0


@pytest.mark.parametrize("kept", [-1, 2, 0])
def test_the_journal_of_a_complete_file_is_closed(
    kept: int, continued: Path, told: Callable[[Path], str], tmp_path: Path
) -> None:
    """Of all lines but the last, of two, of none."""
    run = tmp_path / "run"
    shutil.copytree(continued, run)
    journal = min((run / "journal").glob("*.jsonl"))
    journal.write_bytes(b"".join(lines_of(journal)[:kept]))
    assert f"-damaged['{journal}' is damaged: its last line" in told(run)


def test_what_is_no_file_is_not_said_to_be_missing(cli: Cli) -> None:
    refused = cli("verify", "/dev/null")
    assert refused.returncode == 2
    assert "'/dev/null' is no directory; give the directory of a run" in refused.stderr
