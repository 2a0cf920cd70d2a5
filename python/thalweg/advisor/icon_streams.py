# SPDX-License-Identifier: Apache-2.0
"""From a run script to all its output streams with their sizes, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from thalweg.advisor.icon_conditions import Conditions
from thalweg.advisor.icon_levels import levels_of
from thalweg.advisor.icon_meshes import lonlat
from thalweg.advisor.icon_names import Names, Resolved
from thalweg.advisor.icon_output_items import (
    LEVEL_TYPES,
    slips_of_groups,
    slips_of_items,
    slips_of_stream,
)
from thalweg.advisor.icon_process_rules import process_warnings
from thalweg.advisor.icon_restart import Processes, read_processes
from thalweg.advisor.icon_run import Domain, IconRun, read_run
from thalweg.advisor.icon_sample import Sample, with_levels_known
from thalweg.advisor.icon_stream import FILETYPES, Store, Stream, add_up
from thalweg.advisor.icon_times import GRIB2, schedule
from thalweg.advisor.icon_warnings import (
    file_name_warnings,
    placed_on_all,
    run_warnings,
    stream_warnings,
)
from thalweg.advisor.items import Open, Section, Settings
from thalweg.config.namelist import Group
from thalweg.config.run_script import RunScript
from thalweg.config.text_files import read_lines
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.shell.unresolved import unresolved_names

_SHARED_GROUPS = ("master_", "time_nml")  # of the master namelist, which all models share
_OTHER_MODELS = {"ocean_": "the ocean", "wave_": "waves"}  # groups that begin so -> whose they are
_MODEL_TYPES = {2: "the ocean"}  # of master_model_nml; 1 is the atmosphere
_DEFAULT_OUTPUT = "nml,totint"
_MOST_PARTITIONS = 10_000


@dataclass
class Answer:
    """runs, processes: of each atmosphere that the script has a namelist of

    other_models: namelist files of those that are not listed
    """

    streams: list[Stream] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    processes: list[Processes] = field(default_factory=list)
    runs: list[IconRun] = field(default_factory=list)
    other_models: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Found:
    stream: Stream
    section: Section
    domain: Domain
    resolved: Resolved


def find_streams(
    script: RunScript,
    cells: Mapping[int, int],
    given_bytes: Mapping[str, int],
    restart_bytes: int | None = None,
    sample: Sample = MappingProxyType({}),
) -> Answer:
    """given_bytes: bytes per output of streams by name, instead of those computed.

    restart_bytes: of a restart set, which the namelists do not tell
    sample: variables in files of earlier runs
    """
    answer = Answer()
    for name, places in script.doubtful.items():
        parts = ", ".join(dict.fromkeys(places))
        answer.warnings.append(
            f"{parts}: whether, or how often, what '{name}' has from here is written depends on "
            "what the script does not tell; it is counted once, with what else may be written"
        )
    answer.warnings += [
        *script.passed_over, *slips_of_groups(script.groups), *slips_of_items(script.groups)
    ]  # fmt: skip
    for settings in _models(script, answer):
        try:
            run = read_run(script, settings, cells)
            answer.warnings += run.warnings
            _add_streams(script, run, sample, answer)
            processes = read_processes(script, settings, run)
            restart = replace(processes.restart, bytes_per_set=restart_bytes)
            processes = replace(processes, restart=restart)
            answer.processes.append(processes)
            answer.runs.append(run)
            answer.warnings += process_warnings(settings, run, processes)
            answer.warnings += settings.unread()
        except ThalwegError as error:
            settings.open.refuse(script.cause())  # what was open may be why
            raise ThalwegError(f"{error}{script.cause()}") from error
        settings.open.refuse(script.cause())
    if len(answer.processes) > 1:
        answer.warnings.append(
            f"{script.path.name}: there are {len(answer.processes)} atmospheres: parallel and "
            "restart of --json are those of the first"
        )
    _give_bytes(answer, given_bytes)
    answer.warnings += [
        f"--set {name}: the script gives '{name}' values that differ ({', '.join(values)}): the "
        "given one stands for all of them"
        for name, values in script.settings_that_differ().items()
    ]
    answer.warnings += [
        f"--set {name}: '{script.path.name}' uses no variable '{name}'."
        f"{did_you_mean(name, script.variables.used)}"
        for name in script.unused_settings()
    ]
    answer.warnings = list(dict.fromkeys(answer.warnings))
    return answer


def _models(script: RunScript, answer: Answer) -> Iterator[Settings]:
    """Settings of each atmosphere: the groups of its file and those of the master namelist."""
    everything = [group for groups in script.groups.values() for group in groups]
    shared = [group for group in everything if group.name.startswith(_SHARED_GROUPS)]
    found = False
    opened = Open()
    types = _types_by_file(shared)
    for name, groups in script.groups.items():
        names = {group.name for group in groups}
        kind = types.get(name.rpartition("/")[2], 1)
        if not names & {"output_nml", "run_nml", "grid_nml"}:
            continue
        found = True
        whose = next(
            (
                text
                for begin, text in _OTHER_MODELS.items()
                if any(each.startswith(begin) for each in names)
            ),
            "" if kind == 1 else _MODEL_TYPES.get(kind, f"a model of type {kind}"),
        )
        if whose:
            answer.other_models.append(name)
            answer.warnings.append(
                f"'{name}' is a namelist of {whose}: its streams are not listed, since their "
                "variables are not known here"
            )
            continue
        others = [
            group for group in shared
            if group not in groups and not (group.name == "time_nml" and "time_nml" in names)
        ]  # fmt: skip
        doubtful = name in script.doubtful
        yield Settings(others + groups, script.path.name, opened, is_doubtful=doubtful)
    if not found:
        raise ThalwegError(
            f"{script.path.name}: there is no group '&run_nml', '&grid_nml' or '&output_nml' in "
            "it; give the script that writes the namelist of the atmosphere, or that namelist"
            f"{script.cause()}"
        )


def _open_names(sections: Sequence[Section], assigned: Container[str]) -> Iterator[str]:
    """Of what the last part of a stream's path has in it, and has no value that is known."""
    told: set[str] = set()
    for section in sections:
        item = section.group.items.get("output_filename")
        for value in item.values if item else ():
            last = value.rpartition("/")[2] if isinstance(value, str) else ""
            for name in unresolved_names(last):
                if name not in told and name.isidentifier():
                    told.add(name)
                    why = (
                        "whose value the script does not tell"
                        if name in assigned
                        else "which the script never sets: a misspelt name, or one from outside"
                    )
                    yield (
                        f"{section.place('output_filename')}: output_filename has '{name}' in it, "
                        f"{why}; streams are shown with it, or give --set {name}=VALUE"
                    )


