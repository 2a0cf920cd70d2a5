# SPDX-License-Identifier: Apache-2.0
"""Expands the words of a shell: variables, defaults, arithmetic; what else there is stays open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from thalweg.shell.paths import path_from
from thalweg.shell.tree.braces import braces
from thalweg.shell.tree.brackets import closing, is_quoted, segments
from thalweg.shell.tree.parser import parts_of_command
from thalweg.shell.unresolved import has_unresolved, unresolved, unresolved_names
from thalweg.shell.values.arithmetic import arithmetic
from thalweg.shell.values.bc import bc
from thalweg.shell.values.patterns import (
    cut_before,
    cut_behind,
    escaped,
    has_alternatives,
    is_pattern,
    regex_of,
    replaced,
)
from thalweg.shell.values.programs import OF_WORDS, unescaped
from thalweg.shell.values.variables import Variables

QUOTES = re.compile(r"['\"\\]")
_SPECIAL, _SPECIAL_IN_DOCUMENT = re.compile(r"[$`\\'\"]"), re.compile(r"[$`\\]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = re.compile(r"(#?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(.*)", re.DOTALL)
_INDIRECT = re.compile(r"!([A-Za-z_]\w*)(.*)", re.DOTALL)
_ELEMENT = re.compile(r"\[([^\]]*)\](.*)", re.DOTALL)
_BACKTICKS = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)
_DEFAULT = re.compile(r":?[-=+?]")
_IN_QUOTES = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\{[^}]*\}|\$\(\([^)]*\)\)|\$[*?]", re.DOTALL
)
_MAY_SET = re.compile(r"=|\+\+|--")
_EXPANDED_BY_SHELL = re.compile(r"~|.*[*?\[]")
_ALL_OF = re.compile(
    r"""("?)\$(?:([@*])|\{(?:(!?)([A-Za-z_]\w*)\[([@*])\]|([@*]))([:#%/^,][^}]*)?\})\1"""
)
_HAS_ALL = re.compile(r"\$(?:@|\{@|\{[A-Za-z_]\w*\[@\])")
_PLAIN_PART = r"""((?:[^"\\$]|\\.|\$[A-Za-z_]\w*|\$\{\w+\})*)"""
_AROUND_ALL = re.compile(
    rf'"{_PLAIN_PART}(\$(?:@|\{{@(?::[^}}]*)?\}}|\{{\w+\[@\](?::[^}}]*)?\}})){_PLAIN_PART}"'
)
_QUOTED_DEFAULT = re.compile(r"""\$\{\w+:?[-+=](?:[^}]*)['"]""")
_DEEPEST = 20  # expansions in expansions


def split_words(words: Iterable[str], variables: Variables) -> list[str]:
    """As a command gets them, but for names of files: braces and the words of $x taken apart, those
    of "$@" as they were. What is open counts as one word.
    """
    return split_exactly(words, variables)[0]


def split_exactly(words: Iterable[str], variables: Variables) -> tuple[list[str], int | None]:
    """And the number of words before the first one that may be none, or several."""
    found: list[str] = []
    known: int | None = None
    for word in words:
        for part in braces(word):
            values, is_exact = _fields(part, variables)
            if not is_exact and known is None:
                known = len(found)
            found += values
    return found, known


def _fields(word: str, variables: Variables) -> tuple[list[str], bool]:
    """Of one word, and whether they are so many."""
    elements = _elements(word, variables)
    if elements is not None:
        return elements, True
    parts = segments(word)
    if all(part[0] not in "$`" or is_quoted(part) for part in parts):
        around = _AROUND_ALL.fullmatch(word)
        if around is None:
            return [expand(word, variables)], not _HAS_ALL.search(word)
        middle = _elements(f'"{around[2]}"', variables)
        if middle is None:
            return [expand(word, variables)], False
        before, behind = (expand(f'"{each}"', variables) for each in (around[1], around[3]))
        if not middle:
            return [before + behind] * bool(before + behind), True
        joined = [before + middle[0], *middle[1:]]
        return [*joined[:-1], joined[-1] + behind], True
    fields, is_begun, is_exact = [""], False, True
    for part in parts:
        if part[0] not in "$`" or is_quoted(part):
            fields[-1] += expand(part, variables)
            is_begun |= part[0] in "'\"$" or fields[-1] != ""
            continue
        text = expand(part, variables)
        is_open = has_unresolved(text)
        is_exact &= not is_open and not _HAS_ALL.search(part)
        if is_open or _QUOTED_DEFAULT.match(part):
            fields[-1] += text
            is_begun |= text != ""
            continue
        values = variables.split(text)
        is_exact &= not any(map(has_unresolved, values))
        if text[:1].isspace() and is_begun:
            fields, is_begun = [*fields, ""], False
        for k, value in enumerate(values):
            if k:
                fields.append("")
            fields[-1] += value
            is_begun = True
        if values and text[-1:].isspace():
            fields, is_begun = [*fields, ""], False
    return fields if is_begun else fields[:-1], is_exact


