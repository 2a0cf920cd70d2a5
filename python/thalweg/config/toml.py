# SPDX-License-Identifier: Apache-2.0
"""TOML as typed values: read by the standard library (tomli before Python 3.11), written by
tomli-w.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import date, time
from typing import TypeAlias

import tomli_w

if sys.version_info >= (3, 11):
    from tomllib import TOMLDecodeError
    from tomllib import loads as _loads
else:
    from tomli import TOMLDecodeError
    from tomli import loads as _loads

TomlValue: TypeAlias = (
    bool | int | float | str | date | time | list["TomlValue"] | dict[str, "TomlValue"]
)  # a datetime is a date
TomlTable: TypeAlias = dict[str, TomlValue]

__all__ = ["TOMLDecodeError", "TomlTable", "TomlValue", "dumps", "loads"]


def loads(text: str) -> TomlTable:
    """Raises TOMLDecodeError; also for integers that TOML's 64 bits do not hold."""
    try:
        content: TomlTable = _loads(text)
    except RecursionError:
        raise TOMLDecodeError("values lie too deep in each other") from None
    except TOMLDecodeError:
        raise
    except ValueError:  # of int(): thousands of digits
        raise TOMLDecodeError("an integer does not fit into 64 bits by far") from None
    for number in _integers(content):
        if not -(2**63) <= number < 2**63:
            raise TOMLDecodeError(f"the integer {number} does not fit into 64 bits")
    return content


def dumps(content: Mapping[str, object]) -> str:
    return tomli_w.dumps(content)


def _integers(value: TomlValue) -> Iterator[int]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _integers(each)
    elif isinstance(value, list):
        for each in value:
            yield from _integers(each)
    elif isinstance(value, int):
        yield value
