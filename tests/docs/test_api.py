# SPDX-License-Identifier: Apache-2.0
"""docs/api is made from the headers and the Fortran module, and leaves nothing out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = "".join(page.read_text() for page in sorted((ROOT / "docs" / "api").glob("*.md")))
HEADINGS = {name for line in re.findall(r"^### `(.*)`$", PAGE, re.M) for name in line.split(", ")}


def test_the_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "api_reference"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_every_call_of_c_has_a_heading() -> None:
    text = (ROOT / "include" / "thalweg.h").read_text()
    calls = set(re.findall(r"^[\w*][\w* ]* \*?(thalweg_\w+)\(", text, re.M))
    assert len(calls) >= 15
    assert calls <= HEADINGS


def test_every_procedure_of_fortran_has_a_heading() -> None:
    text = (ROOT / "fortran" / "thalweg.f90").read_text()
    bound = re.findall(r"^ *procedure :: (\w+)", text, re.M)
    assert len(bound) >= 14
    assert {f"output%{name}" for name in bound} <= HEADINGS


def test_every_class_of_output_and_restart_has_a_heading_and_no_private_part() -> None:
    for name in ("output", "output_settings", "field", "restart"):
        text = (ROOT / "include" / "thalweg" / f"{name}.hpp").read_text()
        types = re.findall(r"^(?:struct|class|enum class) (\w+)[^;\n]*\{", text, re.M)
        assert types
        assert set(types) <= HEADINGS
    assert "private:" not in PAGE
    assert PAGE.count("```") % 2 == 0
