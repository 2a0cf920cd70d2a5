# SPDX-License-Identifier: Apache-2.0
"""The script `thalweg`: help before a set-up, only what a command needs, sentences when it fails.

The parts of the machine that a set-up changes are played by small programs in a private PATH.
"""

from __future__ import annotations

import fcntl
import os
import selectors
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from thalweg.testing.played_checkout import (
    BUILD,
    CMAKE_FAKE,
    DPKG_NOTHING,
    PYTHON_FAKE,
)
from thalweg.testing.played_checkout import PlayedCheckout as Checkout


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
    assert len(checkout.calls("pip")) == 1
    assert "--editable ." in checkout.calls("pip")[0]


def test_a_command_waits_for_no_build_it_does_not_need(checkout: Checkout) -> None:
    checkout.play("dpkg-query", '[[ "$*" != *cmake* && "$*" != *mpi* ]] && echo -n installed')
    assert checkout.call("settings", "--markdown").returncode == 7
    assert checkout.calls("cmake") == []


def test_a_program_is_built_when_it_is_asked_for_and_when_a_source_changed(
    checkout: Checkout,
) -> None:
    for _ in range(2):
        assert checkout.call(*BUILD).returncode == 0
    assert checkout.calls("cmake") == ["configure", "build thalweg_mini"]
    checkout.play("dpkg-query", DPKG_NOTHING)  # nobody asks it again
    checkout.call("--build", "thalweg_grid")
    checkout.call("--build", "all")
    (checkout.root / "src/grid.cpp").write_text("// changed\n")
    checkout.age()
    checkout.call(*BUILD)
    (checkout.root / "src/new.cpp").touch()
    checkout.age()
    checkout.call("--build", "all")
    checkout.call(*BUILD)  # of all
    targets = ["thalweg_mini", "thalweg_grid", "all", "thalweg_mini", "all"]
    assert checkout.calls("cmake") == ["configure", *(f"build {each}" for each in targets)]


def test_what_python_keeps_beside_its_modules_changes_no_source(checkout: Checkout) -> None:
    checkout.call(*BUILD)
    checkout.age()
    for name in ("python/thalweg/dsl", "mini"):
        (checkout.root / name / "__pycache__").mkdir()
        (checkout.root / name / "__pycache__/ir.pyc").touch()
    checkout.call(*BUILD)
    assert checkout.calls("cmake").count("build thalweg_mini") == 1


def test_a_source_that_went_or_moved_is_noticed_though_none_is_newer(checkout: Checkout) -> None:
    (checkout.root / "src/old.cpp").touch()
    checkout.age()
    checkout.call(*BUILD)
    (checkout.root / "src/old.cpp").rename(checkout.root / "src/moved.cpp")
    checkout.age()
    checkout.call(*BUILD)
    (checkout.root / "src/moved.cpp").unlink()
    checkout.age()
    for _ in range(2):
        checkout.call(*BUILD)
    assert checkout.calls("cmake").count("build thalweg_mini") == 3


def test_what_changes_during_a_build_is_built_next_time(checkout: Checkout) -> None:
    checkout.play("cmake", CMAKE_FAKE.replace("--build)", "--build) echo >>src/grid.cpp"))
    checkout.call(*BUILD)
    checkout.call(*BUILD)
    assert checkout.calls("cmake").count("build thalweg_mini") == 2


def test_a_set_up_checkout_is_not_written_to(checkout: Checkout) -> None:
    def state() -> dict[Path, tuple[int, int]]:
        paths = [path for path in checkout.root.rglob("*") if path.name != "cmake_calls"]
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}

    checkout.call("modes")
    checkout.call(*BUILD)
    before = state()
    assert checkout.call("report").returncode == 7
    assert checkout.call(*BUILD).returncode == 0
    assert state() == before


