# SPDX-License-Identifier: Apache-2.0
"""Programs of others, built against the installed library, write files that hold their values."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.config.checkout import ROOT, binary_directory

EXAMPLES = ROOT / "examples/library"
MISTAKES = Path(__file__).with_name("mistakes.f90")
POINTS, LEVELS = 1000, 5
Programs = Callable[[str], Path]
SOURCES = sorted(p.name for p in EXAMPLES.iterdir() if p.suffix in {".c", ".cpp", ".f90"})


def read(path: Path, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times in hours and values[time, level, point]; a missing value is NaN."""
    with netCDF4.Dataset(path) as file:
        assert file["time"].units.startswith("seconds since 2000-01-01")
        return file["time"][...] / 3600.0, file[name][...].astype(float).filled(np.nan)


@pytest.mark.parametrize("name", SOURCES)
def test_an_example_has_at_most_40_lines(name: str) -> None:
    assert len((EXAMPLES / name).read_text().splitlines()) <= 40


def test_there_are_examples_in_c_cpp_and_fortran() -> None:
    assert {Path(name).suffix for name in SOURCES} == {".c", ".cpp", ".f90"}


ONE_LANGUAGE = """
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES {language})
find_package(thalweg 0.1 REQUIRED {components})
add_executable(user "{source}")
target_link_libraries(user {target})
"""


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("language", "source", "components", "target"),
    [
        ("C", "write_fields.c", "", "thalweg::thalweg"),
        ("CXX", "write_fields.cpp", "", "thalweg::thalweg"),
        ("Fortran", "toy_model.f90", "COMPONENTS Fortran", "thalweg::thalweg_fortran"),
    ],
)
def test_a_project_of_one_language_needs_no_other(
    must: Any, installed: Any, tmp_path: Path, language: str, source: str, components: str,
    target: str,
) -> None:  # fmt: skip
    text = ONE_LANGUAGE.format(
        language=language, source=EXAMPLES / source, components=components, target=target
    )
    (tmp_path / "CMakeLists.txt").write_text(text)
    must("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={installed.prefix}", cwd=tmp_path)
    must("cmake", "--build", "build", cwd=tmp_path)
    if source.startswith("write_fields"):
        assert_fields_are_written(installed, 3, tmp_path / "build/user", tmp_path)


