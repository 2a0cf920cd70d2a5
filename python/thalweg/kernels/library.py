# SPDX-License-Identifier: Apache-2.0
"""The kernels that there are: one file each in mini/kernels, or a file of the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.dsl import Kernel
from thalweg.dsl.kernel_files import load_file, load_folder
from thalweg.errors import ThalwegError, did_you_mean

FOLDER = ROOT / "mini" / "kernels"


def all_kernels() -> dict[str, Kernel]:
    """Those of this checkout, by name."""
    return load_folder(FOLDER)


def find_kernel(name: str) -> Kernel:
    """A kernel of ours by its name, or the only one, or the one named behind ':', of FILE.py."""
    file, _, wanted = name.partition(":")
    if not file.endswith(".py"):
        known = all_kernels()
        wanted = name
    else:
        known = load_file(Path(file))
        wanted = wanted or (next(iter(known)) if len(known) == 1 else "")
    if wanted in known:
        return known[wanted]
    if not wanted and file:
        raise ThalwegError(
            f"'{file}' has {len(known)} kernels; name one, as in {file}:{next(iter(known))}"
        )
    if file.endswith(".py"):
        raise ThalwegError(
            f"kernel '{wanted}' does not exist in '{file}'; choose one of: {', '.join(known)}."
            f"{did_you_mean(wanted, known)}"
        )
    raise unknown_kernel(name, known)


def unknown_kernel(name: str, known: Iterable[str]) -> ThalwegError:
    """Not with the names of all that there are: a hundred hide the one that was meant."""
    return ThalwegError(
        f"kernel '{name}' does not exist.{did_you_mean(name, known)} See 'thalweg kernels list'"
    )
