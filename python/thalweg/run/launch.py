# SPDX-License-Identifier: Apache-2.0
"""The mpirun command line and environment that work on few cores, in containers and as root."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
from multiprocessing.util import Finalize
from pathlib import Path

from thalweg.config.checkout import program
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.run.mpi_io import layer_options
from thalweg.run.slurm_job import has_cores

ERROR_MARK = "thalweg: error: "
WARNING_MARK = "thalweg: warning: "  # src/base/warning.cpp
_CHECK_TIMEOUT_S = 60.0
_TRIES = 100
_TEMPORARY = ("OMPI_MCA_orte_tmpdir_base", "TMPDIR", "TEMP", "TMP")  # in Open MPI's order
# What the model's kernels may be translated for: a program each (CMakeLists.txt).
MODEL_TARGETS = ("simd", "serial", "openmp", "cuda", "mpi", "onesided")


def mpirun_command(
    ranks: int, command: list[str], mpi_io: str = "auto", *, threads: int = 0
) -> list[str]:
    """Ranks may outnumber cores, so none is bound to a core and a waiting one yields. Where a Slurm
    job has cores for so many threads of each rank, they are its own; threads = 0: that is not asked
    """
    path = shutil.which("mpirun")
    if path is None:
        raise ThalwegError("'mpirun' is not installed; install Open MPI (Debian: openmpi-bin)")
    options = []
    if _is_of_open_mpi(path):
        if threads and has_cores(ranks, threads):
            options = ["--map-by", f"slot:PE={threads}", "--bind-to", "core"]
        else:
            options = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        options += layer_options(mpi_io)
    elif mpi_io != "auto":
        raise ThalwegError(
            f"[machine]: mpi_io = \"{mpi_io}\" is a choice of Open MPI, and '{path}' is of another "
            'MPI; use mpi_io = "auto"'
        )
    return ["mpirun", *options, "-n", str(ranks), *command]


@functools.cache
def _is_of_open_mpi(mpirun: str) -> bool:
    """MPICH's Hydra refuses Open MPI's options."""
    try:
        result = subprocess.run(
            [mpirun, "--version"],
            capture_output=True,
            text=True,
            timeout=_CHECK_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ThalwegError(f"'{mpirun} --version' did not run ({error}); mend the MPI") from None
    return "HYDRA" not in result.stdout


def mpirun_environment(**more: str) -> dict[str, str]:
    """Of mpirun and every rank, and these. One thread each: ranks are the parallelism."""
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMP_WAIT_POLICY": "passive",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
        **more,
    }
    chosen = (environment.get(each) for each in _TEMPORARY)
    _keep_session_folder(next(filter(None, chosen), "/tmp"))
    return environment


@functools.cache
def _keep_session_folder(temporary: str) -> None:
    """Open MPI has one folder there for all runs of a user on a node and removes it with the last:
    one that begins just then finds "File exists", and ends. A folder of ours in it keeps it until
    this process ends.
    """
    name = f"ompi.{os.uname().nodename.partition('.')[0]}.{os.geteuid()}"
    kept = Path(temporary, name, f"thalweg.{os.getpid()}")

    def leave() -> None:
        with contextlib.suppress(OSError):  # others are there
            kept.rmdir()
            kept.parent.rmdir()

    for _ in range(_TRIES):  # another may remove the one just before the other is made
        with contextlib.suppress(OSError):
            kept.parent.mkdir(mode=0o700, exist_ok=True)
            kept.mkdir(exist_ok=True)
            Finalize(None, leave, exitpriority=0)  # atexit is not called where processes fork
            return


def model_command(experiment: Path, directory: Path, target: str = "simd") -> list[str]:
    """The program is built when it is first asked for."""
    if target not in MODEL_TARGETS:
        raise ThalwegError(
            f"the model has no target '{target}'; choose one of: {', '.join(MODEL_TARGETS)}."
            f"{did_you_mean(target, MODEL_TARGETS)}"
        )
    name = "thalweg_mini" if target == MODEL_TARGETS[0] else f"thalweg_mini_{target}"
    return [str(program(name)), str(experiment), str(directory)]


def check_with_model(experiment: Path, directory: Path, ranks: int) -> None:
    """Asks the model itself whether it would run this there; nothing is written. Raises its
    sentence.
    """
    words = [str(experiment), str(directory), "--ranks", str(ranks)]
    command = [str(program("thalweg_mini")), "--check", *words]
    output_of(command, _CHECK_TIMEOUT_S)


def output_of(command: list[str], timeout_s: float | None = None) -> str:
    """Of a program of ours, without mpirun, that ends well. Raises its sentence otherwise."""
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=mpirun_environment(),
        stdin=subprocess.DEVNULL,
        timeout=timeout_s,
        check=False,
    )
    if result.returncode == 0:
        return result.stdout
    sentences = error_sentences(result.stderr)
    if sentences:
        raise ThalwegError(sentences[0], exit_code=2 if result.returncode == 2 else 1)
    raise ThalwegError(
        f"'{Path(command[0]).name}' ended with code {result.returncode} and without a sentence; "
        f"run it by hand: {' '.join(command)}",
        exit_code=1,
    )


def error_sentences(text: str) -> list[str]:
    """What the ranks said went wrong, in their order, each once."""
    found = [
        line.partition(ERROR_MARK)[2].strip() for line in text.splitlines() if ERROR_MARK in line
    ]
    return list(dict.fromkeys(found))
