# SPDX-License-Identifier: Apache-2.0
"""Expands the words of a shell: variables, defaults, arithmetic; what else there is stays open."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from glob import escape

from thalweg.config.arithmetic import evaluate
from thalweg.config.unresolved import has_unresolved, unresolved, unresolved_names, without_marks

_SPECIAL, _SPECIAL_IN_DOCUMENT = re.compile(r"[$`\\'\"]"), re.compile(r"[$`\\]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = re.compile(r"(#?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(.*)", re.DOTALL)
_ELEMENT = re.compile(r"\[([^\]]*)\](.*)", re.DOTALL)
_QUOTED_OR_NOT = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|[^'"]+|['"]""", re.DOTALL)
_ALL_OF = re.compile(r'"?\$(?:@|\{@\}|\{(!?)([A-Za-z_]\w*)\[@\]\})"?')
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_DEFAULT = re.compile(r":?[-=+?]")
_SLICE = re.compile(r":\s*([0-9]+)(?::\s*([0-9]+))?")
_PIPED_TO_BC = re.compile(r"\s*(?:echo|printf)\s+(.*?)\|\s*bc(?:\s+-l)?\s*", re.DOTALL)
_SCALE = re.compile(r"scale\s*=\s*([0-9]+)\s*;")
_ECHO = re.compile(r"\s*echo\s+([^|;&<>`]*)")
_EXPR = re.compile(r"\s*expr\s+([^|;&]*)")
_PWD = re.compile(r"\s*(?:cd\s+(?:--\s+)?([^\s;&|]+)\s*(?:&&|;)\s*)?(?:/bin/)?pwd(?:\s+-[LP])?\s*")
_PRINTED = re.compile(r"%(?:-?0?[0-9]{0,3}[dis]|%)")
_BC_DIGITS = 15  # at most; what a float holds
_DEEPEST = 20  # expansions in expansions


@dataclass
class Variables:
    """Values by name; `given` by --set stand above what the script says.

    arguments  $1, $2, ... of a function, or of `set --`; None: those of the script, not known
    """

    given: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    arguments: list[str] | None = None
    used: set[str] = field(default_factory=set)

    def value(self, name: str) -> str | None:
        if self.arguments is not None and not name.isidentifier():
            return self._argument(name, self.arguments)
        self.used.add(name)
        return self.given.get(name, self.assigned.get(name))

    def _argument(self, name: str, arguments: list[str]) -> str | None:
        if name.isdecimal() and int(name) > 0:
            return arguments[int(name) - 1] if int(name) <= len(arguments) else ""
        return {"#": str(len(arguments)), "@": " ".join(arguments), "*": " ".join(arguments)}.get(
            name
        )

    def known(self, name: str) -> str | None:
        """None also where a part of the value is open."""
        value = self.value(name)
        return None if value is None or has_unresolved(value) else value

    def assign(self, name: str, value: str) -> None:
        self.assigned[name] = value
        if name in self.arrays:
            self.arrays[name] = [value, *self.arrays[name][1:]]

    def assign_array(self, name: str, words: list[str]) -> None:
        self.arrays[name] = list(words)
        self.assigned[name] = words[0] if words else ""

    def forget(self, name: str) -> None:
        self.arrays.pop(name, None)
        self.assigned[name] = unresolved(name)

    def elements(self, word: str) -> list[str] | None:
        """Of "$@", "${x[@]}" and "${!x[@]}", its numbers: words of their own; None for others."""
        found = _ALL_OF.fullmatch(word)
        if found is None:
            return None
        if found[2] is None:
            return self.arguments
        words = self.arrays.get(found[2])
        return words if words is None or not found[1] else [str(i) for i in range(len(words))]


def pattern_of(word: str, variables: Variables) -> str:
    """With what stands in quotes as it is."""
    return "".join(
        escape(expand(part, variables)) if part[0] in "'\"" else expand(part, variables)
        for part in _QUOTED_OR_NOT.findall(word)
    )


def fits(text: str, pattern: str) -> bool:
    """Whether a shell's pattern is one of the text."""
    return fnmatchcase(text, pattern.replace("[^", "[!"))


def expand(text: str, variables: Variables, *, quotes: bool = True, depth: int = 0) -> str:
    """`quotes`: they group and vanish, as in a command; in a here-document they are text."""
    special_letters = _SPECIAL if quotes else _SPECIAL_IN_DOCUMENT
    found = special_letters.search(text)
    if found is None or depth > _DEEPEST:
        return text
    done: list[str] = []
    position, doubled = 0, False
    while found is not None:
        done.append(text[position : found.start()])
        position = found.start()
        letter = text[position]
        if letter == "\\" and position + 1 < len(text):
            follows = text[position + 1]
            special = follows in '$`\\"' if doubled else (quotes or follows in "$`\\")
            done.append(follows if special else letter + follows)
            position += 2
        elif letter == "'" and quotes and not doubled:
            end = text.find("'", position + 1)
            end = len(text) if end < 0 else end
            done.append(text[position + 1 : end])
            position = end + 1
        elif letter == '"' and quotes:
            doubled = not doubled
            position += 1
        elif letter == "$" and quotes and not doubled and text[position + 1 : position + 2] == "'":
            end = text.find("'", position + 2)
            end = len(text) if end < 0 else end
            done.append(_unescaped(text[position + 2 : end]))
            position = end + 1
        elif letter in "$`":
            value, position = _dollar(text, position, variables, depth)
            done.append(value)
        else:
            done.append(letter)
            position += 1
        found = special_letters.search(text, position)
    return "".join(done) + text[position:]


