# SPDX-License-Identifier: Apache-2.0
"""What every test may use: the checkout, the command line, a small case, a finished run of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT, program
from thalweg.run.runner import RunRequest, run_case

# Two streams that differ in interval, precision, layout, files and places: most paths in one run.
# R2B2 has 1280 triangles; 3 layers and two hours take about a second.
SMALL_CASE = """
[grid]
name = "R2B2"
[model]
case = "jet"
levels = 3
[time]
duration = "PT2H"
[[output]]
name = "main"
variables = ["all"]
interval = "PT30M"
[[output]]
name = "flat"
variables = ["group:2d"]
interval = "PT1H"
file_interval = "PT1H"
precision = "float64"
layout = "chunked"
[io]
mode = "async"
timeout = 60
[machine]
ranks = 3
"""
Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests as well")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes minutes; runs with --slow only")
    config.addinivalue_line("markers", "last: looks at what the tests before it left")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "last" in item.keywords)
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="slow; add --slow"))


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def model() -> Path:
    """The mini-model's program, built first if need be: tests that run it say so."""
    return program("thalweg_mini")


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Runs `thalweg` with these words; stops it after `timeout` seconds."""

    def call(
        *words: object, timeout: float = 120.0, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "thalweg", *map(str, words)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, cwd=cwd, check=False
        )

    return call


@pytest.fixture
def small_case(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL_CASE)
    return path


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """A finished run of the small case: 2 compute ranks, 1 I/O rank. Do not change it."""
    folder = tmp_path_factory.mktemp("small")
    case = folder / "small.toml"
    case.write_text(SMALL_CASE)
    return run_case(RunRequest(case, directory=folder / "run", quiet=True)).path
