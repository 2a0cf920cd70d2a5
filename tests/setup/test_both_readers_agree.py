# SPDX-License-Identifier: Apache-2.0
"""The C++ and the Python reader of experiments refuse the same files with the same sentence."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from thalweg.config.errors import ThalwegError
from thalweg.config.experiment import Experiment

WRONG = [
    '[io]\nmode = "asynch"',
    '[io]\nmode = "banana"',
    "[io]\nmode = 3",
    "[io]\nrank = 1",
    '[io]\nranks = "two"',
    "[io]\nranks = 1.5",
    "[io]\nranks = true",
    "[io]\nranks = -1",
    '[io]\ntimeout = "0"',
    '[gird]\nname = "R2B4"',
    "levels = 3",
    "io = 3",
    "[[io]]\nranks = 1",
    '[output]\nname = "a"',
    "output = [1]",
    '[model]\ncfl = "large"',
    "[model]\ncfl = 0.0",
    "[model]\ncfl = inf",
    "[model]\nlevels = 0",
    '[[output]]\nvariables = "vor"',
    "[[output]]\nvariables = [1]",
    "[[output]]\nlevels = [0]",
    '[[output]]\nlevels = ["a"]',
    "[[output]]\nlevels = 1",
    '[[output]]\ninterval = "-PT1H"',
    '[[output]]\ninterval = "1 hour"',
    '[[output]]\ninterval = "P1M"',
    "[[output]]\nstart = -1",
    '[time]\nduration = "P"',
    "[time]\nduration = true",
    '[time]\nstart = "2000-13-01"',
    "[time]\nstart = 2000",
    '[grid]\nname = "banana"',
    '[grid]\nname = "R0B4"',
    '[grid]\nname = "r2b4"',
    "[grid]\nname = 24",
    "[[output]]\n[[output]]",
]
RIGHT = [
    "",
    "output = []",
    "[time]\nstart = 1979-01-01",
    "[time]\nstart = 1979-01-01T06:00:00Z",
    '[time]\nstart = "1979-01-01T06:00"',
    '[time]\nduration = "P1DT6H"',
    "[time]\nduration = 3600",
    '[grid]\nname = "R02B04"',
    "[model]\ncfl = 1",
    '[[output]]\nname = "a"\nlevels = [1, 3]\n[[output]]',
]


def python_sentence(path: Path) -> str:
    try:
        Experiment.read(path)
    except ThalwegError as error:
        return error.sentence if error.exit_code == 2 else f"exit code {error.exit_code}"
    return ""


def model_sentence(model: Path, path: Path) -> str:
    command = [str(model), "--check", str(path), "--ranks", "3"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if result.returncode == 0:
        return ""
    assert result.returncode == 2, result.stderr
    return result.stderr.partition("thalweg: error: ")[2].splitlines()[0]


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_experiment_gets_the_same_sentence(text: str, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(text + "\n")
    sentence = model_sentence(model, path)
    assert sentence.startswith("case.toml")
    assert python_sentence(path) == sentence


@pytest.mark.parametrize("text", RIGHT)
def test_a_right_experiment_passes_both(text: str, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(text + "\n")
    assert model_sentence(model, path) == ""
    assert python_sentence(path) == ""


def test_broken_toml_names_the_same_line(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text("[io]\n\nranks = = 2\n")
    for sentence in (model_sentence(model, path), python_sentence(path)):
        assert sentence.startswith("case.toml")
        assert "line 3" in sentence
        assert sentence.endswith("; correct this line (see toml.io)")
