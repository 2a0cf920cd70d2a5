# SPDX-License-Identifier: Apache-2.0
"""`thalweg test`: the checks of the tree, unit tests on several ranks, then what is in tests/."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from thalweg.config.checkout import ROOT, build, program
from thalweg.errors import ThalwegError
from thalweg.run.launch import mpirun_command, mpirun_environment

RANKS = (1, 3)
MORE_RANKS = (2, 4)  # pairs, and powers of two
# Tests of code that knows of no other rank say the same on any number.
OF_ONE_RANK = ",".join(
    f"*src/{files}*"
    for files in (
        "codec/", "decomp/decomposition_", "decomp/mesh_", "field/", "grid/", "output/deal/",
        "settings/",
    )
)  # fmt: skip

MEMORY = "/dev/shm"
MEMORY_NEEDED = 2 << 30


def run_tests(expression: str, slow: bool) -> int:
    """Exit code of the first stage that failed. An expression (-k) leaves only pytest, whose
    fixtures build what the chosen tests need.
    """
    if not expression:
        _check_tree()
        build("all")
        _unit_tests(tuple(sorted(RANKS + MORE_RANKS)) if slow else RANKS)
    command = [sys.executable, "-m", "pytest", str(ROOT / "tests")]
    command += ["-k", expression] if expression else ["--durations=20", *_side_by_side()]
    command += ["--slow"] if slow else []
    return 1 if _call(command) else 0


def _side_by_side() -> list[str]:
    """Tests wait for ranks, disks and timeouts, too. Ranks that wait for each other take a core
    from those that work: four at once took 447 s on two cores, six 480 s.
    """
    return ["--numprocesses=4", "--dist=worksteal"]


def _check_tree() -> None:
    script = ROOT / "tools" / "check_all"
    if script.is_file() and _call([str(script)]):
        raise ThalwegError("the checks of the tree failed; see above", exit_code=1)


def _unit_tests(numbers: tuple[int, ...]) -> None:
    """On two numbers of ranks at a time; each line begins with the number it belongs to. One rank
    makes its files on a disk; more make theirs in memory, if there is enough, which takes less.
    """
    tests = str(program("thalweg_tests"))
    print(f"unit tests on {', '.join(map(str, numbers))} ranks", flush=True)

    def fails(ranks: int) -> bool:
        few = [f"--source-file-exclude={OF_ONE_RANK}"] if ranks > 1 else []
        command = mpirun_command(ranks, [tests, *few])
        with subprocess.Popen(
            command, cwd=ROOT, env=mpirun_environment(**(in_memory if ranks > 1 else {})),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        ) as process:  # fmt: skip
            for line in process.stdout or ():
                print(f"{ranks}: {line}", end="", flush=True)
        return process.returncode != 0

    with ThreadPoolExecutor(max_workers=2) as pool, _memory() as in_memory:
        failed = [n for n, bad in zip(numbers, pool.map(fails, numbers), strict=True) if bad]
    if failed:
        which = " and ".join(map(str, failed))
        raise ThalwegError(f"unit tests failed on {which} ranks; see above", exit_code=1)


@contextlib.contextmanager
def _memory() -> Iterator[dict[str, str]]:
    """The environment of programs that make their files there; none where a place was chosen, or
    memory is short.
    """
    try:
        words = Path("/proc/meminfo").read_text(encoding="ascii").split()
        unused = int(words[words.index("MemAvailable:") + 1]) << 10
        free = min(unused // 2, shutil.disk_usage(MEMORY).free)
    except (OSError, ValueError, IndexError):
        free = 0
    if "TMPDIR" in os.environ or free < MEMORY_NEEDED or not os.access(MEMORY, os.W_OK):
        yield {}
        return
    with TemporaryDirectory(prefix="thalweg_tests_", dir=MEMORY) as folder:
        yield {"TMPDIR": folder}


def _call(command: list[str]) -> int:
    """Modules are compiled once, not by each process of a test: beside no source, if it must not
    be there.
    """
    environment = mpirun_environment()
    if environment.pop("PYTHONDONTWRITEBYTECODE", ""):
        environment["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "bytecode")
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
