# SPDX-License-Identifier: Apache-2.0
"""What the commands of a script do with its files. One that is not understood, and may write or
change a namelist, is noted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from thalweg.shell.files.contents import Piece
from thalweg.shell.files.copies import Copy, Options
from thalweg.shell.files.filters import FILTERS
from thalweg.shell.files.names import NULL
from thalweg.shell.files.output import Known, Output, Printed
from thalweg.shell.files.pipelines import Pipelines
from thalweg.shell.files.watch import COPIES, REMOVES, feeds, feeds_another, start_of
from thalweg.shell.files.writers import (
    code_of,
    does_all,
    does_anything,
    names_in,
    only_reads,
)
from thalweg.shell.paths import last_of, path_from
from thalweg.shell.tree.tree import Simple
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.patterns import has_alternatives
from thalweg.shell.values.words import quoted, split_words

_PRINTS_NOTHING = frozenset(
    {"cd", "mkdir", "rm", "cp", "mv", "ln", "export", "set", "unset", "sleep", "wait", "touch",
     "chmod", "module", "read", "trap", "source", ".", "shopt", "kill", "local",
     "false", "declare", "typeset", "readonly", "integer", "let", "shift", "return", "mapfile",
     "test"}
)  # fmt: skip
_TELL_MORE = frozenset({*COPIES, *REMOVES, "mkdir", "rmdir", "chmod", "install"})  # by -v
_GO = frozenset({"cd", "pushd", "popd"})
_MAY_FAIL = frozenset(
    {*_TELL_MORE, *_GO, "touch", "module", "source", ".", "kill", "type", "read",
     "cat", "tee", "ulimit"}
)  # fmt: skip
_MAY_READ = re.compile(
    r"(?:.*/)?(?:head|tail|sed|awk|grep|tr|sort|uniq|wc|cut|dd|tee|bc|xargs|python.*|perl|m4"
    r"|(?:ba|k|z)?sh|ssh|srun|mpirun|mpiexec|aprun)$"
)
_PRINTS = frozenset({"echo", "print", "printf", "date", "expr", "seq", "basename", "dirname"})
_NAMES = re.compile(r"[\w./+-]+")
_MOST_SCRIPTS = 1000  # that run one another

_OPTION_OF_PRINT = re.compile(r"-([a-tv-zA-Z]*)(u)?([0-9]*)(?<!-)")


@dataclass
class FileCommands(Output):
    """Of a pipeline, and of one command."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.pipelines = Pipelines(self)

    def run(self, parts: Sequence[Simple], known: Known) -> bool:
        """Of a pipeline: whether it is one on files that is understood."""
        parts = [self.expanded(each.plain()) for each in parts]
        for part in parts:
            self.doubt_fed(part.words, part.at)
        if any(feeds_another(part) for part in parts):
            self.watch.tell(parts)
            return False
        if len(parts) == 1 and self._do(parts[0], known):
            return True
        filters = {*FILTERS, "tee"} if len(parts) > 1 else FILTERS
        is_filter = any(part.words[:1] and part.words[0] in filters for part in parts)
        if is_filter and self.pipelines.run(parts, known):
            return True
        if self._passes_tee(parts, known):
            return True
        is_tee = len(parts) == 2 and parts[1].words[:1] == ["tee"]
        if is_tee and parts[0].words[:1] == ["cat"] and not parts[0].files.outs:
            return self.tee(parts[1], self.sources(parts[0]), known)
        self.watch.tell(parts)
        if self.stdin and not _has_input(parts[0]) and _MAY_READ.match("".join(parts[0].words[:1])):
            self.stdin = None
        self._empty_for(parts[-1], known)
        self.doubt_named(parts)
        self.files.has_started |= not self.files.is_tried  # it may have written to any file
        name, *_ = [*parts[-1].text.split(maxsplit=1), ""]
        if self.stdout and name not in _PRINTS_NOTHING:
            self.printed.append((parts[0].at, f"what '{name}' prints"))
        return False

    def _empty_for(self, part: Simple, known: Known) -> None:
        """What was in a file that a command which is not read has written anew is there no more."""
        for is_behind, word in part.files.outs:
            path = "" if is_behind or self.is_null(word) or feeds(word) else self.path(word)
            if path in self.files.contents and known.sure:
                self.files.put(path, [], part.at, sure=True, replaces=True)

    def start(self, simple: Simple, plain: Simple, known: Known) -> bool:
        """If it starts something on ranks; whether that is the model, as far as its name tells."""
        is_model = start_of(simple.words, plain.words)
        if is_model is not None:
            self.files.start(simple.at, is_model=is_model, sure=known.sure)
        return is_model is True

    def finds(self, plain: Simple) -> bool | None:
        """`grep -q a FILE`, where all lines are known."""
        is_quiet = any(re.fullmatch("-[EFiv]*q[EFiv]*", each) for each in plain.words)
        if not is_quiet or plain.files.outs:
            return None
        words = [re.sub("^-([EFiv]*)q", r"-\1c", each) for each in plain.words]
        found = self.pipelines.lines_of_one(replace(plain, words=words))
        return None if found is None else found != ["0"]

    def _passes_tee(self, parts: Sequence[Simple], known: Known) -> bool:
        """`cat << EOF | tee FILE | head`: what is behind it writes nothing."""
        at = next((i for i, part in enumerate(parts) if part.words[:1] == ["tee"]), 0)
        rest = parts[at + 1 :]
        writes = [word for part in rest for _, word in part.files.outs if not self.is_null(word)]
        if not at or not rest or writes or any(map(self.watch.changes, rest)) or self.stdout:
            return False
        return self.run(parts[: at + 1], known)

    def doubt_named(self, parts: Sequence[Simple]) -> None:
        """Files that are no namelists: what is not understood may have changed, or removed, all
        that it writes to or names.
        """
        contents = self.files.contents
        paths = [self.path(word) for part in parts for _, word in part.files.outs]
        self.files.unread.makes(paths)
        given = [[*split_words(part.words, self.variables), ""] for part in parts]
        for name, *texts in given:
            if only_reads(name, texts):
                continue
            for text in texts:
                paths += self.matching(self.files.folders.path(text.rpartition("=")[2]))
                if text[:1] == "-":
                    paths.append(self.files.folders.path(text[2:]))
            paths += list(contents) if does_all(name, texts) else []
        run = [
            word
            for words in given
            if not only_reads(words[0], words[1:])
            for i, word in enumerate(words)
            if i == 0 or word[:2] == "./"
        ]
        is_program = any(self.files.real(self.path(name)) in contents for name in run if name)
        if is_program or any(map(does_anything, [word for words in given for word in words])):
            words, code = self._texts_of(parts, given)
            names = names_in(words, code)
            self.files.unread.texts += [] if self.files.is_tried else code
            paths += [each for each in contents if names is None or last_of(each) in names]
        paths += [each for path in paths for each in self.meant_by(path)]
        for path in paths:
            if not self.is_namelist(path):
                self.files.doubt(self.files.behind_links(path), parts[0].at)
            elif content := contents.get(self.files.real(path)):
                content.is_stale |= not self.files.is_tried

    def _texts_of(
        self, parts: Sequence[Simple], given: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[str]]:
        """Words of programs, and what they may run: documents, texts, files that they name."""
        words = [word for each in given for word in each]
        code = [text for each in given for text in code_of(each)]
        is_fed = any(does_anything(each[0]) for each in given[1:])
        code += [text for each in given[:-1] for text in each[1:] if is_fed]
        for part in parts:
            code += [line for each in part.files.documents for _, line in each.lines]
            code += part.files.strings
        code += self._lines_named([*words, *(word for part in parts for word in part.files.ins)])
        return words, code

    def _lines_named(self, words: Sequence[str]) -> list[str]:
        """Of files that words name, and that those name."""
        found, left, seen = list[str](), [*words], set[str]()
        while left and len(seen) < _MOST_SCRIPTS:
            path = self.files.real(self.files.folders.path(left.pop()))
            if path in seen:
                continue
            seen.add(path)
            content = self.files.contents.get(path)
            lines = [line for _, line in content.lines()] if content else []
            found += lines
            left += [each for line in lines for each in _NAMES.findall(line)]
        return found

    def tell(self, simple: Simple) -> None:
        """Of what may be run at another time, as in a function."""
        part = self.expanded(simple.plain())
        self.watch.tell([part])
        if part.words[:1] and part.words[0] in COPIES and self.watch.changes(part):
            self.files.unread.add(simple.at, f"'{part.words[0]}' that is run at another time")

    def lacks_file(self, simple: Simple) -> bool:
        """Whether one that it names may not be there."""
        paths = [self.path(word) for word in (*simple.operands(), *simple.files.ins)]
        return any(self.files.is_gone(each) or self.files.may_be_gone(each) for each in paths)

    def _do(self, simple: Simple, known: Known) -> bool:
        command, *words = [*simple.words, ""]
        files, at = simple.files, simple.at
        if command in COPIES | REMOVES and any(map(has_alternatives, words)):
            self.files.unread.add(at, f"'{command}' with a pattern in brackets")
            return True
        outs = [each for each in files.outs if not self.is_null(each[1])]
        if outs and self.is_null(files.outs[-1][1]):
            self.empty([word for is_behind, word in outs if not is_behind], at, known)
            outs = []
        if command in _MAY_FAIL:
            self.tell_of_errors(at, files)
        is_told = any(each == "--verbose" or re.match("-[a-zA-Z]*v", each) for each in words)
        is_told = command in _TELL_MORE if is_told else command in _GO and words[:1] == ["-"]
        if self.stdout and is_told:
            self.printed.append((at, f"what '{command}' tells"))
        if command == "cat" and not simple.options():
            return self.cat(simple, outs, known)
        if command == "install" and "-d" not in words:
            return self._do(_as_copy(simple), known)
        if command == "print" and (other := _on_channel(simple)):
            return self._do(other, known)
        if command in _PRINTS:
            return self.print_text(simple, outs, known)
        if command == "tee":
            sources: list[str | Sequence[Piece]] = [
                self.lines_of(each) for each in files.documents[-1:]
            ]
            for text in files.strings[-1:]:
                sources = [self.written(expand(text, self.variables), at)]
            sources = sources or [*self.places(files.ins, at)]
            return bool(sources) and self.tee(simple, sources, known)
        if command == "" and files.ins and self.stdout and not outs:
            return self.cat(replace(simple, words=["cat"]), outs, known)
        if command in ("", ":", "true") and (command or not files.documents):
            for word in [*simple.words[1:], *files.strings]:
                expand(word, self.variables)
            self.empty([word for is_behind, word in outs if not is_behind], at, known)
            return bool(simple.words or files.outs)
        if command == "" and outs:  # `> FILE << EOF`, as zsh has it
            return self.cat(replace(simple, words=["cat"]), outs, known)
        if command in COPIES and not files.documents:
            return self._copies(simple, known)
        if command in REMOVES:
            letters = set("".join(each.lstrip("-") for each in simple.options()))
            for text in self.texts(simple.operands()):
                self._remove(text, known, with_folders=bool(letters & {"r", "R"}))
            return True
        if command == "truncate" and simple.options() in (["-s"], ["-s0"], ["--size=0"]):
            words = simple.operands()
            self.empty(words[1:] if simple.options() == ["-s"] else words, at, known)
            return True
        return self._goes(simple)

    def pass_on(self, printed: Printed, parts: Sequence[Simple], known: Known) -> bool:
        """What a block printed, through the rest of its pipeline: whether that is understood."""
        parts = [self.expanded(each.plain()) for each in parts]
        is_filter = all(part.words[:1] and part.words[0] in {*FILTERS, "tee"} for part in parts)
        return printed.is_known and is_filter and self.pipelines.run(parts, known, printed)

    def tell_of_pipeline(self, printed: Printed, parts: Sequence[Simple]) -> None:
        outs = [word for part in parts for _, word in part.files.outs if not self.is_null(word)]
        if printed.has_groups and outs:
            self.files.unread.add(parts[0].at, "a pipeline that a block prints into")
        parts = [self.expanded(each.plain()) for each in parts]
        self.watch.tell(parts)
        self.doubt_named(parts)
        if self.stdout and not outs:
            name = (parts[-1].words or [""])[0]
            self.printed.append((parts[0].at, f"what '{name}' prints"))

    def _goes(self, simple: Simple) -> bool:
        """From folder to folder."""
        command, *_ = [*simple.words, ""]
        texts = self.texts(simple.operands())
        files, folders = self.files, self.files.folders
        if command == "mkdir":
            for each in texts:
                files.folder(files.behind_links(folders.path(each)))
        elif command == "popd":
            folders.pop()
        elif command in ("cd", "pushd") and texts == ["-"]:
            folders.enter_again()
        elif command in ("cd", "pushd"):
            text = texts[0] if texts else expand("${HOME}", self.variables)
            files.enter(folders.path(text), pushes=command == "pushd")
        else:
            return False
        return True

    def _copies(self, simple: Simple, known: Known) -> bool:
        """`cp A B`; into a folder, or of more than one, each keeps its name."""
        options = Options.of(simple)
        if options is None:
            return False
        texts = self.texts([*options.operands, *options.target])
        if not texts:
            return True
        if texts[0] == NULL and simple.words[0] == "cp" and len(texts) == 2:
            self.empty([quoted(texts[1])], simple.at, known)
            return True
        last = texts[-1] if len(texts) > 1 else "."
        replaces_link = simple.words[0] == "ln" and "n" in options.letters
        into = bool(options.target) or len(texts) != 2
        into |= self.files.is_folder(last, through_link=not replaces_link)
        if into and not options.is_file:
            self.files.folder(self.files.behind_links(self.files.folders.path(last)))
        for text in texts[:1] if len(texts) == 1 else texts[:-1]:
            for source in self.matching(self.files.folders.path(text)):
                name = source.rpartition("/")[2] if not text.endswith("/.") else "."
                target = f"{last}/{name}" if into and not options.is_file else last
                target = self.files.behind_links(self.files.folders.path(target))
                copy = Copy(self.files, simple.words[0], options, simple.at, known.sure)
                if copy.is_link:  # what it says is read from where it is
                    source = self.matching(path_from(target.rpartition("/")[0], text))[0]
                copy.run(source, target)
        return True

    def _remove(self, text: str, known: Known, *, with_folders: bool) -> None:
        """All of another folder need not be here."""
        files = self.files
        path = files.behind_links(files.folders.path(text))
        is_sure = known.sure or (bool(path) and path == known.there)
        folders = files.folders_like(path)
        for folder in folders if with_folders else ():
            for each in files.within(folder):
                files.remove(each, sure=is_sure)
            if is_sure and not files.is_tried:
                files.removed.folders.add(folder)  # with what lies in it outside of what is known
        if path not in folders:
            files.remove(path, sure=is_sure)


def _as_copy(simple: Simple) -> Simple:
    """`install -m 644 A B`"""
    words, left = ["cp"], list(simple.words[1:])
    while left:
        word = left.pop(0)
        if re.fullmatch("-[mog]", word):
            del left[:1]
        elif not re.fullmatch("-[A-Za-z]*|--[a-z-]*=.*", word):
            words.append(word)
    return replace(simple, words=words)


def _has_input(simple: Simple) -> bool:
    return bool(simple.files.ins or simple.files.documents or simple.files.strings)


def _on_channel(simple: Simple) -> Simple | None:
    """`print -u4 a` is `print a >&4`."""
    left, letters, channel = list(simple.words[1:]), "", ""
    while left and (found := _OPTION_OF_PRINT.fullmatch(left[0])):
        del left[0]
        letters += found[1]
        if found[2]:
            channel = found[3] or (left.pop(0) if left else "")
    if not channel.isdecimal():
        return None
    options = [f"-{letters}"] if letters else []
    outs = simple.files.outs if channel == "1" else [(True, f"/dev/fd/{channel}")]
    return replace(simple, words=["print", *options, *left], files=replace(simple.files, outs=outs))