def _unescaped(text: str) -> str:
    """What $'...' stands for."""
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text)


def _dollar(text: str, position: int, variables: Variables, depth: int) -> tuple[str, int]:
    """Value of what begins with $ or ` at `position`, and where it ends."""
    if text[position] == "`":
        end = text.find("`", position + 1)
        end = len(text) if end < 0 else end
        return command_value(text[position + 1 : end], variables, depth), end + 1
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
        return _parameter(text[position + 2 : end - 1], variables, depth), end
    found = _NAME.match(text, position + 1)
    if found:
        value = variables.value(found[0])
        return (unresolved(found[0]) if value is None else value), found.end()
    if position + 1 < len(text) and text[position + 1] in "0123456789@*#?$!":
        name = text[position + 1]
        value = variables.value(name)
        return (unresolved(name) if value is None else value), position + 2
    return "$", position + 1


def closing(text: str, opening: int) -> int:
    """Just behind the bracket that closes the one at `opening`; quotes hide brackets."""
    pairs = {"(": ")", "{": "}"}
    left, right = text[opening], pairs[text[opening]]
    depth, quote = 0, ""
    for i in range(opening, len(text)):
        letter = text[i]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == left:
            depth += 1
        elif letter == right:
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def _parameter(body: str, variables: Variables, depth: int) -> str:
    """What stands between ${ and }."""
    found = _PARAMETER.fullmatch(body)
    if found is None:
        return unresolved(re.sub(r"\W", "", body) or "?")
    counts, name, rest = found.groups()
    if element := _ELEMENT.match(rest):
        return _element(name, element[1], element[2], variables, counts=bool(counts))
    value = variables.value(name)
    default = _DEFAULT.match(rest)
    if default:
        word = rest[default.end() :]
        empty = value is None or (not value and default[0].startswith(":"))
        if default[0][-1] == "+":
            return "" if empty else expand(word, variables, depth=depth + 1)
        if default[0][-1] == "?":
            return unresolved(name) if empty else str(value)
        if not empty:
            return str(value)
        value = expand(word, variables, depth=depth + 1)
        if default[0][-1] == "=":
            variables.assign(name, value)
        return value
    if value is None or (rest and has_unresolved(value)):
        return unresolved(unresolved_names(value)[0] if value else name)
    if counts:
        return str(len(value))
    return _modified(name, value, expand(rest, variables, depth=depth + 1)) if rest else value


def _element(name: str, index: str, rest: str, variables: Variables, *, counts: bool) -> str:
    """${x[1]}, ${x[@]} and ${#x[@]}"""
    words = variables.arrays.get(name)
    if words is None or rest:
        return unresolved(name)
    if index in ("@", "*"):
        return str(len(words)) if counts else " ".join(words)
    number = arithmetic_value(index, variables)
    if not number.lstrip("-").isdecimal():
        return unresolved(name)
    here = -len(words) <= int(number) < len(words)
    value = words[int(number)] if here else ""
    return str(len(value)) if counts else value


def _modified(name: str, value: str, rest: str) -> str:
    """${x%pattern}, ${x#pattern}, ${x/old/new} and ${x:first:count}."""
    if not rest:
        return value
    if rest[0] in "%#":
        longest = rest[:2] in ("%%", "##")
        pattern = rest[2:] if longest else rest[1:]
        cuts = range(len(value) + 1)
        if rest[0] == "#":
            ends = [i for i in cuts if fits(value[:i], pattern)]
            return value[(max(ends) if longest else min(ends)) :] if ends else value
        ends = [i for i in cuts if fits(value[i:], pattern)]
        return value[: (min(ends) if longest else max(ends))] if ends else value
    if found := _SLICE.fullmatch(rest):
        first = int(found[1])
        return value[first : first + int(found[2])] if found[2] else value[first:]
    if rest[0] == "/" and not any(mark in rest for mark in "*?["):
        old, _, new = rest.lstrip("/").partition("/")
        if rest[1:2] in ("#", "%"):
            old = old[1:]
            is_end, at_end = rest[1] == "%", value.endswith(old)
            if is_end:
                return value[: len(value) - len(old)] + new if at_end else value
            return new + value[len(old) :] if value.startswith(old) else value
        return value.replace(old, new, -1 if rest.startswith("//") else 1)
    if rest in (",,", "^^"):
        return value.lower() if rest == ",," else value.upper()
    return unresolved(name)


