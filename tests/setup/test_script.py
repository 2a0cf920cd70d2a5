# SPDX-License-Identifier: Apache-2.0
"""The script `thalweg`: help before a build, sentences when it cannot set up, no overhead.

The parts of the machine that a set-up changes are played by small programs in a private PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT

DPKG_NOTHING = "exit 1"
DPKG_ALL = "echo -n installed"
PYTHON_FAKE = """
case "$*" in
  *"-m venv"*)
    for last in "$@"; do :; done
    mkdir -p "$last/bin"
    cp "$0" "$last/bin/python"
    : >"$last/bin/thalweg" ;;
  *"pip install"*) echo "$*" >>pip_calls ;;
  *bin/thalweg*) shift; echo "cli: $* in $PWD"; exit 7 ;;
esac"""
CMAKE_FAKE = """
case "$1" in
  --version) echo "cmake version ${FAKE_CMAKE:-3.25.1}" ;;
  --preset) mkdir -p build/release; : >build/release/build.ninja; echo configure >>cmake_calls ;;
  --build)
    echo build >>cmake_calls
    if [ -n "${FAKE_BROKEN:-}" ]; then echo "no such header"; exit 1; fi ;;
esac"""


class Checkout:
    """A bare checkout in a folder with a space, and a PATH with played programs first."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a check out"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        (self.root / "tools").mkdir(parents=True)
        for name in ("thalweg", "tools/packages.txt", "pyproject.toml", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root / name)
        self.play("dpkg-query", DPKG_ALL)
        self.play("python3", PYTHON_FAKE)
        self.play("cmake", CMAKE_FAKE)
        self.play("sudo", "exit 1")
        self.play("id", "echo 1000")

    def play(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def call(self, *words: str, cwd: Path | None = None, script: Path | None = None, **environment):
        return subprocess.run(
            [str(script or self.root / "thalweg"), *words],
            capture_output=True, text=True, timeout=60, check=False, cwd=cwd or self.root,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": f"{self.bin}:/usr/bin:/bin", **environment},
        )  # fmt: skip

    def calls(self, name: str) -> list[str]:
        path = self.root / f"{name}_calls"
        return path.read_text().splitlines() if path.is_file() else []


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_help_works_before_anything_is_built(checkout: Checkout) -> None:
    for words in ([], ["--help"], ["demo", "--help"], ["-h"]):
        result = checkout.call(*words)
        assert result.returncode == 0
        for command in ("demo", "test", "run", "report", "verify", "trace", "grid"):
            assert f"./thalweg {command}" in result.stdout
    assert not (checkout.root / "build").exists()


def test_the_first_command_sets_up_and_hands_over(checkout: Checkout, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(checkout.root / "thalweg")
    result = checkout.call("run", "a case.toml", cwd=tmp_path, script=link)
    assert result.stdout == f"cli: run a case.toml in {tmp_path}\n"
    assert result.returncode == 7  # the command's own code
    assert checkout.calls("cmake") == ["configure", "build"]
    assert len(checkout.calls("pip")) == 1
    assert "--editable ." in checkout.calls("pip")[0]


def test_the_second_command_only_asks_the_build(checkout: Checkout) -> None:
    checkout.call("modes")
    checkout.play("dpkg-query", DPKG_NOTHING)  # nobody asks it again
    assert checkout.call("modes").returncode == 7
    assert checkout.calls("cmake") == ["configure", "build", "build"]
    assert len(checkout.calls("pip")) == 1


def test_test_adds_its_tools_and_others_keep_them(checkout: Checkout) -> None:
    checkout.call("modes")
    checkout.call("test")
    checkout.call("modes")
    assert [".[dev]" in call for call in checkout.calls("pip")] == [False, True]


def test_changed_requirements_are_installed(checkout: Checkout) -> None:
    checkout.call("modes")
    with (checkout.root / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    checkout.call("modes")
    assert len(checkout.calls("pip")) == 2


def test_a_moved_checkout_is_set_up_anew(checkout: Checkout, tmp_path: Path) -> None:
    checkout.call("modes")
    checkout.root = checkout.root.rename(tmp_path / "moved")
    assert checkout.call("modes").returncode == 7
    assert checkout.calls("cmake") == ["configure", "build", "configure", "build"]
    assert len(checkout.calls("pip")) == 2


def test_an_old_cmake_is_replaced_by_a_wheel(checkout: Checkout) -> None:
    checkout.call("modes", FAKE_CMAKE="3.22.1")
    assert any("cmake>=3.25" in call for call in checkout.calls("pip"))


def test_missing_packages_without_rights_end_in_the_line_to_run(checkout: Checkout) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    result = checkout.call("demo")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "run as root: apt-get update && apt-get install -y" in result.stderr
    assert "libnetcdf-mpi-dev" in result.stderr
    assert "cdo" not in result.stderr.split()  # for tests only
    assert "cdo" in checkout.call("test").stderr.split()


def test_sudo_installs_what_is_missing(checkout: Checkout) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    checkout.play("sudo", '[ "$1" = -n ] || echo "$*" >>sudo_calls')
    assert checkout.call("demo").returncode == 7
    update, install = checkout.calls("sudo")
    assert update == "apt-get update"
    assert "apt-get install -y --no-install-recommends build-essential " in install


def test_a_failed_step_names_itself_its_log_and_the_remedy(checkout: Checkout) -> None:
    result = checkout.call("demo", FAKE_BROKEN="1")
    assert result.returncode == 2
    log = checkout.root / "build/setup/build.log"
    assert 'set-up step "build" failed; mend the first error in the log' in result.stderr
    assert f"its log is {log}" in result.stderr
    assert "  | no such header" in result.stderr
    assert log.read_text() == "no such header\n"
    assert checkout.call("demo").returncode == 7  # and the next try goes on from there


def test_two_first_commands_at_once_do_not_meet(checkout: Checkout) -> None:
    checkout.play("cmake", CMAKE_FAKE.replace("echo build", "sleep 0.3; echo begin; echo build"))
    environment = {**os.environ, "PATH": f"{checkout.bin}:/usr/bin:/bin"}
    command = [str(checkout.root / "thalweg"), "modes"]
    runs = [
        subprocess.Popen(command, cwd=checkout.root, env=environment, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    messages = [run.communicate(timeout=60)[1] for run in runs]
    assert [run.returncode for run in runs] == [7, 7]
    assert checkout.calls("cmake").count("configure") == 1
    assert sum(b"waiting for another set-up" in message for message in messages) == 1
