# SPDX-License-Identifier: Apache-2.0
"""Items of ICON that say who writes and how: parallel_nml, and those of restart files, as read.

Defaults are those of the source that the table of variables was made from, and of its facts; an
item without a certain one has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thalweg.advisor.items import Section, Settings
from thalweg.shell.unresolved import unresolved_names

Shown = bool | int | float | str | None
PARALLEL: Mapping[str, Shown] = {
    "num_io_procs": 0,
    "num_restart_procs": 0,
    "nproma": None,  # 0 in one place of ICON, 1 in another
    "num_prefetch_proc": 1,
    "num_io_procs_radar": 0,
    "proc0_shift": 0,
    "pio_type": 1,
    "use_dp_mpi2io": False,
    "restart_chunk_size": -1,
    "io_process_stride": -1,
}
RESTART: Mapping[str, Shown] = {
    "restart_write_mode": "",
    "nrestart_streams": 1,
    "restart_file_type": 4,
    "lnetcdf_flt64_output": False,
    "dt_checkpoint": 0.0,
    "write_last_restart": False,
}
_TEXTS, _REALS = frozenset({"restart_write_mode"}), frozenset({"dt_checkpoint"})
_DEFAULT, _NO_DEFAULT = "default", "not given, and its default is not certain"
_READABLE = {"parallel_nml": PARALLEL, "io_nml": RESTART}
_NUDGED_GLOBE = 2  # nudging_nml/nudge_type
# What decides of ranks that neither compute nor write.
_DECIDES = (
    ("grid_nml", "l_limited_area"), ("nudging_nml", "nudge_type"), ("limarea_nml", "itype_latbc"),
    ("run_nml", "luse_radarfwo"), ("parallel_nml", "p_test_run"),
)  # fmt: skip
_TAKE_RANKS = ("num_prefetch_proc", "num_io_procs_radar", "proc0_shift")


@dataclass
class Items:
    """values    None where it is not known
    sources      where each comes from: a line, "default", or the name of what is open
    open         names that the script leaves open -> where
    """

    values: dict[str, Shown] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)

    def integer(self, name: str) -> int | None:
        value = self.values[name]
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def text(self, name: str) -> str | None:
        value = self.values[name]
        return value if isinstance(value, str) else None


def read_items(settings: Settings, group: str) -> Items:
    """Of "parallel_nml" or "io_nml". No stream needs them: what is open is noted, not refused."""
    section = settings.section(group)
    found = Items()
    for name, default in _READABLE[group].items():
        if section.is_open(name):
            label = section.label(name)
            found.values[name], found.sources[name] = None, f"open: {label}"
            found.open = {**open_names(section, name), **found.open}
        elif not _is_given(section, name):
            found.values[name] = default
            found.sources[name] = _DEFAULT if default is not None else _NO_DEFAULT
        else:
            found.values[name] = _value(section, name, default)
            found.sources[name] = section.place(name)
    return found


def _is_given(section: Section, name: str) -> bool:
    """An empty text is given, too."""
    item = section.group.items.get(name)
    return item is not None and any(value is not None for value in item.values)


def open_names(section: Section, name: str) -> dict[str, str]:
    """What an item needs and the script does not tell -> where it is needed."""
    item = section.group.items.get(name)
    texts = [value for value in item.values if isinstance(value, str)] if item else []
    names = [each for text in texts for each in unresolved_names(text)]
    return dict.fromkeys(names, f"{section.place(name)}, {name}")


def ranks_set_aside(settings: Settings, parallel: Items) -> tuple[dict[str, int], dict[str, str]]:
    """Ranks by item, and what decides of others and is open -> where. The prefetch rank reads
    boundaries of a limited area, or of a globe that is nudged, where there are any (ICON's
    mo_nml_crosscheck); radar ranks are there with luse_radarfwo.
    """
    deciding = {item: settings.section(group) for group, item in _DECIDES}
    open_: dict[str, str] = {}
    for item, section in deciding.items():
        open_ |= open_names(section, item) if section.is_open(item) else {}
    for item in _TAKE_RANKS:
        open_ |= {n: at for n, at in parallel.open.items() if at.endswith(f", {item}")}
    known = {item: section.known() for item, section in deciding.items()}
    has_edges = known["l_limited_area"].flag("l_limited_area", False)
    is_nudged = _NUDGED_GLOBE in known["nudge_type"].integers("nudge_type")
    reads = known["itype_latbc"].integer("itype_latbc", 0) != 0
    is_there = {
        "proc0_shift": True,
        "num_io_procs_radar": any(known["luse_radarfwo"].flags("luse_radarfwo")),
        "num_prefetch_proc": (has_edges or is_nudged) and reads,
    }
    found = {item: parallel.integer(item) or 0 for item, is_one in is_there.items() if is_one}
    found["p_test_run"] = int(known["p_test_run"].flag("p_test_run", False))
    return {item: ranks for item, ranks in found.items() if ranks > 0}, open_


def _value(section: Section, name: str, default: Shown) -> Shown:
    if name in _TEXTS:
        return section.text(name).strip()
    if name in _REALS:
        return section.number(name, 0.0)
    if isinstance(default, bool):
        return section.flag(name, default)
    return section.integer(name, 0)
