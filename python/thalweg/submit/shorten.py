# SPDX-License-Identifier: Apache-2.0
"""Lines of a test run: those of the script with a way to run, an earlier end, and timers on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from thalweg.advisor.command import Told
from thalweg.advisor.icon_run import IconRun
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.items import Settings
from thalweg.advisor.proposing.changes import Change, change_of, changes_of
from thalweg.advisor.proposing.patch import changed_lines, text_of
from thalweg.advisor.proposing.situation import Choice, situation_of
from thalweg.config.durations import format_duration
from thalweg.config.run_script import RunScript
from thalweg.errors import ThalwegError
from thalweg.submit.length import Length
from thalweg.submit.trials import Trial

_TIMERS_LEVEL = 10  # of run_nml: from here on the report has output, restarts and exchange
_ENDS = (("master_time_control_nml", "experimentstopdate"), ("time_nml", "end_datetime_string"))

Variables = dict[str, str]  # of the script, and what they are set to


def short_lines(
    script: RunScript, answer: Answer, told_of: Told, trial: Trial, length: Length
) -> tuple[list[str], list[str], Answer]:
    """Lines of the script, what was changed in words, and what the run would write.

    Raises a sentence where the script cannot be changed so.
    """
    run = answer.runs[0]
    settings = run.settings
    changes = [] if trial.as_it_is else changes_of(settings.groups, answer.streams, trial.way)
    changes += _timers(settings)
    variables: Variables = {}
    changes += _end(script, run, length, variables)
    changes += _interval(script, settings, length.checkpoint_ms, _CHECKPOINT, variables)
    changes += _interval(script, settings, length.restart_ms, _RESTART, variables)
    changed = changed_lines(script, settings.groups, changes)
    name = script.path.name
    if others := [each for each in changed if each != name]:
        raise ThalwegError(
            f"what test runs change is in '{others[0]}', beside '{name}'; put that namelist into "
            "the script as a here-document"
        )
    lines = list(changed.get(name, text_of(script, name).lines))
    for variable, value in variables.items():
        lines = with_variable(lines, variable, value)
    again = told_of({name: lines})
    _check(script, answer, again, trial, length)
    said = [f"&{each.group_name} {each.item} = {each.value}" for each in changes]
    return lines, [*said, *(f"{key}={value}" for key, value in variables.items())], again


def assigns(lines: Sequence[str], variable: str) -> bool:
    return any(_assignment(variable).match(line) for line in lines)


def with_variable(lines: Sequence[str], variable: str, value: str) -> list[str]:
    """Each assignment of it that begins a line."""
    pattern = _assignment(variable)
    return [
        f"{match[1]}{value}{match[3]}" if (match := pattern.match(line)) else line
        for line in lines
    ]  # fmt: skip


def _assignment(variable: str) -> re.Pattern[str]:
    """What is before the value, the value, and what follows it."""
    value = r"(?:\"[^\"]*\"|'[^']*'|\$\([^)]*\)|`[^`]*`|\$\{[^}]*\}|[^\s;#&|'\"`])*"
    return re.compile(rf"(\s*(?:export\s+|readonly\s+)?{variable}=)({value})(.*)")


def _timers(settings: Settings) -> Iterator[Change]:
    run = settings.section("run_nml")
    if not run.flag("ltimer", True):
        yield change_of(settings.groups, "run_nml", "ltimer", ".TRUE.")
    if run.integer("timers_level", 1) < _TIMERS_LEVEL:
        yield change_of(settings.groups, "run_nml", "timers_level", str(_TIMERS_LEVEL))


def _end(
    script: RunScript, run: IconRun, length: Length, variables: Variables
) -> Iterator[Change]:  # fmt: skip
    """Where the script has it: steps, a lead time, a date of a namelist or of a variable."""
    settings, groups = run.settings, run.settings.groups
    if length.run_ms >= run.end_ms - run.start_ms:
        return
    if settings.section("run_nml").integer("nsteps", -1) >= 0:
        yield change_of(groups, "run_nml", "nsteps", str(length.run_ms // run.step_ms))
        return
    lead = settings.section("master_time_control_nml")
    if lead.has("forecastleadtime") and not lead.has("experimentstopdate"):
        text = f"'{format_duration(length.run_ms / 1000.0)}'"
        yield change_of(groups, lead.group.name, "forecastleadtime", text)
        return
    date = run.calendar.text(run.start_ms + length.run_ms)
    assigned = assigns(text_of(script, script.path.name).lines, "end_date")
    for name, item in _ENDS:
        section = settings.section(name)
        if section.has(item):
            if not assigned or section.text(item) != script.variables.known("end_date"):
                yield change_of(groups, name, item, f"'{date}'")
                return
            break
    if not assigned:
        raise ThalwegError(
            f"{script.path.name}: the end of the run is set nowhere in it; write end_date=DATE "
            "into the script"
        )
    variables["end_date"] = f'"{date}"'


# Items and variables of an interval, in the order in which they count.
_CHECKPOINT = (
    ("master_time_control_nml", "checkpointtimeintval"), ("io_nml", "dt_checkpoint"),
    ("", "checkpoint_interval"),
)  # fmt: skip
_RESTART = (
    ("master_time_control_nml", "restarttimeintval"), ("time_nml", "dt_restart"),
    ("", "restart_interval"), ("", "dt_restart"),
)  # fmt: skip


def _interval(
    script: RunScript, settings: Settings, length_ms: int, places: Sequence[tuple[str, str]],
    variables: Variables,
) -> Iterator[Change]:  # fmt: skip
    """The first of the places that the script has. length_ms: 0 = it stays."""
    if not length_ms:
        return
    seconds = length_ms / 1000.0
    lines = text_of(script, script.path.name).lines
    for group, item in places:
        value = f"{seconds:g}" if item.startswith("dt_") else f"'{format_duration(seconds)}'"
        if not group and assigns(lines, item):
            variables[item] = value
            return
        if group and settings.section(group).has(item):
            yield change_of(settings.groups, group, item, value)
            return
    raise ThalwegError(
        f"{script.path.name}: {places[-1][1]} is set nowhere in it, and test runs need another; "
        "write it into the script"
    )


def _check(
    script: RunScript, before: Answer, after: Answer, trial: Trial, length: Length
) -> None:  # fmt: skip
    """The changed script must have the length, and the partitions of each stream."""
    run, name = after.runs[0], script.path.name
    if run.end_ms - run.start_ms != length.run_ms:
        raise ThalwegError(
            f"{name}: the end of the run is set in a way that is not changed here; write "
            "end_date=DATE into the script"
        )
    wanted = dict(
        zip((each.name for each in before.streams if each.outputs), trial.way.partitions,
            strict=True)
    )  # fmt: skip
    found = {each.name: each.partitions for each in after.streams}
    situation, choice = situation_of(after), trial.way.choice
    if not situation.sets:  # neither has the run
        choice = Choice(choice.io_ranks)
    if situation.chosen != choice or any(found.get(each) != n for each, n in wanted.items()):
        raise ThalwegError(
            f"{name}: with the lines of '{trial.name}' it would still have "
            f"{situation.chosen or 'what is open'} and partitions {found}, since it sets them "
            "elsewhere, too"
        )
