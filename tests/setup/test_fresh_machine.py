# SPDX-License-Identifier: Apache-2.0
"""tools/fresh_machine says why it cannot have a bare machine; .ci/run uses it where it can."""

from __future__ import annotations

import os
import platform
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT

SKIPPED = 77
TOOLS = (
    "bash", "id", "git", "dirname", "readlink", "unshare", "mktemp", "awk", "sort", "sed", "setsid",
    "env",
)  # fmt: skip
CODENAME = platform.freedesktop_os_release().get("VERSION_CODENAME", "")


def played(folder: Path, programs: dict[str, str]) -> dict[str, str]:
    """Environment with a PATH of a few tools and these played programs; "" takes one away."""
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    for name, script in programs.items():
        path = folder / name
        path.unlink(missing_ok=True)
        if script:
            path.write_text(f"#!/bin/bash\n{script}\n")
            path.chmod(0o755)
    return {**os.environ, "PATH": str(folder)}


def call(folder: Path, *words: str, **programs: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "tools/fresh_machine", *words], capture_output=True, text=True, timeout=60,
        check=False, env=played(folder, programs),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("programs", "reason"),
    [
        ({"id": "echo 1000"}, "only root can make a bare root"),
        ({"id": "echo 0"}, "debootstrap is not installed"),
        ({"id": "echo 0", "debootstrap": "exit 1", "git": "exit 1"}, "no git checkout"),
        (
            {"id": "echo 0", "debootstrap": "exit 1", "git": "exit 0", "unshare": "exit 1"},
            "this machine allows no mount namespace",
        ),
    ],
)
def test_what_is_missing_is_the_reason(
    programs: dict[str, str], reason: str, tmp_path: Path
) -> None:
    result = call(tmp_path, "demo", **programs)
    assert result.returncode == SKIPPED, result.stderr
    (line,) = result.stdout.splitlines()
    assert line.startswith("fresh_machine: skipped: ")
    assert reason in line


@pytest.mark.parametrize("words", ["", "then", "then demo", "demo then", "demo then then test"])
def test_without_a_command_it_explains_itself(words: str, tmp_path: Path) -> None:
    result = call(tmp_path, *words.split(), **MACHINE, unshare="exit 0")
    assert result.returncode == 2
    assert "tools/fresh_machine [--keep] COMMAND" in result.stdout
    assert "77" in result.stdout


# The last of `unshare`'s arguments are a command of `./thalweg`, which the bare machine would run.
MACHINE = {
    "id": "echo 0",
    "git": '[ "$1" != clone ] || mkdir -p "${@: -1}"',
    "apt-get": f"echo deb http://nowhere {CODENAME} main",
    "apt-config": "true",
    "grep": "true",
    "mkdir": 'exec /bin/mkdir "$@"',
    "cp": "true",
    "debootstrap": 'mkdir -p "$3/etc/apt/apt.conf.d" "$3/etc/dpkg/dpkg.cfg.d" "$3/root"',
    "mv": 'exec /bin/mv "$@"',
    "rm": 'exec /bin/rm "$@"',
    "sleep": 'exec /bin/sleep "$@"',
}


@pytest.mark.skipif(not CODENAME, reason="this is no Debian")
def test_each_command_runs_on_the_same_machine_and_the_first_failure_counts(tmp_path: Path) -> None:
    unshare = """[ "${@: -1}" != true ] || exit 0
[ "$4" != debootstrap ] || exec "${@:4}"
echo "runs ${@:6}"
[ "${@: -1}" != --shorter ] || exit 7
[ "${@: -1}" != R2B4 ] || exit 3"""
    words = ["demo", "--shorter", "then", "grid", "R2B4", "then", "test"]
    result = call(tmp_path, *words, **MACHINE, unshare=unshare)
    assert result.returncode == 7, result.stdout + result.stderr
    runs = [line.split() for line in result.stdout.splitlines() if line.startswith("runs ")]
    assert [run[3:] for run in runs] == [["demo", "--shorter"], ["grid", "R2B4"], ["test"]]
    (root,) = {run[2] for run in runs}
    assert not Path(root).exists()
    ends = [line for line in result.stdout.splitlines() if "exit code" in line]
    assert [line.split()[-1] for line in ends] == ["7", "3", "0"]


