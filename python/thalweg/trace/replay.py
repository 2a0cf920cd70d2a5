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
    others = _without(streams, streams[request.stream], request.field)
    experiment = Experiment.read(run.experiment_path, others)
    watch = f"{request.field}:{request.point}:{request.level}:{request.step}"
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
                    raise failure
                if not any(stop.stop == "container" for stop in stops):
                    raise ThalwegError(
                        f"the replay ended before '{request.field}' reached a file", exit_code=1
                    )
    ordered = sorted(stops, key=lambda stop: STOPS.index(stop.stop) if stop.stop in STOPS else 0)
    return ordered, list(dict.fromkeys(calls))


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
