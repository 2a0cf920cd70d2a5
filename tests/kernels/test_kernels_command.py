# SPDX-License-Identifier: Apache-2.0
"""`thalweg kernels` and `thalweg translate`: what they print, and what they refuse."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from thalweg.cli.kernels import translate
from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.icon_like import made_up
from thalweg.testing.file_sizes import file_sizes_up_to

Cli = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    data = made_up(8, 4)
    expected = data["in_temp"] + 0.1 * data["in_dvg"]
    np.savez(tmp_path / "vectors.npz", **data, out_step_temp=expected)  # type: ignore[arg-type]
    return tmp_path / "vectors.npz"


def change(path: Path, **arrays: object) -> None:
    """None: the array is left out."""
    data = {**np.load(path), **arrays}
    np.savez(path, **{name: each for name, each in data.items() if each is not None})


def test_kernels_are_listed_with_their_files(here: Cli) -> None:
    entries = json.loads(here("kernels", "list", "--json").stdout)
    listed = {each["kernel"]: each["file"] for each in entries}
    assert listed["gradient"] == "gradient.py"
    meanings = {each["kernel"]: each["meaning"] for each in entries}
    assert all(meaning.endswith(".") for meaning in meanings.values())
    assert meanings["add_gradients"].endswith("where edges are not of cells that nearly touch.")
    assert meanings["air_temperature"].endswith("(Dubos et al. 2015).")
    assert meanings["vertical_solver"] == "rho w at half levels after a time step."


@pytest.mark.parametrize("words", [("kernels", "run"), ("translate",)], ids=" ".join)
def test_an_unknown_kernel_is_told_what_was_meant_and_not_all_names(
    here: Cli, words: tuple[str, ...]
) -> None:
    told = "Did you mean 'gradient'? See 'thalweg kernels list'"
    refused = here(*words, "gradien")
    assert refused.stderr == f"thalweg: error: kernel 'gradien' does not exist. {told}\n"
    sentence = "kernel 'no_such_thing' does not exist. See 'thalweg kernels list'"
    assert here(*words, "no_such_thing").stderr == f"thalweg: error: {sentence}\n"


def test_a_run_prints_checks_differences_and_its_time(cli: Cli, vectors: Path) -> None:
    result = cli("kernels", "run", "time_step", "--data", vectors, "--repeat", 3)
    assert result.returncode == 0, result.stderr
    assert "[KERNEL] time_step\ncells=64 levels=4" in result.stdout.replace(" edges=96", "")
    temperature = np.load(vectors)["out_step_temp"]
    line = next(each for each in result.stdout.split("### Output ###")[1].splitlines() if each)
    assert f"max={temperature.max():24.16e} min={temperature.min():24.16e}" in line
    assert "### Validation : point-by-point diff ###\n+diff[temperature]" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("*** ID=001 : time_step")
    assert result.stdout.splitlines()[-1].endswith("N=3")


def test_a_value_that_differs_is_exit_code_1(cli: Cli, vectors: Path) -> None:
    wrong = np.load(vectors)["out_step_temp"].copy()
    wrong[2, 7] *= 1 + 1e-12
    change(vectors, out_step_temp=wrong)
    result = cli("kernels", "run", "time_step", "--data", vectors)
    assert result.returncode == 1
    assert "more than the 1e-14 allowed" in result.stdout
    told = cli("kernels", "run", "time_step", "--data", vectors, "--json")
    assert told.returncode == 1
    assert json.loads(told.stdout)[0]["passed"] is False


@pytest.mark.parametrize(
    ("arrays", "words", "sentence"),
    [
        ({}, ["gradien"], "kernel 'gradien' does not exist"),
        ({}, ["gradient", "--target", "cude"], "target 'cude' does not exist"),
        ({"in_temp": None}, ["gradient"], "the data file holds no 'in_temp'"),
        ({"in_temp": np.zeros((4, 63))}, ["gradient"], "has the shape (4, 63) instead of (4, 64)"),
        ({"in_temp": np.zeros((4, 64), np.float32)}, ["gradient"], "float32 instead of float64"),
        ({"par_nlev": np.array(2)}, ["weighted_neighbours"], "has the shape"),
        ({"grid_cell_edge": np.full((3, 64), 96)}, ["gradient"], "'cell_edges' names a point"),
        ({"grid_cell_edge": np.zeros((2, 64), int)}, ["gradient"], "(2, 64) instead of (3, 64)"),
    ],
)
def test_a_data_file_that_does_not_fit_is_a_sentence(
    arrays: dict[str, object], words: list[str], sentence: str, here: Cli, vectors: Path
) -> None:
    change(vectors, **arrays)
    result = here("kernels", "run", *words, "--data", vectors)
    assert result.returncode == 2, result.stdout
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_what_must_come_out_is_compared_or_said_not_to_be(here: Cli, vectors: Path) -> None:
    told = here("kernels", "run", "time_step", "--data", vectors)
    assert "reference: the data file\n" in told.stdout
    of_numpy = here("kernels", "run", "gradient", "--data", vectors)
    assert "reference: numpy\n" in of_numpy.stdout
    right = np.load(vectors)["out_step_temp"]
    change(vectors, out_step_temp=None, out_step_tmp=right)
    refused = here("kernels", "run", "time_step", "--data", vectors)
    assert refused.returncode == 2
    assert "holds 'out_step_tmp', which icon_like has no use for. Did you mean 'out_step_temp'" in (
        refused.stderr
    )


def test_an_infinite_value_hides_no_other_one(here: Cli, vectors: Path) -> None:
    data = dict(np.load(vectors))
    data["in_temp"][0, 0] = np.inf
    right = data["in_temp"] + 0.1 * data["in_dvg"]
    change(vectors, in_temp=data["in_temp"], out_step_temp=right)
    assert here("kernels", "run", "time_step", "--data", vectors).returncode == 0
    right[1, 1] = 7
    change(vectors, out_step_temp=right)
    assert here("kernels", "run", "time_step", "--data", vectors).returncode == 1
    right[1, 1] = -np.inf
    change(vectors, out_step_temp=right)
    assert here("kernels", "run", "time_step", "--data", vectors).returncode == 1


def test_what_is_no_data_file_is_a_sentence(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no vectors")
    description = "{'descr': '<f8', 'fortran_order': False, 'shape': (1 << 49,)}\n"
    text = description.replace("1 << 49", str(1 << 49)).encode()
    with zipfile.ZipFile(tmp_path / "large.npz", "w") as file:
        file.writestr("in_u.npy", b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text)
    wrong = {"text": "is no .npz file", "none": "does not exist", "large": "there is memory for"}
    for name, words in ((f"{each}.npz", told) for each, told in wrong.items()):
        result = here("kernels", "run", "gradient", "--data", tmp_path / name)
        assert result.returncode == 2
        assert words in result.stderr


def test_no_compiler_is_a_sentence(
    here: Cli, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    result = here("kernels", "run", "time_step", "--data", vectors)
    assert result.returncode == 2
    assert "no C++ compiler was found" in result.stderr
    assert (
        here("kernels", "run", "time_step", "--data", vectors, "--target", "numpy").returncode == 0
    )


def test_a_compiler_may_be_told_with_options(
    here: Cli, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "env LC_ALL=C c++ -DWITH_WORDS")
    result = here("kernels", "run", "time_step", "--data", vectors)
    assert result.returncode == 0, result.stderr


def test_translated_code_names_its_source_and_keeps_its_names(here: Cli, tmp_path: Path) -> None:
    code = here("translate", "gradient").stdout
    assert code.splitlines()[0].endswith("mini/kernels/gradient.py:10")
    assert "difference[edge * levels + level] =" in code
    assert "def gradient(" in here("translate", "gradient", "--target", "numpy").stdout
    told = here("translate", "gradient", "--show", "ir").stdout
    assert "out       difference: edge, level [K]" in told
    assert here("translate", "gradient", "-o", tmp_path / "gradient.cpp").returncode == 0
    assert (tmp_path / "gradient.cpp").read_text() == code
    result = here("translate", "gradient", "--show", "codes")
    assert result.returncode == 2
    assert "Did you mean 'code'?" in result.stderr


def test_a_kernel_of_a_file_is_run_on_arrays_by_its_names(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "from thalweg.dsl import Field, Out, Parameter, kernel\n"
        "from thalweg.dsl.grids.triangles import Cell, Level\n"
        "@kernel\n"
        'def twice(a: Field[Cell, Level], f: Parameter["1"], b: Out[Cell, Level]) -> None:\n'
        "    b = f * sum(a[n] for n in Cell.neighbours)\n"
    )
    random = np.random.default_rng(1)
    a, table = random.standard_normal((3, 12)), random.integers(0, 12, (3, 12))
    data = {"a": a, "f": np.array(2.0), "b": np.zeros_like(a), "cell_neighbours": table}
    first, second, third = (a[:, each] for each in table)
    right = 2.0 * ((first + second) + third)
    np.savez(tmp_path / "data.npz", **data, out_b=right)  # type: ignore[arg-type]
    words = ["kernels", "run", tmp_path / "twice.py", "--data", tmp_path / "data.npz"]
    result = here(*words, "--target", "simd", "--layout", "blocked")
    assert result.returncode == 0, result.stderr
    assert "+diff[b] relative=0.000e+00" in result.stdout
    change(tmp_path / "data.npz", out_b=right + 1)
    assert here(*words).returncode == 1
    change(tmp_path / "data.npz", cell_neighbours=None)
    refused = here(*words)
    assert refused.returncode == 2
    assert "the data file holds no 'cell_neighbours'" in refused.stderr
    change(tmp_path / "data.npz", cell_neighbours=table, out_bb=right)
    refused = here(*words)
    assert refused.returncode == 2
    assert "holds 'out_bb', which kernel 'twice' has no use for. Did you mean" in refused.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('target = "opencl"', "target 'opencl' does not exist; choose one of: numpy, serial"),
        ('layout = "blockd"', "layout 'blockd' does not exist; .* Did you mean 'blocked'"),
        ("block = 33", "block = 33 is no power of two from 2 to 4096"),
        ("block = true", "block = True is no power of two"),
        ('block = "8"', "block = '8' is no power of two"),
        (f"block = 1{'0' * 5000}", "kernel.toml' is no TOML: an integer does not fit into 64 bits"),
        ("size = 32", "key 'size' does not exist; there are: target, layout, block"),
        ("target = ", "is no TOML"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(
    text: str, sentence: str, here: Cli, tmp_path: Path
) -> None:
    (tmp_path / "kernel.toml").write_text(text)
    result = here("kernels", "run", "gradient", "--config", tmp_path / "kernel.toml")
    assert result.returncode == 2
    assert re.search(sentence, result.stderr), result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_size_that_is_no_number_is_refused(here: Cli, tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", par_iim=np.array([1, 2]), par_jjm=np.array("x"))
    result = here("kernels", "run", "pvort", "--data", tmp_path / "data.npz")
    assert result.returncode == 2
    assert "'par_iim' of the data file is [1, 2], no whole number" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_sum_of_hundreds_of_terms_is_a_sentence(here: Cli, tmp_path: Path) -> None:
    text = PLUS_ONE.replace("t + 1", " + ".join(["t"] * 300))
    (tmp_path / "long.py").write_text(text)
    done = here("kernels", "run", tmp_path / "long.py", "--target", "serial")
    assert done.returncode == 2
    assert "an expression of too many terms for NumPy" in done.stderr


def test_code_replaces_no_file_unasked_and_is_written_whole(here: Cli, tmp_path: Path) -> None:
    out = tmp_path / "gradient.cpp"
    out.write_text("of mine")
    refused = here("translate", "gradient", "-o", out)
    assert refused.returncode == 2
    assert f"'{out}' exists; choose another name or add --overwrite" in refused.stderr
    full = pytest.raises(ThalwegError, match=f"'{out}' cannot be written: File too large")
    with file_sizes_up_to(256), full:
        translate("gradient", Configuration(), "code", out, overwrite=True, as_json=False)
    assert out.read_text() == "of mine"
    assert here("translate", "gradient", "-o", out, "--overwrite").returncode == 0
    assert out.read_text() == here("translate", "gradient").stdout
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_code_is_not_written_over_its_kernel(here: Cli, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "mini" / "kernels" / "gradient.py").read_text()
    (tmp_path / "own.py").write_text(text)
    result = here("translate", tmp_path / "own.py:gradient", "-o", tmp_path / "own.py")
    assert result.returncode == 2
    assert "own.py' is the file of the kernel; name another one for its code" in result.stderr
    assert (tmp_path / "own.py").read_text() == text


@pytest.mark.parametrize("command", [["translate"], ["kernels", "run"], ["loc"]])
def test_a_file_that_ends_the_program_is_told(
    command: list[str], here: Cli, tmp_path: Path
) -> None:
    (tmp_path / "ends.py").write_text("raise SystemExit(0)\n")
    result = here(*command, tmp_path / "ends.py")
    assert result.returncode == 2
    assert "ends.py:1: Python cannot read this file: it ends the program" in result.stderr


def test_a_folder_whose_name_is_that_of_a_file_is_no_file(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "kernels.py").mkdir()
    result = here("loc", tmp_path)
    assert result.returncode == 2
    assert "holds no file.py with a kernel" in result.stderr


SHIFTED = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def shifted(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:
    o = t[Cell.neighbours[0]] / 0
"""


