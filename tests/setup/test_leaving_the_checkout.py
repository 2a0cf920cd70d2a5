# SPDX-License-Identifier: Apache-2.0
"""What leaves the checkout: no wheel, a library for any processor unless it is asked otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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
def test_only_who_asks_gets_code_for_this_processor_alone(native: bool, tmp_path: Path) -> None:
    words = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja"]
    words += ["-DTHALWEG_TESTS=OFF", "-DTHALWEG_BENCH=OFF", "-DTHALWEG_FORTRAN=OFF"]
    words += ["-DTHALWEG_NATIVE=ON"] if native else []
    result = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    commands = [each["command"] for each in json.loads(read(tmp_path, "compile_commands.json"))]
    assert all(("-march=native" in command) == native for command in commands)
    told = json.loads(read(tmp_path, "built_with.json"))["instruction_set"]
    assert told.startswith("native") == native
    assert f'set(thalweg_INSTRUCTION_SET "{told}")' in read(tmp_path, "thalwegConfig.cmake")


def test_the_presets_say_for_which_processor_they_build() -> None:
    presets = json.loads(read(ROOT, "CMakePresets.json"))["configurePresets"]
    native = {each["name"]: each["cacheVariables"].get("THALWEG_NATIVE", "OFF")
              for each in presets if not each.get("hidden")}  # fmt: skip
    assert native["release"] == "ON"
    assert native["portable"] == "OFF"


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")
