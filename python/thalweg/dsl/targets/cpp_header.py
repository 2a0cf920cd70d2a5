# SPDX-License-Identifier: Apache-2.0
"""The header through which a C++ model calls translated kernels: every argument by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.ir import KernelIR
from thalweg.dsl.targets.cpp_text import comment
from thalweg.dsl.targets.header_of_ranks import HEAD as HEAD_OF_RANKS
from thalweg.dsl.targets.header_of_ranks import calls_on_ranks, head_of_target
from thalweg.dsl.targets.ranks_target import exchanged_arguments
from thalweg.dsl.translation import is_ordered, is_tiled, plan_of, size_names, table_names

HEAD = """#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <source_location>
"""


@dataclass(frozen=True)
class Translated:
    """A kernel, and what its code calls it.

    asks_for_tiles, asks_for_order  it is called so, even where its target has no such thing
    """

    name: str
    kernel: KernelIR
    configuration: Configuration
    asks_for_tiles: bool = False
    asks_for_order: bool = False


@dataclass(frozen=True)
class _Member:
    kind: str
    name: str
    of_grid: bool = False  # tiles are found from it


_ON_DEVICE = (
    "/// Arrays lie in room on the device, which free gives back; in and out copy bytes. A process",
    "/// takes a device by a number from 0 on, before it asks for room. A call returns before the",
    "/// device is done, but for WAITS: out waits for it, and so does wait.",
    'extern "C" void @name@_device(int number);',
    'extern "C" void* @name@_room(std::size_t bytes);',
    'extern "C" void @name@_free(void* room);',
    'extern "C" void @name@_in(void* to, const void* from, std::size_t bytes);',
    'extern "C" void @name@_out(void* to, const void* from, std::size_t bytes);',
    'extern "C" void @name@_wait();',
)


def header(made: Sequence[Translated]) -> str:
    """What `made` kernels are called with, and where each is written.

    A kernel that is translated in two ways has one struct of arguments; in another precision it
    has another one, NAME_arguments of the first that is called so.
    """
    lines = [HEAD]
    on_ranks = dict.fromkeys(
        each.configuration.target for each in made if each.configuration.is_on_ranks
    )
    lines += [HEAD_OF_RANKS] if on_ranks else []
    lines += [line for target in on_ranks for line in head_of_target(target)]
    structs: dict[tuple[str, str], str] = {}
    for each in made:
        name, real = each.kernel.name, each.configuration.real
        if (name, real) not in structs:
            is_first = all(name != known for known, _ in structs)
            struct = f"{name if is_first else each.name}_arguments"
            structs[name, real] = struct
            lines += _arguments(each, struct)
            lines += _source(each.kernel) if is_first else []
        lines += _calls(each, structs[name, real])
    return "\n".join(lines)


def _members(each: Translated) -> list[_Member]:
    kernel, real = each.kernel, each.configuration.real
    found = [_Member("std::int64_t", name, of_grid=True) for name in size_names(kernel)]
    found += [_Member("const std::int32_t*", name, of_grid=True) for name in table_names(kernel)]
    for name, variable in kernel.arguments.items():
        kind = variable.type
        if kind.role == "parameter":
            found.append(_Member(real, name))
        elif kind.role == "points":
            found.append(_Member("const std::int64_t*", name, of_grid=True))
            found.append(_Member("std::int64_t", f"{name}_parts", of_grid=True))
        else:
            found.append(_Member(f"{'' if kind.is_written else 'const '}{real}*", name))
    return found


def _arguments(each: Translated, struct: str) -> list[str]:
    return [
        *comment(each.kernel.doc, "///"),
        f"struct {struct} {{",
        *(f"  {member.kind} {member.name};{_about(each, member)}" for member in _members(each)),
        "};",
    ]


def _about(each: Translated, member: _Member) -> str:
    least = each.kernel.least_levels if member.name == "levels" else 1
    return f"  // {least} at least" if least > 1 else ""


def _source(kernel: KernelIR) -> list[str]:
    """The place where the kernel is written, as a trace names it."""
    return [
        f"#line {kernel.line} {_quoted(kernel.file)}",
        f"inline constexpr auto {kernel.name}_source = std::source_location::current();",
        "",
    ]


def _quoted(file: str) -> str:
    """As a string of C++ says it."""
    text = file if file.isprintable() else file.encode("unicode_escape").decode()
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _calls(each: Translated, struct: str) -> list[str]:
    name, members = each.name, _members(each)
    given = f"const {struct}& of"
    if each.configuration.is_on_ranks:
        known = {member.name: member.kind for member in members}
        tables = [*(place.plural for place in each.kernel.places()), *table_names(each.kernel)]
        travel = exchanged_arguments(each.kernel, each.configuration)
        grid_ = {table: known[table] for table in tables}
        target = each.configuration.target
        calls = calls_on_ranks(name, target, given, grid_, known, travel)
        return [*calls, *_stand_ins(each, given, is_tiled_=False, is_ordered_=False)]
    tiled = is_tiled(each.kernel, plan_of(each.kernel, each.configuration), each.configuration)
    grid = [member for member in members if member.of_grid]
    ordered = is_ordered(each.kernel, each.configuration)
    order = _order(each, grid, given) if ordered else []
    order += _stand_ins(each, given, is_tiled_=tiled, is_ordered_=ordered)
    kinds = [member.kind for member in members]
    words = [f"of.{member.name}" for member in members]
    if not tiled:
        on_device = each.configuration.target == "cuda"
        return [
            *(line.replace("@name@", name) for line in (_ON_DEVICE if on_device else ())),
            f'extern "C" void {name}({", ".join(kinds)});',
            f"inline void {name}({given}) {{",
            f"  {name}({', '.join(words)});",
            "}",
            "",
            *order,
        ]
    of_grid = ", ".join(f"of.{member.name}" for member in grid)
    return [
        f'extern "C" void {name}({", ".join(["const void*", *kinds])});',
        f'extern "C" void* {name}_tiles({", ".join(member.kind for member in grid)});',
        f'extern "C" void {name}_free_tiles(void*);',
        "/// Of the grid of some arguments, for as long as its tables and ranges stay as they are.",
        f"inline std::shared_ptr<const void> {name}_tiles({given}) {{",
        f"  return {{{name}_tiles({of_grid}), {name}_free_tiles}};",
        "}",
        f"inline void {name}(const std::shared_ptr<const void>& tiles, {given}) {{",
        f"  {name}({', '.join(['tiles.get()', *words])});",
        "}",
        "",
        *order,
    ]


def _order(each: Translated, grid: Sequence[_Member], given: str) -> list[str]:
    """Through which a model finds the numbers that the key `order` asks for."""
    orders = [f"{place.plural}_order" for place in each.kernel.places()]
    kinds = [*(member.kind for member in grid), *("std::int32_t*" for _ in orders)]
    words = [*(f"of.{member.name}" for member in grid), *orders]
    set_ = ", ".join(f"std::int32_t* {order}" for order in orders)
    return [
        f'extern "C" void {each.name}_order({", ".join(kinds)});',
        "/// For each place of the grid of some arguments its points as they should follow each",
        "/// other: new number -> old.",
        f"inline void {each.name}_order({given}, {set_}) {{",
        f"  {each.name}_order({', '.join(words)});",
        "}",
        "",
    ]


def _stand_ins(each: Translated, given: str, *, is_tiled_: bool, is_ordered_: bool) -> list[str]:
    """So that a model is the same where there are no tiles, and points stay as numbered."""
    name, lines = each.name, []
    unnamed = given.removesuffix(" of")
    if each.asks_for_tiles and not is_tiled_:
        lines += [
            f"inline std::shared_ptr<const void> {name}_tiles({unnamed}) {{ return {{}}; }}",
            f"inline void {name}(const std::shared_ptr<const void>&, {given}) {{ {name}(of); }}",
            "",
        ]
    if each.asks_for_order and not is_ordered_:
        plurals = [place.plural for place in each.kernel.places()]
        words = ", ".join(f"std::int32_t* {plural}_order" for plural in plurals)
        lines += [
            f"inline void {name}_order({given}, {words}) {{",
            *(f"  std::iota({p}_order, {p}_order + of.{p}, 0);" for p in plurals),
            "}",
            "",
        ]
    return lines
