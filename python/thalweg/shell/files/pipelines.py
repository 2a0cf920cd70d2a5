# SPDX-License-Identifier: Apache-2.0
"""Files that pass through sed, envsubst, tr, grep, cut or awk, alone and one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thalweg.shell.files.awk import Awk
from thalweg.shell.files.awk_program import awk_of
from thalweg.shell.files.contents import NO_END, Written, is_called_namelist, is_log
from thalweg.shell.files.files import CAPTURED
from thalweg.shell.files.filters import FILTERS, Filter, filter_of
from thalweg.shell.files.output import Known, Output, Printed
from thalweg.shell.files.sed import IN_PLACE, Sed
from thalweg.shell.files.whole_filters import WHOLE, made_whole, whole_of
from thalweg.shell.paths import last_of
from thalweg.shell.tree.tree import Command, Redirections, Simple
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.programs import OF_WORDS
from thalweg.shell.values.words import words_given

_LARGEST_TEXT = 500_000  # letters of what a filter makes


@dataclass
class Pipelines:
    output: Output
    is_ended: bool = True  # the last line of what was passed last

    def __post_init__(self) -> None:
        self.variables, self.files = self.output.variables, self.output.files

    def run(self, parts: Sequence[Simple], known: Known, printed: Printed | None = None) -> bool:
        """`sed s/a/b/ A > B`, `cat A | envsubst > B`, `sed -i s/a/b/ A`"""
        first, last, at = parts[0], parts[-1], parts[0].at
        given = [self._words_of(part) for part in parts]
        if not all(given) or any(part.files.outs for part in parts[:-1]):
            return False
        words = [each for each in given if each]
        if first.words[0] == "sed" and any(map(IN_PLACE.fullmatch, words[0])):
            return len(parts) == 1 and known.sure and self._edit(first, words[0])
        if last.words[0] == "tee":
            places = self.output.places_of_tee(last)
            if not places or (self.output.stdout and not last.files.outs):
                return False
            last = replace(last, files=Redirections(outs=places))
            words[-1] = ["cat"]
        pieces = self._filtered(first, words, printed)
        if pieces is None:
            return False
        outs = [each for each in last.files.outs if not self.output.is_null(each[1])]
        joins = any(each[0] == "tr" and whole_of(each) for each in words)
        if outs and (joins or not self.is_ended):
            return False  # a file whose last line has no end
        if not last.files.outs and self.output.stdout:
            if pieces and not self.is_ended:
                pieces[-1] = pieces[-1]._replace(text=pieces[-1].text + NO_END)
            self.output.into(self.output.stdout, [pieces], at, sure=known.sure, replaces=False)
            if known.sure:
                self._keep_templates(first, words[0], self.output.stdout, at)
        for is_behind, word in outs if last.words[0] == "tee" else outs[-1:]:
            for each in self.output.places([word], at):
                if not is_behind and each in self._files_of(first, words[0]):
                    self.files.unread.add(at, f"'{words[0][0]}' that reads what it empties")
                self.output.into(each, [pieces], at, sure=known.sure, replaces=not is_behind)
                if known.sure:
                    self._keep_templates(first, words[0], each, at)
        return True

    def lines_of_one(self, simple: Simple) -> list[str] | None:
        """What it prints; None where that is not known."""
        words = words_given(simple.words, self.variables)
        pieces = self._filtered(simple, [words], None) if words else None
        return None if pieces is None else [each.text for each in pieces]

    def _words_of(self, part: Simple) -> list[str] | None:
        """With names of files for a pattern, if all that fit are known."""
        words = words_given(part.words, self.variables)
        if words is None and part.words[0] == "sed":
            found, sure = self.output.given(part.words)
            return found if sure is None else None
        return words

    def _filtered(
        self, first: Simple, words: Sequence[list[str]], printed: Printed | None
    ) -> list[Written] | None:
        """Lines of the last one of a pipeline, each beginning with the words of a command."""
        before = printed.pieces if printed else None
        pieces, is_ended = before, printed is None or printed.is_ended
        for i, each in enumerate(words):
            whole = whole_of(each) if each[0] in ("wc", "tr") else None
            if whole and not is_ended:
                return None  # ends of lines count, and the last line has none
            is_ended &= not (whole and each[0] == "tr")
            self.is_ended = True
            awk = awk_of(each[1:]) if each[0] == "awk" else None
            is_printed = awk is not None and awk.begun is not None
            if i == 0 and before is None and (each[0] in OF_WORDS or is_printed):
                text = awk.begun if awk and is_printed else OF_WORDS[each[0]](each[1:])
                is_ended = text is None or text.endswith("\n")
                pieces = None if text is None else []
                if text:
                    pieces = self.output.written(text.removesuffix("\n"), first.at)
            else:
                is_first = i == 0 and before is None
                pieces = self._one_passed(first, each, pieces, is_first=is_first)
            if pieces is None:
                return None
            is_ended &= self.is_ended
        self.is_ended = is_ended
        return pieces

    def _one_passed(
        self, first: Simple, words: list[str], before: list[Written] | None, *, is_first: bool
    ) -> list[Written] | None:
        found, whole = None, whole_of(words) if words[0] in {*WHOLE, "tr", "grep"} else None
        if whole is None and words[0] in FILTERS:
            found = filter_of(words, self.variables, self._lines_of)
        files = whole[1] if whole else found[1] if found else None
        inputs = None if files is None else self._inputs(first, files, before, is_first=is_first)
        if inputs is None:
            return None
        if whole is None:
            passed = _passed(found[0], inputs) if found else None
            self.is_ended = not (found and isinstance(found[0], Awk)) or found[0].is_ended
            return passed
        lines = made_whole(words[0], whole[0], [each.text for each in inputs])
        place = inputs[-1] if inputs else Written(*_place(first), "")
        return None if lines is None else [place._replace(text=each) for each in lines]

    def through(self, printed: Printed, simple: Command) -> Printed:
        """What a block printed, through one filter."""
        if not isinstance(simple, Simple):
            return Printed([], is_known=False)
        part = self.output.expanded(simple.plain())
        words = words_given(part.words, self.variables)
        is_filter = words and words[0] in FILTERS and not part.files.outs
        pieces = (
            self._filtered(part, [words], printed)
            if words and is_filter and printed.is_known
            else None
        )
        return Printed(pieces or [], pieces is not None)

    def _lines_of(self, name: str) -> list[str] | None:
        pieces = self.output.pieces_of(self.files.behind_links(self.files.folders.path(name)))
        return None if pieces is None else [each.text for each in pieces]

    def _inputs(
        self, first: Simple, files: Sequence[str], before: list[Written] | None, *, is_first: bool
    ) -> list[Written] | None:
        if files and files != ["-"]:
            found: list[Written] = []
            for each in files:
                lines = self.output.pieces_of(
                    self.files.behind_links(self.files.folders.path(each))
                )
                if lines is None:
                    return None
                found += lines
            return found
        if not is_first:
            return before
        if first.files.documents:
            return self.output.lines_of(first.files.documents[-1])
        if first.files.strings:
            return self.output.written(expand(first.files.strings[-1], self.variables), first.at)
        return (
            self.output.pieces_of(self.output.path(first.files.ins[-1]))
            if first.files.ins
            else None
        )

    def _edit(self, simple: Simple, words: list[str]) -> bool:
        """In place."""
        found = filter_of(words, self.variables, self._lines_of)
        if found is None or not found[1]:
            return False
        edited: dict[str, list[Written]] = {}
        for each in found[1]:
            path = self.files.behind_links(self.files.folders.path(each))
            inputs = self.output.pieces_of(path)
            pieces = None if inputs is None else _passed(found[0], inputs)
            if pieces is None:
                return False
            edited[path] = pieces
        for path, pieces in edited.items():
            before = self.files.contents.get(self.files.real(path))
            behind = self.files.real(path)
            origin = behind if behind != path else before.origin if before else ""
            if origin in self.files.contents:
                self.files.templates[origin] = (path, simple.at)
            kept = [at[1] for each in words if (at := IN_PLACE.fullmatch(each)) and at[1]]
            for suffix in kept:
                self.files.copy(path, f"{path}{suffix}", simple.at, sure=True)
            self.files.replace(path)  # also a link, which is not followed
            if kept:
                self.files.removed.moved[path] = f"{path}{kept[-1]}"
            self.files.put(path, pieces, simple.at, sure=True, replaces=True)
        return True

    def _keep_templates(self, first: Simple, words: list[str], made: str, at: str) -> None:
        for path in self._files_of(first, words):
            is_better = is_called_namelist(last_of(path)) and not is_called_namelist(last_of(made))
            is_by_the_way = words[0] == "grep" or is_log(last_of(made)) or is_better
            if path != made and not made.startswith(CAPTURED) and not is_by_the_way:
                self.files.templates[self.files.real(path)] = (made, at)

    def _files_of(self, first: Simple, words: list[str]) -> list[str]:
        found = filter_of(words, self.variables, self._lines_of) if words[0] in FILTERS else None
        names = [*(found[1] if found else []), *(self.output.arguments(first.files.ins))]
        return [self.files.behind_links(self.files.folders.path(each)) for each in names]


def _passed(change: Filter, lines: Sequence[Written]) -> list[Written] | None:
    """None where it is not known what becomes of a line."""
    found: list[Written] = []
    size = 0
    try:
        if isinstance(change, (Awk, Sed)):
            change.begin(len(lines))
        for each in lines:
            text = change(each.text)
            size += len(text or "")
            if size > _LARGEST_TEXT:
                return None
            if text is not None:
                found += [Written(each.file, each.number, part) for part in text.split("\n")]
    except ValueError:
        return None
    return found


def _place(simple: Simple) -> tuple[str, int]:
    file, _, line = simple.at.rpartition(":")
    return file, int(line)
