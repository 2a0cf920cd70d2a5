# SPDX-License-Identifier: Apache-2.0
"""Whether `[ ... ]`, `[[ ... ]]` and `(( ... ))` hold; None where that cannot be known."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

from thalweg.shell.tree.brackets import is_quoted, segments
from thalweg.shell.tree.lexer import tokens_of
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.expansion import arithmetic_value, expand, fits, is_set, pattern_of
from thalweg.shell.values.home import with_home
from thalweg.shell.values.letters import has
from thalweg.shell.values.variables import Variables
from thalweg.shell.values.words import split_words

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le,
    "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip
_PLAIN_REGEX = re.compile(
    r"(?:[\w\s:,;=#@%&~_/-]|\[\^?[\w.\s-]+\]|\{[0-9]+(?:,[0-9]*)?\}|[.*+?^$|()])*"
)
_LIKE = re.compile(r"\[\[\s+([^\s&|]+)\s+=~\s+((?:[^\s&|]|(?<!\|)\|(?!\|))+)\s+\]\]")
_OF_ONE = frozenset({"-z", "-n", "-v", "-e", "-f", "-r", "-w", "-s"})
_TEXTS = {"=": True, "==": True, "!=": False}
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_JOINTS = (("||", "-o", True), ("&&", "-a", False))  # and which of its parts decides alone


def is_condition(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in ("[", "test") or words[0].startswith("[["))


def holds(words: Sequence[str], variables: Variables) -> bool | None:
    """A condition joined by && or ||, or by -a or -o, is known where its parts are."""
    first = words[0]
    like = _LIKE.fullmatch(first)
    if like is not None:
        left = expand(like[1], variables)
        return None if has_unresolved(left) else _is_like(left, like[2], variables)
    if first.startswith("[["):
        body = [token.text for token in tokens_of([first[2:-2].strip()], "")]
        return _joined([each for each in body if each != "\n"], variables, _test)
    last = words[-1] == "]"
    return _joined(list(words[1 : len(words) - last]), variables, _test_of_posix)


def _joined(
    words: list[str], variables: Variables, test: Callable[[list[str], Variables], bool | None]
) -> bool | None:
    """Brackets bind most, then !, && and ||."""
    is_posix = test is _test_of_posix
    opening, closing = (r"\(", r"\)") if is_posix else ("(", ")")
    if is_posix and len(words) <= 3 and words[:1] != ["!"]:
        return test(words, variables)
    for sign, letter, decides in _JOINTS:
        parts = _split(words, letter if is_posix else sign, opening, closing)
        if len(parts) > 1:
            found = [_joined(part, variables, test) for part in parts]
            if decides in found:
                return decides
            return None if None in found else not decides
    if words[:1] == ["!"]:
        inner = _joined(words[1:], variables, test)
        return None if inner is None else not inner
    if words[:1] == [opening] and words[-1] == closing:
        return _joined(words[1:-1], variables, test)
    return test(words, variables)


def _split(words: Sequence[str], sign: str, opening: str, closing: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word == opening) - (word == closing)
        if word == sign and depth == 0:
            found.append([])
        else:
            found[-1].append(word)
    return found


def may_complain(raw: Sequence[str], variables: Variables) -> bool:
    """Of [ ]: whether it may print an error. What is well formed, with words that are known, does
    not.
    """
    if raw[:1] not in (["["], ["test"]):
        return False
    words: list[str] = []
    for each in raw[1:]:
        values = split_words([each], variables)
        if any(map(has_unresolved, values)) and not is_quoted(each):
            return True
        words += values or [""] * is_quoted(each)
    if raw[0] == "[":
        if words[-1:] != ["]"]:
            return True
        words.pop()
    tests: list[list[str]] = [[]]
    for word in words:
        if word in ("-a", "-o"):
            tests.append([])
        else:
            tests[-1].append(word)
    return not all(map(_is_well_formed, tests))


def _is_well_formed(words: list[str]) -> bool:
    words = words[words[:1] == ["!"] and len(words) > 1 :]
    if len(words) == 3 and words[1] in _NUMBERS:
        return all(map(_WHOLE.fullmatch, (words[0], words[2])))
    if len(words) == 3:
        return words[1] in _TEXTS or words[1] in ("<", ">", "-nt", "-ot", "-ef")
    return len(words) < 2 or (len(words) == 2 and re.fullmatch("-[a-zA-Z]", words[0]) is not None)


def _test_one(sign: str, word: str, variables: Variables) -> bool | None:
    if sign in ("-z", "-n"):
        return (word == "") == (sign == "-z")
    if sign == "-v":
        return is_set(word, variables)
    lines = variables.exists(word)
    return None if lines is None else lines > 0 or sign != "-s"


def _test(raw: list[str], variables: Variables) -> bool | None:
    """Of [[ ]]: texts may be patterns, numbers arithmetic."""
    words = [expand(with_home(each), variables) for each in raw]
    if any(has_unresolved(word) for word in words):
        return None
    if len(words) == 2 and words[0] in _OF_ONE:
        return _test_one(words[0], words[1], variables)
    if len(words) == 1:
        return words[0] != ""
    if len(words) != 3:
        return None
    left, sign, right = words
    if sign in _NUMBERS:
        numbers = [arithmetic_value(each, variables) for each in (left, right)]
        is_open = any(map(has_unresolved, numbers))
        return None if is_open else _NUMBERS[sign](int(numbers[0]), int(numbers[1]))
    if sign in ("<", ">"):  # other letters come where the language of the machine has them
        is_plain = all(re.fullmatch("[0-9.:TZ-]*", each) for each in (left, right))
        return (left < right) == (sign == "<") and left != right if is_plain else None
    if sign == "=~":
        return _is_like(left, raw[2], variables)
    if sign in _TEXTS:
        found = fits(left, pattern_of(raw[2], variables), variables)
        return None if found is None else found == _TEXTS[sign]
    return None


def _test_of_posix(raw: list[str], variables: Variables) -> bool | None:
    """Of [ ]: a word without quotes that is empty is none; another one may be more words."""
    words: list[str] = []
    for each in raw:
        values = split_words([each], variables)
        if any(map(has_unresolved, values)):
            return None
        words += values
    if len(words) < 2:
        return words not in ([], [""])
    if len(words) == 2 and words[0] in _OF_ONE:
        return _test_one(words[0], words[1], variables)
    if len(words) != 3:
        return False if len(words) == 2 and words[0] in _TEXTS else None  # which is an error
    left, sign, right = words
    if sign in _NUMBERS:
        if not (_WHOLE.fullmatch(left) and _WHOLE.fullmatch(right)):
            return None
        return _NUMBERS[sign](int(left), int(right))
    return (left == right) == _TEXTS[sign] if sign in _TEXTS else None


def _is_like(text: str, word: str, variables: Variables) -> bool | None:
    """=~ with an expression that means the same everywhere; what stands in quotes is text."""
    parts = [(is_quoted(each), expand(each, variables)) for each in segments(word)]
    pattern = "".join(re.escape(each) if is_text else each for is_text, each in parts)
    plain = "".join("x" if is_text else each for is_text, each in parts)
    if has_unresolved(pattern) or not _PLAIN_REGEX.fullmatch(plain):
        return None
    cases = {"nocasematch", "?nocasematch"} & variables.options
    try:
        regex = re.compile(pattern, re.IGNORECASE if cases else 0)
        if has(regex, text) is None or (not text.isascii() and regex.groups):
            return None
        found = regex.search(text)
        is_exact = "?nocasematch" not in cases or bool(re.search(pattern, text)) == bool(found)
    except re.error:
        return None
    groups = [found[0], *(each or "" for each in found.groups())] if found else []
    if found and "|" in pattern:  # of which a shell takes the longest
        variables.forget("BASH_REMATCH")
    else:
        variables.assign_array("BASH_REMATCH", groups)
    return found is not None if is_exact else None
