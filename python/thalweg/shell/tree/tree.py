# SPDX-License-Identifier: Apache-2.0
"""What a shell script is made of: commands, pipelines, lists joined by && and ||, blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from thalweg.shell.lines import NumberedLine

# What runs another command: letters of its options that take a word, and how many words of its own
# stand behind them.
_BEFORE: dict[str, tuple[str, int]] = {
    "command": ("", 0), "builtin": ("", 0), "time": ("", 0), "nohup": ("", 0), "setsid": ("", 0),
    "nice": ("n", 0), "sudo": ("ug", 0), "env": ("uC", 0), "srun": ("nNpcADtJwm", 0),
    "timeout": ("sk", 1), "stdbuf": ("ioe", 0), "ionice": ("cn", 0), "chrt": ("TPD", 1),
    "flock": ("wE", 1), "taskset": ("", 1), "numactl": ("CNmip", 0),
}  # fmt: skip
_TAKE_A_WORD = frozenset(
    {"--adjustment", "--kill-after", "--signal", "--unset", "--chdir", "--output", "--input",
     "--error", "--class", "--classdata", "--cpu-list", "--ntasks", "--nodes", "--partition",
     "--account", "--time", "--cpus-per-task", "--ntasks-per-node", "--job-name"}
)  # fmt: skip
_STAY_IN_SHELL = frozenset({"command", "builtin", "time"})  # of these
_INNER = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
SUBSCRIPT = rf"\[(?:[^\[\]]|{_INNER})*\]"  # [x], [${#x[@]}], [${x[y[1]]}]
_ASSIGNED = re.compile(rf"[A-Za-z_]\w*(?:{SUBSCRIPT})?\+?=")
_PATH = re.compile(r"/(?:usr/)?bin/(\w+)")


def is_assigned(word: str) -> bool:
    """x=1, x[2]+=1"""
    return _ASSIGNED.match(word) is not None


@dataclass
class HereDocument:
    """file: whose lines they are. expands = False where the delimiter is quoted."""

    file: str
    lines: tuple[NumberedLine, ...]
    expands: bool


@dataclass
class Redirections:
    """outs     where output goes: whether behind what is there, and the file
    ins         files that are read from
    errors      where the channel of errors goes, as in outs; None: where it went before
    channels    files that are opened for channels of other numbers: "3>", and its word
    documents   here-documents that are read, the last one for good
    strings     texts behind <<<
    """

    outs: list[tuple[bool, str]] = field(default_factory=list)
    errors: tuple[bool, str] | None = None
    ins: list[str] = field(default_factory=list)
    channels: list[tuple[str, str]] = field(default_factory=list)
    documents: list[HereDocument] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)

    @property
    def hide_errors(self) -> bool:
        return self.errors is not None and self.errors[1].strip("\"'") == "/dev/null"


@dataclass
class Simple:
    """at: "FILE:LINE". words: with their quotes, the command first. is_program: another one runs
    it, which knows no functions and commands of the shell
    """

    at: str
    words: list[str] = field(default_factory=list)
    files: Redirections = field(default_factory=Redirections)
    is_program: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def plain(self) -> Simple:
        """Without what may stand before the name of the command, and its folder."""
        words, is_behind, own = list(self.words), False, 0
        is_program = self.is_program
        letters = ""
        while len(words) > 1:
            path = _PATH.fullmatch(words[0])
            words[0] = path[1] if path else words[0]
            if words[0] in _BEFORE:
                is_program |= words[0] not in _STAY_IN_SHELL
                is_behind, (letters, own) = True, _BEFORE[words.pop(0)]
            elif _ASSIGNED.match(words[0]):
                del words[0]
            elif is_behind and words[0].startswith("-"):
                option = words.pop(0)
                takes = (len(option) == 2 and option[1] in letters) or option in _TAKE_A_WORD
                del words[: takes and len(words) > 1]
            elif own:
                own -= 1
                del words[0]
            else:
                break
        if words:
            path = _PATH.fullmatch(words[0])
            words[0] = path[1] if path else words[0].removeprefix("\\")
        return replace(self, words=words, is_program=is_program)

    @property
    def never_fails(self) -> bool:
        """`rm -f`, `mkdir -p`"""
        letter = {"rm": "f", "mkdir": "p"}.get("".join(self.words[:1]), "")
        short = [each for each in self.options() if not each.startswith("--")]
        return letter != "" and any(letter in each for each in short)

    def may_fail_quietly(self, *, hides: bool = False) -> bool:
        """`cp A B 2> /dev/null`: whoever writes it expects that it may not work. Not of what goes
        from folder to folder, which may print.

        hides: whether its errors are thrown away by what it stands in
        """
        goes = self.words[:1] in (["cd"], ["pushd"], ["popd"], ["module"]) and self.files.outs
        return (hides or self.files.hide_errors) and not goes and not self.never_fails

    def assigned(self) -> list[str]:
        """Words that give variables values, before the command."""
        found: list[str] = []
        for word in self.words:
            if not _ASSIGNED.match(word):
                break
            found.append(word)
        return found

    def options(self) -> list[str]:
        return [word for word in self.words[1:] if word.startswith("-") and len(word) > 1]

    def operands(self) -> list[str]:
        return [word for word in self.words[1:] if not word.startswith("-") or word == "-"]


@dataclass
class Pipeline:
    commands: list[Command]
    is_negated: bool = False
    is_timed: bool = False


@dataclass
class AndOr:
    """parts: each with what stands before it: "", "&&" or "||"."""

    parts: list[tuple[str, Pipeline]]
    in_background: bool = False


Body = list[AndOr]


@dataclass
class Braces:
    at: str
    body: Body
    files: Redirections


@dataclass
class Brackets:
    """A shell of its own."""

    at: str
    body: Body
    files: Redirections


@dataclass
class If:
    """branches: conditions, and what is run where they hold. other: after `else`"""

    at: str
    branches: list[tuple[Body, Body]]
    other: Body
    files: Redirections


@dataclass
class For:
    """words: those that it goes over. counted: "((i = 0; i < 3; i++))" instead"""

    at: str
    name: str
    words: list[str]
    counted: str
    body: Body
    files: Redirections


@dataclass
class Loop:
    """`while` or `until` and their condition; `select`, of which nothing is known."""

    at: str
    word: str
    condition: Body
    body: Body
    files: Redirections


@dataclass
class Case:
    """branches: patterns, what is run, and whether ;; or ;& or ;;& stands behind it"""

    at: str
    word: str
    branches: list[tuple[list[str], Body, str]]
    files: Redirections


@dataclass
class Function:
    at: str
    name: str
    command: Command


Command = Simple | Braces | Brackets | If | For | Loop | Case | Function


def simples(body: Body) -> Iterator[Simple]:
    """All of a body and of the blocks in it."""
    for each in body:
        for _, pipeline in each.parts:
            for command in pipeline.commands:
                yield from simples_of(command)


def simples_of(command: Command) -> Iterator[Simple]:
    if isinstance(command, Simple):
        yield command
    elif isinstance(command, Function):
        yield from simples_of(command.command)
    elif isinstance(command, If):
        for condition, body in command.branches:
            yield from simples(condition)
            yield from simples(body)
        yield from simples(command.other)
    elif isinstance(command, Case):
        for _, body, _ in command.branches:
            yield from simples(body)
    else:
        if isinstance(command, Loop):
            yield from simples(command.condition)
        yield from simples(command.body)


def bodies_of(command: Command) -> list[Body]:
    if isinstance(command, Simple):
        return []
    if isinstance(command, Function):
        return []
    if isinstance(command, If):
        return [*(each for pair in command.branches for each in pair), command.other]
    if isinstance(command, Case):
        return [body for _, body, _ in command.branches]
    return [command.condition, command.body] if isinstance(command, Loop) else [command.body]
