# SPDX-License-Identifier: Apache-2.0
"""What every test may use: the checkout, the command line, a small case, a finished run of it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest

from thalweg.cli.start import main
from thalweg.config.checkout import ROOT, program
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing import examples
from thalweg.testing.command import ThalwegCommand
from thalweg.testing.told_runs import ToldRuns

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
KEPT_S = 3 * 24 * 3600.0  # how long those stay that no test has made or asked for


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests as well")


# All ranks of all tests are on this machine: where Open MPI looks for no fast network, its start
# takes half as long. Nor does each rank look for devices behind PCI (a fifth of what is left).
ON_ONE_NODE = {"OMPI_MCA_pml": "ob1", "HWLOC_COMPONENTS": "-pci,-linuxio"}


# No test fails because it took long: machines that are busy stop any example for a while.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


# Threads of kernels that wait let others work: there are more of them than cores.
PATIENT = ("OMP_WAIT_POLICY", "passive")


def pytest_configure(config: pytest.Config) -> None:
    examples.slow = config.getoption("--slow")
    for name, value in ON_ONE_NODE.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault(*PATIENT)
    config.addinivalue_line("markers", "slow: takes minutes; runs with --slow only")
    config.addinivalue_line(
        "markers", "some(n, first=0): of its cases every n-th runs; the others with --slow only"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What tests are collected in stays to the end: nobody looks for garbage in it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_report_header(config: pytest.Config) -> str:
    return "" if config.getoption("--slow") else "without slow tests; add --slow"


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Slow tests are left out: thousands that are each skipped take longer. Who asks for nothing
    else (-k, too) is told so.
    """
    slow = set() if config.getoption("--slow") else _slow_ones(items)
    yield
    others = [item for item in items if item not in slow]
    if others:
        config.hook.pytest_deselected(items=[item for item in items if item in slow])
        items[:] = others
    else:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="slow; add --slow"))


def _slow_ones(items: list[pytest.Item]) -> set[pytest.Item]:
    cases: Counter[str] = Counter()
    slow = set()
    for item in items:
        test, mark = item.nodeid.partition("[")[0], item.get_closest_marker("some")
        is_slow = "slow" in item.keywords
        if mark is not None and not is_slow:
            every, first = (*mark.args, 0)[:2]
            is_slow = cases[test] % every != first
            cases[test] += 1
        if is_slow:
            slow.add(item)
    return slow


@pytest.fixture(scope="session")
def told_runs(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ToldRuns]:
    """The runs that the report has told. At the end it tells also those that tests shared."""
    base = tmp_path_factory.getbasetemp()
    ours = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # of all workers
    told = ToldRuns(ours / "told_kinds_of_runs", each=pytestconfig.getoption("--slow"))
    yield told
    page = tmp_path_factory.mktemp("report_of_shared_runs") / "page.html"
    failures = told.failures_below(base, page)
    assert not failures, "\n".join(failures)


@pytest.fixture(autouse=True)
def _every_run_is_told(request: pytest.FixtureRequest, told_runs: ToldRuns) -> Iterator[None]:
    """Whatever a test does to a run, the report tells it and does not end in a traceback."""
    has_folder = "tmp_path" in request.fixturenames
    folder = request.getfixturevalue("tmp_path") if has_folder else None  # is removed after this
    yield
    if folder is not None:
        assert folder.is_dir(), "it was removed before its runs were told"
        failures = told_runs.failures_below(folder, folder / "report_of_runs.html")
        assert not failures, "\n".join(failures)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def model() -> Path:
    """The mini-model's program, built first if need be: tests that run it say so."""
    return program("thalweg_mini")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where compiled kernels are, of all tests at a time and of those before, if that is ours: they
    are found again by their text, so that no test compiles what another one has.
    """
    folder = ROOT / "build" / "tested_kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = tmp_path_factory.getbasetemp()
    if not os.access(folder, os.W_OK):
        folder = tmp_path_factory.getbasetemp()
    for each in folder.iterdir():
        with suppress(FileNotFoundError):  # another worker's, which has its name by now
            if each.suffix != ".lock" and time.time() - each.stat().st_atime > KEPT_S:
                each.unlink()
    return folder


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Runs `thalweg` with these words; stops it after `timeout` seconds."""
    return ThalwegCommand()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """As `cli`, for what reads files or refuses: a process would take ten times as long."""

    def call(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        texts = [str(word) for word in words]
        capfd.readouterr()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["thalweg", *texts])
            if cwd is not None:
                patched.chdir(cwd)
            with pytest.raises(SystemExit) as end:
                main()
        said = capfd.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return subprocess.CompletedProcess(texts, code, said.out, said.err)

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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB: room for a few output times, then no more."""
    mount = tmp_path / "small_disk"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(mount)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no 'mount' on this machine")
    if result.returncode:
        pytest.skip(f"cannot mount a tmpfs: {result.stderr.strip()}")
    yield mount
    subprocess.run(["umount", str(mount)], check=True)
