# SPDX-License-Identifier: Apache-2.0
"""Combinations of processes and restart settings at which ICON stops, or which change nothing.

Rules are those of ICON's own checks: restartWritingParameters (configure_model/mo_io_config),
check_parallel_configuration (mo_parallel_config), compute_restart_settings (mo_time_management).
"""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.advisor.icon_processes import Items
from thalweg.advisor.icon_restart import MODES, NEEDS_PROCESSES, Processes, interval_or_none
from thalweg.advisor.icon_run import IconRun
from thalweg.advisor.items import Section, Settings
from thalweg.config.calendars import SECOND_MS
from thalweg.errors import did_you_mean

MOST_IO_PROCESSES = 256  # MAX_NUM_IO_PROCS of ICON 2024; older ones have 100
_RESTART_FILE_TYPES = (4, 5)  # netCDF-2 and -4
_PIO_TYPES = (1, 2)  # classic I/O ranks, CDI-PIO
_STRONG_DAMPING = 24  # nonhydrostatic_nml/divdamp_order, which changes in the first hours
_DAMPED_MS = 9_000_000  # 2 h 30 min


def process_warnings(settings: Settings, run: IconRun, found: Processes) -> Iterator[str]:
    if found.open:
        wanted = ", ".join(f"'{name}' ({place})" for name, place in found.open.items())
        how = " ".join(f"--set {name}=VALUE" for name in found.open if name.isidentifier())
        yield f"no stream needs them, but the script leaves open: {wanted}; give {how or 'values'}"
    parallel = settings.section("parallel_nml")
    yield from _numbers(parallel, found)
    yield from _modes(settings.section("io_nml"), parallel, found)
    yield from _intervals(settings, run, found)
    if found.restart.sets and found.restart.bytes_per_set is None:
        yield (
            "bytes of a restart set are not told by the namelists: give --bytes-per-restart "
            "BYTES, such as those of one that an earlier run wrote"
        )


def _numbers(section: Section, found: Processes) -> Iterator[str]:
    items = found.parallel
    for name in ("num_io_procs", "num_restart_procs", "num_prefetch_proc"):
        number = items.integer(name)
        if number is not None and number < 0:
            taken = "" if name == "num_prefetch_proc" else ", and ICON takes it as 0"
            yield f"{section.place(name)}: {name} is {number}{taken}; give 0 or more"
    if (number := items.integer("num_io_procs") or 0) > MOST_IO_PROCESSES:
        yield _stops(section, "num_io_procs", f"is {number}, more than {MOST_IO_PROCESSES}")
    if (number := items.integer("num_prefetch_proc") or 0) > 1:
        yield _stops(
            section, "num_prefetch_proc", f"is {number}; there is one such process or none"
        )
    if (number := items.integer("proc0_shift") or 0) < 0:
        yield _stops(section, "proc0_shift", f"is {number}; give 0 or more")
    yield from _one_of(section, items, "pio_type", _PIO_TYPES)
    radar = items.integer("num_io_procs_radar") or 0
    if radar and "num_io_procs_radar" not in found.set_aside and not found.open_aside:
        yield (
            f"{section.place('num_io_procs_radar')}: num_io_procs_radar is {radar}, and ICON sets "
            "it to 0, since luse_radarfwo of '&run_nml' is not .TRUE."
        )
    is_float64 = found.restart.items.values["lnetcdf_flt64_output"]
    if is_float64 and items.values["use_dp_mpi2io"] is False and section.has("use_dp_mpi2io"):
        yield (
            f"{section.place('use_dp_mpi2io')}: use_dp_mpi2io is set to .TRUE. by ICON, since "
            "lnetcdf_flt64_output is: 8 bytes a value travel to the I/O processes"
        )


def _one_of(section: Section, items: Items, name: str, allowed: tuple[int, ...]) -> Iterator[str]:
    number = items.integer(name)
    if number is not None and number not in allowed:
        words = " or ".join(map(str, allowed))
        yield f"{section.place(name)}: {name} is {number}, which does not exist; give {words}"


