# SPDX-License-Identifier: Apache-2.0
"""Compiled code is found again on machines of its kind, by its compiler, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from thalweg.kernels import made_for
from thalweg.kernels.compiler import build


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    yield
    made_for._processor.cache_clear()
    made_for._version.cache_clear()


CODE = 'extern "C" int one() { return 1; }'


def test_another_processor_compiles_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that several kinds of nodes share: code for one may end on another."""
    here = build("one", CODE, ("-fPIC", "-shared"), tmp_path / "kept")
    assert build("one", CODE, ("-fPIC", "-shared"), tmp_path / "kept") == here
    told = made_for.PROCESSORS.read_text()
    hotter = re.sub(r"(cpu MHz|BogoMIPS)\s*: ", r"\g<0>9", told)
    (tmp_path / "hotter").write_text(hotter)
    (tmp_path / "other").write_text(re.sub(r"(flags|Features)\s*: ", r"\g<0>more ", told))
    assert (tmp_path / "other").read_text() != told
    for name, is_same in (("hotter", True), ("other", False)):
        made_for._processor.cache_clear()
        monkeypatch.setattr(made_for, "PROCESSORS", tmp_path / name)
        assert (build("one", CODE, ("-fPIC", "-shared"), tmp_path / "kept") == here) == is_same
    made_for._processor.cache_clear()


def test_another_compiler_compiles_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one name: the compiler that a module loads today is not that of last year."""
    found = []
    for version in (12, 13):
        compiler = tmp_path / "compiler"
        compiler.write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && echo {version} && exit\nexec c++ "$@"\n'
        )
        compiler.chmod(0o755)
        monkeypatch.setenv("CXX", str(compiler))
        made_for._version.cache_clear()
        found.append(build("one", CODE, ("-fPIC", "-shared"), tmp_path / "kept"))
    assert found[0] != found[1]
    made_for._version.cache_clear()


def test_code_from_another_place_is_the_same_and_other_code_is_not(tmp_path: Path) -> None:
    """Of its text, not of the comment that tells its file: checkouts and examples are moved."""
    words, kept = ("-fPIC", "-shared"), tmp_path / "kept"
    one = build("one", f"// /a/one.py:5\n{CODE}", words, kept)
    assert build("one", f"// /b/one.py:7\n{CODE}", words, kept) == one
    assert build("one", f"// /a/one.py:5\n{CODE.replace('1', '2')}", words, kept) != one
