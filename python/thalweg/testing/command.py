# SPDX-License-Identifier: Apache-2.0
"""`thalweg` as a process of its own, forked where its modules are loaded already (warm.py): loading
them takes longer than most commands that tests give.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import subprocess
import sys
from multiprocessing import forkserver, get_context
from pathlib import Path
from tempfile import TemporaryDirectory


class ThalwegCommand:
    """Calls are those of `python -m thalweg` in the environment of the first moment."""

    def __init__(self) -> None:
        self.environment = _environment()
        self.processes = get_context("forkserver")
        self.processes.set_forkserver_preload(["thalweg.testing.warm"])
        forkserver.ensure_running()

    def __call__(
        self, *words: object, timeout: float = 300.0, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Ends it after `timeout` seconds and raises TimeoutExpired then."""
        texts = [str(word) for word in words]
        command = [sys.executable, "-m", "thalweg", *texts]
        if _environment() != self.environment:  # libraries look at it when they are loaded
            return subprocess.run(
                command, capture_output=True, text=True, timeout=timeout, cwd=cwd, check=False
            )
        with TemporaryDirectory(prefix="thalweg_said_") as folder:
            said = [Path(folder) / "out", Path(folder) / "err"]
            arguments = (texts, cwd or Path.cwd(), said)
            process = self.processes.Process(target=_main, args=arguments)
            process.start()
            process.join(timeout)
            if process.exitcode is None:
                process.kill()
                process.join()
                raise subprocess.TimeoutExpired(command, timeout)
            out, err = (path.read_text(encoding="utf-8") for path in said)
            return subprocess.CompletedProcess(command, process.exitcode, out, err)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


def _main(words: list[str], cwd: Path, said: list[Path]) -> None:
    for number, path in enumerate(said, start=1):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
    os.chdir(cwd)
    sys.argv = [str(Path(sys.executable).with_name("thalweg")), *words]
    try:
        runpy.run_module("thalweg", run_name="__main__", alter_sys=True)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.flush()
