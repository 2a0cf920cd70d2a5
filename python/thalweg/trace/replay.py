# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment again, watching one value, until that value has reached its container."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import Stream
from thalweg.run.launch import model_command, mpirun_command
from thalweg.run.process import ModelProcess
from thalweg.run.progress import RunProgress
from thalweg.trace.calls import CALLED_ON_THE_WAY, Calls, calls_of
from thalweg.trace.place import TraceRequest

STOPS = ("kernel", "field", "stream", "mode", "plan", "codec", "container")


@dataclass(frozen=True)
class Stop:
    """One stop on the way; local: the index there, -1 = it has none; file, line: the source."""

    stop: str
    rank: int
    local: int
    value: float
    file: str
    line: int
    detail: str


def replay(
    run: RunDirectory, streams: dict[str, Stream], request: TraceRequest
) -> tuple[list[Stop], list[Calls]]:
    """The stops in the order of the way, and who called whom between the first and the last.

    Raises a sentence if the value never arrives.
    """
    stream = streams[request.stream]
    others = _without(streams, stream, request.field)
    experiment = Experiment.read(run.experiment_path, [*others, *_from_its_start(run)])
    number = _number_in_schedule(experiment, stream, request)
    watch = f"{request.field}:{request.point}:{request.level}:{number}"
    stops: list[Stop] = []
    calls: list[Calls] = []
    with tempfile.TemporaryDirectory(prefix="thalweg-trace-", ignore_cleanup_errors=True) as folder:
        copy = RunDirectory(Path(folder))
        copy.files_path.mkdir()
        copy.experiment_path.write_text(experiment.to_toml(), encoding="utf-8")
        command = mpirun_command(
            experiment.integer("machine", "ranks"), model_command(copy.experiment_path, copy.path)
        )
        with (
            ModelProcess(command, copy.log_path, {"THALWEG_TRACE": watch}) as process,
            RunProgress("replay") as display,
        ):
            for message in process.messages():
                if "progress" in message:
                    told = message["progress"]
                    display.update(told["time_s"], told["end_s"], told["outputs"])
                if "trace" in message:
                    stops.append(_stop(message["trace"]))
                if "calls" in message:
                    calls.append(calls_of(message["calls"]))
                # Lines of different ranks arrive in any order.
                seen = {stop.stop for stop in stops} | {each.at for each in calls}
                if seen.issuperset((*STOPS, *CALLED_ON_THE_WAY)):
                    break
            else:
                failure = process.failure()
                if failure:
                    told = f"{failure.sentence}{_begins_with(experiment)}"
                    raise ThalwegError(told, failure.exit_code)
                if not any(stop.stop == "container" for stop in stops):
                    never = f"the replay ended before '{request.field}' reached a file"
                    raise ThalwegError(f"{never}{_begins_with(experiment)}", exit_code=1)
    ordered = sorted(stops, key=lambda stop: STOPS.index(stop.stop) if stop.stop in STOPS else 0)
    return ordered, list(dict.fromkeys(calls))


def _from_its_start(run: RunDirectory) -> list[str]:
    """`--set`s with which a run that went on in its directory is replayed as if it never stopped:
    its newest checkpoint may be later than the value.
    """
    read = Experiment.read(run.experiment_path).text("restart", "read")
    return ["restart.read="] if read and Path(read).resolve() == run.path.resolve() else []


def _number_in_schedule(experiment: Experiment, stream: Stream, request: TraceRequest) -> int:
    """The model counts from the first output of the whole run, files of a run that began from a
    checkpoint from theirs.
    """
    table = next((each for each in experiment.outputs if each.text("name") == stream.name), None)
    if table is None:
        raise ThalwegError(
            f"stream '{stream.name}' has files, but no [[output]] in '{experiment.path}': that is "
            "not the experiment of this run any more"
        )
    since_first_s = stream.slots[request.step].time_s - table.number("start")
    return round(since_first_s / table.number("interval"))


def _begins_with(experiment: Experiment) -> str:
    """The end of a sentence."""
    read = experiment.text("restart", "read")
    if not read:
        return ""
    return f"; a replay begins with the newest checkpoint of '{read}', which may be too late by now"


def _without(streams: dict[str, Stream], only: Stream, field: str) -> list[str]:
    """`--set`s that take the field out of every other stream, so that stops of one stream arrive.

    The streams themselves stay: their intervals decide the time step, hence the bits.
    """
    overrides = []
    for stream in streams.values():
        if stream is only or field not in stream.fields:
            continue
        rest = [name for name in stream.fields if name != field]
        if not rest:
            raise ThalwegError(
                f"stream '{stream.name}' holds nothing but '{field}' too, so the stops of both "
                "streams cannot be told apart; trace a field that only one of them holds"
            )
        overrides.append(f"output.{stream.name}.variables={','.join(rest)}")
    return overrides


def _stop(told: dict[str, Any]) -> Stop:
    value = told["value"]
    return Stop(
        stop=str(told["stop"]),
        rank=int(told["rank"]),
        local=int(told["local"]),
        value=float("nan") if value is None else float(value),
        file=str(told["file"]),
        line=int(told["line"]),
        detail=str(told["detail"]),
    )
