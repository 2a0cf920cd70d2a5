# SPDX-License-Identifier: Apache-2.0
"""Builds one pydantic model per table of the settings list; a wrong value becomes a sentence."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from thalweg.config.durations import parse_duration_s
from thalweg.config.errors import did_you_mean
from thalweg.config.settings_list import Setting, SettingsTable, settings_list

_GRID = re.compile(r"R(\d{1,9})B(\d{1,9})")
_LARGEST_CELL_COUNT = 2**31  # global cell numbers fit a 32-bit integer in the file
_KINDS = {
    "text": "a text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "duration": 'a duration, for example "PT1H", "P1DT6H" or a number of seconds',
    "date": 'a date in UTC, for example "2000-01-01T00:00:00Z"',
    "grid": 'a grid RnBk with n >= 1 and k >= 0, for example "R2B4"',
    "texts": 'a list of texts, for example ["ta", "ua"]',
    "integers": "a list of whole numbers, for example [1, 2, 3]",
}


def _duration(value: Any) -> float:
    if isinstance(value, str):
        return parse_duration_s(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueError("not a duration")


def _date(value: Any) -> str:
    """ISO 8601 text; TOML's own date type is taken as well. A date without zone is UTC."""
    if isinstance(value, datetime):
        text = value.isoformat()
    elif isinstance(value, date):
        text = f"{value.isoformat()}T00:00:00"
    elif isinstance(value, str):
        text = value
    else:
        raise ValueError("not a date")
    # Python 3.10 does not know the letter Z
    moment = datetime.fromisoformat(text.removesuffix("Z"))
    return moment.replace(tzinfo=None).isoformat() + "Z"


def _grid(value: Any) -> str:
    match = _GRID.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[1]) < 1:
        raise ValueError("not a grid")
    n, k = int(match[1]), int(match[2])
    if k > 31 or 20 * n * n * 4**k >= _LARGEST_CELL_COUNT:
        raise ValueError("too large")
    return match[0]


def _python_type(setting: Setting) -> Any:
    """The annotated type pydantic checks a setting with. Strict: "3" is not a number."""
    limits = Field(ge=setting.minimum, gt=setting.exclusive_minimum, allow_inf_nan=False)
    strict = Field(strict=True)
    if setting.type == "text" and setting.allowed:
        return Literal[setting.allowed]
    types: dict[str, Any] = {
        "text": Annotated[str, strict],
        "integer": Annotated[int, strict, Field(ge=setting.minimum)],
        "number": Annotated[float, strict, limits],
        "flag": Annotated[bool, strict],
        "duration": Annotated[float, BeforeValidator(_duration), limits],
        "date": Annotated[str, BeforeValidator(_date)],
        "grid": Annotated[str, BeforeValidator(_grid)],
        "texts": Annotated[list[Annotated[str, strict, Field(min_length=1)]], Field(min_length=1)],
        "integers": list[Annotated[int, strict, Field(ge=setting.minimum)]],
    }
    return types[setting.type]


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

    The sentences are those of the C++ reader, src/base/settings_check.cpp; a test compares the two.
    """
    known = table.keys()
    details = sorted(error.errors(), key=lambda detail: str(detail["loc"][0]) in known)
    key = str(details[0]["loc"][0])
    setting = table.setting(key)
    if setting is not None:
        return key, _value_sentence(setting, details[0])
    return key, (
        f"key '{key}' does not exist; choose one of: {', '.join(known)}.{did_you_mean(key, known)}"
    )


def _value_sentence(setting: Setting, error: ErrorDetails) -> str:
    key, value = setting.key, error["input"]
    unit = " s" if setting.type == "duration" else ""
    if error["type"] == "missing":
        return f"{key} is missing; add a line '{key} = ...'"
    if error["type"] == "literal_error" and isinstance(value, str):
        return (
            f"{key} '{value}' does not exist; choose one of: {', '.join(setting.allowed)}."
            f"{did_you_mean(value, setting.allowed)}"
        )
    if error["type"] in ("greater_than_equal", "greater_than"):
        number = _duration(value) if unit else value
        bound = setting.minimum, setting.exclusive_minimum
        least = f"at least {bound[0]:g}" if bound[0] is not None else f"larger than {bound[1]:g}"
        return f"{key} is {number:g}{unit}, but must be {least}{unit}"
    if setting.type == "grid" and "too large" in error["msg"]:
        return f"{key} '{value}' has more cells than a 32-bit index can count; give a smaller grid"
    return f"{key} is {_shown(value)}, but must be {_KINDS[setting.type]}"


def _shown(value: Any) -> str:
    """As it was probably written in the file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    return f"'{value}'" if isinstance(value, str) else f"{value}"
