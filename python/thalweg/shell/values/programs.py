# SPDX-License-Identifier: Apache-2.0
"""What echo, expr, printf, basename and dirname print, where that follows from their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.arithmetic import arithmetic
from thalweg.shell.values.dates import date
from thalweg.shell.values.variables import Variables

_PRINTED = re.compile(r"%(?:-?[0-9]{0,3}[ds]|0[0-9]{1,2}d|[0-9]*\.[0-9]+f|%)")
_FORMAT = re.compile(rf"(?:[^%]|{_PRINTED.pattern})*", re.DOTALL)
_LONGEST_SEQUENCE = 10_000
_ESCAPED = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_PLAIN_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "=", "==", "!=", "(", ")"})


def _echo(words: Sequence[str]) -> str | None:
    """With the end of its line. None where shells differ: \\n without -e."""
    words, ends, escapes = list(words), True, False
    while words and re.fullmatch("-[neE]+", words[0]):
        letters = words.pop(0)
        ends &= "n" not in letters
        escapes |= "e" in letters
    text = " ".join(words)
    if "\\" in text and not escapes:
        return None
    return (unescaped(text) if escapes else text) + "\n" * ends


def _print(words: Sequence[str]) -> str | None:
    """Of ksh."""
    words, letters = list(words), ""
    while words and re.fullmatch("-[a-zA-Z]+|--?", words[0]):
        word = words.pop(0)
        letters += word[1:]
        if word in ("-", "--"):
            break
    if set(letters) - set("rn-"):
        return None
    text = " ".join(words)
    if "\\" in text and "r" not in letters:
        text = unescaped(text)
    return text + "\n" * ("n" not in letters)


def _expr(words: Sequence[str]) -> str | None:
    """Each number and each sign is a word; one word is what it is."""
    if len(words) == 1:
        return words[0]
    if not all(word in _OPERATORS or re.fullmatch("-?[0-9]+", word) for word in words):
        return None
    kinds = "".join(word if word in "()" else "+" if word in _OPERATORS else "1" for word in words)
    if not re.fullmatch(r"\(*1\)*(\+\(*1\)*)*", kinds):
        return None
    text = " ".join(str(int(word)) if word not in _OPERATORS else word for word in words)
    text = re.sub("(?<![<>!=])=(?!=)", "==", text)
    value = arithmetic(text, Variables())
    return None if has_unresolved(value) else value


def _printf(words: Sequence[str]) -> str | None:
    """Again and again, as long as there are words. Each %d, %s and their widths take one."""
    words = list(words[1:] if words[:1] == ["--"] else words)
    if not words:
        return None
    pattern, left = unescaped(words[0]), words[1:]
    if not _FORMAT.fullmatch(pattern):
        return None
    found = ""
    try:
        while True:
            before = len(left)
            found += _PRINTED.sub(lambda each: _printed(each, left), pattern)
            if not left or len(left) == before:
                return found
    except ValueError:
        return None


def _printed(found: re.Match[str], left: list[str]) -> str:
    """Raises ValueError for what is no number, or one with zeros before it."""
    kind = found[0][-1]
    if kind == "%":
        return "%"
    word = left.pop(0) if left else ""
    if kind in "fe":
        return found[0] % float(word or "0")
    if kind != "s" and not _PLAIN_NUMBER.fullmatch(word or "0"):
        raise ValueError(word)
    if kind == "s" and has_unresolved(word) and found[0] != "%s":
        raise ValueError(word)
    return found[0] % (word if kind == "s" else int(word or "0"))


def _seq(words: Sequence[str]) -> str | None:
    """Whole numbers; -w makes them as wide as the widest, -s stands between them."""
    words, is_wide, joint, pattern = list(words), False, "\n", ""
    while words and re.match("-[wsf]", words[0]):
        option = words.pop(0)
        if option == "-w":
            is_wide = True
            continue
        given = option[2:] or (words.pop(0) if words else "")
        joint, pattern = (given, pattern) if option[1] == "s" else (joint, given)
    if pattern and not re.fullmatch("[^%]*%0?[0-9]*g[^%]*", pattern):
        return None
    if not 1 <= len(words) <= 3 or not all(re.fullmatch("-?[0-9]+", word) for word in words):
        return None
    first, step = (int(words[0]) if len(words) > 1 else 1), int(words[1]) if len(words) == 3 else 1
    last = int(words[-1])
    if step == 0 or abs(last - first) // abs(step) > _LONGEST_SEQUENCE:
        return None
    found = [str(each) for each in range(first, last + (1 if step > 0 else -1), step)]
    width = max([len(each) for each in (*found, *words[:1], words[-1])]) * is_wide
    texts = [each.zfill(width) for each in found]
    if pattern:
        whole = re.sub(r"(%0?[0-9]*)g", r"\1d", pattern)
        texts = [whole % int(each) for each in found]
    return joint.join(texts) + "\n" * bool(texts)


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


OF_WORDS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "echo": _echo,
    "print": _print,
    "seq": _seq,
    "expr": _expr,
    "printf": _printf,
    "basename": _basename,
    "date": date,
    "dirname": _dirname,
}


def unescaped(text: str) -> str:
    """With what \\n and its kin stand for."""
    return _ESCAPED.sub(_letter, text)


def _letter(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3]
    if number:
        return chr(int(number, 16)) if int(number, 16) < 0x110000 else found[0]
    if found[4]:
        return chr(int(found[4], 8))
    if found[5]:
        return chr(ord(found[5].upper()) & 0x1F)
    return _ESCAPES.get(found[6], found[0])
