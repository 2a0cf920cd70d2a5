# SPDX-License-Identifier: Apache-2.0
"""`thalweg settings | head` ends without a word, whatever the command prints and how much."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Words = tuple[str, ...]
PRINTING: list[Words] = [
    ("settings",), ("settings", "--json"), ("fields",), ("modes",), ("kernels", "list"),
    ("kernels", "list", "--json"), ("logs", "columns"), ("bench",), ("--help",), ("--version",),
    ("translate", "gradient"),
]  # fmt: skip


# What is printed lies in a buffer until it is full, unless this says otherwise.
BUFFERED = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run_into(words: Words, stdout: int, stderr: int = subprocess.PIPE) -> tuple[int, str]:
    """Exit code, and what standard error said."""
    command = [sys.executable, "-m", "thalweg", *words]
    done = subprocess.run(
        command, stdout=stdout, stderr=stderr, text=True, timeout=120, check=False, env=BUFFERED
    )
    return done.returncode, done.stderr


@pytest.fixture
def closed_pipe() -> Callable[[], int]:
    """To be written to; nobody reads."""

    def make() -> int:
        reads, writes = os.pipe()
        os.close(reads)
        return writes

    return make


@pytest.mark.some(3)
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_closed_pipe_ends_quietly(words: Words, closed_pipe: Callable[[], int]) -> None:
    assert run_into(words, closed_pipe()) == (141, "")


def test_a_pipe_that_is_closed_after_some_lines_ends_quietly() -> None:
    command = [sys.executable, "-m", "thalweg", "settings", "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=BUFFERED) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read()
    assert (told, process.returncode in (0, 141)) == (b"", True)


def test_a_build_that_failed_ends_with_its_own_code(tmp_path: Path) -> None:
    code = (
        "import sys, thalweg.config.checkout as checkout\n"
        "from thalweg.cli.start import main\n"
        "checkout.build = lambda target: sys.exit(2)\n"
        "sys.argv = ['thalweg', 'grid', 'R2B1', '-o', sys.argv[1]]\n"
        "main()\n"
    )
    without = {name: word for name, word in os.environ.items() if name != "THALWEG_BIN"}
    words = [sys.executable, "-c", code, str(tmp_path / "grid.nc")]
    assert subprocess.run(words, env=without, check=False).returncode == 2


def test_a_sentence_that_nobody_reads_ends_quietly(closed_pipe: Callable[[], int]) -> None:
    assert run_into(("verify", "nothing"), closed_pipe(), closed_pipe())[0] == 2
    assert run_into(("verify", "nothing"), closed_pipe())[0] == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("words", [("settings",), ("logs", "columns")], ids=" ".join)
def test_a_full_disk_is_one_sentence(words: Words) -> None:
    with Path("/dev/full").open("w") as full:
        code, told = run_into(words, full.fileno())
    assert (code, told.count("\n")) == (2, 1)
    assert told.startswith("thalweg: error: No space left on device")


@pytest.mark.parametrize(("words", "code"), [("settings", 0), ("modes", 0), ("bogus", 2)])
def test_a_closed_output_changes_no_exit_code(words: str, code: int, model: Path) -> None:
    command = f"exec {sys.executable} -m thalweg {words} >&-"
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
