# SPDX-License-Identifier: Apache-2.0
"""No constant, loop or kernel has a name that means another thing in translated code."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.passes.library_names import may_be_macro
from thalweg.dsl.passes.names import RESERVED
from thalweg.dsl.problem import KernelError
from thalweg.dsl.targets import cpp_target
from thalweg.dsl.targets.cpp_includes import HEADERS, NAMES, with_includes, with_own_includes
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, different, outputs

TARGETS = Path(cpp_target.__file__).parent
KERNELS = """from types import SimpleNamespace

from thalweg.dsl import Field, Out, Parameter, constant, kernel
from thalweg.dsl.grids.triangles import Cell, Level

NAME = constant(2.0)
earth = SimpleNamespace(radius=constant(6.371e6), none=constant(float("nan")))
lowest = -1e300


@kernel
def summed(t: Field[Cell, Level], total: Out[Cell, Level]) -> None:
    total[0] = t[0]
    for k in upward(Level[1:]):
        total[k] = total[k - 1] + t[k]


@kernel
def tried(t: Field[Cell, Level], k: Parameter["1"], o: Out[Cell, Level]) -> None:
    BODY
"""


def read(folder: Path, body: str, name: str = "two") -> Kernel:
    path = folder / "tried.py"
    path.write_text(KERNELS.replace("BODY", body).replace("NAME", name))
    return load_file(path)["tried"]


@pytest.mark.parametrize(
    "name",
    [
        "cell", "cells", "level", "levels", "lane", "block", "new", "gamma", "y0", "M_PI",
        "size_t", "int32_t", "omp_get_max_threads", "_mm256_fmadd_pd", "pack", "tried_in",
    ],
)  # fmt: skip
def test_a_constant_has_no_name_of_translated_code(name: str, tmp_path: Path) -> None:
    with pytest.raises(KernelError, match=f"a constant cannot be called '{name}'"):
        _ = read(tmp_path, f"o = t * {name}", name).ir


def test_constants_of_two_files_with_one_name_have_one_value(tmp_path: Path) -> None:
    other = KERNELS.replace("BODY", "o = t * NAME").replace("NAME", "g").replace("2.0", "3.0")
    (tmp_path / "other.py").write_text(other.replace("tried", "threefold"))
    text = KERNELS.replace("BODY", "threefold(t, k, a)\n    o = a + t * g").replace("NAME", "g")
    (tmp_path / "tried.py").write_text(f"from other import threefold\n{text}")
    with pytest.raises(KernelError, match=r"the constant 'g' is 2\.0 here and 3\.0 in another"):
        _ = load_file(tmp_path / "tried.py")["tried"].ir


@pytest.mark.parametrize("name", ["cell", "cells", "levels", "lane", "int", "thread_index"])
@pytest.mark.parametrize(
    "body", ["for N in Level:\n        o[N] = t[N]", "o = t + sum(t[N] for N in Level)"]
)
def test_a_loop_over_levels_has_no_name_of_translated_code(
    body: str, name: str, tmp_path: Path
) -> None:
    with pytest.raises(KernelError, match=f"the name '{name}' is taken"):
        _ = read(tmp_path, body.replace("N", name)).ir


@pytest.mark.parametrize("name", ["parts", "others", "own_0", "inner_12_parts", "halo_1"])
def test_an_argument_has_no_name_of_code_for_ranks(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tried.py"
    text = KERNELS.replace("BODY", "o = t * k").replace("NAME", "two")
    path.write_text(
        text.replace('k: Parameter["1"]', f'{name}: Parameter["1"]').replace("* k", f"* {name}")
    )
    with pytest.raises(KernelError, match=f"the name '{name}' is taken"):
        _ = load_file(path)["tried"].ir


def test_an_argument_has_no_name_of_a_loop_of_a_kernel_that_is_called(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="'k' is a loop over levels, too"):
        _ = read(tmp_path, "summed(t, a)\n    o = a * k").ir


@pytest.mark.parametrize("name", ["write", "gamma", "index", "xor", "main"])
def test_a_kernel_has_no_name_of_the_library_that_a_model_is_linked_with(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "tried.py").write_text(
        KERNELS.replace("BODY", "o = t").replace("NAME", "two").replace("tried", name)
    )
    with pytest.raises(KernelError, match=f"a kernel cannot be called '{name}'"):
        _ = load_file(tmp_path / "tried.py")[name].ir


@pytest.mark.some(3)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_a_loop_may_be_called_level_and_a_constant_be_one_of_a_class(
    way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    body = "for level in Level:\n        o[level] = t[level] * earth.radius\n    o = o * two"
    assert different(made_case(read(tmp_path, body)), way, compiled) == []


@pytest.mark.parametrize("number", ["lowest", "earth.none"])
def test_numbers_of_a_file_are_the_same_in_every_target(
    number: str, tmp_path: Path, compiled: Path
) -> None:
    """-1e300 is -infinity in single precision."""
    case = made_case(read(tmp_path, f"o = where(t > 1, t, {number})"))
    right = outputs(case, replace(REFERENCE, precision="single"), compiled)["o"]
    found = outputs(case, replace(WAYS[0], precision="single"), compiled)["o"]
    np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("value", ["float('inf')", "10**400", "constant(float('-inf'))"])
def test_a_number_of_a_file_is_one_that_a_field_can_have(value: str, tmp_path: Path) -> None:
    read(tmp_path, "o = t * large")
    text = (tmp_path / "tried.py").read_text().replace("lowest = -1e300", f"large = {value}")
    (tmp_path / "tried.py").write_text(text)
    kernel = load_file(tmp_path / "tried.py")["tried"]
    with pytest.raises(KernelError, match="this number is larger than any that a field can have"):
        _ = kernel.ir


@pytest.mark.parametrize("name", ["EOF", "EPERM", "INT_MAX", "M_PI", "FP_NAN", "SEEK_SET", "NULL"])
def test_macros_of_c_are_no_names(name: str) -> None:
    assert may_be_macro(name)


@pytest.mark.parametrize("name", ["KLEV", "QV", "RHO_G", "ETA", "EDGE_LENGTH", "MAX", "k", "NLEV"])
def test_capitals_are_names(name: str) -> None:
    assert not may_be_macro(name)


def test_no_macro_of_the_headers_is_forgotten(tmp_path: Path) -> None:
    """Of all headers that translated code may have, as this compiler and this MPI know them."""
    code = "".join(path.read_text() for path in TARGETS.glob("*.py"))
    headers = sorted(
        {*re.findall(r"#include <[^>]*>", code), *(f"#include <{h}>" for h in HEADERS)}
    )
    (tmp_path / "all.cpp").write_text(
        "\n".join(each for each in headers if "<{" not in each and "cuda" not in each)
    )
    compiler = shutil.which("mpicxx") or shutil.which("c++")
    assert compiler
    words = [compiler, "-std=c++20", "-fopenmp", "-dM", "-E", str(tmp_path / "all.cpp")]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^#define ([A-Z][A-Z0-9_]{2,}) ", told, re.MULTILINE)
    assert len(found) > 300
    odd = [name for name in found if not may_be_macro(name) and name not in RESERVED]
    assert len(odd) <= 0.05 * len(found), odd  # of other versions, and what nobody means


def test_no_name_of_the_library_is_forgotten() -> None:
    """What no header is named for is taken for a function of mathematics."""
    files = [path for path in TARGETS.glob("cpp_*.py") if path.stem != "cpp_header"]
    code = "".join(path.read_text() for path in [*files, *TARGETS.glob("cuda_*.py")])
    code += "".join(path.read_text() for path in TARGETS.glob("ranks_*.py"))
    known = {name for names in NAMES.values() for name in names}
    mathematics = {"abs", "atan", "atan2", "cos", "exp", "fma", "log", "pow", "sin", "sqrt", "tan"}
    assert set(re.findall(r"std::(\w+)", code)) <= known | mathematics


def test_each_header_declares_what_it_is_included_for(tmp_path: Path) -> None:
    """Compilers differ in what a header brings along of others."""
    compiler = shutil.which("c++")
    assert compiler
    for header, names in NAMES.items():
        words = (
            "namespace own = std::" if name == "this_thread" else "using std::" for name in names
        )
        lines = [f"{word}{name};" for word, name in zip(words, names, strict=True)]
        code = with_includes("@includes@" + "\n".join(lines))
        assert code.count("#include") == 1, header
        (tmp_path / "names.cpp").write_text(code)
        said = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", str(tmp_path / "names.cpp")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.returncode == 0, said.stderr


def test_code_without_functions_has_no_header_of_them() -> None:
    assert with_includes("@includes@std::int64_t n; double x = std::fma(y, NAN, 1.0);") == (
        "#include <cmath>\n#include <cstdint>\nstd::int64_t n; double x = std::fma(y, NAN, 1.0);"
    )
    assert with_includes("@includes@double x;") == "double x;"
    kept = with_own_includes("// a\n#include <cmath>\n#include <vector>\n\nauto x = INT64_MAX;")
    assert kept == "// a\n#include <cstdint>\n\nauto x = INT64_MAX;"
