# SPDX-License-Identifier: Apache-2.0
"""An experiment: experiment.toml checked against the settings list, every setting present."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from thalweg.config import toml
from thalweg.config.models import error_sentence, table_model
from thalweg.config.overrides import Override
from thalweg.config.setting_values import SettingValues
from thalweg.config.settings_list import settings_list
from thalweg.config.toml import TomlTable
from thalweg.errors import ThalwegError, did_you_mean


@dataclass(frozen=True)
class Experiment:
    """Checked settings. Durations are seconds, dates ISO 8601 text in UTC.

    path        the file it was read from
    tables      [grid] [model] [time] [io] [restart] [machine] by name
    outputs     one per [[output]]
    overridden  (table, key) of every `--set`
    """

    path: Path
    tables: dict[str, SettingValues]
    outputs: tuple[SettingValues, ...]
    overridden: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    @staticmethod
    def read(path: Path | str, overrides: Sequence[str] = ()) -> Experiment:
        """Reads and checks a file after `--set`. Raises one sentence, as the C++ reader does."""
        path = Path(path)
        content = _parse(path)
        given = _checked_shape(path.name, content)
        origins: dict[tuple[int, str], str] = {}
        chosen = [Override.parse(text) for text in overrides]
        for override in chosen:
            for target in override.apply(given):
                origins[id(target), override.key] = "--set"
        checked = {
            name: tuple(_checked(path.name, name, each, origins) for each in tables)
            for name, tables in given.items()
        }
        experiment = Experiment(
            path,
            {name: tables[0] for name, tables in checked.items() if name != "output"},
            checked["output"],
            frozenset((override.table, override.key) for override in chosen),
        )
        _check_names(path.name, experiment)
        return experiment

    def text(self, table: str, key: str) -> str:
        return self.tables[table].text(key)

    def integer(self, table: str, key: str) -> int:
        return self.tables[table].integer(key)

    def number(self, table: str, key: str) -> float:
        """Also the seconds of a duration."""
        return self.tables[table].number(key)

    def stream_names(self) -> list[str]:
        return [output.text("name") for output in self.outputs]

    def doubts(self) -> list[str]:
        """Sentences about what may be a slip of the pen and is no error."""
        return [
            f"[[output]] '{output.text('name')}': variable '{word}' is given {times} times; it is "
            "written once"
            for output in self.outputs
            for word, times in Counter(output.texts("variables")).items()
            if times > 1
        ]

    def to_toml(self) -> str:
        """The whole experiment as TOML, every setting written out."""
        content = {
            name: [each.to_toml() for each in self.outputs]
            if table.repeated
            else self.tables[name].to_toml()
            for name, table in settings_list().items()
        }
        return "# Written by thalweg: every setting of this run.\n\n" + toml.dumps(content)


def _parse(path: Path) -> TomlTable:
    try:
        return toml.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ThalwegError(
            f"experiment file '{path}' cannot be read ({error.strerror}); check its path"
        ) from error
    except UnicodeDecodeError as error:
        raise ThalwegError(f"experiment file '{path}' is not UTF-8 text; check its path") from error
    except toml.TOMLDecodeError as error:
        raise ThalwegError(f"{path.name}: {error}; correct this line (see toml.io)") from error


def _checked_shape(file_name: str, content: TomlTable) -> dict[str, list[TomlTable]]:
    """The tables by name in the order of the list, one of each that is not repeated. Every
    top-level name is a known table, repeated exactly where the list says so.
    """
    tables = settings_list()
    given: dict[str, list[TomlTable]] = {
        name: [] if table.repeated else [{}] for name, table in tables.items()
    }
    for name, found in sorted(content.items()):
        found_tables = [each for each in found if isinstance(each, dict)] if isinstance(
            found, list) else []  # fmt: skip
        is_list = isinstance(found, list) and len(found_tables) == len(found)
        if name not in tables:
            if name == "sweep":
                raise ThalwegError(
                    f"{file_name} is a sweep, not an experiment; run it by `thalweg sweep`"
                )
            is_table = isinstance(found, dict) or (is_list and found_tables)
            what = "table" if is_table else "top-level key"
            raise ThalwegError(
                f"{file_name}: {what} '{name}' does not exist; choose one of: "
                f"{', '.join(tables)}.{did_you_mean(name, tables)}"
            )
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
        given[name] = [found] if isinstance(found, dict) else found_tables
    return given


def _checked(
    file_name: str, name: str, given: TomlTable, origins: dict[tuple[int, str], str]
) -> SettingValues:
    table = settings_list()[name]
    try:
        return SettingValues(table, table_model(name)(**given).model_dump())
    except ValidationError as error:
        key, sentence = error_sentence(table, error)
        where = origins.get((id(given), key), file_name)
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