@pytest.fixture
def shifted(tmp_path: Path) -> Path:
    (tmp_path / "shifted.py").write_text(SHIFTED)
    return tmp_path / "shifted.py"


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (np.int64(0), "'cell_neighbours' of kernel 'shifted' has the shape () instead of (3, 4)"),
        (np.zeros((3, 4)), "'cell_neighbours' is of type float64 instead of whole numbers"),
        (np.full((3, 4), 1 << 63, np.uint64), "'cell_neighbours' names a point that there is not"),
    ],
)
def test_a_table_of_another_form_is_told(
    table: object, told: str, here: Cli, shifted: Path, tmp_path: Path
) -> None:
    change_to = {"cell_neighbours": table, "t": np.ones((2, 4)), "o": np.ones((2, 4))}
    np.savez(tmp_path / "data.npz", **change_to)  # type: ignore[arg-type]
    result = here("kernels", "run", shifted, "--data", tmp_path / "data.npz")
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1), result.stderr
    assert told in result.stderr


def test_a_field_that_lies_the_other_way_round_is_named_not_the_table(
    here: Cli, shifted: Path, tmp_path: Path
) -> None:
    table = np.zeros((3, 40), int)
    for fields, tables, told in (
        (np.ones((40, 5)), table, "'t' of kernel 'shifted' has the shape (40, 5)"),
        (np.ones((5, 40)), table.T, "'cell_neighbours' of kernel 'shifted' has the shape (40, 3)"),
    ):
        np.savez(tmp_path / "data.npz", t=fields, o=np.ones((5, 40)), cell_neighbours=tables)
        result = here("kernels", "run", shifted, "--data", tmp_path / "data.npz")
        assert (result.returncode, len(result.stderr.splitlines())) == (2, 1), result.stderr
        assert told in result.stderr


