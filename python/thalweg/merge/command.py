# SPDX-License-Identifier: Apache-2.0
"""`thalweg merge`: one file with global points from the files of several writers."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import netCDF4

from thalweg.errors import ThalwegError
from thalweg.files.index_parts import virtual_sources
from thalweg.files.targets import refuse_target, written_aside
from thalweg.merge.copying import Slab, create_whole, read_slab, slabs_of
from thalweg.merge.parts import PartSet, find_parts, same_bytes
from thalweg.run.progress import tracked


def merge(
    inputs: Sequence[Path], out: Path, *, overwrite: bool, check: bool, as_json: bool
) -> None:
    """Writes `out` from the parts behind an index, or from the parts themselves.

    The file appears under its name only when it is complete. `check` reads it back first and
    compares every value. Raises ThalwegError.
    """
    refuse_target(out, overwrite)
    began_s = time.monotonic()
    parts = find_parts(inputs)
    try:
        _refuse_own(out, [*inputs, *(part.path for part in parts.parts)])
        slabs = slabs_of(parts)
        size = sum(s.values * parts.parts[0].file.variables[s.name].dtype.itemsize for s in slabs)
        with written_aside(out) as aside:
            _write(parts, slabs, aside, out)
            if check:
                _compare(parts, slabs, aside, out)
        names = [str(part.path) for part in parts.parts]
    finally:
        parts.close()
    taken_s = time.monotonic() - began_s
    if as_json:
        content = {"out": str(out), "parts": names, "bytes": size, "seconds": taken_s}
        print(json.dumps(content | {"checked": check}))
    else:
        verdict = ", read back and compared" if check else ""
        print(
            f"'{out}': {size / 1e6:.1f} MB from {len(names)} files in {taken_s:.1f} s "
            f"({size / 1e6 / taken_s:.0f} MB/s){verdict}"
        )


def _refuse_own(out: Path, own: Sequence[Path]) -> None:
    """A run is whole with its parts and their index only. own: those that are to be merged."""
    if not out.is_file():
        return
    if any(out.samefile(each) for each in own):
        raise ThalwegError(f"'{out}' is one of the files to merge; choose another name")
    shown: list[Path] = []
    with suppress(ThalwegError):  # what cannot be read may be replaced
        shown = [each for each in virtual_sources(out.resolve()) if each.is_file()]
    if any(part.samefile(each) for part in shown for each in own):
        raise ThalwegError(f"'{out}' is the index of the files to merge; choose another name")


def _write(parts: PartSet, slabs: list[Slab], aside: Path, out: Path) -> None:
    stored = sum(part.path.stat().st_size for part in parts.parts)
    free = shutil.disk_usage(out.parent).free
    if free < stored:
        raise ThalwegError(
            f"'{out.parent}' has {free / 1e9:.3g} GB free, and the parts of the file have "
            f"{stored / 1e9:.3g} GB"
        )
    try:
        whole = create_whole(parts, aside)
        try:
            for slab in tracked(slabs, "merging"):
                whole.variables[slab.name][(*slab.key, ...)] = read_slab(parts, slab)
        finally:
            whole.close()
    except (OSError, RuntimeError) as error:
        raise ThalwegError(f"cannot write '{out}': {error}") from error


def _compare(parts: PartSet, slabs: list[Slab], aside: Path, out: Path) -> None:
    with netCDF4.Dataset(aside) as whole:
        whole.set_auto_maskandscale(False)
        for slab in tracked(slabs, "comparing"):
            if not same_bytes(read_slab(parts, slab), whole.variables[slab.name][(*slab.key, ...)]):
                raise ThalwegError(
                    f"'{slab.name}' of '{out}' does not hold what was written; the disk or its "
                    "driver is not to be trusted"
                )
