# SPDX-License-Identifier: Apache-2.0
"""A run writes through the MPI-IO layer it asks for, and run.json tells layer and hints."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import netCDF4
import pytest

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.run.mpi_io import io_components, layer_options, romio_hints

Cli = Callable[..., "CompletedProcess[str]"]


def has_layer(name: str) -> bool:
    try:
        return any(component.startswith(name) for component in io_components())
    except ThalwegError:
        return False


@pytest.mark.some(3)
@pytest.mark.parametrize("layer", ["ompio", "romio"])
@pytest.mark.parametrize("container", ["netcdf4", "cdf5"])
def test_files_by_mpi_io_are_those_of_direct_writes(
    cli: Cli, small_case: Path, model: Path, tmp_path: Path, layer: str, container: str
) -> None:
    if not has_layer(layer):
        pytest.skip(f"Open MPI has no '{layer}' here")
    words = ["--set", "time.duration=PT30M", "--set", "io.mode=shared_file", "--set", "io.ranks=2"]
    words += ["--set", "machine.ranks=4", "--set", f"output.main.container={container}"]
    mpiio = [*words, "--set", "io.way=mpiio", "--set", "io.hints=cb_nodes=1 romio_cb_write=disable"]
    mpiio += ["--set", f"machine.mpi_io={layer}"]
    directories = {"direct": words, "mpiio": mpiio}
    for name, settings in directories.items():
        result = cli("run", small_case, "--out", tmp_path / name, *settings)
        assert result.returncode == 0, result.stderr
    files = {name: RunDirectory(tmp_path / name).complete_files() for name in directories}
    assert [path.name for path in files["direct"]] == [path.name for path in files["mpiio"]]
    for direct, other in zip(files["direct"], files["mpiio"], strict=True):
        with netCDF4.Dataset(direct) as expected, netCDF4.Dataset(other) as found:
            assert set(expected.variables) == set(found.variables)
            for variable in expected.variables:
                same = expected[variable][...].tobytes() == found[variable][...].tobytes()
                assert same, f"{variable} of {other.name}"

    story = RunDirectory(tmp_path / "mpiio").summary()["mpi_io"]
    assert story["wish"] == layer
    assert {record["container"] for record in story["files"]} == {"netcdf4", container}
    for record in story["files"]:
        assert record["layer"] == layer.upper()
        assert record["asked"] == {"cb_nodes": "1", "romio_cb_write": "disable"}
        assert record["reported"]["cb_nodes"] == "1"
        assert record["ranks"] == 2
    assert sum(record["files"] for record in story["files"]) == len(files["mpiio"])
    if layer == "romio":
        assert story["romio_hints"]["romio_cb_write"] == "disable"
        assert int(story["romio_hints"]["cb_buffer_size"]) > 0
    else:
        assert "romio_hints" not in story
        assert all("io_ompio_num_aggregators" in record["parameters"] for record in story["files"])
    assert RunDirectory(tmp_path / "direct").summary()["mpi_io"] == {"wish": "auto"}


def test_a_malformed_hint_is_one_sentence(cli: Cli, small_case: Path, model: Path) -> None:
    out = small_case.parent / "run"
    result = cli("run", small_case, "--out", out, "--set", "io.hints=cb_nodes 4")
    assert result.returncode == 2
    assert "the hint 'cb_nodes' has no '='" in result.stderr
    assert not out.exists()


def test_a_layer_that_is_not_installed_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ompi_info"
    program.write_text("#!/bin/sh\necho 'mca:io:base:param:io:value:'\necho 'mca:io:romio9:x'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert layer_options("auto") == []
    assert layer_options("romio") == ["--mca", "io", "romio9"]
    with pytest.raises(ThalwegError) as refusal:
        layer_options("ompio")
    assert 'mpi_io = "ompio"' in refusal.value.sentence
    assert "which has 'romio9'" in refusal.value.sentence
    program.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ThalwegError, match="where 'ompi_info' of Open MPI runs"):
        layer_options("romio")


def test_hints_that_romio_prints_are_found_between_other_lines(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(
        "{}\nkey = cb_nodes                  value = 2         \n"
        "key = romio_filesystem_type     value = UFS: Generic ROMIO driver\nkey = broken\n"
    )
    assert romio_hints(log) == {
        "cb_nodes": "2",
        "romio_filesystem_type": "UFS: Generic ROMIO driver",
    }
    assert romio_hints(tmp_path / "none.txt") == {}
