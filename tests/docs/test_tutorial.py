# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md: every block is compiled and run against the installed library, in its order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from thalweg.config.checkout import ROOT, binary_directory, build
from thalweg.run.launch import mpirun_environment

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
INSTALL, *BUILDS = [code for language, code in BLOCKS if language == "sh"]
SOURCES = {"fortran": "ring.f90", "c": "ring.c", "cpp": "ring.cpp", "toml": "experiment.toml"}
LANGUAGES = ("fortran", "c", "cpp")
OUTPUT, SENTENCE = [code for language, code in BLOCKS if language == "text"]
RING = "ring_20000101T000000Z.nc"


def only(language: str) -> str:
    (code,) = [code for each, code in BLOCKS if each == language]
    return code


def run(command: list[str], folder: Path, prefix: Path) -> subprocess.CompletedProcess[str]:
    environment = {**mpirun_environment(), "THALWEG": str(prefix)}
    environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"  # four ranks on fewer cores
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def run_well(command: list[str], folder: Path, prefix: Path) -> str:
    result = run(command, folder, prefix)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the page installs it, in another home."""
    home = tmp_path_factory.mktemp("home")
    commands = INSTALL.splitlines()
    assert commands[0] == "./thalweg --build thalweg_installed"
    if not os.environ.get("THALWEG_BIN"):
        build("thalweg_installed")
    assert commands[1] == "cmake --install build/release --prefix $HOME/thalweg-installed"
    install = ["cmake", "--install", str(binary_directory().parent), "--prefix", f"{home}/thalweg"]
    run_well(install, ROOT, home)
    return home / "thalweg"


@pytest.fixture(scope="module")
def folder(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the page, compiled and run as it says."""
    folder = tmp_path_factory.mktemp("tutorial")
    for language, name in SOURCES.items():
        (folder / name).write_text(only(language))
    for block in BUILDS:
        run_well(["bash", "-ec", block], folder, prefix)
    return folder


def test_every_block_is_used() -> None:
    known = {"sh", "text", "python", *SOURCES}
    assert {language for language, _ in BLOCKS} == known
    assert len(BUILDS) == len(LANGUAGES)
    assert PAGE.count("```") == 2 * len(BLOCKS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_writes_the_ring(language: str, folder: Path) -> None:
    written = folder / f"from_{language}"
    assert [file.name for file in written.glob("ring*")] == [RING]
    with netCDF4.Dataset(written / RING) as file:
        hours = file["time"][:] / 3600
        assert hours.tolist() == list(range(7))
        cell = np.arange(360)
        expected = 280 + 10 * np.cos(np.radians(cell - 15 * hours[:, None]))
        np.testing.assert_allclose(file["ts"][:], expected, rtol=1e-6)
        assert file["ts"].standard_name == "surface_temperature"


def test_python_reads_what_the_page_says(folder: Path, prefix: Path) -> None:
    assert run_well([sys.executable, "-c", only("python")], folder, prefix) == OUTPUT


@pytest.mark.some(2)  # another mode and another container
@pytest.mark.parametrize(
    "change",
    [
        ('mode = "async"\nranks = 1', 'mode = "shared_file"\nranks = 0'),
        ('interval = "PT1H"', 'interval = "PT1H"\ncompression = "deflate"\nlayout = "chunked"'),
        ('interval = "PT1H"', 'interval = "PT1H"\ncontainer = "zarr"'),
    ],
)
def test_a_change_of_the_file_is_enough(
    change: tuple[str, str], folder: Path, prefix: Path, tmp_path: Path
) -> None:
    text = only("toml")
    assert change[0] in text
    (tmp_path / "experiment.toml").write_text(text.replace(*change))
    (tmp_path / "from_c").mkdir()
    program = f"export LD_LIBRARY_PATH=$THALWEG/lib; mpirun -n 4 {folder}/ring_c"
    run_well(["bash", "-ec", program], tmp_path, prefix)
    (written,) = (tmp_path / "from_c").glob("ring*")
    assert written.stem == RING.removesuffix(".nc")


def test_a_mistake_ends_with_the_sentence_of_the_page(
    folder: Path, prefix: Path, tmp_path: Path
) -> None:
    (tmp_path / "experiment.toml").write_text(only("toml").replace('["ts"]', '["tss"]'))
    (tmp_path / "from_c").mkdir()
    program = f"export LD_LIBRARY_PATH=$THALWEG/lib; mpirun -n 4 {folder}/ring_c"
    result = run(["bash", "-c", program], tmp_path, prefix)
    assert result.returncode == 2, result.stderr
    assert SENTENCE in result.stderr