def _modes(section: Section, parallel: Section, found: Processes) -> Iterator[str]:
    items, mode = found.restart.items, found.restart.mode
    processes = found.parallel.integer("num_restart_procs")
    place = section.place("restart_write_mode")
    if mode is not None and mode not in MODES:
        yield (
            f"{place}: restart_write_mode '{mode}' does not exist: ICON stops; choose one of: "
            f"{', '.join(MODES)}.{did_you_mean(mode, MODES)}"
        )
    if mode in NEEDS_PROCESSES and processes == 0:
        yield (
            f"{place}: restart_write_mode '{mode}' needs restart processes, and "
            "num_restart_procs is 0: ICON stops; give num_restart_procs, or another mode"
        )
    if mode == "sync" and processes:
        yield (
            f"{parallel.place('num_restart_procs')}: restart_write_mode 'sync' takes no restart "
            f"processes, and num_restart_procs is {processes}: ICON stops; set it to 0"
        )
    if mode in NEEDS_PROCESSES and processes and not found.restart.sets:
        yield (
            f"{parallel.place('num_restart_procs')}: {processes} restart processes would wait "
            "for nothing: this run writes no restart; set num_restart_procs to 0"
        )
    yield from _one_of(section, items, "restart_file_type", _RESTART_FILE_TYPES)
    streams = items.integer("nrestart_streams")
    if streams is not None and streams < 1:
        yield f"{section.place('nrestart_streams')}: nrestart_streams is {streams}; give 1 or more"
    if streams is not None and streams > 1 and mode in MODES and mode != MODES[-1]:
        yield (
            f"{section.place('nrestart_streams')}: nrestart_streams is {streams}, which only "
            f"restart_write_mode '{MODES[-1]}' looks at; '{mode}' takes 1"
        )


def _intervals(settings: Settings, run: IconRun, found: Processes) -> Iterator[str]:
    control, old = settings.section("master_time_control_nml"), settings.section("io_nml")
    time = settings.section("time_nml")
    pairs = (
        (control, "checkpointtimeintval", old, "dt_checkpoint"),
        (control, "restarttimeintval", time, "dt_restart"),
    )
    for section, new_item, other, old_item in pairs:
        if section.is_open(new_item) or other.is_open(old_item) or not section.has(new_item):
            continue
        new, seconds = interval_or_none(section.text(new_item)), other.number(old_item, 0.0)
        if new is not None and seconds > 0.0 and new.nominal_ms() != int(seconds) * SECOND_MS:
            yield (
                f"{other.place(old_item)}: {old_item} is {seconds:g} s and {new_item} "
                f"'{section.text(new_item)}': ICON stops where they differ; keep one"
            )
    checkpoint = found.restart.checkpoint
    if checkpoint is None:
        return
    length_ms = checkpoint.nominal_ms()
    place = control.place("checkpointtimeintval") if control.has("checkpointtimeintval") else (
        old.place("dt_checkpoint"))  # fmt: skip
    if not checkpoint.months and length_ms % run.step_ms:
        yield (
            f"{place}: the checkpoint interval of {length_ms / SECOND_MS:g} s is no multiple of "
            f"the time step of {run.step_ms / SECOND_MS:g} s; give one that is"
        )
    damping = settings.section("nonhydrostatic_nml")
    if damping.is_open("divdamp_order"):
        return
    if length_ms < _DAMPED_MS and damping.integer("divdamp_order", 0) == _STRONG_DAMPING:
        yield (
            f"{place}: a checkpoint interval below 2.5 hours does not go with divdamp_order = "
            f"{_STRONG_DAMPING}: ICON stops; give a longer one, or another order"
        )
    for domain in run.domains[1:]:
        if domain.begin_ms > 0 and domain.begin_ms == length_ms:
            yield (
                f"{place}: the first checkpoint falls on the start of nest {domain.number}: ICON "
                "stops; change one of them"
            )


def _stops(section: Section, name: str, what: str) -> str:
    return f"{section.place(name)}: {name} {what}: ICON stops; correct it"