def _elements(word: str, variables: Variables) -> list[str] | None:
    """Of "$@", "${x[@]:1:2}", "${!x[@]}" and their kin; None for others, and where not known."""
    found = _ALL_OF.fullmatch(word)
    if found is None:
        return None
    quote, wants_keys, name, part = found[1], found[3], found[4], found[7]
    sign = found[2] or found[5] or found[6]
    if name:
        words = variables.keys(name) if wants_keys else variables.array(name)
    else:
        words = variables.arguments if variables.sure is None else [unresolved("`arguments`")]
        if words is None:
            variables.used.add("#")
            words = variables.given_arguments()
    if words is None or any(map(has_unresolved, words)):
        return words if words is not None and quote and sign == "@" and not part else None
    if part and part[0] == ":":
        words = _part_of(words, part[1:], variables, is_array=bool(name))
    elif part:
        changed = [_modified(each, part, variables) for each in words]
        words = [each for each in changed if each is not None]
        words = words if len(words) == len(changed) else None
    if words is None:
        return None
    if not quote:
        return [each for word in words for each in variables.split(word)]
    marks = variables.value("IFS") or ""
    if sign == "@":
        return words
    return None if has_unresolved(marks) else [marks[:1].join(words)]


def _part_of(
    words: list[str], text: str, variables: Variables, *, is_array: bool
) -> list[str] | None:
    """:1:2 of an array; $1 is the first of arguments."""
    text = expand(text, variables)
    first, colon, count = text.partition(":")
    found = [arithmetic_value(each or "0", variables) for each in (first, count)]
    if not all(re.fullmatch("-?[0-9]+", each) for each in found):
        return None
    begin, number = map(int, found)
    if not is_array:
        begin -= begin > 0
        if int(found[0]) == 0:
            return None  # with the name of the script
    begin += len(words) if begin < 0 else 0
    if begin < 0 or number < 0:
        return None
    return words[begin : begin + number] if colon else words[begin:]


def pattern_of(word: str, variables: Variables) -> str:
    """With what stands in quotes as it is."""
    return "".join(
        escaped(expand(part, variables)) if is_quoted(part) else expand(part, variables)
        for part in segments(word)
    )


def fits(text: str, pattern: str, variables: Variables) -> bool | None:
    """Whether a shell's pattern is one of the text; None for one that is not understood."""
    found = regex_of(pattern, "nocasematch" in variables.options)
    if found is None:
        return None
    truth = found.fullmatch(text) is not None
    if "?nocasematch" in variables.options and not truth:
        other = regex_of(pattern, ignores_case=True)
        return None if other is None or other.fullmatch(text) else False
    if "?nocasematch" in variables.options and regex_of(pattern) is not None:
        exact = regex_of(pattern)
        return truth if exact is not None and exact.fullmatch(text) else None
    return truth


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
            doubled = inside or not doubled
            position += 1
        elif letter == "$" and quotes and not doubled and text[position + 1 : position + 2] == "'":
            value, position = _unescaped(text, position + 2)
            done.append(value)
        elif letter == "$" and quotes and not doubled and text[position + 1 : position + 2] == '"':
            position += 1
        elif letter in "$`":
            in_text = doubled or not quotes
            value, position = _dollar(text, position, variables, depth, in_text)
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


