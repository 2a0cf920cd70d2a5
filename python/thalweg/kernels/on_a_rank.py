# SPDX-License-Identifier: Apache-2.0
"""One rank of a kernel: `python -m thalweg.kernels.on_a_rank FOLDER TIMES`, as on_ranks.py starts
it. Needs no MPI of Python's: the kernel's code has one.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ROOM = 400  # bytes of a sentence
NUMBERS = {"int": ctypes.c_int64, "double": ctypes.c_double, "float": ctypes.c_float}


def number_of_rank() -> str:
    return os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or "0"


def number_on_node() -> str:
    """Of those that share its devices."""
    found = os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK") or os.environ.get("MPI_LOCALRANKID")
    return found or number_of_rank()


def address(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Rank:
    """On a device arrays have a copy there, which the kernel works on."""

    def __init__(self, job: dict[str, Any], arrays: dict[str, Array]) -> None:
        self.job, self.arrays = job, arrays
        self.there: dict[str, ctypes.c_void_p] = {}
        self.functions = ctypes.CDLL(job["library"])
        if job["on_device"]:
            self._copy_in()
        self.comm = self.call("begin_mpi", ctypes.c_int)
        self.ranks = self.made(self.call("ranks", ctypes.c_void_p, *self._of_grid()))
        grid = [*self.words(job["grid"], of_host=True), ctypes.c_int(1)]
        self.parts = self.made(
            self.call("parts", ctypes.c_void_p, self.ranks, *grid, self.said, ctypes.c_int64(ROOM))
        )

    def call(self, what: str, result: Any, *words: Any) -> Any:
        function = getattr(self.functions, f"{self.job['kernel']}_{what}")
        function.restype = result
        return function(*words)

    def made(self, handle: int | None) -> ctypes.c_void_p:
        """Ends the program, with its sentence, where there is none."""
        if handle is None:
            if os.environ.get("OMPI_COMM_WORLD_RANK", "0") == "0":
                print(f"thalweg: error: {self.said.value.decode()}", file=sys.stderr)
            self.call("end_mpi", None)
            sys.exit(2)
        return ctypes.c_void_p(handle)

    def _copy_in(self) -> None:
        """Tables and fields; ranges of points lie with the host."""
        self.call("device", None, ctypes.c_int(int(number_on_node())))
        words, here = self.job["words"], self.job["of_host"]
        for name in [value for kind, value in words if kind == "array" and value not in here]:
            size = ctypes.c_size_t(self.arrays[name].nbytes)
            room = self.call("room", ctypes.c_void_p, ctypes.c_size_t(size.value + 1))
            self.there[name] = ctypes.c_void_p(room)
            self.call("in", None, self.there[name], address(self.arrays[name]), size)

    def copy_out(self, names: list[str]) -> None:
        for name in names if self.there else ():
            here = self.arrays[name]
            self.call("out", None, address(here), self.there[name], ctypes.c_size_t(here.nbytes))

    def field(self, name: str) -> ctypes.c_void_p:
        """As the kernel is called with it."""
        return self.there.get(name) or address(self.arrays[name])

    def words(self, words: list[tuple[str, Any]], *, of_host: bool = False) -> list[Any]:
        place = (lambda name: address(self.arrays[name])) if of_host else self.field
        return [place(value) if kind == "array" else NUMBERS[kind](value) for kind, value in words]

    def _of_grid(self) -> list[Any]:
        job, places = self.job, self.job["places"]
        self.said = ctypes.create_string_buffer(ROOM)
        self.names = (ctypes.c_char_p * len(places))(*(name.encode() for name in places))
        self.sizes = [np.array(job[key], np.int64) for key in ("totals", "own")]
        self.lists = [
            (ctypes.c_void_p * len(places))(
                *(self.arrays[f"{what} {name}"].ctypes.data for name in places)
            )
            for what in ("owners", "globals")
        ]
        return [
            ctypes.c_int(self.comm), ctypes.c_int64(len(places)), self.names,
            *map(address, self.sizes), *self.lists, ctypes.c_double(job["limit_s"]), self.said,
            ctypes.c_int64(ROOM),
        ]  # fmt: skip

    def run(self, times: int) -> dict[str, Any]:
        words = self.words(self.job["words"])
        kernel = getattr(self.functions, self.job["kernel"])
        kernel.restype = None
        before = self.told()
        seconds = []
        for _ in range(times):
            if self.job["meets"]:
                self.call("meet", None, ctypes.c_int(self.comm))
            begin = time.perf_counter()
            kernel(self.parts, *words)
            if self.there:
                self.call("wait", None)
            seconds.append(time.perf_counter() - begin)
        packing, waiting, *counts = (self.told() - before).tolist()
        exchanges, messages, size = map(int, counts)
        return {
            "seconds": seconds, "packing": packing, "waiting": waiting, "exchanges": exchanges,
            "messages": messages, "bytes": size,
        }  # fmt: skip

    def told(self) -> Array:
        figures = np.zeros(5)
        self.call("told", None, self.ranks, address(figures))
        return figures

    def end(self) -> None:
        self.call("free_parts", None, self.parts)
        self.call("free_ranks", None, self.ranks)
        self.call("end_mpi", None)


def begun(job: dict[str, Any], arrays: dict[str, Array]) -> Rank:
    """As the job wants it called."""
    rank = Rank(job, arrays)
    rank.call("overlaps", None, rank.ranks, ctypes.c_int(job["overlaps"]))
    for name in job["keeps"]:
        rank.call("keeps", None, rank.ranks, rank.field(name))
    if job["warms_up"]:  # windows, ranges and pages of memory are there then
        rank.run(1)
    return rank


def main(folder: Path, times: int) -> None:
    number = number_of_rank()
    job = json.loads((folder / f"{number}.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{number}.npz") as read:
        arrays = {name: read[name] for name in read.files}
    rank = begun(job, arrays)
    told = rank.run(times)
    rank.copy_out(job["written"])
    rank.end()
    np.savez(folder / f"{number}.out.npz", **{name: arrays[name] for name in job["written"]})
    (folder / f"{number}.told").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
