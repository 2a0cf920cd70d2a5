# SPDX-License-Identifier: Apache-2.0
"""How kernels are translated: target, layout, size of a block. Few keys, no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from thalweg.dsl.layout import LAYOUTS, Layout
from thalweg.errors import ThalwegError, did_you_mean

TARGETS = ("numpy", "serial", "openmp", "simd", "cuda", "mpi", "onesided")
ON_RANKS = ("mpi", "onesided")
OF_A_RANK = ("serial", "openmp", "simd", "cuda")
OF_CACHES = ("prefetch", "stores", "functions")  # and of processors: nothing for a GPU
# Keys that are nothing for a target. On ranks own points come first, so they are in an order.
NOTHING_FOR = {
    **dict.fromkeys(OF_A_RANK, ("each_rank",)),
    "cuda": (*OF_CACHES, "tile", "order", "each_rank"),
    **dict.fromkeys(ON_RANKS, ("tile", "order")),
}
LARGEST_BLOCK = 4096
PRECISIONS = ("double", "single")
STORES = ("cached", "streaming")
CACHES = ("first", "second")
ORDERS = ("numbered", "curve", "blocks")
FUNCTIONS = ("scalar", "vector")
FARTHEST = 1024
LARGEST_TILE = 1 << 20


@dataclass(frozen=True)
class Configuration:
    """Of a kernel.

    target     numpy, the reference; serial; openmp, for threads; simd, for long vectors; cuda, for
               a GPU, whose caches no key knows: none of tile, prefetch, stores, functions, order;
               mpi and onesided, for ranks that each have a part of the grid: no tile, no order
    each_rank  of target mpi or onesided: what a rank's own code is, serial, openmp, simd or cuda
    layout     level_innermost, point_innermost or blocked, as ICON's nproma cuts points
    block      points worked on together where levels are not innermost: a power of two, 2 at least
    fuse       whether local fields are computed where neighbours need them instead of stored
    precision  of all values and of all that is computed: double or single
    stores     cached; streaming: past the caches, for arrays that are larger than these
    functions  exp, log, ** and angles: scalar; vector: several at once, at most 4 units in the
               last place off, and not the same for all: that of a point depends on its place
    tile       points of one place, mostly cells, that all sweeps go over before they go on, so that
               they find each other's values in the caches; 0: none
    order      of points: numbered, as they are; curve: along one that fills space; blocks: along
               it from block to block, and in these layer by layer, for tiles of kernels with many
               neighbours. The code has a function that finds it from the tables, and whoever calls
               lays his arrays so. Kernels with groups, or without neighbours, have none
    prefetch   how many points ahead rows, own ones and those of neighbours, are called into a
               cache; where points are innermost, how many levels ahead the own values of a block
               are; 0: none
    prefetch_into  which one: first, where a processor has much room for what is on its way, or
               second
    """

    target: str = "serial"
    layout: str = "level_innermost"
    block: int = 64
    fuse: bool = True
    precision: str = "double"
    stores: str = "cached"
    functions: str = "scalar"
    prefetch: int = 0
    prefetch_into: str = "second"
    tile: int = 0
    order: str = "numbered"
    each_rank: str = "simd"

    def __post_init__(self) -> None:
        _choose("target", self.target, TARGETS)
        _choose("layout", self.layout, tuple(LAYOUTS))
        _choose("precision", self.precision, PRECISIONS)
        _choose("stores", self.stores, STORES)
        power = isinstance(self.block, int) and self.block > 1 and not self.block & (self.block - 1)
        if isinstance(self.block, bool) or not power or self.block > LARGEST_BLOCK:
            raise ThalwegError(
                f"block = {self.block!r} is no power of two from 2 to {LARGEST_BLOCK}"
            )
        if not isinstance(self.fuse, bool):
            raise ThalwegError(f"fuse = {self.fuse!r} is neither true nor false")
        _choose("functions", self.functions, FUNCTIONS)
        _choose("order", self.order, ORDERS)
        _choose("prefetch_into", self.prefetch_into, CACHES)
        _check_range("prefetch", self.prefetch, FARTHEST)
        _check_range("tile", self.tile, LARGEST_TILE)
        if self.tile and self.layout != "level_innermost":
            raise ThalwegError(f"tile goes with layout level_innermost, not with {self.layout}")
        _choose("each_rank", self.each_rank, OF_A_RANK)
        for key in NOTHING_FOR.get(self.target, ()):
            self._check_is_usual(key, f"target {self.target}")
        for key in OF_CACHES if self.is_on_device else ():
            self._check_is_usual(key, f"each_rank {self.each_rank}")

    def _check_is_usual(self, key: str, what: str) -> None:
        if getattr(self, key) != getattr(Configuration, key):
            raise ThalwegError(f"{key} = {getattr(self, key)!r} is nothing for {what}")

    @property
    def is_on_ranks(self) -> bool:
        return self.target in ON_RANKS

    @property
    def is_on_device(self) -> bool:
        """Whether arrays lie in the memory of a GPU."""
        return "cuda" in (self.target, self.each_rank)

    def of_a_rank(self) -> Configuration:
        """What each rank does by itself."""
        return replace(self, target=self.each_rank, each_rank=Configuration.each_rank)

    @property
    def memory(self) -> Layout:
        return LAYOUTS[self.layout](self.block)

    @property
    def is_single(self) -> bool:
        return self.precision == "single"

    @property
    def real(self) -> str:
        """What C++ calls a value."""
        return "float" if self.is_single else "double"

    def on(self, target: str) -> Configuration:
        """The same for another target; keys that are nothing for it are as usual."""
        _choose("target", target, TARGETS)
        keys = [*NOTHING_FOR.get(target, ()), *(["functions"] if target == "serial" else [])]
        usual = {key: getattr(Configuration, key) for key in keys}
        return replace(self, target=target, **usual)

    def changed(self, **keys: Any) -> Configuration:
        """With the keys that are not None."""
        return replace(self, **{name: each for name, each in keys.items() if each is not None})


def configuration_of(table: Mapping[str, Any]) -> Configuration:
    """Some of the keys. Raises a sentence for one that does not exist, and for a wrong value."""
    known = [each.name for each in fields(Configuration)]
    for key in table:
        if key not in known:
            raise ThalwegError(
                f"key '{key}' does not exist; there are: {', '.join(known)}."
                f"{did_you_mean(key, known)}"
            )
    return Configuration().changed(**table)


def _check_range(key: str, value: object, largest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= largest:
        raise ThalwegError(f"{key} = {value!r} is no number from 0 to {largest}")


def _choose(key: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ThalwegError(
            f"{key} '{value}' does not exist; choose one of: {', '.join(known)}."
            f"{did_you_mean(str(value), known)}"
        )
