# SPDX-License-Identifier: Apache-2.0
"""Tiles in C++: a function that finds them for a grid, and loops over their points."""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.grid import Place
from thalweg.dsl.layout import room_values
from thalweg.dsl.passes.sweeps import Plan, Sweep
from thalweg.dsl.passes.tiles import (
    Order,
    Path,
    in_rooms,
    orders,
    paths_read,
    seeds,
    setters,
)

CODE = """using Numbers = std::vector<std::int32_t>;

// For each sweep the points of each tile: those of tile t from ends[t] to ends[t + 1].
struct Sweep {
  std::vector<std::int64_t> ends;
  Numbers points;
};
// Where a local value of a point is kept: in room 0, which is NaN, if it is never set.
struct Rooms {
  std::int64_t number;
  Numbers of;
};
// Each thread has a share of the tiles. What shares need of each other lies in tile 0, which all
// threads do together before.
struct Tiles {
  std::int32_t count;
  Numbers begins;  // the first tile of each share; at last the number of all
  std::vector<Sweep> sweeps;
  std::vector<Rooms> rooms;
  std::vector<Sweep> cleared;  // points that only a later sweep sets than the first for others
};

// `of`, where a range has the point; else `count`.
static inline Numbers within(const Numbers& of, const std::int64_t* ranges, std::int64_t parts,
                             std::int32_t count) {
  Numbers found(of.size(), count);
  for (std::int64_t part = 0; part < parts; ++part) {
    std::copy(of.begin() + ranges[2 * part], of.begin() + ranges[2 * part + 1],
              found.begin() + ranges[2 * part]);
  }
  return found;
}

static inline void no_later(std::int32_t& tile, std::int32_t than) {
  if (than < tile) tile = than;
}

static inline void no_earlier(std::int32_t& tile, std::int32_t than) {
  if (than > tile) tile = than;
}

// An earlier sweep comes to a point no later than what needs it: in its tile or one before it.
static inline void keep_order(std::int32_t& earlier, std::int32_t later, const Numbers& share_of) {
  if (share_of[earlier] != share_of[later]) earlier = 0;
  no_later(earlier, later);
}

static inline Sweep sorted(const Numbers& tile_of, std::int32_t count) {
  Sweep sweep;
  sweep.ends.assign(static_cast<std::size_t>(count) + 2, 0);
  for (const auto tile : tile_of) ++sweep.ends[tile + 1];
  for (std::int32_t tile = 0; tile < count; ++tile) sweep.ends[tile + 1] += sweep.ends[tile];
  sweep.points.resize(sweep.ends[count]);
  auto next = sweep.ends;
  for (std::size_t i = 0; i < tile_of.size(); ++i) {
    if (tile_of[i] < count) sweep.points[next[tile_of[i]]++] = static_cast<std::int32_t>(i);
  }
  return sweep;
}

// Rooms from the first tile that sets a value to the last that reads it; then others of its share
// have them. Several shares may read what is set in tile 0, at any time.
static inline Rooms rooms_between(const Numbers& first, const Numbers& last, std::int32_t count,
                                  const Numbers& share_of) {
  const auto begun = sorted(first, count), ended = sorted(last, count);
  Rooms rooms{1, Numbers(first.size(), 0)};
  Numbers empty;
  for (std::int32_t tile = 0; tile < count; ++tile) {
    if (tile > 0 && share_of[tile] != share_of[tile - 1]) empty.clear();
    for (auto i = begun.ends[tile]; i < begun.ends[tile + 1]; ++i) {
      if (empty.empty()) empty.push_back(static_cast<std::int32_t>(rooms.number++));
      rooms.of[begun.points[i]] = empty.back();
      empty.pop_back();
    }
    for (auto i = ended.ends[tile]; i < ended.ends[tile + 1]; ++i) {
      const auto point = ended.points[i];
      if (rooms.of[point] > 0 && first[point] > 0) empty.push_back(rooms.of[point]);
    }
  }
  return rooms;
}
"""