def test_a_command_waits_for_nobody_who_sets_up_what_it_does_not_need(checkout: Checkout) -> None:
    checkout.call("modes")
    with (checkout.root / "build/setup/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a build that lasts
        assert checkout.call("report").returncode == 7


STRANGER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.fixture
def roots() -> Iterator[Checkout]:
    """Root's checkout, which all may read. Not below pytest's folder: each run of pytest that
    begins takes that from others again.
    """
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can be two users, with setpriv")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Checkout(Path(folder))


def test_another_user_may_use_what_root_set_up(roots: Checkout) -> None:
    roots.call("modes")
    roots.call(*BUILD)
    for words, code in ((["report"], 7), (["modes", "--help"], 7), (BUILD, 0)):
        result = roots.call(*words, before=STRANGER)
        assert result.returncode == code, result.stderr
        assert result.stderr == ""


def test_another_user_is_told_who_can_set_up(roots: Checkout) -> None:
    for words in (["report"], BUILD):
        result = roots.call(*words, before=STRANGER)
        assert result.returncode == 2
        assert result.stderr.count("\n") == 1
        assert f"'{roots.root}' lacks what this command needs" in result.stderr
        assert "let its owner call the same command once" in result.stderr


def test_test_adds_its_tools_and_others_keep_them(checkout: Checkout) -> None:
    checkout.call("modes")
    checkout.call("test")
    checkout.call("modes")
    assert [".[dev]" in call for call in checkout.calls("pip")] == [False, True]


def test_help_of_test_needs_none_of_its_tools(checkout: Checkout) -> None:
    checkout.call("modes")
    assert checkout.call("test", "--help").stdout.startswith("cli: test --help in ")
    assert len(checkout.calls("pip")) == 1


def test_changed_requirements_are_installed(checkout: Checkout) -> None:
    checkout.call("modes")
    with (checkout.root / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    checkout.call("modes")
    assert len(checkout.calls("pip")) == 2


def test_a_moved_checkout_is_set_up_anew(checkout: Checkout, tmp_path: Path) -> None:
    checkout.call("modes")
    checkout.call(*BUILD)
    checkout.root = checkout.root.rename(tmp_path / "moved")
    assert checkout.call("modes").returncode == 7
    checkout.call(*BUILD)
    assert checkout.calls("cmake") == ["configure", "build thalweg_mini"] * 2
    assert len(checkout.calls("pip")) == 2


def test_an_old_cmake_is_replaced_by_a_wheel(checkout: Checkout) -> None:
    checkout.call("modes")
    checkout.call(*BUILD, FAKE_CMAKE="3.22.1")
    assert any("cmake>=3.25" in call for call in checkout.calls("pip"))


def test_an_unknown_command_is_refused_before_anything_is_installed(checkout: Checkout) -> None:
    checkout.play("dpkg-query", DPKG_NOTHING)
    checkout.play("sudo", 'echo "$*" >>sudo_calls')
    for word in ("demmo", "run demo", "--verison"):
        result = checkout.call(word, "--quick")
        assert result.returncode == 2
        (line,) = result.stderr.splitlines()
        start = f"thalweg: error: command '{word}' does not exist; choose one of: calibrate, run, "
        assert line.startswith(start)
    assert checkout.calls("sudo") == []
    assert not (checkout.root / "build").exists()
    assert checkout.call("--version").returncode == 7


def test_a_linked_environment_is_left_alone(checkout: Checkout, tmp_path: Path) -> None:
    theirs = tmp_path / "their .venv"
    theirs.mkdir()
    (theirs / "precious").touch()
    checkout.play(
        "python3", PYTHON_FAKE.replace('mkdir -p "$last', 'rm -rf "$last"/*; mkdir -p "$last')
    )
    (checkout.root / ".venv").symlink_to(theirs)
    result = checkout.call("modes")
    assert result.returncode == 7, result.stderr
    assert [each.name for each in theirs.iterdir()] == ["precious"]
    assert (checkout.root / ".venv/bin/python").is_file()
    assert not (checkout.root / ".venv").is_symlink()
    (line,) = result.stderr.splitlines()
    assert f"'.venv' is a link to '{theirs}', which is left alone" in line
    assert checkout.call("modes").stderr == ""


def test_a_current_folder_that_is_gone_is_a_sentence(checkout: Checkout, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    away = ["bash", "-c", f"cd '{gone}' && rmdir '{gone}' && exec \"$@\"", "bash"]
    result = checkout.call("modes", before=away)
    assert result.returncode == 2
    ours = [line for line in result.stderr.splitlines() if "getcwd" not in line]  # bash's own
    assert ours == [
        f"thalweg: error: the current folder '{gone}' is gone, or closed to this user; go to "
        "another one and call again"
    ]
    assert not (checkout.root / "build").exists()


# What a log says, and what of it a user must be shown.
APT_LOG = (
    "Err:1 http://debian bookworm\nE: Unable to locate package libeccodes-dev\n" + "more\n" * 20
)
PIP_LOG = "Collecting numpy\nERROR: No matching distribution found for netCDF4\n" + "hint\n" * 20
CMAKE_LOG = (
    """-- Found PkgConfig
-- Checking for module 'libisal'
--   No package 'libisal' found
CMake Error at /usr/share/cmake/Modules/FindPkgConfig.cmake:607 (message):
  A required package was not found
Call Stack (most recent call first):
"""
    + "  tools/cmake/dependencies.cmake:10 (pkg_check_modules)\n" * 20
)
NINJA_LOG = """[1/9] Building CXX object grid.cpp.o
FAILED: grid.cpp.o
/usr/bin/c++ -Werror -o grid.cpp.o
src/grid.cpp:3:10: fatal error: eccodes.h: No such file or directory
    3 | #include <eccodes.h>
""" + "[2/9] Building\n" * 20 + "ninja: build stopped: subcommand failed.\n"  # fmt: skip
FAILURES = {
    "packages": (APT_LOG, ["Err:1 http://debian", "Unable to locate package libeccodes-dev"]),
    "python": (PIP_LOG, ["No matching distribution found for netCDF4"]),
    "configure": (CMAKE_LOG, ["No package 'libisal' found", "A required package was not found"]),
    "build": (NINJA_LOG, ["src/grid.cpp:3:10: fatal error: eccodes.h: No such file"]),
}


@pytest.mark.parametrize("step", FAILURES)
def test_a_failed_step_names_what_is_missing_and_its_log(step: str, checkout: Checkout) -> None:
    text, words = FAILURES[step]
    says = 'printf "%s" "$SAYS"; exit 1'
    if step == "packages":
        checkout.play("dpkg-query", DPKG_NOTHING)
        checkout.play("sudo", f'[ "$1" = -n ] || {{ {says}; }}')
    elif step == "python":
        checkout.play("python3", PYTHON_FAKE.replace('echo "$*" >>pip_calls', says))
    else:
        case = {"configure": "--preset)", "build": "--build)"}[step]
        checkout.call("modes")
        checkout.play("cmake", CMAKE_FAKE.replace(case, f"{case} {says}"))
    result = checkout.call(*(["modes"] if step in ("packages", "python") else BUILD), SAYS=text)
    assert result.returncode == 2
    log = checkout.root / f"build/setup/{step}.log"
    assert f'set-up step "{step}" failed; ' in result.stderr
    assert f"its log is {log}" in result.stderr
    assert all(each in result.stderr for each in words), result.stderr
    assert len(result.stderr.splitlines()) < 12, result.stderr


def test_a_failure_in_unknown_words_shows_the_end_of_the_log(checkout: Checkout) -> None:
    checkout.call("modes")
    result = checkout.call(*BUILD, FAKE_BROKEN="1")
    assert result.returncode == 2
    assert "  | no such header" in result.stderr
    assert checkout.call(*BUILD).returncode == 0  # and the next try goes on from there


def test_two_first_commands_at_once_do_not_meet(checkout: Checkout) -> None:
    checkout.call("modes")
    # The first build ends when the second command says that it waits.
    checkout.play("cmake", CMAKE_FAKE.replace("--build)", "--build) read <told"))
    os.mkfifo(checkout.root / "told")
    environment = {**os.environ, "PATH": f"{checkout.bin}:/usr/bin:/bin"}
    command = [str(checkout.root / "thalweg"), *BUILD]
    runs = [
        subprocess.Popen(command, cwd=checkout.root, env=environment, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    messages = [b"", b""]
    with selectors.DefaultSelector() as selector:
        for number, run in enumerate(runs):
            selector.register(run.stderr, selectors.EVENT_READ, number)
        while not any(b"waiting for another set-up" in message for message in messages):
            for key, _ in selector.select(60):
                messages[key.data] += os.read(key.fd, 1000)
    (checkout.root / "told").write_text("go on\n")
    for number, run in enumerate(runs):
        messages[number] += run.communicate(timeout=60)[1]
    assert [run.returncode for run in runs] == [0, 0]
    assert checkout.calls("cmake") == ["configure", "build thalweg_mini"]
    assert sum(b"waiting for another set-up" in message for message in messages) == 1