def _types_by_file(shared: Sequence[Group]) -> dict[str, int]:
    """model_type of each namelist file that a master namelist names."""
    found = {}
    for group in shared:
        items = group.items
        if group.name == "master_model_nml" and {"model_type", "model_namelist_filename"} <= {
            *items
        }:
            name, kind = items["model_namelist_filename"].values[0], items["model_type"].values[0]
            if isinstance(name, str) and isinstance(kind, int):
                found[name.rpartition("/")[2]] = kind
    return found


def _add_streams(script: RunScript, run: IconRun, sample: Sample, answer: Answer) -> None:
    settings = run.settings
    sections = settings.repeated("output_nml")
    outputs = settings.section("run_nml").texts("output") or [_DEFAULT_OUTPUT]
    if "nml" not in ",".join(outputs).replace(" ", "").lower().split(","):
        answer.warnings.append(
            f"{settings.section('run_nml').place('output')}: 'nml' is not in output of "
            f"'&run_nml': ICON uses none of the {len(sections)} groups '&output_nml'"
        )
        return
    dictionary = _dictionary(script, settings, answer)
    bare = Names(Conditions(settings, (), run.step_ms), dictionary, (), {}, 0)
    asked = [
        word
        for section in sections
        for level_type in LEVEL_TYPES
        for word in section.texts_to_blank(f"{level_type}_varlist")
    ]
    requested = bare.translated(asked)
    tracers = settings.section("transport_nml").texts("tracer_names")
    names = {
        domain.number: Names(
            Conditions(settings, requested, run.step_ms, domain.number),
            dictionary,
            tracers,
            sample,
            domain.levels,
        )
        for domain in run.domains
    }
    answer.warnings += _open_names(sections, script.variables.assigned)
    for section in sections:
        answer.warnings += [*slips_of_stream(section), *_beyond(run, section)]
    found = [
        each
        for number, section in enumerate(sections, 1)
        for domain in _domains_of(run, section)
        for each in _streams_of(run, section, number, domain, names[domain.number])
    ]
    streams = _named([each.stream for each in found])
    answer.streams += streams
    for each, stream in zip(found, streams, strict=True):
        answer.warnings += stream_warnings(run, each.section, each.domain, stream, each.resolved)
    sections_of = [each.section for each in found]
    answer.warnings += file_name_warnings(list(zip(sections_of, streams, strict=True)))
    answer.warnings += [*run_warnings(streams), *placed_on_all(settings, streams)]


