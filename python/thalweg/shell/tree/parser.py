# SPDX-License-Identifier: Apache-2.0
"""Reads a shell script as a tree of commands. What a block lacks at its end, the end of the script
is; a word that closes nothing is a command of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache

from thalweg.errors import ThalwegError
from thalweg.shell.tree.lexer import Token, tokens_of
from thalweg.shell.tree.tree import (
    AndOr,
    Body,
    Braces,
    Brackets,
    Case,
    Command,
    For,
    Function,
    If,
    Loop,
    Pipeline,
    Redirections,
    Simple,
)

_DEEPEST = 100  # blocks in blocks
_ENDS_OF_CASE = (";;", ";&", ";;&")
_CLOSERS = frozenset(
    {
        "then",
        "elif",
        "else",
        "fi",
        "endif",
        "do",
        "done",
        "esac",
        "end",
        "}",
        ")",
        "breaksw",
        "endsw",
        "default:",
        *_ENDS_OF_CASE,
    }
)
_OF_C_SHELL = frozenset({"foreach", "end", "endif", "switch", "breaksw", "endsw"})
_DEVICES = frozenset({"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"})
_NONE = Token("", "", 0)


def parse_script(
    lines: Sequence[str], file: str, first: int = 1, unclosed: list[str] | None = None
) -> Body:
    """first: number of the first line. unclosed: gets a sentence on each block without an end

    Raises a sentence on a here-document without an end, and on
    blocks too deep in one another.
    """
    parser = _Parser(tokens_of(lines, file, first, unclosed), file)
    body = parser.script()
    if unclosed is not None:
        unclosed += parser.unclosed
    return body


@lru_cache(maxsize=1000)
def parts_of_command(text: str) -> Sequence[Sequence[str]]:
    """Words of `a x | b y`, or of `cd x && b y`; none of anything else."""
    try:
        body = parse_script(text.split("\n"), "")
    except ThalwegError:
        return ()
    lists = [pipeline for each in body for joint, pipeline in each.parts if joint != "||"]
    if sum(len(each.parts) for each in body) != len(lists) or any(b.in_background for b in body):
        return ()
    commands = [command for pipeline in lists for command in pipeline.commands]
    simple = [each for each in commands if isinstance(each, Simple) and each.words]
    is_plain = all(
        replace(each.files, errors=None) == Redirections() and not each.assigned()
        for each in simple
    )
    if (
        len(simple) < len(commands)
        or not is_plain
        or (len(lists) > 1 and simple[0].words[0] != "cd")
    ):
        return ()
    return [each.words for each in simple]


class _Parser:
    def __init__(self, tokens: Sequence[Token], file: str) -> None:
        self.tokens, self.file = tokens, file
        self.i = 0
        self.awaited: list[frozenset[str]] = []
        self.unclosed: list[str] = []
        self.defined: set[str] = set()  # functions that are called as words of a C shell

    def script(self) -> Body:
        found: Body = []
        while self.i < len(self.tokens):
            found += self._body()
            self.i += 1  # what closes nothing
        return found

    def _peek(self) -> Token:
        return self.tokens[self.i] if self.i < len(self.tokens) else _NONE

    def _is_function(self) -> bool:
        return [each.text for each in self.tokens[self.i + 1 : self.i + 3]] == ["(", ")"]

    def _at(self, token: Token) -> str:
        return f"{self.file}:{token.line}"

    def _takes(self, *texts: str) -> bool:
        token = self._peek()
        if token.text in texts and token.kind in ("word", "operator"):
            self.i += 1
            return True
        return False

    def _closes(self, token: Token, *closers: str) -> None:
        """The block that the token begins."""
        if not self._takes(*closers):
            self.unclosed.append(
                f"{self._at(token)}: '{token.text}' has no '{closers[0]}' that ends it: what "
                "follows counts as in it"
            )

    @contextmanager
    def _awaiting(self, *closers: str) -> Iterator[None]:
        if len(self.awaited) == _DEEPEST:
            raise ThalwegError(
                f"{self._at(self.tokens[self.i - 1])}: more than {_DEEPEST} blocks are in one "
                "another here; a run script has fewer"
            )
        self.awaited.append(frozenset(closers))
        yield
        self.awaited.pop()

    def _is_awaited(self, text: str) -> bool:
        return any(text in each for each in self.awaited)

    def _body(self) -> Body:
        """Up to what closes a block that is open."""
        found: Body = []
        while self.i < len(self.tokens):
            token = self._peek()
            if self._takes("\n", ";", "&"):
                continue
            if token.text == "case" and self._is_awaited("case"):
                break
            is_closer = token.text in _CLOSERS and token.text not in self.defined
            is_closer &= token.text not in _OF_C_SHELL or not self._is_function()
            if is_closer and token.kind in ("word", "operator"):
                if self._is_awaited(token.text) or not self.awaited:
                    break
                if token.kind == "operator":  # it closes nothing
                    self.i += 1
                    continue
            before = self.i
            found.append(self._and_or())
            self.i += self.i == before  # nothing that begins a command
        return found

    def _and_or(self) -> AndOr:
        parts, joint = [("", self._pipeline())], ""
        while self._peek().text in ("&&", "||") and self._peek().kind == "operator":
            joint = self._peek().text
            self.i += 1
            self._skip_lines()
            parts.append((joint, self._pipeline()))
        return AndOr(parts, self._takes("&"))

    def _skip_lines(self) -> None:
        while self._takes("\n"):
            pass

    def _pipeline(self) -> Pipeline:
        is_negated = is_timed = False
        while self._peek().kind == "word" and self._peek().text in ("!", "time"):
            is_negated ^= self._peek().text == "!"
            is_timed |= self._peek().text == "time"
            self.i += 1
            self._takes("-p")  # of time
        commands = [self._command()]
        while (token := self._peek()) and self._takes("|", "|&"):
            if token.text == "|&":
                commands[-1] = _with_errors(commands[-1])
            self._skip_lines()
            commands.append(self._command())
        return Pipeline(commands, is_negated, is_timed)

    def _command(self) -> Command:
        token = self._peek()
        blocks = {
            "{": self._braces, "(": self._brackets, "if": self._if, "for": self._for,
            "foreach": self._foreach, "while": self._loop,
            "until": self._loop, "select": self._loop, "case": self._case, "switch": self._switch,
            "function": self._function,
        }  # fmt: skip
        if token.kind in ("word", "operator"):
            is_own = token.text in _OF_C_SHELL and self._is_function()
            if token.text in blocks and token.text not in self.defined and not is_own:
                self.i += 1
                return blocks[token.text](token)
            if self._is_function():
                self.i += 3
                return self._function_of(token, token.text)
        return self._simple(token)

    def _simple(self, token: Token) -> Simple:
        found = Simple(self._at(token))
        while True:
            token = self._peek()
            if token.kind == "word":
                found.words.append(token.text)
                self.i += 1
            elif not self._redirects(found.files):
                return found

    def _redirects(self, files: Redirections) -> bool:
        """Whether a redirection is next."""
        token = self._peek()
        if token.document is not None:
            files.documents.append(token.document)
            self.i += 1
            return True
        if token.kind != "redirection":
            return False
        self.i += 1
        if self._peek().kind != "word":
            return True
        operator, word = token.text, self._peek().text
        self.i += 1
        if "<<<" in operator:
            files.strings.append(word)
        elif "<" in operator:
            if operator.lstrip("0123456789") == "<":
                files.ins.append(word)
            elif operator.endswith("<>"):
                files.channels.append((operator, word))
        elif operator.endswith(">&") and (word.isdigit() or word == "-"):
            if operator == "2>&":
                files.errors = _channel(word, files)
            elif operator not in (">&", "1>&"):
                files.channels.append((operator, word))
            elif word == "2" and files.errors:
                files.outs.append((True, files.errors[1]))
            elif word not in ("1", "-"):
                files.outs.append((True, f"/dev/fd/{word}"))
        elif not operator[0].isdigit() or operator.startswith("1>"):
            files.outs.append((">>" in operator or word in _DEVICES, word))
            files.errors = files.outs[-1] if "&" in operator else files.errors
        elif operator.startswith("2"):
            files.errors = (">>" in operator, word)
        else:
            files.channels.append((operator, word))
        return True

    def _all_redirections(self) -> Redirections:
        files = Redirections()
        while self._redirects(files):
            pass
        return files

    def _braces(self, token: Token) -> Command:
        with self._awaiting("}"):
            body = self._body()
        self._closes(token, "}")
        return Braces(self._at(token), body, self._all_redirections())

    def _brackets(self, token: Token) -> Command:
        with self._awaiting(")"):
            body = self._body()
        self._closes(token, ")")
        return Brackets(self._at(token), body, self._all_redirections())

    def _if(self, token: Token) -> Command:
        if of_c_shell := self._if_of_c_shell(token):
            return of_c_shell
        branches: list[tuple[Body, Body]] = []
        other: Body = []
        with self._awaiting("then", "elif", "else", "fi", "endif"):
            while True:
                condition = self._body()
                self._takes("then")
                branches.append((condition, self._body()))
                if not self._takes("elif"):
                    break
            while self._takes("else", "then"):
                other += self._body()
            self._closes(token, "fi", "endif")  # of a C shell
        return If(self._at(token), branches, other, self._all_redirections())

    def _if_of_c_shell(self, token: Token) -> Command | None:
        """`if ( $x == 1 ) set y = 2`: a command in the line of the brackets, and no `then`"""
        begin = self.i
        if self._peek().text == "(":
            condition = AndOr([("", Pipeline([self._command()]))])
            if self._peek().kind == "word" and self._peek().text != "then":
                branches = [([condition], [self._and_or()])]
                return If(self._at(token), branches, [], Redirections())
        self.i = begin
        return None

    def _for(self, token: Token) -> Command:
        words: list[str] = []
        while self._peek().kind == "word" and self._peek().text != "do":
            words.append(self._peek().text)
            self.i += 1
        name, *words = words or [""]
        counted = name if name.startswith("((") else ""
        words = words[1:] if words[:1] == ["in"] else ['"$@"']
        body = self._do_body(token)
        return For(self._at(token), name, words, counted, body, self._all_redirections())

    def _foreach(self, token: Token) -> Command:
        """Of a C shell: `foreach x ( a b )`, up to `end`."""
        name, words = self._peek().text, list[str]()
        self.i += 1
        self._takes("(")
        while self._peek().kind == "word":
            words.append(self._peek().text)
            self.i += 1
        self._takes(")")
        with self._awaiting("end"):
            body = self._body()
        self._closes(token, "end")
        return For(self._at(token), name, words, "", body, self._all_redirections())

    def _do_body(self, token: Token) -> Body:
        with self._awaiting("do", "done"):
            body = self._body()
            while self._takes("do"):
                body += self._body()
            self._closes(token, "done")
        return body

    def _loop(self, token: Token) -> Command:
        condition: Body = []
        with self._awaiting("do", "done"):
            condition = self._body()
        body = self._do_body(token)
        return Loop(self._at(token), token.text, condition, body, self._all_redirections())

    def _case(self, token: Token) -> Command:
        word = self._peek().text
        branches: list[tuple[list[str], Body, str]] = []
        self.i += 1
        self._skip_lines()
        self._takes("in")
        with self._awaiting("esac", *_ENDS_OF_CASE):
            while True:
                while self._takes("\n", ";", *_ENDS_OF_CASE):
                    pass
                if self._peek().text == "esac" or self.i >= len(self.tokens):
                    self._closes(token, "esac")
                    break
                self._takes("(")
                patterns = []
                while self._peek().kind == "word":
                    patterns.append(self._peek().text)
                    self.i += 1
                    self._takes("|")
                if not patterns or not self._takes(")"):
                    break  # none that is understood
                body = self._body()
                branches.append((patterns, body, self._peek().text))
        return Case(self._at(token), word, branches, self._all_redirections())

    def _switch(self, token: Token) -> Command:
        """Of a C shell: `switch ( $x )`, `case a:`, `breaksw`, `default:`, `endsw`"""
        word = ""
        if self._takes("("):
            word = self._peek().text
            self.i += 1
            self._takes(")")
        branches: list[tuple[list[str], Body, str]] = []
        with self._awaiting("case", "default:", "breaksw", "endsw"):
            self._body()
            while self._peek().text in ("case", "default:"):
                patterns: list[str] = []
                while self._peek().text in ("case", "default:"):
                    is_default = self._peek().text == "default:"
                    self.i += 1
                    patterns.append("*" if is_default else self._peek().text.removesuffix(":"))
                    self.i += not is_default
                    self._skip_lines()
                body = self._body()
                branches.append((patterns, body, ";;" if self._takes("breaksw") else ";&"))
                self._body()
            self._closes(token, "endsw")
        return Case(self._at(token), word, branches, self._all_redirections())

    def _function(self, token: Token) -> Command:
        name = self._peek().text
        self.i += 1
        if self._takes("("):
            self._takes(")")
        return self._function_of(token, name)

    def _function_of(self, token: Token, name: str) -> Command:
        self._skip_lines()
        if name in _OF_C_SHELL:
            self.defined.add(name)
        return Function(self._at(token), name, self._command())


def _channel(number: str, files: Redirections) -> tuple[bool, str] | None:
    """Where the channel of errors goes by 2>&1 and its kin."""
    if number == "2":
        return files.errors
    if number == "-":
        return True, "/dev/null"
    if number == "1" and files.outs:
        return True, files.outs[-1][1]
    return True, f"/dev/fd/{number}"


def _with_errors(command: Command) -> Command:
    """`a |& b`"""
    if isinstance(command, Function):
        return command
    return replace(command, files=replace(command.files, errors=_channel("1", command.files)))
