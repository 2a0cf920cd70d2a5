# SPDX-License-Identifier: Apache-2.0
"""What is installed for users is what the package imports, no more and no less."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

from thalweg.config import toml

# Modules of another name than their project.
PROJECTS = {"PIL": "pillow", "tomli_w": "tomli-w"}


def imported(package: Path) -> set[str]:
    """Projects that are imported, also by name in importlib.import_module()."""
    names = set()
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
        names.update(re.findall(r'import_module\("(\w+)', text))
    roots = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)
    return {PROJECTS.get(name, name) for name in roots}


def test_the_packages_requirements_are_what_it_imports(root: Path) -> None:
    project = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(project, dict)
    demanded = project["dependencies"]
    assert isinstance(demanded, list)
    named = {re.split(r"[^\w-]", str(each))[0] for each in demanded}
    extras = project["optional-dependencies"]
    late = {str(each) for name in ("darshan", "peers") for each in extras[name]}  # imported late
    # pydantic's own core and typer's click come with them
    assert imported(root / "python/thalweg") - {"thalweg", "pydantic_core"} - late == named
