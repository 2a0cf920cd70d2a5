# SPDX-License-Identifier: Apache-2.0
"""The words of a command, as it gets them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from thalweg.shell.tree.braces import braces
from thalweg.shell.tree.brackets import closing, is_quoted, segments
from thalweg.shell.unresolved import has_unresolved, unresolved, unresolved_names, without_marks
from thalweg.shell.values.expansion import expand, inner_of
from thalweg.shell.values.formats import wanted_by
from thalweg.shell.values.home import with_home
from thalweg.shell.values.parameters import All, all_of
from thalweg.shell.values.patterns import is_pattern
from thalweg.shell.values.variables import Variables

QUOTES = re.compile(r"['\"\\]")
_EXPANDED_BY_SHELL = re.compile(r".*[*?\[]")
HAS_ALL = re.compile(r"\$(?:@|\{@|\{!?[A-Za-z_]\w*\[@\])")
HAS_ARGUMENTS = re.compile(r"\$(?:[@*]|\{[@*])")
_IS_OF_NAME = re.compile(r"-*\w[\w-]*=")
_BY_NAME = re.compile(r"!([A-Za-z_]\w*)")
_ALL_OF_ARRAY = re.compile(r"[A-Za-z_]\w*\[[@*]\]")
_HOME_OF_NAME = re.compile(r"^(\w+=(?:[^'\"$`:]*:)*)~(?=[/:]|$)")  # x=~/a: not in all shells
_NEEDS_NO_QUOTES = re.compile(r"[\w./:,=+@%-]+")
_MAY_BE_NO_WORD = re.compile("[\\w./:,=+@%*?\x02\x03-]+")
ONE_WORD = frozenset(
    {"PWD", "OLDPWD", "HOME", "USER", "LOGNAME", "HOSTNAME", "UID", "`mktemp`", "`hostname`"}
)  # each of which has no blanks
_QUOTED_DEFAULT = re.compile(r"""\$\{\w+:?[-+=](?:[^}]*)['"]""")


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
        is_exact = variables.sure is None or not HAS_ARGUMENTS.search(word)
        open_ = [each for each in elements if has_unresolved(each)]
        is_split = word[0] != '"' and not all(map(_has_no_blank, open_))
        return elements, is_exact and not is_split
    fields, is_exact = _split(word, variables)
    is_one = len(fields) == 1 and _has_no_blank(fields[0]) and not HAS_ALL.search(word)
    return fields, is_exact or is_one


def _has_no_blank(text: str) -> bool:
    """Names of folders, and `dtime=$dt`, which stand in no quotes often."""
    names = set(unresolved_names(text))
    is_printed = any(each.startswith("`") for each in names)
    is_of_name = _IS_OF_NAME.match(text) is not None and not is_printed
    return "/" in without_marks(text) or is_of_name or names <= ONE_WORD


def _split(word: str, variables: Variables) -> tuple[list[str], bool]:
    word = _HOME_OF_NAME.sub(lambda found: found[1] + unresolved("~"), with_home(word))
    parts = segments(word)
    if all(is_quoted(part) or (part[0] not in "$`" and not has_unresolved(part)) for part in parts):
        around = _around_all(word)
        middle = _elements(f'"{around[1]}"', variables) if around else None
        if around is None or middle is None:
            return [expand(word, variables)], not HAS_ALL.search(word)
        before, behind = (expand(f'"{each}"', variables) for each in (around[0], around[2]))
        if not middle:
            return [before + behind] * bool(before + behind), True
        joined = [before + middle[0], *middle[1:]]
        return [*joined[:-1], joined[-1] + behind], True
    fields, is_begun, is_exact = [""], False, True
    for part in parts:
        if part[0] not in "$`" or is_quoted(part):
            is_exact &= is_quoted(part) or not has_unresolved(part)
            fields[-1] += expand(part, variables)
            is_begun |= part[0] in "'\"$" or fields[-1] != ""
            continue
        text = expand(part, variables)
        is_open = has_unresolved(text)
        is_printed = part[0] == "`" or part.startswith("$(")
        is_exact &= (not is_open or part.startswith("$((")) and (
            is_printed or not HAS_ALL.search(part)
        )
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


def _around_all(word: str) -> tuple[str, str, str] | None:
    """Of "a${x[@]}b": a, ${x[@]} and b. None of other words, and of those with two such parts."""
    if len(word) < 2 or word[0] != '"' or word[-1] != '"' or '"' in word[1:-1]:
        return None
    found, position = HAS_ALL.search(word), 0
    if found is None:
        return None
    position = found.start()
    end = closing(word, position + 1) if word[position + 1] == "{" else found.end()
    before, behind = word[1:position], word[end:-1]
    is_one = not HAS_ALL.search(behind) and not before.endswith("\\") and "(" not in before
    return (
        (before, word[position:end], behind)
        if is_one and before.count("{") == before.count("}")
        else None
    )


def _elements(word: str, variables: Variables) -> list[str] | None:
    """Of "$@", "${x[@]:1:2}", "${!x[@]}" and their kin; None for others, and where not known."""
    is_quoted_ = len(word) > 1 and word[0] == word[-1] == '"'
    text = word[1:-1] if is_quoted_ else word
    if text in ("$@", "$*"):
        body = text[1]
    elif text.startswith("${") and closing(text, 1) == len(text):
        body = text[2:-1]
    else:
        return None
    if by_name := _BY_NAME.fullmatch(body):  # ${!n}, where n is "x[@]"
        value = variables.known(by_name[1]) or ""
        body = value if _ALL_OF_ARRAY.fullmatch(value) else body
    found = all_of(body, inner_of(variables))
    if found is None:
        return None
    if found.rest and (instead := _instead(body, found, is_quoted_, variables)) is not None:
        return instead[0]
    words = found.words
    if words is None:
        return None
    if not is_quoted_:
        return [
            each
            for word in words
            for each in ([word] if has_unresolved(word) else variables.split(word))
        ]
    if any(map(has_unresolved, words)):
        return words if found.sign == "@" else None
    marks = variables.value("IFS") or ""
    if found.sign == "@":
        return words
    return None if has_unresolved(marks) else [marks[:1].join(words)]


def _instead(
    body: str, found: All, is_quoted_: bool, variables: Variables
) -> tuple[list[str] | None] | None:
    """Of "${x[@]:-a}" and ${x[@]+"${x[@]}"}: the words that it is, if not those of the array."""
    sign = found.rest[:2] if found.rest[0] == ":" else found.rest[0]
    word = found.rest[len(sign) :]
    name = body.partition("[")[0]
    is_empty = not found.words and (found.words is not None or variables.value(name) is None)
    is_empty |= sign[0] == ":" and found.words is not None and not "".join(found.words)
    if sign[-1] == "+" and is_empty:
        return ([""] if is_quoted_ and found.sign == "*" else [],)
    if sign[-1] == "+" and found.words is None:
        return (None,)
    if sign[-1] == "+":
        fields, is_exact = _fields(
            f'"{word}"' if is_quoted_ and '"' not in word else word, variables
        )
        return (fields if is_exact else None,)
    if not is_empty or sign[-1] == "?":
        return None
    text = inner_of(variables).default(word)
    if has_unresolved(text):
        return (None,)
    return ([text] if is_quoted_ or QUOTES.search(word) else variables.split(text),)


def words_given(words: Sequence[str], variables: Variables) -> list[str] | None:
    """As a command gets them; None where files decide."""
    found: list[str] = []
    for word in words:
        values, known = split_exactly([word], variables)
        is_open = known is not None and any(map(has_unresolved, values)) and len(words) > 1
        if not _is_plain(word) or (not QUOTES.search(word) and any(map(is_pattern, values))):
            return None
        if is_open and "%" in words[0] and wanted_by(expand(words[0], variables)) != len(words) - 1:
            return None  # of printf, which counts them
        found += values
    return found


def quoted_words(words: Sequence[str], known: int | None) -> list[str]:
    """As split_exactly() has them, for one who takes quotes away again, and splits them."""
    return [
        each
        if known is not None
        and i >= known
        and (has_unresolved(each) or is_pattern(each))
        and _MAY_BE_NO_WORD.fullmatch(each)
        else quoted(each)
        for i, each in enumerate(words)
    ]


def quoted(word: str) -> str:
    """For one who takes quotes away again."""
    return word if _NEEDS_NO_QUOTES.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"


def name_of_program(word: str) -> str:
    return word.removeprefix("/usr").removeprefix("/bin/")


def _is_plain(word: str) -> bool:
    """No pattern outside of quotes."""
    plain = [part for part in segments(word) if not (is_quoted(part) or part[0] in "$`")]
    return not any(map(_EXPANDED_BY_SHELL.match, plain))
