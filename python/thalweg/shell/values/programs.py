# SPDX-License-Identifier: Apache-2.0
"""What echo, expr, seq, basename and dirname print, where that follows from their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.arithmetic import arithmetic
from thalweg.shell.values.dates import date
from thalweg.shell.values.escapes import unescaped
from thalweg.shell.values.formats import printf
from thalweg.shell.values.variables import Variables

_LONGEST_SEQUENCE = 10_000
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
    if set(letters) - set("rn-") or re.match("-[a-zA-Z]*u[0-9]", "".join(words[:1])):
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


WITHOUT_END = frozenset({"expr", "basename", "dirname"})  # here they print no end of a line
OF_WORDS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "echo": _echo,
    "print": _print,
    "seq": _seq,
    "expr": _expr,
    "printf": printf,
    "basename": _basename,
    "date": date,
    "dirname": _dirname,
}
