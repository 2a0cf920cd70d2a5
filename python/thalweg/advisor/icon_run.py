# SPDX-License-Identifier: Apache-2.0
"""What a whole ICON run has: its time, its step, its domains with meshes and levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from thalweg.advisor.icon_meshes import Mesh, mesh_of_cells, mesh_of_file, mesh_of_name, torus
from thalweg.advisor.items import Section, Settings
from thalweg.advisor.words import many
from thalweg.config.calendars import LONGEST_MS, SECOND_MS, Calendar, Interval, parse_interval
from thalweg.config.run_script import RunScript
from thalweg.errors import ThalwegError
from thalweg.shell.unresolved import unresolved_names

DEFAULT_STEP_S = 600.0  # run_nml/dtime
DEFAULT_LEVELS = 31  # run_nml/num_lev
_ANY_START = "2000-01-01"  # where lengths matter and dates do not
_FOREVER_S = 1e12  # grid_nml/end_time is 1e30 for nests without an end
_MOST_LEVELS = 100_000
_MOST_DOMAINS = 10  # max_dom
_OLD_CALENDARS = {0: 365, 1: 0, 2: 360}  # time_nml/calendar -> days of a year; 0 = Gregorian


@dataclass(frozen=True)
class Domain:
    """A global grid or a nest; it writes from begin_ms to end_ms after the start of the run."""

    number: int
    mesh: Mesh
    levels: int
    begin_ms: int
    end_ms: int | None
    depth: int = 0  # of nests it lies in, itself one: each has half the time step of its parent


@dataclass(frozen=True)
class IconRun:
    """Times in ms of the calendar; end_ms is that of the job that the script submits.

    start_known  False where no date of the start was needed yet: a run of nsteps is as long anyhow
    """

    settings: Settings
    calendar: Calendar
    start_ms: int
    start_known: bool
    end_ms: int
    step_ms: int
    domains: tuple[Domain, ...]
    warnings: tuple[str, ...]


def read_run(script: RunScript, settings: Settings, cells: Mapping[int, int]) -> IconRun:
    calendar = _calendar(settings)
    warnings: list[str] = []
    step_ms = _step(settings)
    given = _start(script, settings, calendar)
    start = calendar.parse(_ANY_START) if given is None else given
    end = _end(script, settings, calendar, start, step_ms)
    job = _job(script, settings, calendar, start)
    if job is not None and job < end:
        warnings.append(
            f"a job ends at {calendar.text(job)}, before the experiment does "
            f"({calendar.text(end)}): what is counted is the first job"
        )
        end = job
    master = settings.section("master_nml")
    if not master.is_open("lrestart") and master.flag("lrestart", False):
        warnings.append(
            f"{master.place('lrestart')}: lrestart is .TRUE.: the job goes on from the date of its "
            "restart file, which the script does not tell; outputs are counted from the start of "
            "the experiment"
        )
    domains = _domains(script, settings, cells, warnings)
    return IconRun(
        settings, calendar, start, given is not None, end, step_ms, domains, tuple(warnings)
    )  # fmt: skip


def _calendar(settings: Settings) -> Calendar:
    name = settings.section("master_time_control_nml").text("calendar").lower()
    if name:
        days = next((days for days in (365, 360) if name.startswith(str(days))), 0)
        return Calendar(days)
    return Calendar(_OLD_CALENDARS.get(settings.section("time_nml").integer("calendar", 1), 0))


def _step(settings: Settings) -> int:
    """Small planets have small steps where the run asks for it."""
    run, grid = settings.section("run_nml"), settings.section("grid_nml")
    step = run.number("dtime", DEFAULT_STEP_S) * SECOND_MS
    if run.text("modeltimestep"):
        step = interval_of(run, "modeltimestep").ms
    if grid.flag("lrescale_timestep", False):
        step *= grid.number("grid_rescale_factor", 1.0)
    if not 1 <= step <= LONGEST_MS:
        name = "modeltimestep" if run.has("modeltimestep") else "dtime"
        raise run.wrong(name, "is no time step of a model; correct it")
    return round(step)


def interval_of(section: Section, name: str) -> Interval:
    """A positive interval; one of months and all shorter ones."""
    try:
        interval = parse_interval(section.text(name))
    except ValueError as error:
        raise section.wrong(name, f"is wrong: {error}") from error
    if not interval.is_positive():
        raise section.wrong(name, f"is '{section.text(name)}'; give one longer than 0")
    return interval


def _given(
    script: RunScript, settings: Settings, items: tuple[tuple[str, str], ...], variables: str
) -> tuple[str, str]:
    """A text of the first item that is given, or else of a variable that the header of run scripts
    puts into the master namelist; with its place.
    """
    for group, item in items:
        section = settings.section(group)
        if section.has(item):
            return section.text(item), f"{section.place(item)}: {item}"
    for name in variables.split():
        value = script.variables.value(name)
        if value:
            for each in unresolved_names(value):
                settings.open.ask(each, f"variable {name}")
            open_ = bool(unresolved_names(value))
            return "" if open_ else value, f"{script.path.name}: variable '{name}'"
    return "", ""


def _date(calendar: Calendar, text: str, place: str) -> int:
    try:
        return calendar.parse(text)
    except ValueError as error:
        raise ThalwegError(f"{place}: {error}") from error


def _start(script: RunScript, settings: Settings, calendar: Calendar) -> int | None:
    items = (
        ("master_time_control_nml", "experimentstartdate"),
        ("time_nml", "ini_datetime_string"),
    )
    text, place = _given(script, settings, items, "start_date ini_date")
    return _date(calendar, text, place) if text else None


def ask_for_start(settings: Settings) -> None:
    settings.open.ask("start_date", "start of the run")


def _end(
    script: RunScript, settings: Settings, calendar: Calendar, start: int, step_ms: int
) -> int:
    run = settings.section("run_nml")
    steps = run.integer("nsteps", -1)
    if run.is_open("nsteps"):
        return start
    if steps >= 0:
        if steps * step_ms > LONGEST_MS:
            raise run.wrong("nsteps", f"is {steps}; a run of so many steps has no end")
        return start + steps * step_ms
    items = (
        ("master_time_control_nml", "experimentstopdate"),
        ("time_nml", "end_datetime_string"),
    )
    lead = settings.section("master_time_control_nml")
    if lead.has("forecastleadtime") and not lead.has("experimentstopdate"):
        text = lead.text("forecastleadtime")
        return calendar.add(start, interval_of(lead, "forecastleadtime")) if text else start
    text, place = _given(script, settings, items, "end_date")
    if not text:
        if not place:
            settings.open.ask("end_date", "end of the run")
        return start
    if _start(script, settings, calendar) is None:
        ask_for_start(settings)
        return start
    end = _date(calendar, text, place)
    if end < start:
        raise ThalwegError(f"{place}: the run would end ({text}) before it starts; correct one")
    return end


def _job(script: RunScript, settings: Settings, calendar: Calendar, start: int) -> int | None:
    """End of the first job: a restart is written and the model stops."""
    interval = restart_interval(script, settings)
    return None if interval is None else calendar.add(start, interval)


def restart_interval(script: RunScript, settings: Settings) -> Interval | None:
    """Of the time control, or of variables that the header of run scripts puts there."""
    if not settings.section("master_nml").flag("lrestart_write_last", True):
        return None
    control, old = settings.section("master_time_control_nml"), settings.section("time_nml")
    if control.has("restarttimeintval"):
        text = control.text("restarttimeintval")
        if not text or _is_nothing(text):
            return None
        return interval_of(control, "restarttimeintval")
    if old.has("dt_restart"):
        return _seconds(old.number("dt_restart", 0.0))
    if settings.has("master_time_control_nml") or settings.has("time_nml"):
        return None
    for name in unresolved_names(script.variables.value("restart_interval") or ""):
        settings.open.ask(name, "restart_interval, at which a job ends")
    text = script.variables.known("restart_interval") or ""
    try:
        interval = parse_interval(text)
    except ValueError:
        seconds = script.variables.known("dt_restart") or ""
        return _seconds(float(seconds)) if seconds.replace(".", "", 1).isdecimal() else None
    return interval if interval.is_positive() else None


def _is_nothing(text: str) -> bool:
    """An interval of no time: no restarts, as an interval of checkpoints is."""
    try:
        return not parse_interval(text).is_positive() and "-" not in text
    except ValueError:
        return False


def _seconds(length_s: float) -> Interval | None:
    return Interval(0, round(min(length_s * SECOND_MS, LONGEST_MS))) if length_s > 0 else None


def _domains(
    script: RunScript, settings: Settings, cells: Mapping[int, int], warnings: list[str]
) -> tuple[Domain, ...]:
    grid, run = settings.section("grid_nml"), settings.section("run_nml")
    names = [name for text in grid.texts("dynamics_grid_filename") for name in text.split(",")]
    if not names:
        if not grid.is_open("dynamics_grid_filename"):
            raise grid.wrong("dynamics_grid_filename", "is not given; name the file of each grid")
        names = ["?"]
    levels = [DEFAULT_LEVELS if each is None else each for each in run.integers("num_lev")]
    levels = levels or [DEFAULT_LEVELS]
    if len(names) > _MOST_DOMAINS:
        raise grid.wrong(
            "dynamics_grid_filename", f"has {len(names)} grids; ICON has {_MOST_DOMAINS} at most"
        )
    begins, ends = grid.elements("start_time"), grid.elements("end_time")
    parents = [_whole(each) for each in grid.elements("dynamics_parent_grid_id")]
    own_levels = run.flag("lvert_nest", False)
    for count in levels:
        if not 1 <= count <= _MOST_LEVELS:
            raise run.wrong("num_lev", f"is {count}; give 1 to {_MOST_LEVELS}")
    for number in cells:
        if not 0 <= number <= len(names):
            raise ThalwegError(f"--cells {number}=...: the run has {many(len(names), 'domain')}")
    meshes = [_mesh(script, settings, name, i, cells) for i, name in enumerate(names, 1)]
    warnings += _defaults(run)
    warnings += _other_cells(script, grid, names, cells)
    unknown = [i for i, mesh in enumerate(meshes, 1) if mesh is None]
    if unknown:
        told = " ".join(f"--cells {i}=N" for i in unknown)
        raise ThalwegError(
            f"{grid.place('dynamics_grid_filename')}: no number of cells is told by "
            f"{', '.join(repr(names[i - 1]) for i in unknown)}; give {told}, or lay the grid "
            "files beside the script"
        )
    domains: list[Domain] = []
    for i, mesh in enumerate(mesh for mesh in meshes if mesh is not None):
        count = levels[min(i, len(levels) - 1)] if own_levels else levels[0]
        nested = i > 0
        begin = _at(begins, i, 0.0) if nested else 0.0
        end = _at(ends, i, _FOREVER_S) if nested else _FOREVER_S
        parent = int(_at(parents, i, float(i)))
        domains.append(
            Domain(
                i + 1,
                mesh,
                count,
                round(min(max(begin, 0.0), _FOREVER_S) * SECOND_MS),
                None if end >= _FOREVER_S else round(max(end, 0.0) * SECOND_MS),
                domains[parent - 1].depth + 1 if 1 <= parent <= i else 0,
            )
        )
    return tuple(domains)


def _at(values: Sequence[float | None], i: int, default: float) -> float:
    value = values[i] if i < len(values) else None
    return default if value is None else value


def _whole(value: float | None) -> float | None:
    return None if value is None else float(round(value))


def _defaults(run: Section) -> Iterator[str]:
    """What ICON takes where run_nml does not say."""
    if not (run.has("dtime") or run.has("modeltimestep")):
        yield f"{run.place()}: there is no dtime: ICON's own of {DEFAULT_STEP_S:g} s is counted"
    if not run.has("num_lev"):
        yield f"{run.place()}: there is no num_lev: ICON's own of {DEFAULT_LEVELS} is counted"


def _other_cells(
    script: RunScript, grid: Section, names: Sequence[str], cells: Mapping[int, int]
) -> Iterator[str]:
    """Of --cells, where the name of a global grid tells another number."""
    limited = grid.flag("l_limited_area", False)
    for number, name in enumerate(names, 1):
        given = _given_cells(cells, number)
        target = script.links.get(name.rpartition("/")[2], "") or name
        told = mesh_of_name(target, limited=limited or number > 1)
        if given is not None and told is not None and told.cells != given:
            yield (
                f"{grid.place('dynamics_grid_filename')}: '{target}' is the name of a grid with "
                f"{told.cells} cells, and --cells says {given}, which are counted"
            )


def _given_cells(cells: Mapping[int, int], number: int) -> int | None:
    return cells.get(number, cells.get(0) if number == 1 else None)


def _mesh(
    script: RunScript, settings: Settings, name: str, number: int, cells: Mapping[int, int]
) -> Mesh | None:
    """--cells first, then a grid file that is there, then its name and that behind its link."""
    given = _given_cells(cells, number)
    target = script.links.get(name.rpartition("/")[2], "")
    if given is not None:
        return mesh_of_cells(target or name, given)
    for each in (name, target):
        path = script.beside(each)
        mesh = mesh_of_file(path) if path else None
        if mesh is not None:
            return mesh
    grid = settings.section("grid_nml")
    limited = number == 1 and grid.flag("l_limited_area", False)
    for each in (name, target):
        mesh = mesh_of_name(each, limited=limited or number > 1) if each else None
        if mesh is not None:
            return mesh
    if name == "?":
        return torus(1, 1)  # the name of the grid is asked for already
    return None
