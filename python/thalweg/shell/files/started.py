# SPDX-License-Identifier: Apache-2.0
"""The files of a script as they were when it started the model last: what it does with them behind
that start no run reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from thalweg.shell.files.contents import Content, Piece
from thalweg.shell.lines import names_of_groups
from thalweg.shell.paths import last_of


@dataclass
class Started:
    """at     "FILE:LINE" of the start; "" where none is sure
    files     that are there, by path; pieces that come later are behind so many
    paths     of all files until then, removed ones among them
    templates, written_anew  those of then
    """

    at: str = ""
    files: dict[str, tuple[list[Piece], int, Content]] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    templates: dict[str, tuple[str, str]] = field(default_factory=dict)
    written_anew: dict[str, tuple[str, str]] = field(default_factory=dict)

    def keep(
        self, at: str, contents: Mapping[str, Content], gone: Mapping[str, bool],
        templates: Mapping[str, tuple[str, str]], anew: Mapping[str, tuple[str, str]], *,
        sure: bool,
    ) -> None:  # fmt: skip
        """gone: by path, whether for sure. A start that need not be tells nothing."""
        self.at, self.files, self.templates = at if sure else "", {}, dict(templates)
        self.paths, self.written_anew = set(contents), dict(anew)
        for path, each in contents.items() if sure else ():
            if not gone.get(path) and not path.startswith("\0"):
                as_it_is = replace(each, pieces=[], doubtful=dict(each.doubtful))
                self.files[path] = each.pieces, len(each.pieces), as_it_is

    def go_back(
        self, contents: dict[str, Content], gone: dict[str, bool],
        templates: dict[str, tuple[str, str]],
    ) -> Iterator[str]:  # fmt: skip
        """To that start; sentences on what is left out."""
        if not self.at:
            return
        then = {
            path: replace(content, pieces=pieces[:count])
            for path, (pieces, count, content) in self.files.items()
        }
        names = {path: _names_in(each) for path, each in then.items() if each.has_groups(path)}
        all_names = set().union(*names.values()) if names else set()
        for path in [each for each in contents if each not in self.paths]:
            new = contents[path]
            if new.has_groups(path) and _names_in(new) & all_names:
                del contents[path]
                if not any(new.is_same(each) for each in then.values()):
                    yield self._told(path, "written")
        for path in names:
            now = contents.get(path)
            is_other = now is not None and not now.is_same(then[path])
            if is_other and not gone.get(path):
                yield self._told(path, "changed")
            contents[path] = then[path]
            gone.pop(path, None)
        templates.clear()
        templates |= self.templates

    def _told(self, path: str, how: str) -> str:
        counts = "it counts as it was there" if how == "changed" else "it is not counted"
        return (
            f"{self.at}: '{last_of(path)}' is {how} behind this last start of the model: {counts}"
        )


def _names_in(content: Content) -> set[str]:
    return names_of_groups(text for _, text in content.lines())
