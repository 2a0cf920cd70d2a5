# SPDX-License-Identifier: Apache-2.0
"""`thalweg settings` and `thalweg modes`: what the list of settings says."""

from __future__ import annotations

import json
from dataclasses import asdict

from thalweg.cli.table import print_entries
from thalweg.config.page import allowed_text, default_text, write_settings_page
from thalweg.config.settings_list import Setting, settings_list


def print_settings(as_json: bool, markdown: bool) -> None:
    tables = settings_list().values()
    if markdown:
        print(write_settings_page())
    elif as_json:
        print(json.dumps([asdict(each) for table in tables for each in table.settings], indent=1))
    else:
        for table in tables:
            print(f"[[{table.name}]]" if table.repeated else f"[{table.name}]", table.meaning)
            for setting in table.settings:
                print("  " + _line(setting))


def _line(setting: Setting) -> str:
    about = [setting.type, f"default {default_text(setting)}"]
    about += [text for text in (setting.unit, allowed_text(setting)) if text]
    return f"{setting.key}: {setting.meaning} ({'; '.join(about)})"


def print_modes(as_json: bool) -> None:
    """Output modes, restart modes and containers: allowed words of three settings, each with its
    part of the meaning ("word: meaning; ...").
    """
    entries = []
    for kind, table, key in (
        ("output mode", "io", "mode"),
        ("restart mode", "restart", "mode"),
        ("container", "output", "container"),
    ):
        setting = settings_list()[table].setting(key)
        assert setting is not None
        meanings = dict(part.split(": ", 1) for part in setting.meaning.split("; "))
        entries += [
            {"kind": kind, "name": name, "meaning": meanings[name]} for name in setting.allowed
        ]
    print_entries(entries, as_json)
