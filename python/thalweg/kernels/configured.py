# SPDX-License-Identifier: Apache-2.0
"""Configurations of kernels from TOML files."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from thalweg.config.toml import TOMLDecodeError, loads
from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError, did_you_mean


def read_configuration(path: Path) -> Configuration:
    """Some of the keys of Configuration. Raises a sentence that names what is wrong."""
    try:
        table = loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThalwegError(f"cannot read '{path}': {error.strerror}") from None
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise ThalwegError(f"'{path}' is no TOML: {error}") from None
    known = [each.name for each in fields(Configuration)]
    for key in table:
        if key not in known:
            raise ThalwegError(
                f"'{path}': key '{key}' does not exist; there are: {', '.join(known)}."
                f"{did_you_mean(key, known)}"
            )
    try:
        return Configuration().changed(**table)
    except ThalwegError as error:
        raise ThalwegError(f"'{path}': {error.sentence}") from None
