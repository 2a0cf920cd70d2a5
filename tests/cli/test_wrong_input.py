# SPDX-License-Identifier: Apache-2.0
"""Wrong input of every kind is one sentence on standard error, exit code 2, and writes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.config.checkout import ROOT

Cli = Callable[..., "CompletedProcess[str]"]

# (line of the small case, what it becomes, words of the sentence)
WRONG = {
    "unknown key": ('mode = "async"', 'mod = "async"', "[io]: key 'mod' does not exist|'mode'?"),
    "unknown table": ("[machine]", "[machin]", "table 'machin' does not exist|'machine'?"),
    "wrong type": ("levels = 3", 'levels = "three"', "[model]: levels is 'three'|whole number"),
    "negative interval": (
        'interval = "PT30M"',
        'interval = "-PT30M"',
        "[output]: interval is -1800",
    ),
    "unknown variable": ('["group:2d"]', '["vorr"]', "[output]|'vorr'|'vor'?"),
    "unknown mode": ('"async"', '"asynch"', "[io]: mode 'asynch' does not exist|'async'?"),
    "too many I/O ranks": ("timeout = 60", "ranks = 3", "small.toml [io]: ranks = 3|compute rank"),
    "no grid": ('"R2B2"', '"R2C2"', "[grid]: name is 'R2C2'|RnBk"),
    "grid too large": ('"R2B2"', '"R9B99"', "R9B99"),
    "not TOML": ("levels = 3", "levels = = 3", "line 6|correct this line"),
    "backslash": ('"flat"', "'a\\b'", r"[[output]] 'a\b': its name may not contain a backslash"),
    "two streams of one name": ('"flat"', '"main"', "[[output]]|two streams have the name 'main'"),
}


def assert_one_sentence(result: CompletedProcess[str], words: str) -> None:
    """`words` are separated by |. One line, the mark in front, no traceback."""
    assert result.returncode == 2, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("thalweg: error: ")
    assert "Traceback" not in result.stderr
    for word in words.split("|"):
        assert word in lines[0], f"{word!r} is not in {lines[0]!r}"


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_are_refused(name: str, here: Cli, small_case: Path, model: Path) -> None:
    line, wrong, words = WRONG[name]
    text = small_case.read_text()
    assert text.count(line) >= 1
    small_case.write_text(text.replace(line, wrong, 1))
    result = here("run", small_case.name, "--out", "run", cwd=small_case.parent)
    assert_one_sentence(result, words)
    assert [path.name for path in small_case.parent.iterdir()] == [small_case.name]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("io.mode=asynch", "--set [io]: mode 'asynch' does not exist|'async'?"),
        ("io.mod=async", "--set [io]: key 'mod' does not exist"),
        ("modle.levels=3", "table 'modle' does not exist|'model'?"),
        ("output.mian.interval=PT1H", "output 'mian' does not exist|'main'?"),
        ("output.main.partitions=0", "partitions is 0, but must be at least 1"),
        ("model.levels=99999999999999999999", "99999999999999999999, but must be at most"),
        ("io.ranks=-99999999999999999999", "-99999999999999999999, but must be at least 0"),
        ("io.ranks=1e300", "must be a whole number without point and exponent"),
        ("output.main.interval=P1M", "months and years have no fixed length: write days"),
        ("time.duration=1e300", "duration is 1e+300 s, but must be at most"),
        ("model.levels", "is not a setting"),
        ("model.levels=", "levels is ''"),
    ],
)
def test_wrong_overrides_are_refused(
    override: str, words: str, here: Cli, small_case: Path, model: Path
) -> None:
    result = here("run", small_case, "--set", override, "--out", small_case.parent / "run")
    assert_one_sentence(result, words)
    assert not (small_case.parent / "run").exists()


def test_a_missing_file_is_named(here: Cli, tmp_path: Path) -> None:
    result = here("run", "nowhere.toml", cwd=tmp_path)
    assert_one_sentence(result, "'nowhere.toml' cannot be read (No such file or directory)")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["file/run", "file/deep/run"])
def test_an_unwritable_directory_is_refused(
    place: str, here: Cli, small_case: Path, model: Path
) -> None:
    """Below a regular file: refused for root as well."""
    (small_case.parent / "file").write_text("in the way")
    result = here("run", small_case, "--out", small_case.parent / place)
    assert_one_sentence(result, "cannot be written: Not a directory|--out")
    assert (small_case.parent / "file").read_text() == "in the way"


def test_proc_is_refused(here: Cli, small_case: Path, model: Path) -> None:
    assert_one_sentence(
        here("run", small_case, "--out", "/proc/run"), "'/proc/run' cannot be written"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["demo"],
        ["scaling"],
        ["scaling", "--jobs", "1", "--ranks-per-node", "2"],
        ["sweep", "examples/sweep_small.toml"],
    ],
    ids=" ".join,
)
def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(
    words: list[str], here: Cli, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    places = {"file": "is no directory", "file/deep": "cannot be written: Not a directory"}
    for place, told in places.items():
        refused = here(*words, "-o", tmp_path / place, cwd=ROOT)
        assert_one_sentence(refused, f"'{tmp_path / place}' {told}; give another with -o")
        assert refused.stdout == ""
    assert_one_sentence(
        here(*words, "-o", "/proc/here", cwd=ROOT), "'/proc/here' cannot be written"
    )


def test_a_report_of_a_file_of_output_says_that_it_is_no_directory(
    here: Cli, tmp_path: Path
) -> None:
    (tmp_path / "ocean.nc").touch()
    told = "'ocean.nc' is no directory; give the directory of a run"
    assert_one_sentence(here("report", "ocean.nc", cwd=tmp_path), told)


def test_an_existing_directory_is_kept(here: Cli, small_case: Path, model: Path) -> None:
    kept = small_case.parent / "precious"
    kept.mkdir()
    (kept / "thesis.txt").write_text("years of work")
    assert_one_sentence(here("run", small_case, "--out", kept), "exists|--overwrite")
    refused = here("run", small_case, "--out", kept, "--overwrite")
    assert_one_sentence(refused, "is not a run directory")
    assert (kept / "thesis.txt").read_text() == "years of work"


def test_a_folder_of_a_models_own_output_is_told_how_to_be_looked_at(
    here: Cli, tmp_path: Path
) -> None:
    (tmp_path / "ocean.nc").touch()
    named = f"is not a run directory, but holds output|'{tmp_path / 'ocean.nc'}'"
    assert_one_sentence(here("verify", tmp_path), named)


def test_a_sweep_is_no_experiment(here: Cli) -> None:
    refused = here("run", "examples/sweep_small.toml", cwd=ROOT)
    assert_one_sentence(refused, "sweep_small.toml is a sweep, not an experiment|thalweg sweep")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rnu"], "command 'rnu' does not exist|'run'?"),
        (["run"], "CASE.toml"),
        (["run", "a.toml", "--rank"], "--rank"),
        (["verify", "nothing*.nc"], "'nothing*.nc' does not exist|directory of a run or one file"),
        (["verify", "."], "is not a run directory"),
        (["report", "nowhere"], "'nowhere' does not exist"),
        (["trace", "nowhere", "--field", "ta", "--cell", "1"], "'nowhere' does not exist"),
        (["trace", ".", "--field", "ta"], "--cell, --edge and --vertex"),
        (["grid", "R2X4", "-o", "grid.nc"], "R2X4"),
        (["grid", "R2B1", "-o", "nowhere/grid.nc"], "nowhere/grid.nc"),
    ],
)
def test_wrong_commands_are_one_sentence(
    words: list[str], sentence: str, here: Cli, tmp_path: Path, model: Path
) -> None:
    assert_one_sentence(here(*words, cwd=tmp_path), sentence)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "help_words"),
    [
        (["trace", "my_run", "--nonsense"], "thalweg trace --help"),
        (["grid", "R2B4"], "thalweg grid --help"),
        (["--nonsense"], "thalweg --help"),
    ],
)
def test_wrong_usage_names_the_help_of_its_command(
    words: list[str], help_words: str, here: Cli
) -> None:
    result = here(*words)
    assert result.returncode == 2
    assert result.stderr.strip().endswith(f"see '{help_words}'")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "a.toml", "--ranks", "0"], "--ranks is 0, but must be at least 1; see 'thalweg"),
        (["run", "a.toml", "--ranks", "few"], "--ranks is 'few', but must be a whole number"),
        (["tune", "a.toml", "--minutes", "61"], "--minutes is 61, but must be at most 60"),
        (["tune", "a.toml", "--minutes", "one"], "--minutes is 'one', but must be a number"),
        (["kernels", "compare", "--ranks", "999"], "--ranks is 999, but must be at most 256"),
    ],
)
def test_the_range_of_an_option_is_told_as_that_of_a_setting(
    words: list[str], sentence: str, here: Cli
) -> None:
    assert_one_sentence(here(*words), sentence)


def test_numbers_too_long_for_any_machine_are_refused(here: Cli, tmp_path: Path) -> None:
    digits = "1" * 4400
    for words in (("--ranks", digits), ("--cells", f"{digits}x1")):
        result = here("scaling", *words, cwd=tmp_path)
        assert_one_sentence(result, f"'{'1' * 20}...' is no number from 1 to")


def test_a_sentence_that_cannot_be_told_keeps_its_code(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "thalweg", "verify", str(tmp_path / "nothing")]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stderr=full, check=False).returncode == 2


def test_a_backend_of_who_opens_windows_is_not_asked_for(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "thalweg", "report", str(tmp_path)]
    words = {**os.environ, "MPLBACKEND": "nonsense"}
    told = subprocess.run(command, env=words, capture_output=True, text=True, check=False)
    assert_one_sentence(told, "is not a run directory")


@pytest.mark.parametrize(
    ("error", "sentence", "code"),
    [
        ("MemoryError('Unable to allocate 3 TiB')", "memory ran out: Unable to allocate 3 TiB", 1),
        (
            "ImportError('x.so: failed to map')",
            "a part of Python cannot be loaded: x.so: failed",
            1,
        ),
        ("KeyboardInterrupt", "interrupted", 130),
    ],
)
def test_what_a_machine_refuses_is_a_sentence(error: str, sentence: str, code: int) -> None:
    program = (
        "import thalweg.cli.main as commands\n"
        "from thalweg.cli.start import main\n"
        "def command(**words):\n"
        f"    raise {error}\n"
        "commands.command = lambda: command\n"
        "main()\n"
    )
    words = [sys.executable, "-c", program]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    assert told.returncode == code
    assert told.stderr.startswith(f"thalweg: error: {sentence}")
    assert told.stderr.count("\n") == 1
