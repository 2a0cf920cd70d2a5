# SPDX-License-Identifier: Apache-2.0
"""`thalweg test`: the checks of the tree, unit tests on 1 to 4 ranks, then everything in tests/."""

from __future__ import annotations

import subprocess
import sys

from thalweg.config.checkout import ROOT, build, program
from thalweg.errors import ThalwegError
from thalweg.run.launch import mpirun_command, mpirun_environment

RANKS = (1, 2, 3, 4)


def run_tests(expression: str, slow: bool) -> int:
    """Exit code of the first stage that failed. An expression (-k) leaves only pytest, whose
    fixtures build what the chosen tests need.
    """
    if not expression:
        _check_tree()
        build("all")
        _unit_tests()
    command = [sys.executable, "-m", "pytest", str(ROOT / "tests")]
    command += ["-k", expression] if expression else ["--durations=20"]
    command += ["--slow"] if slow else []
    return 1 if _call(command) else 0


def _check_tree() -> None:
    script = ROOT / "tools" / "check_all"
    if script.is_file() and _call([str(script)]):
        raise ThalwegError("the checks of the tree failed; see above", exit_code=1)


def _unit_tests() -> None:
    tests = str(program("thalweg_tests"))
    for ranks in RANKS:
        print(f"unit tests on {ranks} ranks", flush=True)
        if _call(mpirun_command(ranks, [tests])):
            raise ThalwegError(f"unit tests failed on {ranks} ranks; see above", exit_code=1)


def _call(command: list[str]) -> int:
    return subprocess.run(command, cwd=ROOT, env=mpirun_environment(), check=False).returncode
