# SPDX-License-Identifier: Apache-2.0
"""Sees which commands that are not understood may write or change a namelist."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thalweg.shell.files.contents import is_called_namelist
from thalweg.shell.files.copies import LINKS
from thalweg.shell.files.unread import Unread
from thalweg.shell.files.writers import code_of, only_reads
from thalweg.shell.lines import begins_group
from thalweg.shell.tree.tree import Redirections, Simple
from thalweg.shell.unresolved import has_unresolved, show_unresolved

COPIES = frozenset({"cp", "mv", *LINKS})
REMOVES = frozenset({"rm", "unlink"})
_WRITES_WHAT_IT_NAMES = frozenset(
    {
        *COPIES,
        *REMOVES,
        "install",
        "rsync",
        "scp",
        "dd",
        "truncate",
        "ed",
        "ex",
        "vi",
        "vim",
        "patch",
    }
)
_MAY_DO_ANYTHING = frozenset({"bash", "sh", "ksh", "zsh", "ssh", "find", "xargs"})
_SHELLS = frozenset({"bash", "sh", "ksh", "zsh", "ssh"})
_CHANGES = re.compile(r">|\b(?:sed|perl|cp|mv|rm|ln|tee|python\w*|awk|install|envsubst)\b")
_CHANGES_A_VALUE = re.compile(r"\b(?:sed|perl)\b.*\s-\w*i.*\$|\b(?:cp|mv|tee)\b.*\$")
_ONLY_READS = frozenset(
    {"echo", "printf", "grep", "ls", "diff", "cmp", "wc", "md5sum", "sha256sum", "srun", "mpirun",
     "mpiexec", "aprun"}
)  # fmt: skip
_A_SCRIPT = re.compile(r"/|\.(?:sh|ksh|bash|csh|py|pl|R)$|^(?:python|perl|awk|ruby|Rscript)")
_A_MODEL = re.compile(r"icon|\.exe$|\$|\x02", re.IGNORECASE)
_STARTS = re.compile(  # of variables that name a launcher, the model, or what only looks
    r"run|launch|start|save|submit|backup|archive|verbose|mpi|exec|model|icon|bin|echo|log|dry|cdo"
    r"|ncks|ncdump|cat|ls|diff|grep|time",
    re.IGNORECASE,
)
_STARTERS = frozenset({"srun", "mpirun", "mpiexec", "aprun", "poe", "ccc_mprun"})
_MODEL = re.compile(r"icon(?:[_-]?(?:atm|cpu|gpu|model))?(?:\.exe|\.x)?")
_TOOLS = re.compile("remap|tool|sub|grid|extpar|prep|post|check")  # of ICON
_NAMELIST = re.compile(r"&[A-Za-z]\w*_nml\b", re.IGNORECASE)
_IN_PLACE = re.compile(r"-[A-Za-hj-z0-9]*i.*|--in-place.*")


@dataclass
class Watch:
    """Sees what may write or change a namelist.

    path, is_namelist: of a word, and whether there is one at a path
    is_null: of a word that is /dev/null
    may_be_namelist: also where its name is open
    names_one: whether there is a file at a path that has the name of a namelist in it
    lines_of: of a file that the script has written
    """

    unread: Unread
    path: Callable[[str], str]
    is_namelist: Callable[[str], bool]
    is_null: Callable[[str], bool]
    may_be_namelist: Callable[[str], bool]
    names_one: Callable[[str], bool]
    lines_of: Callable[[str], list[str]]

    def tell(self, parts: Sequence[Simple]) -> None:
        """Of a pipeline that is not understood."""
        documents = [each for part in parts for each in part.files.documents]
        lines = [line for document in documents for _, line in document.lines]
        is_run = any(part.words[:1] and part.words[0] in _SHELLS for part in parts)
        texts = [text for part in parts for text in (*part.words, *part.files.strings)]
        fed = parts[0].words[:1] not in (["cat"], ["tee"]) and any(map(is_called_namelist, lines))
        names = " | ".join(_name_of(part) for part in parts)
        if fed or any(map(begins_group, lines)):
            self.unread.add(parts[0].at, f"{names} with a here-document")
        elif is_run and _changes_one([*lines, *texts]):
            self.unread.add(parts[0].at, names)
        elif any(feeds_another(part) for part in parts):
            self.unread.add(parts[0].at, "a command in >( )")
        elif self._may_write(parts):
            self.unread.add(parts[0].at, names)

    def tell_of_block(self, files: Redirections, at: str) -> None:
        """What it gets, and files that are opened for it."""
        lines = [line for document in files.documents for _, line in document.lines]
        if any(map(begins_group, lines)):
            self.unread.add(at, "a block or a function that gets a here-document")
        elif any(self.is_namelist(self.path(word)) for _, word in files.channels):
            self.unread.add(at, "a block that has it open")

    def _may_write(self, parts: Sequence[Simple]) -> bool:
        if any(map(self.changes, parts)):
            return True
        is_run = any(part.words[:1] and part.words[0] in _SHELLS for part in parts)
        run = [part.words[0] for part in parts if part.words]
        run += [word for part in parts for word in part.files.ins if part.words[:1] != ["cat"]]
        run += [word for part in parts for word in (*part.words, *part.files.ins) if is_run]
        run = [word for word in run if not _MODEL.fullmatch(word.rpartition("/")[2])]
        if any(_changes_one(self.lines_of(self.path(word))) for word in run):
            return True
        if any(
            self.is_namelist(self.path(word)) for part in parts for _, word in part.files.channels
        ):
            return True
        outs = [
            self.path(each)
            for part in parts
            for _, each in part.files.outs
            if not self.is_null(each)
        ]
        reads = [
            self.path(word)
            for part in parts
            if part.words[:1] and part.words[0] not in _ONLY_READS
            for word in (*part.words[1:], *part.files.ins)
        ]
        text = " | ".join(part.text for part in parts)
        found = bool(_NAMELIST.search(text)) or any(map(self.is_namelist, [*outs, *reads]))
        return bool(outs) and found

    def changes(self, part: Simple) -> bool:
        """Whether it may change namelists that it names."""
        command, *words = [*part.words, ""]
        if words and (command[:1] in "$\"'" or has_unresolved(command)):  # or `echo`, or none
            if only_reads(words[0], words[1:]):
                return False
            is_one = any(map(self._may_mean, words))
            edits = any(map(_IN_PLACE.fullmatch, words))
            names_one = is_one and (edits or not _STARTS.search(command))
            return names_one or self._changes_by(words[0], words[1:], are_open=False)
        if command == "xargs":
            words = words[next((i for i, each in enumerate(words) if each[:1] != "-"), 0) :]
            return self._changes_by(words[0], words[1:], are_open=True)
        return self._changes_by(command, words, are_open=False)

    def edits(self, part: Simple) -> bool:
        """In place, or by another program that may do so."""
        command, *words = [*part.words, ""]
        in_place = command in ("sed", "perl") and any(map(_IN_PLACE.fullmatch, words))
        is_script = _A_SCRIPT.search(command) is not None and not _A_MODEL.search(command)
        return in_place or is_script or command in _WRITES_WHAT_IT_NAMES

    def _changes_by(self, command: str, words: Sequence[str], *, are_open: bool) -> bool:
        """are_open: it gets other words, too, which are not known"""
        changes = command in _WRITES_WHAT_IT_NAMES or command == "tee"
        changes |= command in ("sed", "perl") and any(map(_IN_PLACE.fullmatch, words))
        if command.startswith("-"):  # of something before it, which is not known
            changes |= any(word in _WRITES_WHAT_IT_NAMES for word in words)
        is_reader = command == "awk" and only_reads(command, words)
        if _A_SCRIPT.search(command) and not _A_MODEL.search(command) and not is_reader:
            changes |= command != "."
        runs_code = command in _MAY_DO_ANYTHING or bool(code_of(words))
        may = runs_code and is_called_namelist(" ".join(words)) and not only_reads(command, words)
        return may or (changes and (are_open or any(map(self._may_mean, words))))

    def _may_mean(self, word: str) -> bool:
        """A namelist, or a file that names one, as a program that the script writes."""
        if not word or word.startswith("-"):
            return False
        path = self.path(word)
        return self.may_be_namelist(path) or self.names_one(path)


def start_of(words: Sequence[str], plain: Sequence[str]) -> bool | None:
    """None of what starts no program on ranks; whether it is the model, as far as its name tells.
    plain: without what stands before the program
    """
    return _is_model([*words, *plain]) if _is_start(words, plain) else None


def _is_start(words: Sequence[str], plain: Sequence[str]) -> bool:
    """Of the model. plain: without what stands before the program"""
    names = [word.rpartition("/")[2] for word in (*words[:2], *plain[:1])]
    return any(name in _STARTERS for name in names) or any(map(_MODEL.fullmatch, names))


def _is_model(words: Sequence[str]) -> bool:
    """Of what is started: also one whose name is open."""
    names = [word.rpartition("/")[2].strip("\"'") for word in words]
    return any(
        _MODEL.fullmatch(each)
        or "$" in each
        or ("icon" in each.lower() and not _TOOLS.search(each.lower()))
        for each in names
    )


def _changes_one(lines: Sequence[str]) -> bool:
    """Of a script: whether a line may write or change a namelist."""
    names_one = any(map(is_called_namelist, lines))
    return any(
        (is_called_namelist(line) and _CHANGES.search(line))
        or (names_one and _CHANGES_A_VALUE.search(line))
        for line in lines
    )


def _name_of(part: Simple) -> str:
    name = show_unresolved(part.words[0]) if part.words else ""
    return f"'{name}'" if name else "a redirection"


def feeds(word: str) -> bool:
    """`>(cat > NAMELIST)`"""
    return word.startswith(">(")


def feeds_another(part: Simple) -> bool:
    words = [*part.words, *(word for _, word in part.files.outs)]
    return any(feeds(word) and is_called_namelist(word) for word in words)