def test_another_mpi_than_that_of_the_library_is_refused(installed: Any, tmp_path: Path) -> None:
    other = "mpicxx.openmpi" if "mpich" in binary_directory().parts else "mpicxx.mpich"
    if not shutil.which(other):
        pytest.skip(f"no {other} here")
    text = ONE_LANGUAGE.format(
        language="CXX", source=EXAMPLES / "write_fields.cpp", components="",
        target="thalweg::thalweg",
    )  # fmt: skip
    (tmp_path / "CMakeLists.txt").write_text(text)
    words = [f"-DCMAKE_PREFIX_PATH={installed.prefix}", f"-DMPI_CXX_COMPILER={other}"]
    result = subprocess.run(
        ["cmake", "-B", "build", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert "thalweg was built with MPI's library" in " ".join(result.stderr.split())


def assert_fields_are_written(installed: Any, ranks: int, program: Path, folder: Path) -> None:
    installed.run(ranks, program, EXAMPLES / "hourly.toml", folder, cwd=folder)
    assert [path.name for path in folder.glob("hourly*")] == ["hourly_20000101T000000Z.nc"]
    hours, values = read(folder / "hourly_20000101T000000Z.nc", "ta")
    assert hours.tolist() == [0, 1, 2]
    hour, level, point = np.ogrid[0:3, 0:LEVELS, 0:POINTS]
    np.testing.assert_array_equal(values, point + 3600.0 * hour + level)


# C by CMake and Fortran by pkg-config; C++ is built and run in a project of its own above.
@pytest.mark.some(6)
@pytest.mark.parametrize(("name", "ranks"), [("c", 3), ("cpp", 4), ("f90", 3), ("f90", 2)])
def test_every_language_writes_the_same_values(
    installed: Any, programs: Programs, tmp_path: Path, name: str, ranks: int
) -> None:
    assert_fields_are_written(installed, ranks, programs(f"write_fields_{name}"), tmp_path)


@pytest.mark.some(2)
def test_the_toy_model_goes_on_from_its_restart_on_other_ranks(
    installed: Any, programs: Programs, tmp_path: Path
) -> None:
    """Own decomposition and blocks: values of halo cells, -999 and more, must not appear."""
    settings = (EXAMPLES / "toy.toml").read_text()
    (tmp_path / "experiment.toml").write_text(settings)
    installed.run(4, programs("toy_model_f90"), cwd=tmp_path)
    first = {path: path.read_bytes() for path in tmp_path.glob("toy_*.nc")}
    assert len(first) == 3
    assert '"PT4H"' in settings
    (tmp_path / "experiment.toml").write_text(settings.replace('"PT4H"', '"PT8H"'))
    installed.run(3, programs("toy_model_f90"), cwd=tmp_path)

    files = sorted(tmp_path.glob("toy_*.nc"))
    assert len(files) == 5
    complete = sorted(first)[:-1]  # the last one had room for 5 h, and is continued
    assert all(path.read_bytes() == first[path] for path in complete), "overwritten"
    parts = [read(path, "ta") for path in files]
    hours, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert hours.tolist() == list(range(9))
    hour, level, point = np.ogrid[0:9, 1 : LEVELS + 1, 1 : POINTS + 1]
    np.testing.assert_array_equal(values, point + level / 8.0 + 1000.0 * hour)
    assert not list(tmp_path.rglob("*.part"))


ARRAY_FIELDS = {  # number in arrays.f90, points, levels
    "thirds": (1, 600, 1), "backwards": (2, 600, 1), "wide": (3, 600, 3),
    "level_first": (4, 600, 3), "lanes": (5, 500, 1), "tracers": (6, 500, 3),
    "deep": (7, 500, 3), "pages": (9, 500, 1),
}  # fmt: skip
SENTENCES = {
    "another number of levels": "has 3 levels, but its array has extent 2 in dimension 2; take",
    "another type than defined": "values of another type than defined",
    "a type that no field can have": "values must be real32, real64, int32 or int64",
    "too few points": "has room for 2 points, but the owned points of this rank need",
    "no array": "field 'deep' has 3 levels, but its array is a single value",
    "four dimensions": "field 'deep' has 3 levels, but its array has 4 dimensions; take (points)",
    "blocks left out": "has room for",
    "gaps between blocks": "the array of field 'pages' has rank 3 and gaps; take (points)",
    "no such field": "field 'wise' was put but never defined. Did you mean 'wide'?",
}


def test_fewer_positions_than_points_are_refused_in_fortran(installed: Any, tmp_path: Path) -> None:
    sentence = "thalweg: error: 3 positions were given for 50 points"
    installed.assert_fortran_ends(1, MISTAKES, sentence, tmp_path, "positions")


@pytest.mark.parametrize(
    ("which", "sentence"),
    [("small", "has room for 10 points"), ("missing", "its array is not allocated")],
)
def test_a_refused_state_is_the_answer_of_every_later_call_in_fortran(
    which: str, sentence: str, installed: Any, tmp_path: Path
) -> None:
    """It was refused, and then the run wrote checkpoints without it."""
    installed.assert_fortran_ends(1, MISTAKES, sentence, tmp_path, which)


@pytest.mark.some(2, 1)
def test_a_mistake_ends_a_fortran_program_with_one_sentence_and_code_2(
    installed: Any, programs: Programs, tmp_path: Path
) -> None:
    (tmp_path / "wrong.toml").write_text('[io]\nmode = "asynch"\n')
    program = programs("write_fields_f90")
    result = installed.result(2, program, "wrong.toml", ".", cwd=tmp_path)
    assert result.returncode == 2
    assert "thalweg: error: wrong.toml [io]: mode 'asynch' does not exist" in result.stderr
    assert "Backtrace" not in result.stderr


def test_a_typo_in_the_settings_ends_a_fortran_program_with_its_sentence_and_code_2(
    installed: Any, by_pkg_config: Programs, tmp_path: Path
) -> None:
    """With end_definition, and in a program that only asks and puts."""
    settings = (EXAMPLES / "hourly.toml").read_text()
    (tmp_path / "typo.toml").write_text(settings.replace('"ta"', '"tta"'))
    source = (EXAMPLES / "write_fields.f90").read_text()
    asking = source.replace("    call out%end_definition()\n", "").replace(
        "      call out%put(", "      if (out%wants(3600.0_real64 * hour)) call out%put("
    )
    assert source.count("end_definition") == 1
    assert "wants" in asking
    (tmp_path / "asking.f90").write_text(asking)
    only_asks = installed.compile(tmp_path / "asking.f90", tmp_path / "asking")
    for program in (by_pkg_config("write_fields_f90"), only_asks):
        result = installed.result(3, program, "typo.toml", ".", cwd=tmp_path)
        assert result.returncode == 2, result.stderr
        assert "variable 'tta' does not exist" in result.stderr
        assert "Did you mean 'ta'?" in result.stderr


def test_fortran_opens_again_after_close_and_takes_names_of_any_length(
    installed: Any, tmp_path: Path
) -> None:
    program = installed.program(Path(__file__).with_name("reopens.f90"))
    said = installed.run(2, program, cwd=tmp_path)
    assert "the output is open already: close it before it is opened again" in said
    assert "field 'tracer' has 2 levels, but its array has 4 dimensions; take" in said
    for turn in (1, 2):
        with netCDF4.Dataset(tmp_path / f"turn{turn}_20000101T000000Z.nc") as file:
            assert file["tracer"].long_name == "x" * 299 + str(turn)
            assert (file["tracer"][...] == 1.0).all()


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("ranks", [2, 4])
def test_fortran_arrays_of_any_rank_type_and_stride_reach_the_file(
    installed: Any, tmp_path: Path, ranks: int
) -> None:
    program = installed.program(Path(__file__).with_name("arrays.f90"))
    settings = (EXAMPLES / "hourly.toml").read_text().replace('"ta"', '"all"')
    (tmp_path / "arrays.toml").write_text(settings.replace('"PT1H"', '"PT9H"'))
    said = installed.run(ranks, program, "arrays.toml", cwd=tmp_path)
    for name, (number, points, levels) in ARRAY_FIELDS.items():
        _, values = read(next(tmp_path.glob("*.nc")), name)
        level, point = np.ogrid[1 : levels + 1, 1 : points + 1]
        expected = (20000 * number + 10 * point + level).reshape(values.shape)
        np.testing.assert_array_equal(values, expected, err_msg=name)
    for what, sentence in SENTENCES.items():
        (line,) = [line for line in said.splitlines() if line.startswith(what)]
        assert sentence in line
