# SPDX-License-Identifier: Apache-2.0
"""The settings of one table, complete and checked; asking for a wrong name or type is our bug."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thalweg.config.durations import format_duration
from thalweg.config.settings_list import SettingsTable, SettingValue


@dataclass(frozen=True)
class SettingValues:
    """One table of an experiment with every setting present, as SettingTable in C++."""

    table: SettingsTable
    values: Mapping[str, SettingValue]

    def text(self, key: str) -> str:
        value = self.values[key]
        assert isinstance(value, str), key
        return value

    def integer(self, key: str) -> int:
        value = self.values[key]
        assert isinstance(value, int), key
        return value

    def number(self, key: str) -> float:
        """Also the seconds of a duration."""
        value = self.values[key]
        assert isinstance(value, int | float), key
        return float(value)

    def texts(self, key: str) -> list[str]:
        value = self.values[key]
        assert isinstance(value, list), key
        return [str(each) for each in value]

    def integers(self, key: str) -> list[int]:
        value = self.values[key]
        assert isinstance(value, list), key
        return [int(each) for each in value]

    def to_toml(self) -> dict[str, SettingValue]:
        """As an experiment file holds them: durations as ISO 8601 where that is exact."""
        return {
            setting.key: _duration(self.number(setting.key))
            if setting.type == "duration"
            else self.values[setting.key]
            for setting in self.table.settings
        }


def _duration(value_s: float) -> SettingValue:
    text = format_duration(value_s)
    return text if text.startswith("P") else value_s
