# SPDX-License-Identifier: Apache-2.0
"""What leaves the checkout: no wheel, a library for any processor unless it is asked otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from thalweg.config.checkout import ROOT


def test_a_wheel_is_refused_in_a_sentence(tmp_path: Path) -> None:
    code = "from hatchling.build import build_wheel; import sys; build_wheel(sys.argv[1])"
    words = [sys.executable, "-c", code, str(tmp_path)]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert result.stderr.splitlines() == [result.stderr.strip()], result.stderr
    assert "there is no wheel of Thalweg" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.some(2)
@pytest.mark.parametrize("native", [False, True])
def test_only_who_asks_gets_code_for_this_processor_alone(
    native: bool, library_alone: Any, tmp_path: Path
) -> None:
    folder: Path = library_alone.folder
    if native:
        folder = tmp_path
        words = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DTHALWEG_NATIVE=ON"]
        words += ["-DTHALWEG_TESTS=OFF", "-DTHALWEG_BENCH=OFF", "-DTHALWEG_FORTRAN=OFF"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        assert result.returncode == 0, result.stderr
    commands = [each["command"] for each in json.loads(read(folder, "compile_commands.json"))]
    assert commands
    assert all(("-march=native" in command) == native for command in commands)
    told = json.loads(read(folder, "built_with.json"))["instruction_set"]
    assert told.startswith("native") == native
    assert f'set(thalweg_INSTRUCTION_SET "{told}")' in read(folder, "thalwegConfig.cmake")


def test_the_presets_say_for_which_processor_they_build() -> None:
    presets = json.loads(read(ROOT, "CMakePresets.json"))["configurePresets"]
    native = {each["name"]: each["cacheVariables"].get("THALWEG_NATIVE", "OFF")
              for each in presets if not each.get("hidden")}  # fmt: skip
    assert native["release"] == "ON"
    assert native["portable"] == "OFF"


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")
