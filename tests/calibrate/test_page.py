# SPDX-License-Identifier: Apache-2.0
"""docs/calibrate.md lists every parameter, and its example has keys that a real file has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thalweg.calibrate.quantities import PARAMETERS
from thalweg.config import toml
from thalweg.config.checkout import ROOT
from thalweg.testing.pages import blocks

PAGE = (ROOT / "docs" / "calibrate.md").read_text(encoding="utf-8")


def test_the_page_lists_every_parameter() -> None:
    for quantity in PARAMETERS:
        assert f"| `{quantity.name}` | {quantity.unit} | {quantity.meaning} |\n" in PAGE
    assert PAGE.count("\n| `") == len(PARAMETERS) + 3, "and three options"


def test_the_example_has_keys_of_a_real_file(short_calibration: tuple[Path, str]) -> None:
    (block,) = blocks(PAGE, "toml")
    shown: dict[str, Any] = toml.loads(block)
    real: dict[str, Any] = toml.loads(short_calibration[0].read_text())
    assert set(shown) == set(real)
    for key, table in shown.items():
        if isinstance(table, dict):
            assert set(table) <= set(real[key])
        elif isinstance(table, list):
            name = "parameter" if key == "not_separated" else "name"
            for entry in table:
                same = [each for each in real[key] if each[name] == entry[name]]
                assert any(set(each) == set(entry) for each in same), entry
