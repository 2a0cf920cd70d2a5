# SPDX-License-Identifier: Apache-2.0
"""One run at a time in a run directory: a lock that ends with whoever holds it, however he ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory

# What a file system says that knows no locks, e.g. Lustre mounted without "flock".
_NO_LOCKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL}


@dataclass
class DirectoryLock:
    """Release it when done. The mpirun that inherits `descriptor` holds it as long as it lives, so
    that no other run begins beside ranks whose runner was killed.
    """

    descriptor: int
    note: str = ""  # a sentence where the file system keeps no locks

    def sign(self) -> None:
        """Writes who holds it, for the sentence of the next."""
        words = {"process": os.getpid(), "host": platform.node(), "began": _now()}
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, (json.dumps(words) + "\n").encode(), 0)

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


def lock_directory(directory: Path) -> DirectoryLock:
    """Makes run.lock there if need be, and signs it. Raises a sentence if a run goes on there, and
    OSError where files cannot be written.
    """
    lock = take_lock(directory, os.O_CREAT)
    try:
        lock.sign()
    except OSError:
        lock.release()
        raise
    return lock


def take_lock(directory: Path, flags: int = 0) -> DirectoryLock:
    """Changes nothing: the run.lock that is there, unless `flags` say to make it."""
    path = RunDirectory(directory).lock_path
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o666)
        try:
            note = _lock(descriptor, directory)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    return DirectoryLock(descriptor, note)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # somebody removed that file meanwhile


def _lock(descriptor: int, directory: Path) -> str:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ThalwegError(
            f"a run is going on in '{directory}' ({_holder(descriptor)}); wait for its end or "
            "give another --out"
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return (
            f"the file system of '{directory}' keeps no locks ({error.strerror}): take care that "
            "no other run writes there"
        )
    return ""


def _holder(descriptor: int) -> str:
    try:
        words = json.loads(os.pread(descriptor, 1 << 12, 0))
        return f"process {words['process']} on '{words['host']}', since {words['began']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "of another process"


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
