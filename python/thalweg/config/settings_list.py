# SPDX-License-Identifier: Apache-2.0
"""Reads settings.toml, the one list of every setting of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from thalweg.config import toml
from thalweg.config.checkout import ROOT

SETTINGS_PATH = ROOT / "settings.toml"


@dataclass(frozen=True)
class Setting:
    """One line of the list; `default` is None where the setting must be given."""

    table: str
    key: str
    type: str  # text, integer, number, flag, duration, date, grid, texts, integers
    meaning: str
    default: Any = None
    unit: str = ""
    icon: str = ""
    allowed: tuple[str, ...] = ()
    minimum: float | None = None
    exclusive_minimum: float | None = None


@dataclass(frozen=True)
class SettingsTable:
    """One table of an experiment and its settings in the order of the list."""

    name: str
    meaning: str
    repeated: bool
    settings: tuple[Setting, ...]

    def keys(self) -> list[str]:
        return [setting.key for setting in self.settings]

    def setting(self, key: str) -> Setting | None:
        return next((setting for setting in self.settings if setting.key == key), None)


@cache
def settings_list(path: Path = SETTINGS_PATH) -> dict[str, SettingsTable]:
    """Every table by name, in the order of the file."""
    content = toml.loads(path.read_text(encoding="utf-8"))
    settings = [
        Setting(**{**entry, "allowed": tuple(entry.get("allowed", ()))})
        for entry in content["setting"]
    ]
    return {
        entry["name"]: SettingsTable(
            name=entry["name"],
            meaning=entry["meaning"],
            repeated=entry.get("repeated", False),
            settings=tuple(setting for setting in settings if setting.table == entry["name"]),
        )
        for entry in content["table"]
    }