def _dollar(
    text: str, position: int, variables: Variables, depth: int, inside: bool
) -> tuple[str, int]:
    """Value of what begins with $ or ` at `position`, and where it ends."""
    if text[position] == "`":
        found = _BACKTICKS.match(text, position)
        end = found.end() if found else len(text)
        command = re.sub(r"\\([$`\\])", r"\1", text[position + 1 : end].removesuffix("`"))
        return command_value(command, variables, depth), end
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
        return _parameter(text[position + 2 : end - 1], variables, depth, inside), end
    found = _NAME.match(text, position + 1)
    if found:
        value = variables.value(found[0])
        return (unresolved(found[0]) if value is None else value), found.end()
    if position + 1 < len(text) and text[position + 1] in "0123456789@*#?$!-":
        name = text[position + 1]
        value = variables.value(name)
        return (unresolved(name) if value is None else value), position + 2
    return "$", position + 1


def _parameter(body: str, variables: Variables, depth: int, inside: bool) -> str:
    """What stands between ${ and }."""
    indirect = _INDIRECT.fullmatch(body)
    if indirect and indirect[2] in ("[@]", "[*]"):
        keys = variables.keys(indirect[1])
        return unresolved(indirect[1]) if keys is None else " ".join(keys)
    if indirect and indirect[2][:1] not in ("*", "@", "["):
        name = variables.value(indirect[1])
        if name is None or not _NAME.fullmatch(name):
            return unresolved(indirect[1])
        body = name + indirect[2]
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
        empty |= variables.is_unset(name)
        if default[0][-1] == "+":
            return "" if empty else expand(word, variables, inside=inside, depth=depth + 1)
        if default[0][-1] == "?":
            return unresolved(name) if empty else str(value)
        if not empty:
            return str(value)
        value = expand(word, variables, inside=inside, depth=depth + 1)
        if default[0][-1] == "=":
            variables.change(name, value)
        return value
    if value is None or (rest and has_unresolved(value)):
        return unresolved(unresolved_names(value)[0] if value else name)
    if counts:
        return unresolved(name) if has_unresolved(value) else str(len(value))
    found_value = _modified(value, rest, variables) if rest else value
    return unresolved(name) if found_value is None else found_value


def _element(name: str, index: str, rest: str, variables: Variables, *, counts: bool) -> str:
    """${x[1]}, ${x[@]} and ${#x[@]}"""
    words = variables.array(name)
    if rest and index in ("@", "*") and not counts and rest[0] != ":":
        words, rest = _elements(f'"${{{name}[{index}]{rest}}}"', variables), ""
    if words is not None and rest[:1] == ":" and index in ("@", "*") and not counts:
        words, rest = _part_of(words, rest[1:], variables, is_array=True), ""
    if words is None or rest:
        return unresolved(name)
    elements = variables.map(name)
    if elements is not None and index not in ("@", "*"):
        value = elements.get(expand(index, variables), "")
        return str(len(value)) if counts else value
    if index in ("@", "*"):
        joined = variables.value("IFS") or ""
        joint = " " if index == "@" else unresolved("IFS") if has_unresolved(joined) else joined[:1]
        return str(len(words)) if counts else joint.join(words)
    number = arithmetic_value(index, variables)
    if not number.lstrip("-").isdecimal():
        return unresolved(name)
    here = -len(words) <= int(number) < len(words)
    value = words[int(number)] if here else ""
    return str(len(value)) if counts else value


def _modified(value: str, rest: str, variables: Variables) -> str | None:
    """${x%pattern}, ${x#pattern}, ${x/old/new}, ${x:first:count}; None where it is not known."""
    if rest[0] in "%#":
        is_longest = rest[:2] in ("%%", "##")
        regex = _pattern(rest[2:] if is_longest else rest[1:], variables)
        cuts = cut_behind if rest[0] == "%" else cut_before
        return None if regex is None else cuts(value, regex, is_longest)
    if rest[0] == ":":
        return _slice(value, rest[1:], variables)
    if rest[0] == "/":
        return _replaced(value, rest[1:], variables)
    changes: dict[str, Callable[[str], str]] = {
        ",,": str.lower, "^^": str.upper,
        ",": lambda text: text[:1].lower() + text[1:],
        "^": lambda text: text[:1].upper() + text[1:],
    }  # fmt: skip
    return changes[rest](value) if rest in changes else None


