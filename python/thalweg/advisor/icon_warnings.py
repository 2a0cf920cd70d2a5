# SPDX-License-Identifier: Apache-2.0
"""What is risky or wrong in a stream, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thalweg.advisor.icon_names import UNCOVERED, Resolved
from thalweg.advisor.icon_run import Domain, IconRun
from thalweg.advisor.icon_stream import Stream
from thalweg.advisor.items import Section, Settings
from thalweg.advisor.words import many
from thalweg.config.calendars import SECOND_MS

_FILE_NAMES = "<output_filename>_DOM<physdom>_<levtype>_<jfile>"
GRIB2_HEADER_BYTES = 200  # of a record, about; from memory, not measured


def stream_warnings(
    run: IconRun, section: Section, domain: Domain, stream: Stream, resolved: Resolved
) -> Iterator[str]:
    yield from _names(section, stream, resolved)
    yield from _files(section, stream)
    yield from _partitions(run, section, stream)
    by_dates = section.has("output_interval")
    missing = [name for name in ("output_start", "output_end") if not section.has(name)]
    if by_dates and missing:
        yield (
            f"{stream.place}: stream '{stream.name}' has no {' and no '.join(missing)}, at which "
            "ICON stops; the run's own is counted"
        )
    if stream.outputs == 0:
        yield f"{stream.place}: stream '{stream.name}' writes nothing during this run"
    if stream.outputs > 1 and stream.interval_s * SECOND_MS % run.step_ms:
        yield (
            f"{stream.place}: stream '{stream.name}' has an interval of {stream.interval_s:g} s, "
            f"no multiple of the time step of {run.step_ms / SECOND_MS:g} s: ICON moves its "
            "outputs to steps"
        )
    places = {variable.place for variable in resolved.variables.values()}
    is_remapped = section.integer("remap", 0) == 1
    if domain.mesh.regional and places & {"edge", "vertex"} and not is_remapped:
        yield (
            f"{stream.place}: stream '{stream.name}' has edges or vertices of a regional grid, "
            "whose numbers are taken as 3/2 and 1/2 of its cells; lay the grid file beside the "
            "script for exact ones"
        )


def run_warnings(streams: Sequence[Stream]) -> Iterator[str]:
    packed = [stream.name for stream in streams if stream.filetype == "GRIB2"]
    if packed:
        yield (
            f"GRIB2 streams ({', '.join(packed)}): their bytes are those before packing, without "
            f"about {GRIB2_HEADER_BYTES} of header for each level of a variable"
        )


def placed_on_all(settings: Settings, streams: Sequence[Stream]) -> Iterator[str]:
    """pe_placement that leaves no I/O rank to streams without one."""
    parallel = settings.section("parallel_nml")
    io_ranks = 0 if parallel.is_open("num_io_procs") else parallel.integer("num_io_procs", 0)
    taken = {rank for each in streams for rank in each.placement} & set(range(io_ranks))
    left = [each for each in streams if not each.placement or -1 in each.placement]
    if io_ranks and len(taken) == io_ranks and left:
        yield (
            f"{left[0].place}: stream '{left[0].name}' has no place, and pe_placement of others "
            f"takes all {many(io_ranks, 'I/O rank')}: ICON stops; leave one free"
        )


def file_name_warnings(streams: Sequence[tuple[Section, Stream]]) -> Iterator[str]:
    """Of streams whose files have the same names, by the words that make these."""
    first: dict[tuple[object, ...], Stream] = {}
    for section, stream in streams:
        items = ("output_filename", "filename_format", "filename_extn")
        if stream.outputs == 0 or any(section.is_open(item) for item in items):
            continue
        base, pattern, ending = (section.text(item) for item in items)
        pattern = pattern or _FILE_NAMES
        kind = "GRIB2" if stream.filetype == "GRIB2" else "netCDF"
        own = "" if ending.lower() == "default" else ending
        key = (
            base if "<output_filename>" in pattern else "", pattern, own or kind, stream.partitions,
            stream.level_type if "<levtype" in pattern else "",
            stream.domain if "<physdom>" in pattern else 0,
            section.text("output_start") if "<datetime" in pattern else "",
        )  # fmt: skip
        if key in first:
            yield (
                f"{stream.place}: stream '{stream.name}' and '{first[key].name}' at "
                f"{first[key].place} have files of the same names, at which ICON stops; give each "
                "an output_filename, or a filename_format, of its own"
            )
        first.setdefault(key, stream)


def _names(section: Section, stream: Stream, resolved: Resolved) -> Iterator[str]:
    place = section.place(f"{stream.level_type}_varlist")
    for name, reason in resolved.unknown.items():
        what, guess = reason.partition(".")[::2]
        stops = "axis" not in what and not what.startswith(UNCOVERED)
        ending = (
            "ICON stops at an unknown name; correct it, or, if your ICON has it,"
            if stops
            else "it is not counted;"
        )
        yield (
            f"{place}: '{name}' of stream '{stream.name}' {what}: {ending} give --sample FILE of "
            f"an earlier run, or --bytes-per-output {stream.name}=BYTES.{guess}"
        )
    for name, file in resolved.sampled.items():
        if name in resolved.variables:
            yield (
                f"{place}: '{name}' of stream '{stream.name}': its place and levels are those in "
                f"the sample '{file}'"
            )
    for group, members in resolved.doubtful.items():
        yield (
            f"{place}: stream '{stream.name}': whether {len(members)} members of group '{group}' "
            f"exist, the namelists do not tell: {', '.join(members)}; they are not counted"
        )


def _files(section: Section, stream: Stream) -> Iterator[str]:
    by_steps = any(each is not None and each >= 0 for each in section.integers("steps_per_file"))
    by_time = section.has("file_interval")
    if by_steps and by_time:
        yield (
            f"{stream.place}: stream '{stream.name}' has both steps_per_file and file_interval, "
            "at which ICON stops; keep one"
        )
    if not by_steps and not by_time:
        yield (
            f"{stream.place}: stream '{stream.name}' has neither steps_per_file nor file_interval, "
            "at which ICON stops; give one (one file is counted)"
        )


def _partitions(run: IconRun, section: Section, stream: Stream) -> Iterator[str]:
    placements = [each for each in section.integers(f"pe_placement_{stream.level_type}")
                  if each is not None and each >= 0]  # fmt: skip
    parallel = run.settings.section("parallel_nml")
    if stream.partitions > 1 and stream.operation:
        yield (
            f"{stream.place}: stream '{stream.name}' has the operation '{stream.operation}' and "
            f"{stream.partitions} partitions, which ICON refuses together; keep one"
        )
    if stream.partitions > stream.outputs > 0:
        yield (
            f"{stream.place}: stream '{stream.name}' has {stream.partitions} partitions for "
            f"{many(stream.outputs, 'output')}: the others write nothing"
        )
    io_ranks = 0 if parallel.is_open("num_io_procs") else parallel.integer("num_io_procs", 0)
    if 0 < io_ranks < stream.partitions:
        yield (
            f"{stream.place}: stream '{stream.name}' has {stream.partitions} partitions and the "
            f"run {many(io_ranks, 'I/O rank')}: some write several of them, one after the other"
        )
    if placements and len(placements) != stream.partitions:
        yield (
            f"{section.place(f'pe_placement_{stream.level_type}')}: stream '{stream.name}' has "
            f"{stream.partitions} partitions and places for {len(placements)}; give one for each"
        )
    if placements and not parallel.is_open("num_io_procs"):
        ranks = parallel.integer("num_io_procs", 0)
        if not ranks:
            yield (
                f"{section.place(f'pe_placement_{stream.level_type}')}: stream '{stream.name}' is "
                "placed on an I/O rank, and num_io_procs gives none, at which ICON stops"
            )
        if ranks and max(placements) >= ranks:
            yield (
                f"{section.place(f'pe_placement_{stream.level_type}')}: stream '{stream.name}' is "
                f"placed on I/O rank {max(placements)}; num_io_procs gives ranks 0 to {ranks - 1}"
            )
