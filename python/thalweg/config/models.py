# SPDX-License-Identifier: Apache-2.0
"""Builds one pydantic model per table of the settings list; a wrong value becomes a sentence."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from pydantic_core import ErrorDetails

from thalweg.config.durations import parse_duration_s
from thalweg.config.settings_list import Setting, SettingsTable, settings_list
from thalweg.errors import did_you_mean

_GRID = re.compile(r"R([0-9]{1,2})B([0-9]{1,2})")
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?Z?")
_CELL_LIMIT = 2**31  # global cell numbers fit a 32-bit integer in the file
_KINDS = {
    "text": "a text in quotes",
    "integer": "a whole number without point and exponent",
    "number": "a number",
    "flag": "true or false",
    "duration": 'a duration, for example "PT1H", "P1DT6H" or a number of seconds; months and years '
    'have no fixed length: write days, as "P30D"',
    "date": 'a date in UTC, for example "2000-01-01T00:00:00Z"',
    "grid": 'a grid RnBk with n from 1 to 99 and k from 0 to 99, for example "R2B4"',
    "texts": 'a list of texts, for example ["ta", "ua"]',
    "integers": "a list of whole numbers, for example [1, 2, 3]",
}


def _number(value: object) -> float:
    """Finite; a whole number is one, true is none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ValueError("not a number")


def _duration(value: object) -> float:
    return _number(parse_duration_s(value) if isinstance(value, str) else value)


def _whole_ms(value: float) -> float:
    if abs(value * 1000 - round(value * 1000)) > 0.01 or (value != 0 and round(value * 1000) == 0):
        raise ValueError("no whole milliseconds")
    return value


def _date(value: object) -> str:
    """ISO 8601 text; TOML's own date type is taken as well. A date without zone is UTC."""
    text = value if isinstance(value, str) else _moment(value)
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError("not a date")
    return datetime.fromisoformat(match[1] + (match[2] or "")).isoformat() + "Z"


def _moment(value: object) -> str:
    """TOML's date or time as it is written there."""
    text = value.isoformat() if isinstance(value, date) else str(value)  # datetime is a date
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _grid(value: object) -> str:
    match = _GRID.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[1]) < 1:
        raise ValueError("not a grid")
    if 20 * int(match[1]) ** 2 * 4 ** int(match[2]) >= _CELL_LIMIT:
        raise ValueError("too large")
    return match[0]


def _python_type(setting: Setting) -> Any:
    """The annotated type pydantic checks a setting with. Strict: "3" is not a number."""
    strict = Field(strict=True)
    limits = Field(ge=setting.minimum, gt=setting.exclusive_minimum, le=setting.maximum)
    # The range of a whole number is compared as such, not as a float.
    whole = Annotated[int, strict, Field(ge=_whole(setting.minimum), le=_whole(setting.maximum))]
    if setting.allowed:
        return Literal[setting.words()]
    types: dict[str, object] = {
        "text": Annotated[str, strict],
        "integer": whole,
        "number": Annotated[float, BeforeValidator(_number), limits],
        "flag": Annotated[bool, strict],
        "duration": Annotated[float, BeforeValidator(_duration), limits, AfterValidator(_whole_ms)],
        "date": Annotated[str, BeforeValidator(_date)],
        "grid": Annotated[str, BeforeValidator(_grid)],
        "texts": Annotated[list[Annotated[str, strict, Field(min_length=1)]], Field(min_length=1)],
        "integers": list[whole],
    }
    return types[setting.type]


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


@cache
def table_model(name: str) -> type[BaseModel]:
    """The pydantic model of a table: unknown keys are refused, defaults are checked as well."""
    table = settings_list()[name]
    fields: dict[str, Any] = {
        setting.key: (_python_type(setting), ... if setting.default is None else setting.default)
        for setting in table.settings
    }
    settings = ConfigDict(extra="forbid", validate_default=True, frozen=True)
    return create_model(f"{name.capitalize()}Table", __config__=settings, **fields)


def error_sentence(table: SettingsTable, error: ValidationError) -> tuple[str, str]:
    """(key, sentence without its place) of the first thing wrong with a table; names before values.

    The sentences are those of the C++ reader, src/settings/settings_check.cpp; a test compares
    the two.
    """
    known = table.keys()
    details = {str(detail["loc"][0]): detail for detail in reversed(error.errors())}
    unknown = sorted(set(details).difference(known))
    if unknown:
        key = unknown[0]
        return key, (
            f"key '{key}' does not exist; choose one of: {', '.join(known)}."
            f"{did_you_mean(key, known)}"
        )
    setting = next(each for each in table.settings if each.key in details)
    return setting.key, _value_sentence(setting, details[setting.key])


def _value_sentence(setting: Setting, error: ErrorDetails) -> str:
    key, value = setting.key, error["input"]
    if error["type"] == "missing":
        return f"{key} is missing; add a line '{key} = ...'"
    if error["type"] == "literal_error" and isinstance(value, str):
        words = setting.words()
        return (
            f"{key} {_shown(value)} does not exist; choose one of: {', '.join(words)}."
            f"{did_you_mean(value, words)}"
        )
    bounds = {
        "greater_than_equal": ("at least", setting.minimum),
        "greater_than": ("larger than", setting.exclusive_minimum),
        "less_than_equal": ("at most", setting.maximum),
    }
    if error["type"] in bounds:
        word, bound = bounds[error["type"]]
        unit = " s" if setting.type == "duration" else ""
        if setting.type in ("integer", "integers"):
            return f"{key} is {value}, but must be {word} {_whole(bound)}"
        number = _duration(value) if unit else value
        return f"{key} is {number:.12g}{unit}, but must be {word} {bound:.12g}{unit}"
    if setting.type == "duration" and "no whole milliseconds" in error["msg"]:
        number = _duration(value)
        return f"{key} is {number:.12g} s, but a duration is a whole number of milliseconds"
    if setting.type == "grid" and "too large" in error["msg"]:
        return (
            f"{key} {_shown(value)} has 2^31 cells or more, which a 32-bit index cannot count; "
            "give a smaller grid"
        )
    return f"{key} is {_shown(value)}, but must be {_KINDS[setting.type]}"


def _shown(value: object) -> str:
    """As it was probably written in the file; a sentence stays on its line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, str):
        return "'" + re.sub("[\x00-\x1f\x7f]", lambda c: f"\\u{ord(c[0]):04x}", value) + "'"
    return "a table" if isinstance(value, dict) else _moment(value)