class Tiling:
    """`parameters`: those of C++ that say what the grid is."""

    def __init__(
        self, kernel: ir.KernelIR, plan: Plan, configuration: Configuration, parameters: list[str]
    ) -> None:
        self.kernel, self.plan, self.layout = kernel, plan, configuration.memory
        self.size = configuration.tile  # points of the first place
        self.has_threads = configuration.target == "openmp"
        self.parameters = parameters
        self.variables = {**kernel.arguments, **plan.locals}
        places = in_rooms(plan)
        own = {name: (place, tuple(setters(plan, name))) for name, place in places.items()}
        self.groups = list(dict.fromkeys(own.values()))  # those set at the same points share rooms
        self.rooms = {name: self.groups.index(group) for name, group in own.items()}
        self.cleared = [name for name in self.rooms if len(setters(plan, name)) > 1]

    def functions(self) -> list[str]:
        """That find tiles, and give back what they take."""
        name = self.kernel.name
        return [
            *(["#include <omp.h>", ""] if self.has_threads else []),
            CODE,
            "// Tiles of a grid, for as long as its tables and ranges of points stay as they are.",
            f'extern "C" void* {name}_tiles({", ".join(self.parameters)}) {{',
            *(f"  {line}" for line in self._finding()),
            "}",
            "",
            f'extern "C" void {name}_free_tiles(void* tiles) {{',
            "  delete static_cast<Tiles*>(tiles);",
            "}",
            "",
        ]

    def _finding(self) -> list[str]:
        first, ways = seeds(self.kernel)
        lines = [
            "auto* const tiles = new Tiles;",
            f"const std::int64_t whole_tiles = ({first.plural} + {self.size - 1}) / {self.size};",
            "const auto tile_count =",
            "    static_cast<std::int32_t>(std::max<std::int64_t>(whole_tiles, 1) + 1);",
            "tiles->count = tile_count;",
            f"const std::int64_t shares = {'omp_get_max_threads()' if self.has_threads else 1};",
            "Numbers share_of(tile_count + 1, -1);  // of tile 0 and of none: no share",
            "for (std::int64_t share = 0; share < shares; ++share) {",
            "  const auto begin = 1 + share * (tile_count - 1) / shares;",
            "  const auto end = 1 + (share + 1) * (tile_count - 1) / shares;",
            "  tiles->begins.push_back(static_cast<std::int32_t>(begin));",
            "  std::fill(share_of.begin() + begin, share_of.begin() + end, share);",
            "}",
            "tiles->begins.push_back(tile_count);",
            "",
            "// The tile that a point lies in.",
            f"Numbers of_{first.name}({first.plural});",
            f"for (std::int64_t i = 0; i < {first.plural}; ++i) of_{first.name}[i] = "
            f"static_cast<std::int32_t>(1 + i / {self.size});",
        ]
        known = [first]
        for table, is_forward in ways:
            place = table.source if is_forward else table.target
            other = table.target if is_forward else table.source
            known.append(place)
            lines.append(f"Numbers of_{place.name}({place.plural}, tile_count - 1);")
            change = (
                f"no_later(of_{place.name}[i], of_{other.name}[to]);"
                if is_forward
                else f"no_later(of_{place.name}[to], of_{other.name}[i]);"
            )
            lines += self._over(table.source, (table,), change)
        for place in self.kernel.places():
            if place not in known:
                lines.append(f"Numbers of_{place.name}({place.plural});")
                lines.append(
                    f"for (std::int64_t i = 0; i < {place.plural}; ++i) of_{place.name}[i] = "
                    f"static_cast<std::int32_t>(1 + i * (tile_count - 1) / {place.plural});"
                )
        lines += ["", "// The tile in which a sweep comes to a point."]
        for number, sweep in enumerate(self.plan.sweeps):
            assert sweep.place is not None
            tile = f"of_{sweep.place.name}"
            if sweep.points:
                tile = f"within({tile}, {sweep.points}, {sweep.points}_parts, tile_count)"
            lines.append(f"Numbers sweep_{number} = {tile};")
        for order in orders(self.plan, self.variables):
            lines += self._kept(order)
        lines.append("")
        for number in range(len(self.plan.sweeps)):
            lines.append(f"tiles->sweeps.push_back(sorted(sweep_{number}, tile_count));")
        for number in range(len(self.groups)):
            lines += self._rooms(number)
        for name in self.cleared:
            number, begun = self.rooms[name], setters(self.plan, name)[0]
            lines += [
                "",
                f"Numbers cleared_{name} = first_{number};",
                f"for (std::size_t i = 0; i < cleared_{name}.size(); ++i) {{",
                f"  if (sweep_{begun}[i] < tile_count) cleared_{name}[i] = tile_count;",
                "}",
                f"tiles->cleared.push_back(sorted(cleared_{name}, tile_count));",
            ]
        return [*lines, "return tiles;"]

    def _rooms(self, number: int) -> list[str]:
        place, begun = self.groups[number]
        first, last = f"first_{number}", f"last_{number}"
        lines = [
            "",
            f"Numbers {first}({place.plural}, tile_count), {last}({place.plural}, -1);",
        ]
        for sweep_number, sweep in enumerate(self.plan.sweeps):
            tile = f"sweep_{sweep_number}"
            if sweep_number in begun:
                lines += [
                    f"for (std::int64_t i = 0; i < {place.plural}; ++i) {{",
                    f"  no_later({first}[i], {tile}[i]);",
                    f"  if ({tile}[i] < tile_count) no_earlier({last}[i], {tile}[i]);",
                    "}",
                ]
            read = paths_read(sweep, self.variables)
            for path in dict.fromkeys(
                path for name, path in read if self.rooms.get(name) == number
            ):
                assert sweep.place is not None
                body = f"if ({tile}[i] < tile_count) no_earlier({last}[to], {tile}[i]);"
                lines += self._over(sweep.place, path, body)
        return [
            *lines,
            f"for (auto& tile : {last}) if (tile < 0) tile = tile_count;",
            f"tiles->rooms.push_back(rooms_between({first}, {last}, tile_count, share_of));",
        ]

    def _kept(self, order: Order) -> list[str]:
        earlier, later = f"sweep_{order.earlier}", f"sweep_{order.later}"
        begins = self.plan.sweeps[order.begins].place
        assert begins is not None
        if order.begins == order.later:
            before, after = f"{earlier}[to]", f"{later}[i]"
        else:
            before, after = f"{earlier}[i]", f"{later}[to]"
        both = f"{before} < tile_count && {after} < tile_count"
        change = f"if ({both}) keep_order({before}, {after}, share_of);"
        return self._over(begins, order.path, change)

    def _over(self, begins: Place, path: Path, body: str) -> list[str]:
        """`body` for all points `i` of a place and all `to` that a path leads to from there."""
        lines = [f"for (std::int64_t i = 0; i < {begins.plural}; ++i) {{"]
        at, indent = "i", "  "
        for depth, relation in enumerate(path):
            name = f"n{depth or ''}"
            table = self.layout.table(relation, at, 0)
            lines.append(f"{indent}for (int {name} = 0; {name} < {relation.length}; ++{name}) {{")
            indent += "  "
            at = f"to{depth}"
            lines += [
                f"{indent}const std::int64_t {at} = {relation.full_name}[{table} + {name}];",
                f"{indent}if ({at} < 0 || {at} >= {relation.target.plural}) continue;",
            ]
        body = body.replace("[to]", f"[{at}]")
        lines.append(indent + body)
        return [*lines, *("  " * depth + "}" for depth in reversed(range(len(path) + 1)))]

    def around(self, bodies: list[tuple[Sweep, list[str]]]) -> list[str]:
        """The loops over tiles; in each, for each sweep, one over the points of the tile."""
        tiles = ["for (std::int32_t tile = 1; tile < given_tiles.count; ++tile) {"]
        before: list[str] = []
        if self.has_threads:
            tiles = [
                "#pragma omp for schedule(static, 1)",
                "for (std::size_t share = 1; share < given_tiles.begins.size(); ++share)",
                "for (std::int32_t tile = given_tiles.begins[share - 1]; "
                "tile < given_tiles.begins[share]; ++tile) {",
            ]
            before = [
                "{",
                "  constexpr std::int32_t tile = 0;",
                *(f"  {line}" for name in self.cleared for line in self._single(name)),
                *self._sweeps(bodies, ["#pragma omp for"]),
                "}",
            ]
        clearing = [f"  {line}" for name in self.cleared for line in self._clearing(name)]
        return [*before, *tiles, *clearing, *self._sweeps(bodies, []), "}"]

    def _sweeps(self, bodies: list[tuple[Sweep, list[str]]], shared: list[str]) -> list[str]:
        lines = []
        for number, (sweep, body) in enumerate(bodies):
            place = sweep.place
            assert isinstance(place, Place)
            lines += [
                "  {",
                f"    const auto& tile_sweep = given_tiles.sweeps[{number}];",
                "    const std::int64_t tile_end = tile_sweep.ends[tile + 1];",
                *(f"    {line}" for line in shared),
                "    for (std::int64_t tile_at = tile_sweep.ends[tile]; tile_at < tile_end; "
                "++tile_at) {",
                f"      const std::int64_t {place.name} = tile_sweep.points[tile_at];",
                *(f"      {line}" for line in body),
                "    }",
                "  }",
            ]
        return lines

    def _single(self, name: str) -> list[str]:
        return ["#pragma omp single", *self._clearing(name)]

    def _clearing(self, name: str) -> list[str]:
        row = room_values(self.variables[name].type)
        return [
            "{",
            f"  const auto& cleared = given_tiles.cleared[{self.cleared.index(name)}];",
            "  for (auto i = cleared.ends[tile]; i < cleared.ends[tile + 1]; ++i) {",
            f"    const std::int64_t room = rooms_{self.rooms[name]}[cleared.points[i]];",
            f"    std::fill({name} + room * ({row}), {name} + (room + 1) * ({row}), NAN);",
            "  }",
            "}",
        ]