def _dictionary(script: RunScript, settings: Settings, answer: Answer) -> dict[str, str] | None:
    """Name in a varlist, in small letters -> name in ICON; None where it cannot be found."""
    section = settings.section("io_nml")
    if not section.has("output_nml_dict"):
        return {}
    name = section.label("output_nml_dict").rpartition("/")[2]
    target = script.links.get(name, name)
    path = script.beside(target) or script.beside(name)
    name = target if target in script.texts else name
    if name in script.texts:
        lines = [text for _, text in script.texts[name]]
    elif path is not None:
        lines = read_lines(path)
    else:
        answer.warnings.append(
            f"{section.place('output_nml_dict')}: the dictionary '{name}' does not lie beside the "
            "script: names in varlists are taken as ICON's own"
        )
        return None
    pairs = [line.replace("'", " ").replace('"', " ").partition("#")[0].split() for line in lines]
    swapped = section.flag("linvert_dict", False)
    columns = (1, 0) if swapped else (0, 1)
    return {
        pair[columns[0]].lower(): pair[columns[1]] for pair in pairs if len(pair) >= len(columns)
    }


def _beyond(run: IconRun, section: Section) -> Iterator[str]:
    for number in section.integers("dom"):
        if number is not None and number > len(run.domains):
            yield (
                f"{section.place('dom')}: there is no domain {number}, so nothing is written for "
                f"it; the run has {len(run.domains)}"
            )


def _domains_of(run: IconRun, section: Section) -> list[Domain]:
    numbers = [each for each in section.integers("dom") if each is not None and each > 0]
    if not numbers:
        return list(run.domains)
    return [run.domains[n - 1] for n in dict.fromkeys(numbers) if n <= len(run.domains)]


def _streams_of(
    run: IconRun,
    section: Section,
    number: int,
    domain: Domain,
    names: Names,
) -> Iterator[_Found]:
    for level_type in LEVEL_TYPES:
        words = section.texts_to_blank(f"{level_type}_varlist")
        if not words and section.is_open(f"{level_type}_varlist"):
            words = ["-"]
        if not words:
            continue
        remapped = section.integer("remap", 0) == 1
        resolved = names.resolve(words, level_type, remapped=remapped)
        stream, resolved = _stream(run, section, domain, level_type, resolved, names.sample)
        base = section.label("output_filename").rpartition("/")[2] or f"output_nml_{number}"
        stream = replace(stream, name=base, group_number=number)
        yield _Found(stream, section, domain, resolved)