@pytest.mark.skipif(not CODENAME, reason="this is no Debian")
def test_a_signal_ends_the_machine_and_takes_its_root_away(tmp_path: Path) -> None:
    unshare = '[ "${@: -1}" != true ] || exit 0; [ "$4" != debootstrap ] || exec "${@:4}"; '
    unshare += 'trap "" TERM; echo "machine $$ $7"; exec sleep 60'
    environment = played(tmp_path, MACHINE | {"unshare": unshare})
    with subprocess.Popen(
        [ROOT / "tools/fresh_machine", "demo"], env=environment, stdout=subprocess.PIPE, text=True
    ) as begun:
        assert begun.stdout
        told = next(line for line in begun.stdout if line.startswith("machine "))
        _, process, root = told.split()
        assert Path(root).is_dir()
        begun.terminate()
        assert begun.wait(timeout=30) == 130
    assert not Path(f"/proc/{process}").exists()
    assert not Path(root).exists()


@pytest.mark.skipif(not CODENAME, reason="this is no Debian")
def test_a_signal_ends_debootstrap(tmp_path: Path) -> None:
    began = tmp_path / "began"
    os.mkfifo(began)
    programs = MACHINE | {
        "unshare": '[ "${@: -1}" != true ] || exit 0; exec "${@:4}"',
        "debootstrap": f'grep Sig /proc/self/status >{tmp_path}/signals; echo "$$ $3" >{began}; '
        "exec /bin/sleep 60",
        "grep": 'exec /bin/grep "$@"',
    }
    told = os.open(began, os.O_RDONLY | os.O_NONBLOCK)
    environment = played(tmp_path, programs)
    with subprocess.Popen([ROOT / "tools/fresh_machine", "demo"], env=environment) as begun:
        assert select.select([told], [], [], 30.0)[0]
        process, root = os.read(told, 4096).split()
        begun.terminate()
        assert begun.wait(timeout=30) == 130
    os.close(told)
    assert not Path(f"/proc/{process.decode()}").exists()
    assert not Path(root.decode()).parent.exists()
    ignored = (tmp_path / "signals").read_text().partition("SigIgn:")[2].split()[0]
    assert not int(ignored, 16) & 0b110, "it would not end with Ctrl-C or QUIT"


@pytest.mark.parametrize(
    ("bare", "tests", "code", "said"),
    [
        (0, 9, 0, ["demo then test"]),  # the tests are those of the bare machine
        (4, 9, 4, ["demo then test"]),
        (77, 0, 0, ["demo then test", "here: test"]),
        (77, 5, 5, ["demo then test", "here: test"]),
    ],
)
def test_ci_tests_here_where_there_is_no_bare_machine(
    bare: int, tests: int, code: int, said: list[str], tmp_path: Path
) -> None:
    result = call_ci(tmp_path, bare, tests)
    assert result.returncode == code, result.stdout + result.stderr
    assert result.stdout.splitlines() == said


def test_ci_tests_here_what_is_not_committed(tmp_path: Path) -> None:
    result = call_ci(tmp_path, 0, 5, change="new")
    assert result.returncode == 5
    assert result.stdout.splitlines()[1:] == ["here: test"]
    assert "not committed" in result.stdout


def test_ci_says_what_git_says(tmp_path: Path) -> None:
    result = call_ci(tmp_path, 0, 5, broken=True)
    assert result.returncode == 5
    told, *others = result.stdout.splitlines()
    assert "git cannot tell what is committed (fatal: bad config line 1" in told
    assert others == ["here: test"]


def call_ci(
    folder: Path, bare: int, tests: int, change: str = "", broken: bool = False
) -> subprocess.CompletedProcess[str]:
    """.ci/run in a checkout whose programs end with these codes."""
    for name, script in (
        ("tools/fresh_machine", f'echo "$@"; exit {bare}'),
        ("thalweg", f'echo "here: $@"; exit {tests}'),
    ):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)
    if change:
        (folder / change).touch()
    if broken:
        (folder / ".git/config").write_text("no config\n")
    tools = folder.with_name(f"{folder.name}_tools")
    tools.mkdir()
    for name in ("apt-get", "debootstrap"):  # nothing is installed by a test
        (tools / name).symlink_to("/bin/true")
    words = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C"}
    return subprocess.run(
        [folder / ".ci/run"], capture_output=True, text=True, timeout=60, check=False, env=words
    )