def test_compiled_code_that_was_cut_off_is_compiled_again(
    cli: Cli, shifted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ["kernels", "run", shifted, "--target", "serial", "--layout", "blocked"]
    told = cli(*words)
    assert "target=serial layout=blocked block=64\n" in told.stdout
    assert told.stderr == ""  # though infinite values of both signs are added up
    (library,) = (tmp_path / "cache" / "thalweg" / "kernels").glob("shifted-*.so")
    whole = library.read_bytes()
    for size in (0, 4096, len(whole) - 1):
        library.write_bytes(whole[:size])
        assert cli(*words).returncode == 0, size
        assert library.read_bytes() == whole


def test_a_grid_without_points_is_run(here: Cli, shifted: Path, tmp_path: Path) -> None:
    nothing = np.ones((2, 0))
    np.savez(tmp_path / "data.npz", cell_neighbours=np.zeros((3, 0), int), t=nothing, o=nothing)
    result = here("kernels", "run", shifted, "--data", tmp_path / "data.npz")
    assert result.returncode == 0, result.stderr


def test_json_of_what_is_no_number_is_json(cli: Cli, shifted: Path) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    result = cli("kernels", "run", shifted, "--json")
    outcome = json.loads(result.stdout, parse_constant=refuse)[0]
    assert (outcome["outputs"]["o"]["max"], outcome["passed"]) == (None, True)


def test_letters_that_a_terminal_lacks_are_written_by_their_numbers(
    cli: Cli, shifted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shifted.write_text(SHIFTED.replace("    o =", '    """Größe."""\n    o ='))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    result = cli("translate", shifted)
    assert result.returncode == 0, result.stderr
    assert "// Gr\\xf6\\xdfe." in result.stdout


@pytest.mark.parametrize("compiler", ["true", "printf '\\377'"])
def test_a_compiler_that_makes_nothing_is_told(
    here: Cli, shifted: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    monkeypatch.setenv("CXX", compiler)
    done = here("kernels", "run", shifted, "--target", "serial")
    assert done.returncode == 2
    assert "made no library of kernel" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_compiler_that_is_no_command_is_told(
    here: Cli, shifted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", 'g++ "')
    result = here("kernels", "run", shifted)
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1), result.stderr
    assert "which is no command: No closing quotation" in result.stderr


PLUS_ONE = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell

@kernel
def shifted(t: Field[Cell], o: Out[Cell]) -> None:
    o = t + 1
"""


def test_what_is_not_a_number_is_counted_beside_its_name(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "shifted.py").write_text(PLUS_ONE)
    np.savez(tmp_path / "data.npz", t=np.array([1, np.nan, 3, np.nan]), o=np.zeros(4))
    words = ["kernels", "run", str(tmp_path / "shifted.py"), "--data", str(tmp_path / "data.npz")]
    answer = here(*words)
    assert answer.returncode == 0, answer.stderr
    told = answer.stdout.splitlines()
    checks = [line for line in told if line.startswith("+check[")]
    assert [line.partition("[")[2].partition(" ")[0] for line in checks] == ["t", "o"]
    assert all(line.endswith(" not a number: 2 of 4") for line in checks)
