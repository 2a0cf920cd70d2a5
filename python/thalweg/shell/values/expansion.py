# SPDX-License-Identifier: Apache-2.0
"""What a shell expands in a text: variables, arithmetic, commands; the rest stays open."""

from __future__ import annotations

import re

from thalweg.shell.tree.brackets import closing, is_quoted, segments
from thalweg.shell.unresolved import unresolved
from thalweg.shell.values.arithmetic import arithmetic
from thalweg.shell.values.escapes import unescaped
from thalweg.shell.values.home import with_home
from thalweg.shell.values.letters import is_one
from thalweg.shell.values.modifiers import Inner
from thalweg.shell.values.parameters import is_there, parameter
from thalweg.shell.values.patterns import escaped, regex_of
from thalweg.shell.values.variables import Variables

_SPECIAL, _SPECIAL_IN_DOCUMENT = re.compile(r"[$`\\'\"]"), re.compile(r"[$`\\]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_GOES_ON = re.compile(r"\$[A-Za-z_]\w*\"\w$")
_BACKTICKS = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)
_DEEPEST = 20  # expansions in expansions


def expand(
    text: str, variables: Variables, *, quotes: bool = True, inside: bool = False, depth: int = 0
) -> str:
    """quotes: they group and vanish, as in a command; in a here-document they are text. inside: of
    ${...} in double quotes or a document, where ' is a letter
    """
    special_letters = _SPECIAL if quotes else _SPECIAL_IN_DOCUMENT
    found = special_letters.search(text)
    if found is None or depth > _DEEPEST:
        return text
    done: list[str] = []
    position, doubled = 0, inside
    while found is not None:
        done.append(text[position : found.start()])
        position = found.start()
        letter = text[position]
        if letter == "\\" and position + 1 < len(text):
            follows = text[position + 1]
            marks = '$`\\"' + "}" * inside if doubled else "$`\\"
            special = follows in marks or (quotes and not doubled)
            done.append(follows if special else letter + follows)
            position += 2
        elif letter == "'" and quotes and not doubled:
            end = text.find("'", position + 1)
            end = len(text) if end < 0 else end
            done.append(text[position + 1 : end])
            position = end + 1
        elif letter == '"' and quotes:
            if inside and _GOES_ON.search(text, 0, position + 2):
                done.append(unresolved("`quotes`"))  # some shells take "${x:-$a"b"}" for $ab
            doubled = inside or not doubled
            position += 1
        elif letter == "$" and quotes and not doubled and text[position + 1 : position + 2] == "'":
            value, position = _unescaped(text, position + 2)
            done.append(value)
        elif letter == "$" and quotes and not doubled and text[position + 1 : position + 2] == '"':
            position += 1
        elif letter in "$`":
            in_text = doubled or not quotes
            if letter == "`" and doubled and quotes:
                value, position = _in_backticks(text, position, variables, depth, '$`\\\\"')
            else:
                is_joined = not quotes and text.startswith(("$*", "${*"), position)
                value, position = _dollar(text, position, variables, depth, in_text)
                if is_joined and (variables.value("IFS") or "")[:1] != " ":
                    value = unresolved("IFS")  # which some shells heed in documents
            done.append(value)
        else:
            done.append(letter)
            position += 1
        found = special_letters.search(text, position)
    return "".join(done) + text[position:]


def _unescaped(text: str, begin: int) -> tuple[str, int]:
    """What $'...' stands for, and where it ends."""
    end = begin
    while end < len(text) and text[end] != "'":
        end += 1 + (text[end] == "\\")
    return unescaped(text[begin:end]), end + 1


def _in_backticks(
    text: str, position: int, variables: Variables, depth: int, escaped_letters: str
) -> tuple[str, int]:
    found = _BACKTICKS.match(text, position)
    end = found.end() if found else len(text)
    inner = text[position + 1 : end].removesuffix("`")
    command = re.sub(rf"\\([{escaped_letters}])", r"\1", inner)
    return command_value(command, variables, depth), end


