# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers catches every way to point downstream, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

VIOLATIONS = {
    "a source includes a folder below": (
        "src/base/error.cpp",
        '#include "grid/grid.hpp"',
        "src/base/error.cpp: includes 'grid/grid.hpp', but 'grid' is below 'base' in LAYERS",
    ),
    "a folder is not listed": ("src/codec/zip.cpp", "", "'codec' is not in src/LAYERS"),
    "the library includes the model": (
        "src/grid/grid.cpp",
        '#include "kernels/flux.hpp"',
        "src/grid/grid.cpp: includes 'kernels/flux.hpp', but the library knows nothing of mini/",
    ),
    "a public header includes src": (
        "include/thalweg/error.hpp",
        '#include "base/text.hpp"',
        "include/thalweg/error.hpp: includes 'base/text.hpp' of src/, not of include/",
    ),
    "a public header includes src by a path": (
        "include/thalweg/error.hpp",
        '#include "../../src/base/text.hpp"',
        "include/thalweg/error.hpp: includes '../../src/base/text.hpp' of src/, not of include/",
    ),
    "a source includes a folder below by a path": (
        "src/base/error.cpp",
        '#include "../grid/grid.cpp"',
        "src/base/error.cpp: includes '../grid/grid.cpp', but 'grid' is below 'base' in LAYERS",
    ),
    "a room includes one below it in the same folder": (
        "src/output/deal/share.hpp",
        '#include "output/move/sender.hpp"',
        "src/output/deal/share.hpp: includes 'output/move/sender.hpp', but 'move' is below 'deal'",
    ),
    "a room includes what lies beside it": (
        "src/output/move/sender.hpp",
        '#include "../ranks.hpp"',
        "src/output/move/sender.hpp: includes '../ranks.hpp', but '.' is below 'move' in LAYERS",
    ),
    "a room is not listed": (
        "src/output/keep/journal.cpp",
        "",
        "'keep' is not in src/output/LAYERS; add it where it belongs",
    ),
    "a source calls what it does not include": (
        "src/grid/grid.cpp",
        "void make() { scaled(2); }",
        "src/grid/grid.cpp: calls scaled() of 'src/grid/scaled.hpp' without its include",
    ),
    "the model includes src": (
        "mini/model.cpp",
        '#  include "base/text.hpp"',
        "mini/model.cpp: includes 'base/text.hpp' of src/, not of include/",
    ),
    "a module imports one below": (
        "python/thalweg/config/toml.py",
        "from thalweg.run.runner import run",
        "python/thalweg/config/toml.py:3: imports 'thalweg.run', below 'config' in LAYERS",
    ),
    "an import in a function": (
        "python/thalweg/run/runner.py",
        "def f():\n    import thalweg.report",
        "python/thalweg/run/runner.py:4: imports 'thalweg.report', below 'run' in LAYERS",
    ),
    "a relative import": (
        "python/thalweg/config/toml.py",
        "from ..report import page",
        "python/thalweg/config/toml.py:3: imports 'thalweg.report', below 'config' in LAYERS",
    ),
    "an import of the name from the package": (
        "python/thalweg/config/toml.py",
        "from thalweg import report",
        "python/thalweg/config/toml.py:3: imports 'thalweg.report', below 'config' in LAYERS",
    ),
    "a package is not listed": (
        "python/thalweg/lab/trial.py",
        "import json",
        "'lab' is not in python/thalweg/LAYERS",
    ),
}


def test_a_tree_that_points_upstream_passes(check) -> None:
    result = check("check_layers")
    assert result.returncode == 0, result.stdout
    assert result.stdout == "check_layers: 0 violations\n"


@pytest.mark.parametrize(("name", "line", "sentence"), VIOLATIONS.values(), ids=VIOLATIONS.keys())
def test_a_planted_violation_is_named(
    tree: Path, check, name: str, line: str, sentence: str
) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    old = path.read_text() if path.is_file() else ""
    path.write_text(f"{old}{line}\n")
    result = check("check_layers")
    assert result.returncode == 1
    assert sentence in result.stdout
    assert result.stdout.endswith("check_layers: 1 violations\n")


# Which source defines what a public header declares; a header without one is data.
LEAKS = {
    "a source": (
        "src/grid/grid.cpp",
        "thalweg/output.hpp",
        "src/grid/grid.cpp: includes 'thalweg/output.hpp', which is 'output' to others",
    ),
    "another public header": (
        "src/base/text.hpp",
        "thalweg/field.hpp",
        "src/base/text.hpp: includes 'thalweg/field.hpp', which is 'output' to others",
    ),
    "a public header of an upper layer": (
        "include/thalweg/error.hpp",
        "thalweg/output.hpp",
        "src/base/error.cpp: includes 'thalweg/error.hpp', which is 'output' to others",
    ),
}


@pytest.mark.parametrize(("name", "header", "sentence"), LEAKS.values(), ids=LEAKS.keys())
def test_a_way_down_through_include_is_named(
    tree: Path, check, name: str, header: str, sentence: str
) -> None:
    for path, included in (
        ("src/output/output.cpp", "thalweg/output.hpp"),
        ("include/thalweg/output.hpp", "string"),
        ("include/thalweg/field.hpp", "thalweg/output.hpp"),
    ):
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(f"#include <{included}>\n")
    assert check("check_layers").returncode == 0
    (tree / name).write_text(f'{(tree / name).read_text()}#include "{header}"\n')
    result = check("check_layers")
    assert result.returncode == 1
    assert sentence in result.stdout


def test_two_types_of_one_name_are_found(tree: Path, check) -> None:
    for name, text in (
        ("base/run.hpp", "struct Run {\n  int a;\n};"),
        ("grid/run.hpp", "class Run {"),
    ):
        path = tree / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"struct Other{path.parent.name};\n{text}\n")
    result = check("check_layers")
    assert result.returncode == 1
    assert "src/grid/run.hpp: 'Run' is a type of src/base/run.hpp already" in result.stdout
