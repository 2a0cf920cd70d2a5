# SPDX-License-Identifier: Apache-2.0
"""Where a bracket of a shell's text ends."""

from __future__ import annotations

import re

# Where a command may begin; and behind a pattern, too.
_CASE = re.compile(r"(?:^|[\n;&|({`!]|\b(?:then|do|else|if|while|until|time)\b)[ \t\n]*case(?=\s)")
_ESAC = re.compile(r"(?:^|[\n;&|(){}`]|\bin\b)[ \t\n]*esac(?=\s|;|\)|$)")
_PAIRS = {"(": ")", "{": "}"}


def closing(text: str, opening: int) -> int:
    """Just behind the bracket that closes the one at `opening`; quotes hide brackets, and in ${...}
    { alone is a letter. The end of the text where there is none.
    """
    end = _end_of(text, opening)
    return len(text) if end is None else end


def _end_of(text: str, opening: int) -> int | None:
    left, right = text[opening], _PAIRS[text[opening]]
    is_parameter = left == "{" and text[opening - 1 : opening] == "$"
    depth, quote, i = 0, "", opening
    while i < len(text):
        letter = text[i]
        if letter == "\\" and quote != "'":
            i += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and left == "(" and _is_comment(text, opening, i):
            i = text.find("\n", i)
            if i < 0:
                return None
        elif letter == left and (not is_parameter or text[i - 1] == "$"):
            depth += 1
        elif letter == right and not (depth == 1 and left == "(" and _is_of_case(text, opening, i)):
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return None


def _is_of_case(text: str, begin: int, end: int) -> bool:
    """Whether a bracket ends a pattern of `case`."""
    if "case" not in text or text[begin - 1 : begin] == "=":  # of an array
        return False
    return len(_CASE.findall(text, begin, end)) > len(_ESAC.findall(text, begin, end))


def _is_comment(text: str, begin: int, position: int) -> bool:
    """Whether a # in brackets is no letter of a word, nor of ${...}."""
    if text[position - 1] not in " \t\n;(&|" or text.startswith("((", begin):
        return False
    line = text[max(begin, text.rfind("\n", begin, position)) : position]
    return line.count("${") <= line.count("}")


def is_left_open(text: str) -> bool:
    """Whether ${ or $( of it has its end in another line."""
    position = text.find("$")
    while position >= 0:
        if position and text[position - 1] == "\\":
            position = text.find("$", position + 1)
            continue
        if text[position + 1 : position + 2] in ("(", "{"):
            end = _end_of(text, position + 1)
            if end is None:
                return True
            position = end - 1
        position = text.find("$", position + 1)
    return False


def is_quoted(segment: str) -> bool:
    return segment[0] in "'\"\\" or segment[:2] in ("$'", '$"')


def segments(word: str) -> list[str]:
    """Parts of a word: what stands in quotes, what begins with $ or `, and what is between."""
    found: list[str] = []
    position = begin = 0
    while position < len(word):
        end = end_of_segment(word, position)
        if end == position:
            position += 1
            continue
        if begin < position:
            found.append(word[begin:position])
        found.append(word[position:end])
        position = begin = end
    return [*found, word[begin:]] if begin < len(word) else found


def end_of_segment(word: str, position: int) -> int:
    """Behind what is in quotes or begins with $ or ` at a place; that place where nothing does."""
    letter, after = word[position], word[position + 1 : position + 2]
    if letter == "\\":
        return min(position + 2, len(word))
    if letter == "'":
        end = word.find("'", position + 1)
        return end + 1 if end >= 0 else len(word)
    if letter in '"`':
        return _end_of_quote(word, position)
    if letter != "$":
        return position
    if after == "'":
        return _end_of_quote(word, position + 1)
    if after == '"':
        return _end_of_quote(word, position + 1)
    if after and after in "({":
        return closing(word, position + 1)
    if after == "[" and "]" in word[position:]:
        return word.index("]", position) + 1
    end = position + 1
    if after.isdigit() or (after and after in "@*#?$!-"):
        return end + 1
    while end < len(word) and (word[end].isalnum() or word[end] == "_"):
        end += 1
    return end if end > position + 1 else position


def _end_of_quote(word: str, position: int) -> int:
    quote = word[position]
    i = position + 1
    while i < len(word) and word[i] != quote:
        if word[i] == "\\":
            i += 1
        elif quote == '"' and word[i] == "$" and word[i + 1 : i + 2] in ("(", "{"):
            i = closing(word, i + 1) - 1
        i += 1
    return min(i + 1, len(word))