def arithmetic_value(body: str, variables: Variables) -> str:
    """$((...)): a whole number, or the names that it needs."""
    text = expand(body, variables)
    names = [*unresolved_names(text), *open_names(text, variables)]
    value = None if names else evaluate(text, variables.known, octal=True)
    if value is None:
        return "".join(unresolved(name) for name in names) or unresolved("`arithmetic`")
    return str(int(value))


def open_names(text: str, variables: Variables) -> list[str]:
    """Names in arithmetic that have no value; what such a value itself waits for."""
    found: list[str] = []
    for name in _NAME.findall(without_marks(text)):
        value = variables.value(name)
        if value is None:
            found.append(name)
        else:
            found += unresolved_names(value)
    return found


def command_value(command: str, variables: Variables, depth: int) -> str:
    """`echo ... | bc`, `expr`, `echo`, `pwd`, `printf`, `basename` and `dirname` are understood;
    another one is open by its name.
    """
    if pwd := _PWD.fullmatch(command):
        here = expand("$PWD", variables)
        folder = expand(pwd[1] or "", variables, depth=depth + 1)
        is_relative = not folder.startswith(("/", "~")) and not has_unresolved(folder[:1])
        return folder if folder and not is_relative else f"{here}/{folder}".rstrip("/")
    for pattern, reader in ((_PIPED_TO_BC, _bc), (_EXPR, _expr), (_ECHO, _echo)):
        found = pattern.fullmatch(command)
        if found and depth < _DEEPEST:
            text = expand(found[1], variables, depth=depth + 1)
            if has_unresolved(text):
                return "".join(unresolved(name) for name in unresolved_names(text))
            value = reader(text)
            if value is not None:
                return value
    words = words_of(command)
    if words and words[0] in _OF_WORDS and not any(mark in command for mark in "|;&<>"):
        known = [expand(word, variables, depth=depth + 1) for word in words[1:]]
        value = None if any(map(has_unresolved, known)) else _OF_WORDS[words[0]](known)
        if value is not None:
            return value
    word = re.match(r"\W*(\w+)", command)
    return unresolved(f"`{word[1] if word else 'command'}`")


_Reader = Callable[[str], "str | None"]


def _echo(text: str) -> str:
    return " ".join(text.split())


def _expr(text: str) -> str | None:
    value = evaluate(text.replace("\\", ""), lambda _: None)
    return None if value is None else str(int(value))


def _bc(text: str) -> str | None:
    """With the digits behind the point that `scale` asks for, none where the value is whole."""
    scale = _SCALE.search(text)
    value = evaluate(_SCALE.sub("", text).replace("^", "**"), lambda _: None, integers=False)
    if value is None:
        return None
    if value.denominator == 1:
        return str(int(value))
    digits = int(scale[1]) if scale else _BC_DIGITS
    digits = min(digits, _BC_DIGITS)
    return f"{int(value * 10**digits) / 10**digits:.{digits}f}"


def _printf(words: Sequence[str]) -> str | None:
    """Each %d, %s and their widths take one word."""
    if not words or "\\" in words[0].removesuffix("\\n"):
        return None
    left = list(words[1:])
    try:
        found = _PRINTED.sub(lambda each: _printed(each, left), words[0].removesuffix("\\n"))
    except ValueError:
        return None
    return None if left else found


def _printed(found: re.Match[str], left: list[str]) -> str:
    """Raises ValueError for what is no number."""
    kind = found[0][-1]
    if kind == "%":
        return "%"
    word = left.pop(0) if left else ""
    return found[0] % (word if kind == "s" else int(word or "0"))


def _basename(words: Sequence[str]) -> str | None:
    if not 1 <= len(words) <= 2 or words[0].startswith("-"):
        return None
    name = words[0].rstrip("/").rpartition("/")[2] or "/" * words[0].startswith("/")
    end = words[1] if len(words) == 2 else ""
    return name.removesuffix(end) if name != end else name


def _dirname(words: Sequence[str]) -> str | None:
    if len(words) != 1 or words[0].startswith("-"):
        return None
    folder, slash, _ = words[0].rstrip("/").rpartition("/")
    return folder or ("/" if slash or words[0].startswith("/") else ".")


_OF_WORDS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "printf": _printf,
    "basename": _basename,
    "dirname": _dirname,
}


def first_word(text: str) -> str:
    """Up to a space outside quotes and brackets."""
    position, quote = 0, ""
    while position < len(text):
        letter = text[position]
        if letter == "\\":
            position += 1
        elif quote:
            if letter == "$" and text[position + 1 : position + 2] in ("(", "{"):
                position = closing(text, position + 1) - 1
            elif letter == quote:
                quote = ""
        elif letter in "'\"`":
            quote = letter
        elif letter == "$" and text[position + 1 : position + 2] in ("(", "{"):
            position = closing(text, position + 1) - 1
        elif letter == "(" and position == 0:
            position = closing(text, position) - 1
        elif letter.isspace() or letter in "&|":
            break
        position += 1
    return text[:position]


def words_of(text: str) -> list[str]:
    """Words with their quotes, between blanks."""
    found: list[str] = []
    rest = text.strip()
    while rest:
        word = first_word(rest) or rest[:1]
        found.append(word)
        rest = rest[len(word) :].strip()
    return found
