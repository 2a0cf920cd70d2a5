# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the value of an option, in the words that settings have for it."""

from __future__ import annotations

from typing import Any

_KINDS = {"int_parsing": "a whole number", "float_parsing": "a number"}
_BOUNDS = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le")}


def value_sentence(error: Any) -> str:
    """Of a typer.BadParameter. "" where typer says it in words of its own: from 0.29 on it hands
    pydantic's on instead.
    """
    from pydantic import ValidationError

    cause, option = error.__cause__, getattr(error, "param", None)
    if not isinstance(cause, ValidationError) or option is None:
        return ""
    name, detail = max(option.opts, key=len), cause.errors()[0]
    if detail["type"] in _KINDS:
        return f"{name} is '{detail['input']}', but must be {_KINDS[detail['type']]}"
    if detail["type"] in _BOUNDS:
        word, bound = _BOUNDS[detail["type"]]
        return f"{name} is {detail['input']}, but must be {word} {detail['ctx'][bound]:g}"
    return ""


def usage_sentence(error: Any) -> str:
    """What is wrong, and the help of the command that was called."""
    text = value_sentence(error) or " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "thalweg"
    return f"{text[0].lower()}{text[1:]}; see '{command} --help'" if text else "wrong usage"
