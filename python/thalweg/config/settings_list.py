# SPDX-License-Identifier: Apache-2.0
"""Reads settings.toml, the one list of every setting of an experiment."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, StrictStr

from thalweg.config import toml
from thalweg.config.checkout import ROOT

SETTINGS_PATH = ROOT / "settings.toml"

# After checking: durations are seconds, dates and grids are text.
SettingValue: TypeAlias = (
    StrictBool | StrictInt | StrictFloat | StrictStr | list[StrictStr] | list[StrictInt]
)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Word(_Entry):
    """A word that a setting may be."""

    word: str
    meaning: str


class Setting(_Entry):
    """One entry of the list; `default` is None where the setting must be given.

    allowed            the permitted words; none of them: any
    listed_by          the command that lists the permitted words, which a table of the program has
    minimum, maximum   the range of a number, or of each of a list
    """

    table: str
    key: str
    meaning: str
    type: str = "text"  # or integer, number, flag, duration, date, grid, texts, integers
    default: SettingValue | None = None
    unit: str = ""
    icon: str = ""
    allowed: tuple[Word, ...] = ()
    listed_by: str = ""
    minimum: float | None = None
    exclusive_minimum: float | None = None
    maximum: float | None = None

    def words(self) -> tuple[str, ...]:
        return tuple(each.word for each in self.allowed)

    @property
    def is_number(self) -> bool:
        return self.type in ("integer", "number", "duration", "integers")


class SettingsTable(_Entry):
    """One table of an experiment and its settings in the order of the list."""

    name: str
    meaning: str
    repeated: bool = False
    settings: tuple[Setting, ...] = ()

    def keys(self) -> list[str]:
        return [setting.key for setting in self.settings]

    def setting(self, key: str) -> Setting | None:
        return next((setting for setting in self.settings if setting.key == key), None)


class _File(_Entry):
    table: tuple[SettingsTable, ...]
    setting: tuple[Setting, ...]


@cache
def settings_list(path: Path = SETTINGS_PATH) -> dict[str, SettingsTable]:
    """Every table by name, in the order of the file."""
    content = _File.model_validate(toml.loads(path.read_text(encoding="utf-8")))
    return {
        table.name: table.model_copy(
            update={"settings": tuple(s for s in content.setting if s.table == table.name)}
        )
        for table in content.table
    }
