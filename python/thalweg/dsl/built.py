# SPDX-License-Identifier: Apache-2.0
"""Kernels that a build needs: `python -m thalweg.dsl.built [--fortran] LIST.toml FOLDER [TARGET]`,
as CMake calls it.

The list has a table for each: its name in the code, the keys of its configuration, and `kernel`
where that is another name; or a table with the name of a file, for all kernels of it. It lies
beside the files of kernels. Into the folder go a file NAME.cpp
for each and one header for all, LIST.hpp, with --fortran a module NAME.f90 for each; what has not
changed is left as it is. TARGET stands in
for those of the list, without the keys that are nothing for it: a model on another target. Prints
which files the kernels import: when these change, the code may be another one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from thalweg.dsl.configuration import configuration_of
from thalweg.dsl.kernel import Kernel
from thalweg.dsl.kernel_files import load_file, load_folder
from thalweg.dsl.passes.names import check_names, may_be_function
from thalweg.dsl.targets import cpp_target, cuda_target, fortran_target, ranks_target
from thalweg.dsl.targets.cpp_header import Translated, header
from thalweg.errors import ThalwegError, did_you_mean

OF_KERNEL = ("arguments", "source")  # what the header makes for each, KERNEL_arguments
OF_ENTRY = (
    "arguments", "tiles", "free_tiles", "order", "on_a_thread", "ranks", "free_ranks", "parts",
    "free_parts", "keeps", "changed", "overlaps", "told", "begin_mpi", "end_mpi",
    "room", "free", "in", "out", "device", "wait", "there",
)  # fmt: skip


def build(list_: Path, folder: Path, target: str = "", *, fortran: bool = False) -> set[Path]:
    """The files that kernels import. Raises a sentence that names the list and its entry."""
    try:
        entries = tomllib.loads(list_.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThalwegError(f"cannot read '{list_}': {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThalwegError(f"'{list_}' cannot be read as TOML: {error}") from None
    if not entries:
        raise ThalwegError(f"'{list_}' names no kernel; '[NAME]' in a line is one")
    imported: set[Path] = set()
    known = load_folder(list_.parent, imported)
    entries = _with_files(list_, entries, known)
    made = [_translated(list_, name, entry, known, target) for name, entry in entries.items()]
    _check_names(list_, made)
    code = {f"{each.name}.cpp": _code(list_, each) for each in made}
    if fortran:
        code |= {f"{each.name}.f90": _module(list_, each) for each in made}
    folder.mkdir(parents=True, exist_ok=True)
    for left in (*folder.glob("*.cpp"), *folder.glob("*.f90")):  # of an entry that is gone
        if left.name not in code:
            left.unlink()
    for name, text in code.items():
        _write(folder / name, text)
    _write(folder / f"{list_.stem}.hpp", header(made))
    return imported


def _with_files(
    list_: Path, entries: Mapping[str, Any], known: Mapping[str, Kernel]
) -> dict[str, Any]:
    """With an entry for each kernel of a file in place of that of the file."""
    found: dict[str, Any] = {}
    for name, entry in entries.items():
        file = list_.parent / f"{name}.py"
        is_table = isinstance(entry, dict) and "kernel" not in entry and name.isidentifier()
        is_file = is_table and name not in known and file.is_file()
        for each in load_file(file) if is_file else (name,):
            if each in found or (is_file and each in entries):
                raise ThalwegError(f"'{list_}' [{name}]: [{each}] is there twice")
            found[each] = entry
    return found


def _translated(
    list_: Path, name: str, entry: object, known: Mapping[str, Kernel], target: str
) -> Translated:
    where = f"'{list_}' [{name}]"
    if not isinstance(entry, dict):
        raise ThalwegError(f"{where} is no table with the keys of a configuration")
    keys: dict[str, Any] = dict(entry)
    kernel = str(keys.pop("kernel", name))
    if kernel not in known:
        beside = "" if known else f"; no file beside the list declares one ('{list_.parent}')"
        raise ThalwegError(
            f"{where}: kernel '{kernel}' does not exist{beside}.{did_you_mean(kernel, known)}"
        )
    try:
        asked = configuration_of({"target": "simd"} | keys)
        configuration = asked.on(target) if target else asked
    except ThalwegError as error:
        raise ThalwegError(f"{where}: {error.sentence}") from None
    # One is no C++, the other C++ of nvcc; a model on it has its arrays with the device.
    if configuration.is_on_ranks and configuration.is_on_device:
        raise ThalwegError(
            f"{where}: each_rank 'cuda' is no code that this build compiles; thalweg translate "
            "writes it"
        )
    if configuration.target == "numpy" or (configuration.target == "cuda" and not target):
        raise ThalwegError(
            f"{where}: target '{configuration.target}' is no code that this build compiles"
        )
    asks_for_order = asked.order != "numbered"
    return Translated(name, known[kernel].ir, configuration, asked.tile > 0, asks_for_order)


def _check_names(list_: Path, made: Sequence[Translated]) -> None:
    """Each function is called as its entry, which may be no name for one."""
    taken: dict[str, str] = {}
    for each in made:
        taken |= dict.fromkeys((f"{each.kernel.name}_{more}" for more in OF_KERNEL), each.name)
        taken |= dict.fromkeys((f"{each.name}_{more}" for more in OF_ENTRY), each.name)
    for each in made:
        where = f"'{list_}' [{each.name}]"
        if not may_be_function(each.name):
            raise ThalwegError(
                f"{where}: no function can be called so; letters, digits and _, and no word of C++"
            )
        if each.name in taken:
            of = taken[each.name]
            whose = "its own kernel" if of == each.name else f"[{of}]"
            raise ThalwegError(f"{where}: the code for {whose} has that name, too")


def _code(list_: Path, each: Translated) -> str:
    named = replace(each.kernel, name=each.name)
    try:
        check_names(named)
        if each.configuration.target == "cuda":
            return cuda_target.translate(named, each.configuration)
        if each.configuration.is_on_ranks:
            return ranks_target.translate(named, each.configuration)
        return cpp_target.translate(named, each.configuration)
    except ThalwegError as error:
        raise ThalwegError(f"'{list_}' [{each.name}]: {error.sentence}") from None


def _module(list_: Path, each: Translated) -> str:
    try:
        return fortran_target.translate(replace(each.kernel, name=each.name), each.configuration)
    except ThalwegError as error:
        raise ThalwegError(f"'{list_}' [{each.name}]: {error.sentence}") from None


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--fortran"]
    if len(words) not in (2, 3):
        sys.exit("usage: python -m thalweg.dsl.built [--fortran] LIST.toml FOLDER [TARGET]")
    try:
        wanted = len(words) < len(sys.argv) - 1
        for each in sorted(build(Path(words[0]), Path(words[1]), *words[2:], fortran=wanted)):
            print(each)
    except ThalwegError as error:
        sys.exit(error.sentence)
    except OSError as error:
        sys.exit(f"cannot write '{error.filename}': {error.strerror}")
