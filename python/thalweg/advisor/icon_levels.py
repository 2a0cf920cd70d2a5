# SPDX-License-Identifier: Apache-2.0
"""Levels of a variable in a stream: axes of the model, cut by m_levels, or the levels asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.advisor.icon_variables import Variable
from thalweg.advisor.items import Section, Settings
from thalweg.errors import ThalwegError
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.arithmetic import arithmetic
from thalweg.shell.values.variables import Variables

SOIL_LAYERS = 8  # of TERRA, where lnd_nml/zml_soil gives no others
SNOW_LAYERS = 2  # lnd_nml/nlev_snow
ICE_CLASSES = 1  # sea_ice_nml/kice
_HEIGHTS = {"n_wshear": ("wshear_uv_heights", 2), "n_srh": ("srh_heights", 2)}  # of io_nml
_LEVEL_ITEMS = {"pl": "p_levels", "hl": "h_levels", "il": "i_levels"}
_ALL = "all"
_ZEROS = re.compile(r"\b0+(?=[0-9])")


@dataclass(frozen=True)
class Levels:
    """Of one stream on one domain. chosen: model levels that m_levels keeps, or None for all."""

    settings: Settings
    level_type: str
    full: int
    asked: int
    chosen: frozenset[int] | None

    def count(self, variable: Variable) -> int | None:
        """Values per point; None where the length of an axis is not known."""
        if variable.extra == "?":
            return None
        times = int(variable.extra or 1)
        if self.level_type != "ml":
            return self.asked * times
        length = self._axis(variable.levels)
        if length is None or length == 1 or self.chosen is None:
            return None if length is None else length * times
        kept = sum(1 <= level <= length for level in self.chosen)
        is_long = variable.levels in ("nlev", "nlev+1")
        if not is_long and kept < len(self.chosen):  # the selection does not fit a short axis
            kept = length
        return kept * times

    def _axis(self, levels: str) -> int | None:
        name, _, more = levels.partition("+")
        length: int | None = None
        if name.isdecimal():
            length = int(name)
        elif name == "nlev":
            length = self.full
        elif name == "nsoil":
            length = len(self.settings.section("lnd_nml").numbers("zml_soil")) or SOIL_LAYERS
        elif name == "nsnow":
            length = self.settings.section("lnd_nml").integer("nlev_snow", SNOW_LAYERS)
        elif name == "nice":
            length = self.settings.section("sea_ice_nml").integer("kice", ICE_CLASSES)
        elif name in _HEIGHTS:
            item, default = _HEIGHTS[name]
            length = len(self.settings.section("io_nml").numbers(item)) or default
        return None if length is None else length + int(more or 0)


def levels_of(settings: Settings, section: Section, level_type: str, full: int) -> Levels:
    """Raises where a list on pressure, height or isentropic levels has no levels."""
    if level_type == "ml":
        return Levels(settings, level_type, full, 0, _chosen(section, full))
    item = _LEVEL_ITEMS[level_type]
    asked = len(section.numbers(item))
    if asked == 0 and not section.is_open(item):
        raise section.wrong(f"{level_type}_varlist", f"needs {item}; give these levels")
    return Levels(settings, level_type, full, asked, None)


def _chosen(section: Section, full: int) -> frozenset[int] | None:
    """ "1,3,5...nlev/2" -> levels; ; and , separate, nlev and nlevp1 are numbers."""
    text = section.text("m_levels").lower()
    if not text or text == _ALL:
        return None
    levels: set[int] = set()
    for part in re.split(r"[,;]", text):
        ends = [_number(end, full) for end in part.split("...")]
        if not part.strip() and len(ends) == 1:
            continue
        if len(ends) > 2 or None in ends:
            raise _wrong(section, part)
        first, last = int(ends[0] or 0), int(ends[-1] or 0)
        if not 1 <= first <= last <= full + 1:
            raise _wrong(section, part)
        levels.update(range(first, last + 1))
    return frozenset(levels)


def _number(text: str, full: int) -> int | None:
    text = text.strip().replace("nlevp1", f"({full}+1)").replace("nlev", f"({full})")
    value = arithmetic(_ZEROS.sub("", text), Variables())
    return int(value) if text and not has_unresolved(value) else None


def _wrong(section: Section, part: str) -> ThalwegError:
    return section.wrong(
        "m_levels", f"has '{part.strip()}'; give levels from 1 to nlev+1 such as '1,5...nlev'"
    )