def _dollar(
    text: str, position: int, variables: Variables, depth: int, inside: bool
) -> tuple[str, int]:
    """Value of what begins with $ or ` at `position`, and where it ends."""
    if text[position] == "`":
        return _in_backticks(text, position, variables, depth, "$`\\\\")
    if text.startswith("$((", position):
        end = closing(text, position + 1)
        if text[end - 2 : end] == "))":
            return arithmetic_value(text[position + 3 : end - 2], variables), end
    if text.startswith("$(", position):
        end = closing(text, position + 1)
        return command_value(text[position + 2 : end - 1], variables, depth), end
    if text.startswith("$[", position) and "]" in text[position:]:
        end = text.index("]", position) + 1
        return arithmetic_value(text[position + 2 : end - 1], variables), end
    if text.startswith("${", position):
        end = closing(text, position + 1)
        return parameter(text[position + 2 : end - 1], _inner(variables, depth, inside)), end
    found = _NAME.match(text, position + 1)
    if found:
        value = variables.value(found[0])
        return (unresolved(found[0]) if value is None else value), found.end()
    if position + 1 < len(text) and text[position + 1] in "0123456789@*#?$!-":
        name = text[position + 1]
        value = variables.value(name)
        return (unresolved(name) if value is None else value), position + 2
    return "$", position + 1


def _inner(variables: Variables, depth: int, inside: bool) -> Inner:
    """Of ${...}; inside: of double quotes or of a document"""
    return Inner(
        variables,
        lambda word: expand(
            word if inside else with_home(word, is_assigned=True),
            variables,
            inside=inside,
            depth=depth + 1,
        ),
        lambda word: expand(word, variables),
        lambda word: pattern_of(word, variables),
        lambda body: arithmetic_value(body, variables),
    )


def inner_of(variables: Variables) -> Inner:
    return _inner(variables, 0, inside=False)


def is_set(word: str, variables: Variables) -> bool | None:
    """Of `[[ -v x ]]` and `[[ -v x[key] ]]`; None where only the outside knows."""
    return is_there(word, inner_of(variables))


def pattern_of(word: str, variables: Variables) -> str:
    """With what stands in quotes as it is."""
    return "".join(
        escaped(expand(part, variables)) if is_quoted(part) else expand(part, variables)
        for part in segments(with_home(word))
    )


def fits(text: str, pattern: str, variables: Variables) -> bool | None:
    """Whether a shell's pattern is one of the text; None for one that is not understood."""
    found = regex_of(pattern, "nocasematch" in variables.options)
    truth = None if found is None else is_one(found, text)
    if truth is None:
        return None
    if "?nocasematch" in variables.options and not truth:
        other = regex_of(pattern, ignores_case=True)
        return None if other is None or is_one(other, text) is not False else False
    if "?nocasematch" in variables.options and regex_of(pattern) is not None:
        exact = regex_of(pattern)
        return truth if exact is not None and is_one(exact, text) else None
    return truth


def arithmetic_value(body: str, variables: Variables) -> str:
    """$((...)): a whole number, or the names that it needs."""
    if "'" in body:
        return unresolved("`arithmetic`")
    return arithmetic(expand(body, variables), variables)


def command_value(command: str, variables: Variables, depth: int) -> str:
    """What a command prints; one that is not understood is open by its name. In a shell of its own:
    variables stay as they are. It is run once for a command of the script that is read twice.
    """
    if variables.printed is not None and command in variables.printed:
        return variables.printed[command]
    variables.truth = True
    value = variables.substitute(command) if depth < _DEEPEST else None
    if value is None:
        variables.truth = None
        word = re.match(r"\W*(?:[\w.-]+/)*(\w+)", command)
        value = unresolved(f"`{word[1] if word else 'command'}`")
    if variables.printed is not None:
        variables.printed[command] = value
    return value
