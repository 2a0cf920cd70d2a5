# SPDX-License-Identifier: Apache-2.0
"""The folder that is measured in: gone in the end, however this process ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from thalweg.errors import ThalwegError

PREFIX = "thalweg-calibrate-"
_NEEDED_BYTES = 64 << 20  # for runs of the mini-model; how much files take is asked afterwards
# Reads until the other end is closed: by us, or by the system when we were killed. Ranks that are
# being ended may write for a while.
_JANITOR = 'read -r line; n=0; while [ -e "$0" ] && [ $n -lt 50 ]; do rm -rf "$0"; \
n=$((n+1)); [ ! -e "$0" ] || sleep 0.2; done 2>/dev/null'


@contextlib.contextmanager
def folder_in(directory: Path) -> Iterator[Path]:
    """Raises a sentence where no files can be made or there is no room."""
    if not directory.is_dir():
        what = "is not a directory" if directory.exists() else "does not exist"
        raise ThalwegError(
            f"the directory '{directory}' {what}; give one on the file system to measure with "
            "--directory"
        )
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=directory.resolve()))
    except OSError as error:
        raise ThalwegError(
            f"no files can be made in '{directory}': {error.strerror}; choose another --directory"
        ) from error
    janitor = subprocess.Popen(
        ["sh", "-c", _JANITOR, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # neither Ctrl-C nor a closed terminal ends it
    )
    try:
        folder.chmod(0o755)
        _require_room(directory)
        yield folder
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
        assert janitor.stdin is not None
        janitor.stdin.close()
        janitor.wait()


def _require_room(directory: Path) -> None:
    free_bytes = shutil.disk_usage(directory).free
    if free_bytes < _NEEDED_BYTES:
        raise ThalwegError(
            f"the disk of '{directory}' has {free_bytes // 10**6} MB free, but measuring needs "
            f"{_NEEDED_BYTES // 10**6} MB at least; make room or choose another --directory"
        )


def describe_file_system(directory: Path) -> str:
    """Type of the file system, e.g. "ext4", as the kernel calls it; "unknown" elsewhere."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    here, found, longest = os.path.realpath(directory), "unknown", -1
    for line in mounts:
        words = line.split(" ")
        point = words[1].replace("\\040", " ")
        inside = here == point or here.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:
            found, longest = words[2], len(point)
    return found