def _pattern(word: str, variables: Variables) -> re.Pattern[str] | None:
    """None where it is open. Without `extglob` ksh takes @(a|b) as such, and bash as letters."""
    pattern = pattern_of(word, variables)
    if has_unresolved(pattern):
        return None
    if has_alternatives(pattern) and "extglob" not in variables.options:
        return None
    return regex_of(pattern)


def _slice(value: str, text: str, variables: Variables) -> str | None:
    """From a place on, or before the end where it is less than 0; so many letters, or up to as many
    before the end.
    """
    text = expand(text, variables)
    first_text, colon, count_text = text.partition(":")
    found = [arithmetic_value(each or "0", variables) for each in (first_text, count_text)]
    if "?" in text or not all(each.lstrip("-").isdecimal() for each in found):
        return None
    first, count = map(int, found)
    if first < 0:
        first += len(value)
    if not 0 <= first <= len(value):
        return ""
    if not colon:
        return value[first:]
    end = first + count if count >= 0 else len(value) + count
    return value[first:end] if end >= first else None


def _replaced(value: str, rest: str, variables: Variables) -> str | None:
    """Once, or with one more / each time; with # or % at one end. New versions of bash take & for
    what was there.
    """
    sign = rest[:1] if rest[:1] in ("/", "#", "%") else ""
    old, new, is_new, rest = "", "", False, rest[len(sign) :]
    if rest.startswith("/") and sign not in ("#", "%"):
        old, rest = "/", rest[1:]
    for part in segments(rest):
        if not is_new and part[0] not in "'\"\\$`" and "/" in part:
            before, _, part = part.partition("/")
            old, is_new = old + before, True
        old, new = (old, new + part) if is_new else (old + part, new)
    regex, text = _pattern(old, variables), expand(new, variables)
    if regex is None or "&" in text or has_unresolved(text) or not (old or sign in ("#", "%")):
        return None
    return replaced(value, regex, text, sign)


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
    value, variables.truth = None, True
    if depth < _DEEPEST:
        before = variables.state() if _MAY_SET.search(command) else None
        value = _printed_by_words(parts_of_command(command), variables)
        if before is not None:
            variables.set_state(before)
    if value is None and depth < _DEEPEST:
        value = variables.substitute(command)
    if value is None:
        variables.truth = None
        word = re.match(r"\W*(\w+)", command)
        value = unresolved(f"`{word[1] if word else 'command'}`")
    if variables.printed is not None:
        variables.printed[command] = value
    return value


def _printed_by_words(parts: Sequence[Sequence[str]], variables: Variables) -> str | None:
    """parts: the words of each command of a pipeline, or of `cd X && pwd`"""
    names = [name_of_program(words[0]) for words in parts]
    if names in (["pwd"], ["cd", "pwd"]):
        here = expand("$PWD", variables)
        folder = split_words(parts[0][1:], variables) if names[0] == "cd" else []
        folder = [each for each in folder if each != "--"]
        return path_from(here, "".join(folder)) if len(folder) < 2 else None
    if len(parts) not in (1, 2) or names[0] not in OF_WORDS:
        return None
    given = words_given(parts[0][1:], variables)
    printed = None if given is None else OF_WORDS[names[0]](given)
    if printed is None or len(parts) == 1:
        return None if printed is None else printed.rstrip("\n")
    if names[1] != "bc" or not set(parts[1][1:]) <= {"-l", "-q"}:
        return None
    if has_unresolved(printed):
        return "".join(unresolved(name) for name in unresolved_names(printed))
    return bc(printed, has_library="-l" in parts[1])


def words_given(words: Sequence[str], variables: Variables) -> list[str] | None:
    """As a command gets them; None where files decide."""
    found: list[str] = []
    for word in words:
        values, known = split_exactly([word], variables)
        is_open = known is not None and any(map(has_unresolved, values)) and len(words) > 1
        if not _is_plain(word) or (not QUOTES.search(word) and any(map(is_pattern, values))):
            return None
        if is_open and "%" in words[0]:  # of printf, which counts them
            return None
        found += values
    return found


def name_of_program(word: str) -> str:
    return word.removeprefix("/usr").removeprefix("/bin/")


def _is_plain(word: str) -> bool:
    """Neither a pattern nor braces nor ~ outside quotes."""
    return not _EXPANDED_BY_SHELL.match(_IN_QUOTES.sub("", word))
