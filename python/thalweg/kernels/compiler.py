# SPDX-License-Identifier: Apache-2.0
"""Compiles translated kernels, each once: a library is found again by its code and its compiler."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.kernels.device import FLAGS as DEVICE_FLAGS
from thalweg.kernels.device import has_gpu, nvcc
from thalweg.kernels.made_for import made_for

CHECKSUM_BYTES = 32
# No fused multiply-add: every target rounds as the source says, so that all give the same bits.
# Nobody reads errno: with it, a function would be called value by value. Nobody reads flags of
# exceptions: with them, GCC takes no division of a `where` into a loop of AVX2's vectors, which
# have no masks (vertical limiter: one value at a time).
FLAGS = (
    "-std=c++20", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno",
    "-fno-trapping-math", "-fPIC", "-shared",
)  # fmt: skip
MORE_FLAGS = {
    "serial": (),
    "cuda": (),  # on this CPU, thread after thread
    "openmp": ("-fopenmp", "-mprefer-vector-width=512"),
    "simd": ("-fopenmp", "-mprefer-vector-width=512"),  # -fopenmp: functions of many values, too
}


def build_for_ranks(name: str, code: str, each_rank: str, folder: Path) -> Path:
    """By MPI's own compiler command."""
    compiler = shutil.which("mpicxx")
    if compiler is None:
        raise ThalwegError(
            "no compiler command of an MPI was found; install one (Debian: libopenmpi-dev), so that"
            " mpicxx is in PATH"
        )
    if each_rank == "cuda" and has_gpu():
        command = (*_nvcc(), "-ccbin", compiler, *DEVICE_FLAGS, "-arch=native")
        return _built(name, code, command, folder, ".cu")
    return _built(name, code, (compiler, *FLAGS, *MORE_FLAGS[each_rank]), folder, ".cpp")


def build(name: str, code: str, flags: tuple[str, ...], folder: Path) -> Path:
    named = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or ""
    try:
        compiler = shlex.split(named)  # words may stand before and behind it, as in "ccache g++"
    except ValueError as error:
        raise ThalwegError(f"CXX is {named!r}, which is no command: {error}") from None
    if not compiler or not shutil.which(compiler[0]):
        raise ThalwegError(
            "no C++ compiler was found; install g++ or name one in CXX, or take the target numpy"
        )
    return _built(name, code, (*compiler, *flags), folder, ".cpp")


def build_for_device(name: str, code: str, folder: Path) -> Path:
    """For the GPU of this machine; where there is none, for this CPU, thread after thread."""
    if not has_gpu():
        return build(name, code, FLAGS, folder)
    return _built(name, code, (*_nvcc(), *DEVICE_FLAGS, "-arch=native"), folder, ".cu")


def _nvcc() -> tuple[str, ...]:
    compiler = nvcc()
    if not compiler:
        raise ThalwegError(
            "there is a GPU but no nvcc; put CUDA's into PATH, or pip install nvidia-cuda-nvcc "
            "nvidia-cuda-runtime"
        )
    return compiler


def _built(name: str, code: str, command: tuple[str, ...], folder: Path, suffix: str) -> Path:
    """Found again where the same was compiled before, for this machine by this compiler."""
    place, _, rest = code.partition("\n")  # which file it came from makes no other code
    same = rest if place.startswith("// ") else code
    words = [same, *command, made_for(command, suffix == ".cu")]
    mark = hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
    library = folder / f"{name}-{mark}.so"
    if _is_whole(library):
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with _alone_with(library):
        if not _is_whole(library):
            _compile(name, code, command, library, suffix)
    return library


def _is_whole(library: Path) -> bool:
    """A full disk may have cut it off: calling into what is not there ends the program. Behind the
    library, where no loader looks, stands its checksum.
    """
    try:
        content = library.read_bytes()
    except OSError:
        return False
    return _checksum(content[:-CHECKSUM_BYTES]) == content[-CHECKSUM_BYTES:]


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


@contextlib.contextmanager
def _alone_with(library: Path) -> Iterator[None]:
    """Others who want the same wait, instead of compiling it too: a large kernel takes a minute.
    Where files cannot be locked, they compile it.
    """
    lock = library.with_suffix(".lock")
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            fcntl.flock(held.enter_context(lock.open("w")), fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                lock.unlink()


def _compile(name: str, code: str, command: tuple[str, ...], library: Path, suffix: str) -> None:
    source = library.with_suffix(suffix)
    aside = library.with_suffix(f".{os.getpid()}.part")  # two may compile the same all the same
    try:
        aside.write_text(code, encoding="utf-8")
        aside.replace(source)
        _made_by(command, source, aside, name)
        with aside.open("r+b") as file:
            checksum = _checksum(file.read())
            file.write(checksum)
        aside.replace(library)
    except OSError as error:
        raise ThalwegError(
            f"kernel '{name}' cannot be compiled in '{library.parent}': {error.strerror}"
        ) from None
    finally:
        aside.unlink(missing_ok=True)


def _made_by(command: tuple[str, ...], source: Path, aside: Path, name: str) -> None:
    """A library with the kernel in it, or a sentence why there is none."""
    result = subprocess.run(
        [*command, str(source), "-o", str(aside)], capture_output=True, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    if result.returncode < 0:
        raise ThalwegError(
            f"the compiler of kernel '{name}' was ended by signal {-result.returncode}; memory may "
            "be short"
        )
    if result.returncode:
        said = result.stderr.splitlines()
        full = [line for line in said if os.strerror(errno.ENOSPC) in line]
        words = full or [line for line in said if "error" in line] or said or ["no word"]
        raise ThalwegError(f"the compiler refused kernel '{name}': {words[0]}")
    if not aside.is_file() or name.encode() not in aside.read_bytes():
        raise ThalwegError(f"'{shlex.join(command[:1])}' made no library of kernel '{name}'")
