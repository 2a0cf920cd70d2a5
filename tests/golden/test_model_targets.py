# SPDX-License-Identifier: Apache-2.0
"""The models' kernels on other targets. Programs are built for it: with --slow."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT
from thalweg.kernels.comparison_page import END, PAGE_PATH
from thalweg.kernels.device import has_gpu, nvcc
from thalweg.lab.model_targets import BEGIN, HEADS, MODELS, compare_model
from thalweg.run.launch import MODEL_TARGETS, mpirun_command, mpirun_environment
from thalweg.run.runner import target_before
from thalweg.testing.pages import Cli


@pytest.mark.slow
@pytest.mark.parametrize("target", MODEL_TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_a_run_has_the_bits_of_the_usual_one(
    name: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    found = compare_model(name, (target,), 4, tmp_path)
    assert found.values > 900_000
    on_gpu = target == "cuda" and has_gpu() and nvcc()  # whose pow is another one
    assert found.found == {target: "same bits"} or (on_gpu and name == "primitive equations")


def test_the_page_has_both_models_on_every_target() -> None:
    table = PAGE_PATH.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert rows[0] == list(HEADS)
    assert [row[0] for row in rows[2:]] == list(MODELS)
    assert {cell for row in rows[2:] for cell in row[1:]} == {"same bits"}


@pytest.mark.slow
@pytest.mark.skipif(
    not nvcc(), reason="no nvcc: pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt"
)
def test_nvcc_builds_a_model_that_wants_a_gpu(tmp_path: Path) -> None:
    build, run = tmp_path / "build", tmp_path / "run"
    (run / "files").mkdir(parents=True)
    words: list[str | Path] = [
        "cmake",
        "-S",
        ROOT,
        "-B",
        build,
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=Release",
    ]
    words += [f"-DTHALWEG_{each}=OFF" for each in ("TESTS", "BENCH", "FORTRAN")]
    words += ["-DTHALWEG_CUDA=ON", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"]
    environment = {**mpirun_environment(), "CUDACXX": nvcc()[0]}
    subprocess.run(words, env=environment, check=True, capture_output=True)
    words = ["cmake", "--build", build, "--target", "thalweg_mini_cuda"]
    subprocess.run(words, check=True, capture_output=True)
    program = build / "bin" / "thalweg_mini_cuda"
    started = mpirun_command(3, [str(program), str(ROOT / "examples" / "jet.toml"), str(run)])
    told = subprocess.run(started, env=environment, capture_output=True, text=True, check=False)
    if has_gpu():
        assert told.returncode == 0, told.stderr
    else:
        assert told.returncode == 2
        assert "This program was built for a GPU, and CUDA finds none here" in told.stderr


def test_another_target_is_refused(cli: Cli, tmp_path: Path) -> None:
    told = cli("run", "examples/jet.toml", "--target", "simt", "--out", str(tmp_path / "run"))
    assert told.returncode == 2
    assert "the model has no target 'simt'; choose one of: simd, serial" in told.stderr
    assert not (tmp_path / "run").exists()


def test_a_run_goes_on_with_the_target_that_it_had(small_run: Path, tmp_path: Path) -> None:
    assert json.loads((small_run / "run.json").read_text())["target"] == "simd"
    run = shutil.copytree(small_run, tmp_path / "run")
    for said, used in (("mpi", "mpi"), ("serial", "serial"), ("another", "simd"), (None, "simd")):
        (run / "run.json").write_text(json.dumps({"target": said} if said else {}))
        assert target_before(run) == used
    assert target_before(None) == target_before(tmp_path / "none") == "simd"
