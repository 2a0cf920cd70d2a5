# SPDX-License-Identifier: Apache-2.0
"""Failing work that ends a shell of its own is not followed; a question that says no is."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.shell.unresolved import has_unresolved
from thalweg.testing.shell_values import ours

# The model stands for work that is not read: y where it is taken as done.
AS_DONE = [
    "srun ./icon || { echo bad; exit 1; }",
    "srun ./icon || die x",
    "run srun ./icon",
    "rc=$?; if [ $rc -ne 0 ]; then echo bad; exit $rc; fi",
    "[ $? -eq 0 ] || { echo bad; exit 1; }",
    "if [ $? -ne 0 ]; then exit 1; fi",
    "if (( $? != 0 )); then exit 1; fi",
    "if [[ $? == 0 ]]; then echo ok; else exit 1; fi",
    "ret=$?; (( ret )) && exit 1",
    "ret=$?; [ $ret -ne 0 ] && { echo bad; exit 1; }",
]
ASKED = [
    "grep -q x nos || { echo bad; exit 1; }",
    "grep -q x nos; [ $? -eq 0 ] || exit 1",
    "grep -q x nos; r=$?; [ $r -ne 0 ] && exit 1",
    "[ -f nos ] && exit 1",
]
AROUND = [
    'die() {{ echo "$@"; exit 1; }}; run() {{ "$@" || {{ echo bad; exit 1; }}; }}; '
    "( echo x > N; srun ./icon; {}; echo y > N ); v=$(cat N)",
    'die() {{ echo "$@"; exit 1; }}; run() {{ "$@" || {{ echo bad; exit 1; }}; }}; '
    "main() {{ echo x > N; srun ./icon; {}; echo y > N; }}; main 2>&1 | tee log; v=$(cat N)",
]


@pytest.mark.parametrize("around", AROUND, ids=["brackets", "pipeline"])
@pytest.mark.parametrize("text", AS_DONE)
def test_work_is_taken_as_done(tmp_path: Path, around: str, text: str) -> None:
    assert ours(tmp_path / "ours", around.format(text)) == "y"


@pytest.mark.parametrize("around", AROUND, ids=["brackets", "pipeline"])
@pytest.mark.parametrize("text", ASKED)
def test_what_a_question_decides_is_open(tmp_path: Path, around: str, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", around.format(text)))
