# SPDX-License-Identifier: Apache-2.0
"""Configurations of kernels from TOML files."""

from __future__ import annotations

from pathlib import Path

from thalweg.config.toml import TOMLDecodeError, loads
from thalweg.dsl.configuration import Configuration, configuration_of
from thalweg.errors import ThalwegError


def read_configuration(path: Path, **options: str | None) -> Configuration:
    """Some of the keys of Configuration; `options` that are not None stand in their place. Raises a
    sentence that names what is wrong.
    """
    try:
        if path.exists() and not path.is_file():
            raise ThalwegError(f"'{path}' is no file")
        table = loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThalwegError(f"cannot read '{path}': {error.strerror}") from None
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise ThalwegError(f"'{path}' is no TOML: {error}") from None
    try:
        given = {key: each for key, each in options.items() if each is not None}
        return configuration_of({**table, **given})
    except ThalwegError as error:
        raise ThalwegError(f"'{path}': {error.sentence}") from None
