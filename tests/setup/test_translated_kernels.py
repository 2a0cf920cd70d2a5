# SPDX-License-Identifier: Apache-2.0
"""A build translates the mini-model's kernels, and says what it lacks for that."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def configure(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    off = ["-DTHALWEG_TESTS=OFF", "-DTHALWEG_BENCH=OFF", "-DTHALWEG_FORTRAN=OFF"]
    command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *off, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_without_numpy_the_build_says_so_and_the_library_alone_needs_none(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    refused = configure(tmp_path / "refused", f"-DTHALWEG_PYTHON={python}")
    assert refused.returncode != 0
    told = " ".join(refused.stderr.split())
    assert "translated by a Python with NumPy, and none was found" in told
    assert "-DTHALWEG_MINI=OFF" in told
    alone = configure(tmp_path / "alone", f"-DTHALWEG_PYTHON={python}", "-DTHALWEG_MINI=OFF")
    assert alone.returncode == 0, alone.stderr
    targets = (tmp_path / "alone" / "build.ninja").read_text()
    assert "libthalweg.so" in targets
    assert "thalweg_mini" not in targets


def test_a_wrong_kernel_stops_the_configuration_with_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "model_kernels.toml").write_text("[no_such_kernel]\n")
    script = tmp_path / "try.cmake"
    included = ROOT / "tools" / "cmake" / "translate_kernels.cmake"
    script.write_text(f"include({included})\ntranslate_kernels(tried ${{LIST}})\n")
    words = ["cmake", f"-DCMAKE_SOURCE_DIR={ROOT}", f"-DCMAKE_BINARY_DIR={tmp_path}"]
    words += [f"-DLIST={tmp_path / 'model_kernels.toml'}", "-P", str(script)]
    made = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode != 0
    assert "kernel 'no_such_kernel' does not exist" in " ".join(made.stderr.split())
