# SPDX-License-Identifier: Apache-2.0
"""From our own experiment.toml to its streams and checkpoints with their sizes, and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from thalweg.advisor.icon_meshes import Mesh, mesh_of_name
from thalweg.advisor.own_checkpoints import Checkpoints, own_checkpoints
from thalweg.advisor.own_files import OwnField, OwnStore
from thalweg.advisor.own_times import OwnSchedule, own_schedule
from thalweg.config.experiment import Experiment
from thalweg.config.setting_values import SettingValues
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.run.directory import default_directory
from thalweg.run.native_lists import Entry, fields_of, of_kind
from thalweg.run.runner import check_experiment

_NO_MEMORY = "[model]: this run needs at least"  # mini/memory.cpp
_LEVEL_TYPE = "ml"
_SMALLEST = ("grid.name=R2B0", "model.tracers=1")  # for a check that asks for no memory


@dataclass(frozen=True)
class OwnStream:
    """One [[output]]; the names are those of ICON's streams.

    files                 on the disk, parts of writers and indices included; a Zarr store is one
    bytes_once_per_file   of the first file: mesh and levels, of its parts and index together
    header_bytes_per_file  what the rest of that file takes at most
    """

    name: str
    mesh: str
    points: int
    interval_s: float
    outputs: int
    files: int
    parts: int
    partitions: int
    filetype: str
    variables: tuple[str, ...]
    values_per_output: int
    bytes_per_output: int
    bytes_once_per_file: int
    header_bytes_per_file: int
    bytes_in_all: int
    level_type: str = _LEVEL_TYPE
    unknown_variables: tuple[str, ...] = ()
    domain: int = 1
    operation: str = ""


@dataclass(frozen=True)
class OwnAnswer:
    streams: tuple[OwnStream, ...]
    checkpoints: Checkpoints | None
    warnings: tuple[str, ...]


def find_own_streams(experiment: Experiment, checked: bool = True) -> OwnAnswer:
    """Raises the sentence of `thalweg run` where that would refuse the experiment. checked: ask
    the model; False for one that was run.
    """
    warnings = [*_checked(experiment), *experiment.doubts()] if checked else []
    mesh = mesh_of_name(experiment.text("grid", "name"), limited=False)
    if mesh is None:
        raise ThalwegError(f"grid '{experiment.text('grid', 'name')}' is no RnBk; correct it")
    mode = next(e for e in of_kind("output mode") if e["name"] == experiment.text("io", "mode"))
    io_ranks = experiment.integer("io", "ranks") if mode["ranks"] != "none" else 0
    checkpoints = own_checkpoints(experiment, mesh, io_ranks)
    writers = io_ranks or experiment.integer("machine", "ranks")
    if not io_ranks and checkpoints:
        writers -= checkpoints.ranks
    streams = []
    for output in experiment.outputs:
        store = _store(experiment, output, mesh)
        schedule = own_schedule(output, experiment.number("time", "duration"))
        own = writers if mode["own_files"] else 1
        files = _Files(store, schedule, own, output.integer("partitions"))
        streams.append(_stream(output, files))
        warnings += _stream_warnings(experiment, streams[-1], files)
    warnings += _run_warnings(experiment, checkpoints)
    return OwnAnswer(tuple(streams), checkpoints, tuple(warnings))


def _checked(experiment: Experiment) -> Iterator[str]:
    """What the model itself refuses; memory that this machine lacks, another may have."""
    ranks = experiment.integer("machine", "ranks")
    try:
        check_experiment(experiment, default_directory(experiment), ranks)
    except ThalwegError as error:
        if _NO_MEMORY not in error.sentence:
            raise
        yield f"not on this machine: {error.sentence}"
        try:
            small = _with_small_grid(experiment)
            check_experiment(small, default_directory(small), ranks)
        except ThalwegError as other:
            if _NO_MEMORY not in other.sentence:
                raise


def _with_small_grid(experiment: Experiment) -> Experiment:
    tables = dict(experiment.tables)
    for word in _SMALLEST:
        path, _, value = word.partition("=")
        table, _, key = path.partition(".")
        values = {**tables[table].values, key: int(value) if value.isdecimal() else value}
        tables[table] = SettingValues(tables[table].table, values)
    return replace(experiment, tables=tables)


@dataclass(frozen=True)
class _Files:
    """The files of a stream; writers: those that write files of their own, of all streams."""

    store: OwnStore
    schedule: OwnSchedule
    writers: int
    partitions: int = 1

    def of(self, partition: int) -> OwnStore:
        """As the writers of a partition share it (src/output/deal/file_parallel.cpp)."""
        team = len(range(partition, self.writers, self.partitions))
        team = 1 if self.partitions > self.writers else team
        least = min(self.store.mesh.points(each.place) for each in self.store.fields)
        return replace(self.store, parts=min(team, least))

    def count(self) -> int:
        return sum(n * self.of(part).files_of_one for (part, _), n in self.schedule.files.items())

    def bytes_once_in_all(self) -> int:
        found = self.schedule.files.items()
        return sum(n * self.of(part).bytes_once(times) for (part, times), n in found)


def _store(experiment: Experiment, output: SettingValues, mesh: Mesh) -> OwnStore:
    attributes = experiment.tables["attributes"].values.values()
    return OwnStore(
        container=output.text("container"),
        mesh=mesh,
        fields=tuple(_fields(experiment, output)),
        float64=output.text("precision") == "float64",
        chunked=output.text("layout") == "chunked",
        compression=output.text("compression"),
        bits=output.integer("bits"),
        bounds=output.text("bounds"),
        parts=1,
        attribute_bytes=sum(2 * len(str(each).encode()) for each in attributes),
    )


def _fields(experiment: Experiment, output: SettingValues) -> Iterator[OwnField]:
    """Those that the stream's words mean and that live on its place; the model's order."""
    chosen = len(output.integers("levels"))
    words, place = output.texts("variables"), output.text("place")
    all_fields = fields_of(experiment.text("model", "equations"))
    names = ["all", "group:2d", "group:3d", *(str(each["name"]) for each in all_fields)]
    for word in words:
        if word not in (*names, "group:all"):
            raise ThalwegError(
                f"[[output]] '{output.text('name')}': variable '{word}' does not exist; choose "
                f"one of: {', '.join(names)}.{did_you_mean(word, names)}"
            )
    model_levels = experiment.integer("model", "levels")
    for each in all_fields:
        deep = each["dimensions"] == 3 and (model_levels > 1 or bool(each["half_levels"]))
        if not any(_means(word, each, deep) for word in words):
            continue
        if place in ("all", each["place"]):
            levels = chosen or model_levels + int(bool(each["half_levels"]))
            yield OwnField(str(each["name"]), str(each["place"]), levels if deep else 1)


def _means(word: str, field: Entry, deep: bool) -> bool:
    if word == field["name"]:
        return True
    if field["on_request"]:
        return False
    return word in ("all", "group:all", "group:3d" if deep else "group:2d")


def _stream(output: SettingValues, files: _Files) -> OwnStream:
    schedule, store = files.schedule, files.of(0)
    first = max((times for part, times in schedule.files if part == 0), default=0)
    return OwnStream(
        name=output.text("name"),
        mesh=store.mesh.name,
        points=store.mesh.cells,
        interval_s=schedule.interval_s,
        outputs=schedule.outputs,
        files=files.count(),
        parts=store.parts,
        partitions=files.partitions,
        filetype=store.container,
        variables=tuple(each.name for each in store.fields),
        values_per_output=store.values,
        bytes_per_output=store.bytes_per_output,
        bytes_once_per_file=store.bytes_once(first),
        header_bytes_per_file=store.header_bytes(first),
        bytes_in_all=schedule.outputs * store.bytes_per_output + files.bytes_once_in_all(),
    )


def _stream_warnings(experiment: Experiment, stream: OwnStream, files: _Files) -> Iterator[str]:
    store = files.store
    where = f"{experiment.path.name} [[output]] '{stream.name}'"
    if store.compression != "none":
        yield (
            f'{where}: compression = "{store.compression}": bytes are those before it, since '
            "how far values shrink they alone tell; a short run tells it"
        )
    partitions = stream.partitions
    io_ranks = experiment.integer("io", "ranks")
    if experiment.text("io", "mode") == "async" and partitions > io_ranks:
        yield (
            f"{where}: {partitions} partitions, but [io] ranks = {io_ranks}: some share a rank, "
            "and the others only make more files"
        )
    if store.container == "zarr":
        shards = stream.outputs * len(store.fields)
        yield (
            f"{where}: its {stream.files} Zarr stores are directories, with {shards} files of "
            "values in all (more where several ranks write a field)"
        )
    if len({files.of(0).bytes_once(times) for _, times in files.schedule.files}) > 1:
        yield (
            f'{where}: bounds = "auto": only files with many outputs have corners of the mesh; '
            "bytes once per file are those of the longest"
        )


def _run_warnings(experiment: Experiment, checkpoints: Checkpoints | None) -> Iterator[str]:
    name = experiment.path.name
    if experiment.text("restart", "read"):
        yield (
            f"{name} [restart]: read is '{experiment.text('restart', 'read')}': what is counted "
            "is the whole run from its start; it writes less, from that checkpoint on"
        )
    if experiment.text("io", "backpressure") == "thin":
        yield f'{name} [io]: backpressure = "thin" drops outputs where buffers are full'
    if checkpoints and checkpoints.sets == 0:
        yield f"{name} [restart]: interval is longer than the run: there is no checkpoint"
