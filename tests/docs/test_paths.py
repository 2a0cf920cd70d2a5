# SPDX-License-Identifier: Apache-2.0
"""Files and folders that pages name are where the pages say; links between pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "docs", "examples", "fortran", "include", "mini", "python", "src", "tests",
           "tools")  # fmt: skip
SOURCE = re.compile(r"`([\w./-]+\.(?:cpp|hpp|h|f90|py|cmake)(?:\.in)?)\b")
PLACE = re.compile(rf"(?<![\w./-])((?:{'|'.join(FOLDERS)})/[\w./*-]*[\w/*])")
# A path may begin at any of these, as includes and imports do; then at the page itself.
BASES = ("", "include", "src", "src/output", "mini", "python/thalweg", "tests")
# Programs that the reader of a page writes, and what its commands make.
MADE = {"ring.c", "ring.cpp", "ring.f90", "examples/build", "smooth.py", "kernel.toml"}


def pages() -> list[str]:
    """All but the changelog, which tells of what was."""
    found = [
        *ROOT.glob("*.md"),
        *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md")),
    ]
    return sorted(str(page.relative_to(ROOT)) for page in found if page.name != "CHANGELOG.md")


def is_there(named: str, page: Path) -> bool:
    """NAME stands for any name. A name without a folder lies below the page, or anywhere in the
    tree if the page is one of docs/.
    """
    pattern = named.replace("NAME", "*").rstrip("/")
    if "/" in named:
        bases = [*(ROOT / base for base in BASES), page.parent]
        return any(next(base.glob(pattern), None) is not None for base in bases)
    of_one_folder = page.relative_to(ROOT).parts[0] not in ("docs", page.name)
    below = [page.parent] if of_one_folder else [ROOT / name for name in FOLDERS]
    return any(next(folder.rglob(pattern), None) is not None for folder in below)


@pytest.mark.parametrize("name", pages())
def test_what_a_page_names_is_there(name: str) -> None:
    page = ROOT / name
    text = page.read_text()
    named = {*SOURCE.findall(text), *PLACE.findall(text)} - MADE
    assert not sorted(each for each in named if not is_there(each, page))


@pytest.mark.parametrize("name", pages())
def test_links_of_a_page_lead_somewhere(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    local = [link.split("#")[0] for link in links if "://" not in link]
    assert not [link for link in local if link and not (page.parent / link).exists()]
