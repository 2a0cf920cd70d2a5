# SPDX-License-Identifier: Apache-2.0
"""Applies `--set table.key=value` to an experiment that has been read but not yet checked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.config import toml
from thalweg.config.settings_list import settings_list
from thalweg.config.toml import TomlTable, TomlValue
from thalweg.errors import ThalwegError, did_you_mean

_TOO_LARGE_FOR_TOML = re.compile(r"[+-]?[1-9][0-9]{18,99}")  # 64 bits hold all shorter ones
_FORM = "write --set table.key=value or --set output.NAME.key=value"


@dataclass(frozen=True)
class Override:
    """One `--set`; `stream` is the name or number of an output, "" = every output."""

    table: str
    stream: str
    key: str
    value: TomlValue

    @staticmethod
    def parse(text: str) -> Override:
        """Splits "table.key=value"; the value is read as TOML, or as bare text where that fails."""
        path, equals, value = text.partition("=")
        parts = [part.strip() for part in path.split(".")]
        if not equals or len(parts) < 2 or not all(parts):
            raise ThalwegError(f"--set '{text}' is not a setting; {_FORM}")
        tables = settings_list()
        if parts[0] not in tables:
            raise ThalwegError(
                f"--set '{text}': table '{parts[0]}' does not exist; choose one of: "
                f"{', '.join(tables)}.{did_you_mean(parts[0], tables)}"
            )
        table = tables[parts[0]]
        if len(parts) > 2 and not table.repeated:
            raise ThalwegError(f"--set '{text}' is not a setting; {_FORM}")
        setting = table.setting(parts[-1])
        kind = setting.type if setting else "text"
        return Override(table.name, ".".join(parts[1:-1]), parts[-1], _value(value.strip(), kind))

    def apply(self, given: dict[str, list[TomlTable]]) -> list[TomlTable]:
        """Writes the value into the table (or tables) it names and returns those."""
        targets = given[self.table]
        if self.stream:
            targets = [self._output(targets)]
        for target in targets:
            target[self.key] = self.value
        return targets

    def _output(self, outputs: list[TomlTable]) -> TomlTable:
        names = [str(output.get("name", "out")) for output in outputs]
        if self.stream in names:
            return outputs[names.index(self.stream)]
        if self.stream.isdecimal() and int(self.stream) < len(outputs):
            return outputs[int(self.stream)]
        raise ThalwegError(
            f"--set output.{self.stream}.{self.key}: output '{self.stream}' does not exist; "
            f"choose one of: {', '.join(names) or '(none)'}.{did_you_mean(self.stream, names)}"
        )


def _value(text: str, kind: str) -> TomlValue:
    if kind in ("text", "grid", "date"):
        return text.strip("\"'")
    try:
        return toml.loads(f"value = {text}")["value"]
    except toml.TOMLDecodeError:
        if kind == "integer" and _TOO_LARGE_FOR_TOML.fullmatch(text):
            return int(text)  # its range is told
        if kind == "duration":
            return text.strip("\"'")
        return [part.strip() for part in text.split(",")] if kind == "texts" else text
