# SPDX-License-Identifier: Apache-2.0
"""`thalweg test`: the checks of the tree, then unit tests on 1 to 4 ranks beside all of tests/."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from thalweg.config.checkout import ROOT, build, program
from thalweg.errors import ThalwegError
from thalweg.run.launch import mpirun_command, mpirun_environment

RANKS = (1, 2, 3, 4)
LONGEST_S = 1800.0  # of unit tests on a number of ranks: they take a minute beside all others
# Tests of code that knows of no other rank say the same on any number.
OF_ONE_RANK = ",".join(
    f"*src/{files}*"
    for files in (
        "codec/", "decomp/decomposition_", "decomp/mesh_", "field/", "grid/", "output/deal/",
        "settings/",
    )
)  # fmt: skip


def run_tests(expression: str, slow: bool) -> int:
    """Exit code. An expression (-k) leaves only pytest, whose fixtures build what the chosen tests
    need.
    """
    command = [sys.executable, "-m", "pytest", str(ROOT / "tests")]
    command += ["--slow"] if slow else []
    if expression:
        return 1 if _call([*command, "-k", expression]) else 0
    _check_tree()
    build("all")
    with ThreadPoolExecutor(max_workers=1) as beside:  # they wait more than they compute
        stop = threading.Event()
        units = beside.submit(_unit_tests, stop)
        try:
            failed = _call([*command, "--durations=20", *_side_by_side()])
        except BaseException:
            stop.set()
            raise
        _tell_units(units.result())
    return 1 if failed else 0


def _side_by_side() -> list[str]:
    """Tests wait for ranks, disks and timeouts more than they compute: four at once."""
    return ["--numprocesses=4", "--dist=worksteal"]


def _check_tree() -> None:
    script = ROOT / "tools" / "check_all"
    if script.is_file() and _call([str(script)]):
        raise ThalwegError("the checks of the tree failed; see above", exit_code=1)


def _unit_tests(stop: threading.Event) -> dict[int, tuple[bool, str]]:
    """Number of ranks: whether a test failed, and what was said. One number after the other."""
    tests = str(program("thalweg_tests"))
    found = {}
    for ranks in RANKS:
        if stop.is_set():
            break
        few = [f"--source-file-exclude={OF_ONE_RANK}"] if ranks > 1 else []
        try:
            done = subprocess.run(
                mpirun_command(ranks, [tests, *few]), cwd=ROOT, env=mpirun_environment(),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                check=False, timeout=LONGEST_S,
            )  # fmt: skip
            found[ranks] = done.returncode != 0, done.stdout
        except subprocess.TimeoutExpired as hung:
            said = hung.stdout.decode(errors="replace") if hung.stdout else ""
            found[ranks] = True, f"{said}\nended after {LONGEST_S} s: a test hangs"
    return found


def _tell_units(found: dict[int, tuple[bool, str]]) -> None:
    """Each line begins with the number of ranks it belongs to."""
    print(f"unit tests on {', '.join(map(str, found))} ranks", flush=True)
    for ranks, (_, said) in found.items():
        for line in said.splitlines():
            print(f"{ranks}: {line}", flush=True)
    failed = [ranks for ranks, (bad, _) in found.items() if bad]
    if failed:
        which = " and ".join(map(str, failed))
        raise ThalwegError(f"unit tests failed on {which} ranks; see above", exit_code=1)


def _call(command: list[str]) -> int:
    return subprocess.run(command, cwd=ROOT, env=mpirun_environment(), check=False).returncode
