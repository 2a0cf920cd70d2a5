# SPDX-License-Identifier: Apache-2.0
"""What simple commands of a script do with its variables and functions, and where it goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from thalweg.shell.files.filters import FILTERS
from thalweg.shell.files.names import ERRORS, NULL, is_fd
from thalweg.shell.files.output import Known, has_input
from thalweg.shell.tree.tree import (
    Body,
    Redirections,
    Simple,
)
from thalweg.shell.values.assignments import (
    ARITHMETIC,
    DECLARES,
    Assignments,
    is_assignment,
    is_name_or_assignment,
)
from thalweg.shell.values.conditions import holds, is_condition, may_complain
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.formats import printf
from thalweg.shell.values.home import with_home
from thalweg.shell.values.words import quoted, split_exactly, words_given
from thalweg.shell.walk.arguments import name_in
from thalweg.shell.walk.builtins import GIVES, NUMBER, Builtins
from thalweg.shell.walk.calls import Calls
from thalweg.shell.walk.quiet import OF_SHELL, SUCCEEDS, is_of_shell, is_quiet
from thalweg.shell.walk.sets import DONE, LEAVES
from thalweg.shell.walk.ways import Ways

IS_BASH = "`bash`"  # as an option: the first line says so
_DECLARES_LOCAL = frozenset({"local", "declare", "typeset", "integer", "nameref"})
_LATER = frozenset({"trap", "xargs", "parallel", "export", "srun", "mpirun", "bash", "sh"})
_COMPLAINS = frozenset({"type", "hash", "wait", "getopts", "let", "kill", "shopt"})
_SHOWS_COMMANDS = re.compile(r"-[a-z]*[xv]")  # `set -x`
_TELLS_PATHS = frozenset({"which", "type", "whence", "whereis"})
_ARE_PROGRAMS = frozenset({"echo", "printf", "true", "false", "test", "[", "kill", "pwd"})  # too
_MAY_SET = re.compile(r"\$\{\w+:?=|\$\(\(.*(?:\+\+|--|[^=!<>]=[^=])", re.DOTALL)
_NAMES = re.compile(r"[A-Za-z_]\w*")
_OF_ERRORS = frozenset({ERRORS, "/dev/stderr"})
_EMPTIES = (["cd"], ["return"], ["break"], ["mkdir"], ["type"], ["command"], ["getopts"])  # by >
_OF_TEXTS = re.compile(r"(?:[^%]|%%|%[-.\d]*[sbcq])*", re.DOTALL)  # as formats of printf
_OF_KSH = frozenset({"set -A", "print", "integer", "nameref", "whence", "float"})
_WIDTH = re.compile("-[a-z]*[ZLR]")
_NEW_CHANNEL = re.compile(r"\{[A-Za-z_]\w*\}")
_COUNTS = re.compile(
    r"\$\(\((?:[^()]|\([^()]*\))*(?:\+\+|--|[^=!<>]=[^=])(?:[^()]|\([^()]*\))*\)\)"
)


@dataclass
class SimpleCommands:
    """run: a body, as one that may or may not be run"""

    ways: Ways
    run: Callable[[Body, Known], bool | None]

    def __post_init__(self) -> None:
        self.variables, self.commands = self.ways.variables, self.ways.commands
        self.course, self.calls = self.ways.course, Calls(self.ways, self.run)
        self.builtins = Builtins(self.variables, self.commands, self.course)
        self.is_taken_as_done = False
        self.has_printed_done = False  # what is in $(...), for an assignment has its status
        self.place = ("", 1)

    def run_one(self, simple: Simple, known: Known) -> bool | None:
        """Whether it succeeds, as far as one can tell."""
        if not self.course.may_run(simple.at):
            return None
        file, _, line = simple.at.rpartition(":")
        self.place, self.is_taken_as_done = (file, int(line)), False
        before, self.variables.printed = self.variables.printed, {}
        words = [self._counted_once(word) for word in simple.words]
        kept = self.variables.state() if self._forgets(simple) else None
        files = self.counted(simple.files)
        simple = replace(simple, words=words, files=files)
        truth = self._run(simple, known)
        self._forget_given_twice(simple)
        if self.commands.stdout and is_of_shell(simple):
            has_left = self.course.left != ""
            if not is_quiet(simple, truth, self.variables, has_left=has_left):
                self.commands.tell_of_errors(simple.at, files)
        if kept is not None:
            self.variables.set_state(kept)
        self.variables.printed = before
        if simple.words[:1] != ["exec"]:
            self.commands.doubt_others(files, simple.at)
        is_asked = is_condition(words) or ARITHMETIC.match(simple.text) is not None
        if is_asked or self.builtins.takes(simple) or words[:1] in _EMPTIES:
            for word in [each for _, each in files.outs if not self.commands.is_null(each)]:
                self.commands.files.doubt(self.commands.path(word), simple.at)
        lost = [word for _, word in files.outs if is_fd(word) and word not in _OF_ERRORS]
        if self.commands.stdout and any(map(self.commands.is_null, lost)):
            self.commands.printed.append((simple.at, "what goes to another channel"))
        self.course.tell_of(simple.at, self.variables)
        self._tell_of_ksh(simple)
        if words[:1] == ["coproc"]:
            self.course.tell_once(simple.at, "what 'coproc' does is not followed")
        if self.variables.sets_unknown:
            self.variables.sets_unknown, self.variables.has_set_unknown = False, True
            self.course.told.append(
                f"{simple.at}: a variable is set here whose name is not known: the values that "
                "the script gives before count"
            )
        return truth

    def _tell_of_ksh(self, simple: Simple) -> None:
        """What a script for bash has of ksh, which is read as ksh has it."""
        is_asked = self.course.branches or self.ways.ignored  # it need not be run
        is_bash = IS_BASH in self.variables.options and not is_asked
        words = simple.plain().words if is_bash else []
        name = "".join(words[:1])
        name = "set -A" if words[:2] == ["set", "-A"] else name
        is_width = name in ("typeset", "declare", "local") and any(map(_WIDTH.match, words[1:]))
        if (name in _OF_KSH or is_width) and name not in self.course.functions:
            what = f"{name} -Z, -L or -R" if is_width else name
            self.course.tell_once(simple.at, f"'{what}' is of ksh, and bash refuses it")

    @contextmanager
    def with_values(self, simple: Simple) -> Iterator[None]:
        """`X=1 command`: as long as it runs."""
        before = self.variables.state()
        Assignments(self.variables).take(Simple(simple.at, ["export", *simple.assigned()]))
        yield
        self.variables.set_state(before)

    def _forget_given_twice(self, simple: Simple) -> None:
        """`n=4 export n`, `n=4 let m=n`: what of both stays is not the same in all shells."""
        before = {name_in(each) for each in simple.assigned()}
        words = simple.plain().words
        if not before or words[:1] == [] or words[0] not in DECLARES | GIVES | {"let"}:
            return
        names = set(map(name_in, words[1:]))
        if words[0] == "let":
            names = set(_NAMES.findall(" ".join(words[1:])))
        for name in names | before if before & names else ():
            if name.isidentifier():
                self.variables.forget(name)

    def _forgets(self, simple: Simple) -> bool:
        """What its redirections set: of a program they are done in a process of its own."""
        words = simple.plain().words
        if not words or words[0] in OF_SHELL or self.calls.called(simple):
            return False
        files = simple.files
        texts = [*(word for _, word in files.outs), *files.ins, *files.strings]
        texts += [line for each in files.documents if each.expands for _, line in each.lines]
        return any(map(_MAY_SET.search, texts))

    def counted(self, files: Redirections) -> Redirections:
        """Their words are expanded more than once."""
        outs = [(behind, self._counted_once(word)) for behind, word in files.outs]
        strings = [self._counted_once(with_home(word)) for word in files.strings]
        return replace(files, outs=outs, strings=strings)

    def _counted_once(self, word: str) -> str:
        """With the value of $((i++)) in it, which is expanded more than once else. Where a part
        before it has the same name, or it is in $(...), it is open.
        """
        if "$((" not in word or not _COUNTS.search(word) or word.startswith("'"):
            return word
        for each in _COUNTS.finditer(word):
            for name in _NAMES.findall(each[0]):
                if re.search(rf"\$\{{?{name}\b|\$\((?!\()|`", word[: each.start()]):
                    self.variables.forget(name)
        return _COUNTS.sub(lambda found: expand(found[0], self.variables), word)

    def _run(self, simple: Simple, known: Known) -> bool | None:
        assignments = Assignments(self.variables)
        if is_condition(simple.words):
            if may_complain(simple.words, self.variables):
                self.commands.tell_of_errors(simple.at, simple.files)
            return holds(simple.words, self.variables)
        plain = self.commands.expanded(simple.plain())
        name = (plain.words or [""])[0]
        if name in LEAVES and self._leaves(plain):
            return None
        shows = name == "set" and any(map(_SHOWS_COMMANDS.match, plain.words[1:2]))
        if name in _COMPLAINS or shows:
            self.commands.tell_of_errors(simple.at, simple.files)
        is_asked_for = simple.words[:2] in (["command", "-v"], ["command", "-V"])
        if is_asked_for or name in _TELLS_PATHS or plain.words == ["hash"]:
            if self.commands.stdout and not simple.files.outs:
                self.commands.printed.append((simple.at, f"what '{name}' prints"))
            return True if set(simple.words[1:]) & FILTERS else None
        if name == "hash":
            return None
        if _lists(plain) and self.commands.stdout and not simple.files.outs:
            self.commands.printed.append((simple.at, f"what '{name}' prints"))
        if plain.is_program and name in OF_SHELL - _ARE_PROGRAMS:
            return None
        plain = self._named_one_by_one(plain)
        if name in _DECLARES_LOCAL:
            named = [
                word if word[:1] not in "\"'$" else expand(word, self.variables)
                for word in plain.words[1:]
            ]
            self.calls.arguments.keep_local(named)
        if ARITHMETIC.match(plain.text):
            return assignments.calculate(plain.text)
        if name == "getopts" and len(plain.words) < 4 and self.variables.value("#") == "0":
            return False
        self.variables.truth, self.has_printed_done = True, False
        assignments.take(plain if name in DECLARES | {"setenv", "set"} else simple)
        if simple.words and len(simple.assigned()) == len(simple.words):
            if simple.files.outs:
                self.commands.run([replace(simple, words=[])], known)
            self.is_taken_as_done = self.has_printed_done
            return self.variables.truth
        if self.builtins.takes(plain):
            return self.builtins.run(plain, simple)
        if name == "exec" and all(map(_NEW_CHANNEL.fullmatch, plain.words[1:])):
            return self._exec(plain, known)
        if name == "exec" and len(plain.words) > 1:  # instead of the rest
            inner = replace(plain, words=plain.words[1:])
            self.commands.start(inner, inner, known)
            self.commands.run([replace(plain, words=plain.words[1:])], known)
            self.course.leave("exit")
            return None
        if name == "@":  # of a C shell
            return assignments.calculate(f"(({' '.join(plain.words[1:])}))")
        if name == "eval":
            return self.calls.evaluate(plain, simple.assigned(), known)
        if name == "alias":
            self.calls.alias(plain)
        if self.calls.called(simple):
            return self.calls.call(simple, plain, known)
        self.calls.may_call(plain, known)
        if name == "grep" and (found := self.commands.finds(plain)) is not None:
            return found
        if name in (".", "source"):
            self.commands.tell_of_errors(simple.at, simple.files)
            is_there, truth = self.calls.source(simple, plain, known)
            if is_there is not False:
                return truth
            self.is_taken_as_done = True
            return None if self._may_fail_quietly(plain) else True
        if name in _LATER:
            self.calls.tell_later(plain.words[1:], of_end=name == "trap")
        if name == "kill" and any("$$" in word for word in simple.words):
            self.course.tell_once(simple.at, "what a signal to the script does is not followed")
        if name == "trap":
            self.calls.tell_trap(plain)
            if self.commands.stdout:
                self.commands.printed.append((simple.at, "what a trap prints"))
        is_run = self.commands.start(simple, plain, known)
        if name == "envsubst" and simple.assigned():
            with self.with_values(simple):
                return self.commands.run([simple], known) or None
        if name == "cat" and self.commands.lacks_file(plain):
            self.commands.run([simple], known)
            return None
        is_done = self.commands.run([simple], known)
        if name == "printf" and self._may_refuse(plain):
            return None
        if is_assignment(simple) or name in SUCCEEDS:
            return True
        if name in DONE and self._may_fail_quietly(plain):
            return None
        if is_run:
            return True  # a convention: what is done where it fails no run does
        if is_done or name in DONE:
            self.is_taken_as_done = not plain.never_fails
            return True
        return {"false": False, "true": True}.get(name)

    def _named_one_by_one(self, plain: Simple) -> Simple:
        """`export $p`, `local "$@"` and `export {a,b}=1` name several."""
        if plain.words[0] not in DECLARES if plain.words else True:
            return plain
        words: list[str] = []
        for word in plain.words:
            values, known = split_exactly([word], self.variables)
            is_one = is_name_or_assignment(word) or word[:1] in "-+" or known is not None
            words += [word] if is_one or not values else map(quoted, values)
        return replace(plain, words=words)

    def _may_refuse(self, plain: Simple) -> bool:
        """`printf %d abc`"""
        words = list(plain.words[1:])
        words = words[2:] if words[:1] == ["-v"] else words
        words = words[words[:1] == ["--"] :]
        if _OF_TEXTS.fullmatch(expand(words[0], self.variables) if words else ""):
            return False
        given = words_given(words, self.variables)
        return given is None or printf(given) is None

    def _may_fail_quietly(self, plain: Simple) -> bool:
        return plain.may_fail_quietly(hides=self.commands.hides_errors(plain.files))

    def _exec(self, plain: Simple, known: Known) -> bool:
        """`exec 3> FILE`, `exec > FILE 2>&1`, `exec {log}> FILE`: of what comes behind it"""
        commands = self.commands
        for word in plain.words[1:]:
            self.variables.forget(word[1:-1])
        files = plain.files
        if has_input(files):
            commands.stdin = None
        given = [*files.outs, *files.channels, *([files.errors] if files.errors else [])]
        commands.doubt_fed([word for _, word in given], plain.at)
        before = {} if known.sure else dict(commands.channels)
        for operator, word in plain.files.channels:
            path = commands.open_channel(operator, word)
            is_one = list(commands.channels.values()).count(path) < 2
            is_one |= path in commands.files.removed.moved  # what the other writes to is elsewhere
            if path and not is_one and not operator.endswith(">>"):
                commands.files.unread.add(plain.at, "two channels of one file")
            if path and not operator.endswith(">>"):
                commands.files.put(path, [], plain.at, sure=known.sure, replaces=True)
            if "<>" in operator:
                commands.tell(plain)
                commands.files.doubt(commands.path(word), plain.at)
        if not known.sure:
            for path in {*before.values(), *commands.channels.values()} - {""}:
                commands.files.doubt(path, plain.at)
            commands.channels |= {name: path for name, path in before.items() if path}
        if plain.files.errors and commands.hides_errors(plain.files):
            commands.channels[ERRORS] = NULL
        elif plain.files.errors and known.sure and commands.channels.get(ERRORS) == NULL:
            commands.channels[ERRORS] = ""
        if plain.files.errors or len(plain.words) > 1:
            for word in [each for _, each in (*plain.files.outs, plain.files.errors or (True, ""))]:
                if word and not commands.is_null(word):
                    commands.files.doubt(commands.path(word), plain.at)
            if commands.stdout:
                commands.printed.append((plain.at, "what goes to another channel"))
        if not plain.files.channels or plain.files.outs:
            commands.run([replace(plain, files=replace(plain.files, channels=[]))], known)
        return True

    def _leaves(self, plain: Simple) -> bool:
        """Whether it leaves anything."""
        count = "".join(self.commands.arguments(plain.words[1:2]))
        number = int(count) if NUMBER.fullmatch(count) else None
        is_loop = plain.words[0] in ("break", "continue")
        if not self.course.leave(plain.words[0], number if is_loop and number else 1):
            return False
        if is_loop:
            self.variables.status = "0"
        elif plain.words[1:]:
            self.variables.status = None if number is None else str(number % 256)
        status = self.variables.status
        self.course.status = None if status is None else status == "0"
        return True


def _lists(plain: Simple) -> bool:
    """`set`, `export -p`, `shopt`: what there is; `pushd A`: the folders that are kept."""
    name, *words = [*plain.words, ""][:-1] or [""]
    options = "".join(each[1:] for each in words if each[:1] in ("-", "+"))
    if name in DECLARES:
        return not words or bool(set(options) & set("pfF"))
    if name in ("set", "shopt"):
        return not words or (words in (["-o"], ["+o"])) or (name == "shopt" and not options)
    return name in ("pushd", "popd") or (name == "kill" and "l" in options)
