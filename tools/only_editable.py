# SPDX-License-Identifier: Apache-2.0
"""Refuses to build a wheel: the command line builds and runs the programs of its checkout
(docs/decisions/0010).
"""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class OnlyEditable(BuildHookInterface):  # type: ignore[type-arg]
    """hatchling calls it before it builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            sys.exit(
                "thalweg: error: there is no wheel of Thalweg, whose command line builds and runs "
                "the programs of its checkout; clone it and call './thalweg', or "
                "'pip install --editable' the clone"
            )
