# SPDX-License-Identifier: Apache-2.0
"""An experiment: experiment.toml checked against the settings list, every setting present."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from thalweg.config import toml
from thalweg.config.durations import format_duration
from thalweg.config.errors import ThalwegError, did_you_mean
from thalweg.config.models import error_sentence, table_model
from thalweg.config.overrides import Override
from thalweg.config.settings_list import Setting, settings_list


@dataclass(frozen=True)
class Experiment:
    """Checked settings. Durations are seconds, dates ISO 8601 text in UTC.

    path     the file it was read from
    tables   [grid] [model] [time] [io] [machine] by name
    outputs  one per [[output]]
    """

    path: Path
    tables: dict[str, BaseModel]
    outputs: tuple[BaseModel, ...]

    @staticmethod
    def read(path: Path | str, overrides: Sequence[str] = ()) -> Experiment:
        """Reads and checks a file after `--set`. Raises one sentence, as the C++ reader does."""
        path = Path(path)
        content = _parse(path)
        _check_shape(path.name, content)
        origins: dict[tuple[int, str], str] = {}
        for override in [Override.parse(text) for text in overrides]:
            for target in override.apply(content):
                origins[id(target), override.key] = "--set"
        tables = {
            name: _checked(path.name, name, content.get(name, {}), origins)
            for name, table in settings_list().items()
            if not table.repeated
        }
        outputs = [_checked(path.name, "output", each, origins) for each in content["output"]]
        experiment = Experiment(path, tables, tuple(outputs))
        _check_names(path.name, experiment)
        return experiment

    def value(self, table: str, key: str) -> Any:
        return getattr(self.tables[table], key)

    def text(self, table: str, key: str) -> str:
        return str(self.value(table, key))

    def integer(self, table: str, key: str) -> int:
        return int(self.value(table, key))

    def number(self, table: str, key: str) -> float:
        """Also the seconds of a duration."""
        return float(self.value(table, key))

    def output_tables(self) -> list[dict[str, Any]]:
        """Every [[output]] as a dictionary."""
        return [output.model_dump() for output in self.outputs]

    def stream_names(self) -> list[str]:
        return [str(output["name"]) for output in self.output_tables()]

    def to_toml(self) -> str:
        """The whole experiment as TOML, every setting written out."""
        lines = ["# Written by thalweg: every setting of this run.", ""]
        for name, table in settings_list().items():
            models = self.outputs if table.repeated else (self.tables[name],)
            for model in models:
                lines.append(f"[[{name}]]" if table.repeated else f"[{name}]")
                for setting in table.settings:
                    value = getattr(model, setting.key)
                    lines.append(f"{setting.key} = {_toml_value(setting, value)}")
                lines.append("")
        return "\n".join(lines)


def _parse(path: Path) -> dict[str, Any]:
    try:
        return toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ThalwegError(
            f"experiment file '{path}' cannot be read ({error.strerror}); check its path"
        ) from error
    except UnicodeDecodeError as error:
        raise ThalwegError(f"experiment file '{path}' is not UTF-8 text; check its path") from error
    except toml.TOMLDecodeError as error:
        raise ThalwegError(f"{path.name}: {error}; correct this line (see toml.io)") from error


def _check_shape(file_name: str, content: dict[str, Any]) -> None:
    """Every top-level name is a known table, repeated exactly where the list says so."""
    tables = settings_list()
    for name, found in content.items():
        if name not in tables:
            what = "table" if isinstance(found, dict | list) else "top-level key"
            raise ThalwegError(
                f"{file_name}: {what} '{name}' does not exist; choose one of: "
                f"{', '.join(tables)}.{did_you_mean(name, tables)}"
            )
        is_list = isinstance(found, list) and all(isinstance(each, dict) for each in found)
        if tables[name].repeated and not is_list:
            raise ThalwegError(
                f"{file_name}: '{name}' must be a list of tables; "
                f"write [[{name}]] on a line of its own"
            )
        if not tables[name].repeated and not isinstance(found, dict):
            raise ThalwegError(
                f"{file_name}: '{name}' must be one table; "
                f"write [{name}] on a line of its own, once"
            )
    content.setdefault("output", [])


def _checked(
    file_name: str, name: str, values: dict[str, Any], origins: dict[tuple[int, str], str]
) -> BaseModel:
    try:
        return table_model(name)(**values)
    except ValidationError as error:
        key, sentence = error_sentence(settings_list()[name], error)
        where = origins.get((id(values), key), file_name)
        raise ThalwegError(f"{where} [{name}]: {sentence}") from error


def _check_names(file_name: str, experiment: Experiment) -> None:
    """Two streams of one name would write the same files."""
    names = experiment.stream_names()
    for name in names:
        if names.count(name) > 1:
            raise ThalwegError(
                f"{file_name} [[output]]: two streams have the name '{name}'; "
                "give each its own name"
            )


def _toml_value(setting: Setting, value: Any) -> str:
    if setting.type == "duration":
        text = format_duration(value)
        return text if not text.startswith("P") else f'"{text}"'
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)
