# SPDX-License-Identifier: Apache-2.0
"""Writes docs/settings.md from the settings list, one section per table of an experiment."""

from __future__ import annotations

import json
from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.config.durations import format_duration, parse_duration_s
from thalweg.config.settings_list import Setting, settings_list

PAGE_PATH = ROOT / "docs" / "settings.md"
_HEADER = """# Settings of an experiment

Written from `settings.toml` by `thalweg settings --markdown`; a test compares the two.
A duration is ISO 8601 text (`"PT1H"`, `"P1DT6H"`) or a number of seconds. Months and years have no
fixed length: write days, as `"P30D"`.
Change one for a single run with `--set table.key=value`. Of the streams, `--set output.key=value`
changes all and `--set output.NAME.key=value` the one of that name; a number counts them from 0.
"""
_COLUMNS = ("name", "type", "unit", "default", "allowed", "ICON", "meaning")


def allowed_text(setting: Setting) -> str:
    """What a setting may be, in words: "serial, async", "1 to 9", "> 0 to 9", or ""."""
    if setting.listed_by:
        return f"see `{setting.listed_by}`"
    if setting.allowed:
        return ", ".join(setting.words())
    if setting.exclusive_minimum is not None:
        return f"> {setting.exclusive_minimum:.12g} to {setting.maximum:.12g}"
    if setting.minimum is not None:
        return f"{setting.minimum:.12g} to {setting.maximum:.12g}"
    return ""


def meaning_text(setting: Setting) -> str:
    """With that of each word."""
    words = "; ".join(f"{each.word} = {each.meaning}" for each in setting.allowed)
    return f"{setting.meaning}: {words}" if words else setting.meaning


def default_text(setting: Setting) -> str:
    """As it would stand in an experiment; durations with their units."""
    if setting.default is None:
        return "(must be given)"
    if setting.type == "duration":
        return json.dumps(format_duration(parse_duration_s(str(setting.default))))
    return json.dumps(setting.default)


def settings_page() -> str:
    """The whole page as Markdown."""
    parts = [_HEADER]
    for table in settings_list().values():
        title = f"[[{table.name}]]" if table.repeated else f"[{table.name}]"
        parts.append(f"\n## {title}\n\n{table.meaning}\n\n")
        parts.append("| " + " | ".join(_COLUMNS) + " |\n" + "|---" * len(_COLUMNS) + "|\n")
        parts += [_row(setting) for setting in table.settings]
    return "".join(parts)


def _row(setting: Setting) -> str:
    cells = (
        f"`{setting.key}`",
        setting.type,
        setting.unit or ("s" if setting.type == "duration" else ""),
        f"`{default_text(setting)}`",
        allowed_text(setting),
        f"`{setting.icon}`" if setting.icon else "",
        meaning_text(setting),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def write_settings_page() -> Path:
    PAGE_PATH.write_text(settings_page(), encoding="utf-8")
    return PAGE_PATH