def _stream(
    run: IconRun,
    section: Section,
    domain: Domain,
    level_type: str,
    resolved: Resolved,
    sample: Sample,
) -> tuple[Stream, Resolved]:
    settings = run.settings
    filetype = section.integer("filetype", 4)
    if filetype not in FILETYPES:
        raise section.wrong("filetype", f"is {filetype}; give {', '.join(map(str, FILETYPES))}")
    partitions = section.integer(f"stream_partitions_{level_type}", 1)
    if not 1 <= partitions <= _MOST_PARTITIONS:
        raise section.wrong(
            f"stream_partitions_{level_type}", f"is {partitions}; give 1 to {_MOST_PARTITIONS}"
        )
    remapped = section.integer("remap", 0) == 1
    if section.integer("remap", 0) not in (0, 1):
        raise section.wrong("remap", f"is {section.integer('remap', 0)}; give 0 or 1")
    mesh, points = lonlat(section) if remapped else (domain.mesh.name, domain.mesh.cells)
    levels = levels_of(settings, section, level_type, domain.levels)
    store = Store(
        domain.mesh,
        points if remapped else 0,
        filetype,
        filetype != GRIB2 and settings.section("io_nml").flag("lnetcdf_flt64_output", False),
        filetype == GRIB2 and settings.section("gribout_nml").flag("lgribout_24bit", False),
        section.flag("output_grid", False),
    )
    sums = add_up(resolved.variables, levels, store)
    if set(sums.unsized) & set(sample):
        resolved.sampled |= {name: sample[name].file for name in sums.unsized if name in sample}
        known = with_levels_known(resolved.variables, sums.unsized, sample, domain.levels)
        resolved.variables = known
        sums = add_up(resolved.variables, levels, store)
    for name in sums.unsized:
        resolved.unknown[name] = "has an axis whose length is not known here"
        del resolved.variables[name]
    places = {variable.place for variable in resolved.variables.values()}
    when = schedule(run, domain, section, partitions)
    stream = Stream(
        name="",
        place=section.place(),
        domain=domain.number,
        level_type=level_type,
        mesh=mesh,
        points=points,
        filetype=FILETYPES[filetype],
        operation=section.text("operation").lower(),
        partitions=partitions,
        interval=when.interval,
        interval_s=when.interval_s,
        outputs=when.outputs,
        files=when.files,
        variables=tuple(resolved.variables),
        unknown_variables=tuple(resolved.unknown),
        values_per_output=sums.values,
        bytes_per_output=sums.bytes_per_output,
        bytes_once_per_file=sums.bytes_once + store.coordinate_bytes(places, resolved.removed),
        value_bytes=store.value_bytes,
        placement=_placement(section, level_type, partitions),
        at_steps=when.at_steps,
        has_last=when.has_last,
    )
    return stream, resolved


def _placement(section: Section, level_type: str, partitions: int) -> tuple[int, ...]:
    """() where nothing is placed, or places are left open."""
    name = f"pe_placement_{level_type}"
    if section.is_open(name):
        return ()
    given = [-1 if each is None else each for each in section.integers(name)[:partitions]]
    given += [-1] * (partitions - len(given))
    return tuple(given) if any(each != -1 for each in given) else ()


def _named(streams: list[Stream]) -> list[Stream]:
    """Each has a name of its own: that of its files, with domain and levels where it needs them."""
    counts = Counter(stream.name for stream in streams)
    full = [
        f"{stream.name}_DOM{stream.domain:02}_{stream.level_type.upper()}"
        if counts[stream.name] > 1
        else stream.name
        for stream in streams
    ]
    repeated = Counter(full)
    seen: Counter[str] = Counter()
    named = []
    for stream, name in zip(streams, full, strict=True):
        seen[name] += 1
        own = f"{name}#{seen[name]}" if repeated[name] > 1 else name
        named.append(replace(stream, name=own))
    return named


def _give_bytes(answer: Answer, given: Mapping[str, int]) -> None:
    names = [stream.name for stream in answer.streams]
    for name, size_bytes in given.items():
        if name not in names:
            raise ThalwegError(
                f"--bytes-per-output {name}={size_bytes}: there is no stream '{name}'; choose one "
                f"of: {', '.join(names) or '(none)'}.{did_you_mean(name, names)}"
            )
        i = names.index(name)
        answer.streams[i] = answer.streams[i].of_size(size_bytes)
