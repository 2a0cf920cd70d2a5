# SPDX-License-Identifier: Apache-2.0
"""Items of `&output_nml`, and slips of the pen in them, in items of others and names of groups.

Source: the namelist overview of ICON, and `mo_name_list_output_init`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from thalweg.advisor.icon_processes import PARALLEL, RESTART
from thalweg.advisor.items import Section
from thalweg.config.namelist import Group
from thalweg.errors import did_you_mean

_BY_LEVEL_TYPE = ("pe_placement", "stream_partitions")
LEVEL_TYPES = ("ml", "pl", "hl", "il")
ITEMS = frozenset(
    {
        "additional_days", "dom", "file_interval", "filename_extn",
        "filename_format", "filetype",
        "h_levels", "i_levels", "include_last", "m_levels", "mode", "north_pole", "operation",
        "output_bounds", "output_end", "output_filename", "output_grid", "output_interval",
        "output_start", "output_time_unit", "p_levels", "rbf_scale", "ready_directory",
        "ready_file", "reg_def_mode", "reg_lat_def", "reg_lon_def", "remap", "steps_per_file",
        "steps_per_file_inclfirst", "taxis_tunit",
        *(f"{kind}_varlist" for kind in LEVEL_TYPES),
        *(f"{item}_{kind}" for item in _BY_LEVEL_TYPE for kind in LEVEL_TYPES),
    }
)  # fmt: skip
# Of other groups those that are read here; ICON has more, whose names are not as near as this.
_READ: Mapping[str, frozenset[str]] = {
    "run_nml": frozenset(
        {"num_lev", "nsteps", "dtime", "output", "iforcing", "ltransport", "modeltimestep"}
    ),
    "parallel_nml": frozenset(PARALLEL),
    "io_nml": frozenset({*RESTART, "output_nml_dict", "linvert_dict", "lflux_avg"}),
    "grid_nml": frozenset(
        {"dynamics_grid_filename", "dynamics_parent_grid_id", "start_time", "end_time"}
    ),
    "time_nml": frozenset({"dt_restart", "ini_datetime_string", "end_datetime_string"}),
    "master_time_control_nml": frozenset(
        {"experimentstartdate", "experimentstopdate", "checkpointtimeintval", "restarttimeintval"}
    ),
    "nwp_phy_nml": frozenset({"inwp_gscp", "inwp_surface", "inwp_turb"}),
    "lnd_nml": frozenset({"ntiles", "lsnowtile", "lmulti_snow", "llake"}),
    "gribout_nml": frozenset({"lgribout_24bit"}),
}
_NEAR = 0.84
_NOT_MEANT = ("gridref_nml",)  # a group of ICON whose name is near to another one
_OPERATIONS = ("mean", "max", "min", "square", "")


def slips_of_stream(section: Section) -> Iterator[str]:
    """What ICON stops at, or what has no stream though somebody may have meant one."""
    for name, item in section.group.items.items():
        if name not in ITEMS:
            yield (
                f"{section.group.file}:{item.line}: '&output_nml' has no item '{name}' that is "
                f"known here: ICON stops where it has none.{did_you_mean(name, ITEMS)}"
            )
    lists = [f"{kind}_varlist" for kind in LEVEL_TYPES]
    if not any(section.texts_to_blank(name) or section.is_open(name) for name in lists):
        yield (
            f"{section.place()}: no varlist of this '&output_nml' has a first name, so it writes "
            "nothing"
        )
    operation = section.text("operation").lower()
    if operation not in _OPERATIONS and not section.is_open("operation"):
        known = ", ".join(each for each in _OPERATIONS if each)
        yield (
            f"{section.place('operation')}: operation '{operation}' is not one of ICON's that are "
            f"known here: {known}"
        )


def slips_of_groups(groups_of_files: Mapping[str, Sequence[Group]]) -> Iterator[str]:
    """Groups that are almost one that is read here. Others have groups of their own."""
    names = {group.name for groups in groups_of_files.values() for group in groups}
    for groups in groups_of_files.values():
        for group in groups:
            if group.name in (*_READ, "output_nml", *_NOT_MEANT):
                continue
            known, near = {*names, *_READ, "output_nml"} - {group.name}, 0.6
            if group.name.endswith("_nml"):  # as all are called, so it has to be nearer
                known, near = {*_READ, "output_nml"}, _NEAR
            meant = get_close_matches(group.name, sorted(known), 1, near)
            if meant:
                yield (
                    f"{group.file}:{group.line}: ICON reads no group '&{group.name}' that is known "
                    f"here. Did you mean '{meant[0]}'?"
                )


def slips_of_items(groups_of_files: Mapping[str, Sequence[Group]]) -> Iterator[str]:
    """Items that are almost one that is read here, where that one is not given."""
    for groups in groups_of_files.values():
        given = {(group.name, item) for group in groups for item in group.items}
        for name, item in sorted(given):
            near = get_close_matches(item, _READ.get(name, ()), 1, _NEAR)
            if item in _READ.get(name, ()) or not near or (name, near[0]) in given:
                continue
            group = next(each for each in groups if each.name == name and item in each.items)
            yield (
                f"{group.file}:{group.items[item].line}: '&{name}' has an item '{item}' that is "
                f"not known here, and no '{near[0]}': ICON stops where it has none. Did you mean "
                f"'{near[0]}'?"
            )
