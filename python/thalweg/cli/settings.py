# SPDX-License-Identifier: Apache-2.0
"""`thalweg settings`: what the list of settings says."""

from __future__ import annotations

import json

from thalweg.config.page import allowed_text, default_text, meaning_text, write_settings_page
from thalweg.config.settings_list import Setting, settings_list


def print_settings(as_json: bool, markdown: bool) -> None:
    tables = settings_list().values()
    if markdown:
        print(write_settings_page())
    elif as_json:
        entries = [each.model_dump() for table in tables for each in table.settings]
        print(json.dumps(entries, indent=1, ensure_ascii=False))
    else:
        for table in tables:
            print(f"[[{table.name}]]" if table.repeated else f"[{table.name}]", table.meaning)
            for setting in table.settings:
                print("  " + _line(setting))


def _line(setting: Setting) -> str:
    about = [setting.type, f"default {default_text(setting)}"]
    about += [text for text in (setting.unit, allowed_text(setting)) if text]
    return f"{setting.key}: {meaning_text(setting)} ({'; '.join(about)})"
