# SPDX-License-Identifier: Apache-2.0
"""tools/check_sizes catches what is too long, too wide, too deep, too many or without a licence."""

from __future__ import annotations

from pathlib import Path

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_small_tree_passes_and_is_counted(tree: Path, check) -> None:
    texts = [path.read_text() for path in tree.rglob("*") if path.is_file()]
    lines = sum(len(text.splitlines()) for text in texts)
    result = check("check_sizes")
    assert result.returncode == 0, result.stdout
    assert result.stdout.startswith(f"check_sizes: {len(texts)} files, {lines} lines; ")
    assert result.stdout.endswith("; the largest is mini/model.cpp with 4; 0 violations\n")


def test_a_file_of_501_lines_is_too_long(tree: Path, check) -> None:
    write(tree / "src/base/long.cpp", HEAD + "\n" * 499)
    assert check("check_sizes").returncode == 0
    write(tree / "src/base/long.cpp", HEAD + "\n" * 500)
    result = check("check_sizes")
    assert result.returncode == 1
    assert "src/base/long.cpp: 501 lines, at most 500" in result.stdout


def test_a_line_of_101_columns_is_too_wide(tree: Path, check) -> None:
    write(tree / "src/base/wide.cpp", HEAD + "x" * 100 + "\n")
    assert check("check_sizes").returncode == 0
    write(tree / "src/base/wide.cpp", HEAD + "x" * 101 + "\n")
    assert "src/base/wide.cpp:2: 101 columns, at most 100" in check("check_sizes").stdout


def test_tables_of_a_page_may_be_wide(tree: Path, check) -> None:
    write(tree / "docs/page.md", "x" * 300 + "\n")
    assert check("check_sizes").returncode == 0


def test_code_without_licence_is_named(tree: Path, check) -> None:
    write(tree / "src/base/free.cpp", "// Free.\n\n" + HEAD)
    write(tree / "tools/script", "#!/bin/sh\necho\n")
    result = check("check_sizes")
    assert result.returncode == 1
    assert "src/base/free.cpp: no 'SPDX-License-Identifier" in result.stdout
    assert "tools/script: no 'SPDX-License-Identifier" in result.stdout


def test_five_folders_are_too_deep(tree: Path, check) -> None:
    write(tree / "a/b/c/d/page.md", "")
    assert check("check_sizes").returncode == 0
    write(tree / "a/b/c/d/e/page.md", "")
    assert "a/b/c/d/e: 5 folders deep, at most 4" in check("check_sizes").stdout


def test_twenty_one_visible_root_entries_are_too_many(tree: Path, check) -> None:
    for number in range(15):  # five are there
        write(tree / f"file{number}", "")
    write(tree / ".hidden", "")
    assert check("check_sizes").returncode == 0
    write(tree / "one_more", "")
    assert "the root has 21 visible entries, at most 20" in check("check_sizes").stdout


def test_a_long_function_is_a_warning_only(tree: Path, check) -> None:
    body = "  go();\n" * 79
    write(
        tree / "src/base/slow.cpp", HEAD + "int fast() {\n}\n\nvoid slow(int a) {\n" + body + "}\n"
    )
    write(tree / "tools/slow.py", "#" + HEAD[2:] + "def slow():\n" + "    go()\n" * 80)
    result = check("check_sizes")
    assert result.returncode == 0
    assert "src/base/slow.cpp: warning: 'void slow' has 81 lines" in result.stdout
    assert "tools/slow.py: warning: 'slow' has 81 lines" in result.stdout
    assert "fast" not in result.stdout
