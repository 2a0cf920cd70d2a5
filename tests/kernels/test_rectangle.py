# SPDX-License-Identifier: Apache-2.0
"""examples/rectangle: a model whose kernels are translated by its own build."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.made_for import made_for
from thalweg.run.launch import mpirun_command, mpirun_environment
from thalweg.testing.kernels.ways import IDS, WAYS, different

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "rectangle"
LINE = re.compile(r"step (\d+) mass (\S+) energy (\S+) eddy (\S+)")


def inputs() -> list[str]:
    """Names and texts of the example, the language, and what makes CMake translate."""
    files = [*EXAMPLE.iterdir(), *(ROOT / "python/thalweg/dsl").rglob("*.py")]
    files += [ROOT / "python/thalweg/errors.py", ROOT / "tools/cmake/translate_kernels.cmake"]
    return [word for each in sorted(files) if each.is_file()
            for word in (str(each), each.read_text(encoding="utf-8"))]  # fmt: skip


@pytest.fixture(scope="module")
def program(compiled: Path) -> Path:
    """Built once, whichever process of the tests is the first to need it, and kept for those of
    another day, if all that it is made of is the same and nothing stopped it.
    """
    folder = compiled / "rectangle"
    whole = folder / "whole"
    compilers = [os.environ.get("CXX") or "c++", *filter(None, [shutil.which("mpicxx")])]
    made_of = [str(folder), *(made_for((each,), False) for each in compilers), *inputs()]
    by = hashlib.sha256("\0".join(made_of).encode()).hexdigest()
    with (compiled / "rectangle.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if whole.is_file() and whole.read_text() == by:
            return folder / "rectangle"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for words in (
            ["cmake", "-S", str(EXAMPLE), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"],
            ["cmake", "--build", str(folder)],
        ):
            made = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
            assert made.returncode == 0, made.stdout + made.stderr
        whole.write_text(by)
    return folder / "rectangle"


def run(program: Path, *words: str) -> list[tuple[float, ...]]:
    environment = {**os.environ, "OMP_NUM_THREADS": "3"}
    told = subprocess.run(
        [program, *words], env=environment, capture_output=True, text=True, check=True
    ).stdout
    return [tuple(map(float, each)) for each in LINE.findall(told)]


@pytest.mark.some(3, 2)
@pytest.mark.parametrize("side", ["4", "37", "64"])
def test_every_target_has_the_same_bits(program: Path, side: str) -> None:
    serial = run(program, "serial", side, "50")
    assert len(serial) == 2
    assert run(program, "simd", side, "50") == serial
    assert run(program, "openmp", side, "50") == serial


@pytest.mark.parametrize(("side", "steps"), [("4", "1"), ("37", "70")])
def test_fields_on_a_device_have_the_same_bits(program: Path, side: str, steps: str) -> None:
    on_device = program.with_name("rectangle_on_device")
    assert run(on_device, side, steps) == run(program, "serial", side, steps)
    told = subprocess.run([on_device, "3"], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.startswith("usage: rectangle_on_device [POINTS_A_SIDE")


@pytest.mark.skipif(not shutil.which("mpicxx"), reason="no MPI on this machine")
@pytest.mark.parametrize(("target", "ranks"), [("mpi", 1), ("mpi", 3), ("onesided", 4)])
def test_ranks_have_the_same_bits(program: Path, target: str, ranks: int) -> None:
    steps = "70" if ranks < 4 else "20"  # more ranks than cores wait for their turns
    words = [str(program.with_name("rectangle_on_ranks")), target, "37", steps]
    told = subprocess.run(
        mpirun_command(ranks, words), env=mpirun_environment(), capture_output=True, text=True,
        timeout=600, check=True,
    ).stdout  # fmt: skip
    assert [tuple(map(float, each)) for each in LINE.findall(told)] == run(
        program, "serial", "37", steps
    )


@pytest.mark.some(3)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_a_stage_is_that_of_the_reference(way: Configuration, compiled: Path) -> None:
    kernel = load_file(EXAMPLE / "shallow_water.py")["stage"]
    assert different(made_case(kernel), way, compiled) == []


def test_mass_is_kept_energy_nearly_and_the_eddy_stays(program: Path) -> None:
    lines = run(program, "simd", "96", "400")
    (_, mass, energy, eddy), last = lines[0], lines[-1]
    assert last[0] == 400
    assert abs(last[1] / mass - 1) < 1e-13
    assert -1e-9 < last[2] / energy - 1 < 0  # the time scheme takes some
    assert 0.85 < (last[3] - 1000) / (eddy - 1000) < 1


def test_what_the_time_scheme_takes_falls_with_its_third_power(program: Path) -> None:
    """On a finer grid steps are shorter: the same time in twice as many steps."""
    lost = []
    for side, steps in (("32", "40"), ("64", "80")):
        lines = run(program, "simd", side, steps)
        lost.append(1 - lines[-1][2] / lines[0][2])
    assert 6 < lost[0] / lost[1] < 14  # about 8


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["vector"],
        *(["simd", side] for side in ("3", "-5", "8x8", "8.5", "46341", "4294967304")),
        *(["simd", "8", steps] for steps in ("-1", "x", "99999999999")),
        ["simd", "8", "1", "1"],
    ],
)
def test_what_makes_no_sense_is_refused(program: Path, words: list[str]) -> None:
    told = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.startswith("usage: rectangle serial|simd|openmp")


def test_a_rectangle_beyond_the_memory_is_refused(program: Path) -> None:
    few_bytes = 64 << 20
    told = subprocess.run(
        [program, "simd", "3000", "1"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (few_bytes, few_bytes)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (2, "rectangle: no memory for 3000 x 3000 points\n")
