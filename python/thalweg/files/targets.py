# SPDX-License-Identifier: Apache-2.0
"""Where a command writes a file of its own."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thalweg.errors import ThalwegError


def refuse_target(path: Path, overwrite: bool) -> None:
    """Before anything is read or measured. Raises a sentence."""
    if path.is_dir():
        raise ThalwegError(f"'{path}' is a directory; give the name of a file")
    if path.exists() and not path.is_file():
        raise ThalwegError(f"'{path}' is no file but a device or a pipe; give another name")
    if path.exists() and not overwrite:
        raise ThalwegError(f"'{path}' exists; choose another name or add --overwrite")
    if not path.parent.is_dir():
        raise ThalwegError(f"the directory '{path.parent}' does not exist; give another name")
    try:
        _new_beside(path).unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def make_folder(path: Path) -> None:
    """With those above it, before anything is measured or run. Raises a sentence where no file can
    be written there.
    """
    if path.exists() and not path.is_dir():
        raise ThalwegError(f"'{path}' is no directory; give another with -o")
    try:
        path.mkdir(parents=True, exist_ok=True)
        _new_beside(path / "new").unlink()
    except OSError as error:
        raise ThalwegError(
            f"the directory '{path}' cannot be written: {error.strerror}; give another with -o"
        ) from error


def write_whole(path: Path, content: str | bytes) -> None:
    """Appears under its name only when it is complete; text is UTF-8. Raises a sentence."""
    try:
        with written_aside(path) as aside:
            aside.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """A new file beside `path`, to be written; it gets that name in the end, or is removed where
    anything is raised. Raises OSError.
    """
    aside = _new_beside(path)
    try:
        yield aside
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _new_beside(path: Path) -> Path:
    """Empty, of a name that nobody has: PATH.part may be somebody's own."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    aside.touch(exist_ok=False)  # tempfile would hide it from others than the user
    return aside


def _unwritable(path: Path, error: OSError) -> ThalwegError:
    return ThalwegError(f"'{path}' cannot be written: {error.strerror}; give another name")
