# SPDX-License-Identifier: Apache-2.0
"""Numbers along a space-filling curve or in blocks in C++: a function that finds them for a grid.

No coordinates are needed: a point lies where it is so many steps through tables away from some far
points. The curve is that of a k-d tree (Bentley 1975) over these numbers of steps. It ends at
blocks, if it is asked to: in these points follow their neighbours, layer by layer (Cuthill and
McKee 1969), so that a layer finds in the caches what it shares with the one before.
"""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.grid import Place, Relation
from thalweg.dsl.layout import Layout
from thalweg.dsl.passes.tiles import seeds

LANDMARKS = 5  # on a sphere four would do
LARGEST_BLOCKS = {"curve": 1, "blocks": 4096}  # in points
CODE = """\
// Points of all places, one after the other: those that tables lead to from each, both ways.
struct Near {
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> points;
};
using Steps = std::vector<std::int32_t>;
using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

static inline Near near_of(const Pairs& pairs, std::int64_t count) {
  Near near{std::vector<std::int64_t>(count + 1, 0), Steps(2 * pairs.size())};
  for (const auto& [a, b] : pairs) ++near.ends[a + 1], ++near.ends[b + 1];
  for (std::int64_t i = 0; i < count; ++i) near.ends[i + 1] += near.ends[i];
  auto next = near.ends;
  for (const auto& [a, b] : pairs) near.points[next[a]++] = b, near.points[next[b]++] = a;
  return near;
}

// How many steps each point is away from one; as many as there are points where none lead.
static inline Steps steps_from(const Near& near, std::int64_t point) {
  const auto count = static_cast<std::int32_t>(near.ends.size() - 1);
  Steps steps(count, count), queue{static_cast<std::int32_t>(point)};
  steps[point] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto here = queue[at];
    for (auto i = near.ends[here]; i < near.ends[here + 1]; ++i) {
      if (steps[near.points[i]] < count) continue;
      steps[near.points[i]] = steps[here] + 1;
      queue.push_back(near.points[i]);
    }
  }
  return steps;
}

// Points of one place, from `first` to before `last`, among those of all.
struct Order {
  const Near& near;
  const std::vector<Steps>& steps;
  std::int64_t first, last, largest_block;
  Steps block_of, seen_in;  // of all points; 0: none
  std::int32_t block;
};

// Layer by layer from the first point.
static inline void order_block(Order& in, std::int32_t* begin, std::int32_t* end) {
  const Steps starts(begin, end);
  ++in.block;
  for (const auto point : starts) in.block_of[in.first + point] = in.block;
  std::vector<std::int32_t> queue;
  auto* next_point = begin;
  for (const auto start : starts) {  // several where no tables lead to all
    const auto from = static_cast<std::int32_t>(in.first + start);
    if (in.seen_in[from] == in.block) continue;
    in.seen_in[from] = in.block;
    queue.assign(1, from);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const auto here = queue[at];
      const bool is_own = here >= in.first && here < in.last;
      if (is_own) *next_point++ = static_cast<std::int32_t>(here - in.first);
      for (auto i = in.near.ends[here]; i < in.near.ends[here + 1]; ++i) {
        const auto other = in.near.points[i];
        const bool leads_on = other >= in.first && other < in.last
                                  ? in.block_of[other] == in.block
                                  : is_own;  // one step through other places, no way through them
        if (!leads_on || in.seen_in[other] == in.block) continue;
        in.seen_in[other] = in.block;
        queue.push_back(other);
      }
    }
  }
}

// Halves of halves, across what is longest, down to blocks.
static inline void order_along_curve(Order& in, std::int32_t* begin, std::int32_t* end) {
  if (end - begin < 2) return;
  const Steps* longest = nullptr;
  std::int32_t length = -1;
  for (const auto& each : in.steps) {
    std::int32_t least = each[*begin], most = least;
    for (auto* point = begin; point != end; ++point) {
      least = std::min(least, each[*point]);
      most = std::max(most, each[*point]);
    }
    if (most - least > length) longest = &each, length = most - least;
  }
  const auto comes_before = [&](std::int32_t a, std::int32_t b) {
    return std::pair((*longest)[a], a) < std::pair((*longest)[b], b);
  };
  if (end - begin <= in.largest_block) {
    std::sort(begin, end, comes_before);
    return order_block(in, begin, end);
  }
  auto* const middle = begin + (end - begin) / 2;
  std::nth_element(begin, middle, end, comes_before);
  order_along_curve(in, begin, middle);
  order_along_curve(in, middle, end);
}

static inline void no_larger(std::int32_t& value, std::int32_t than) {
  if (than < value) value = than;
}

// `order` by rank, points of ranges before others.
static inline void set_order(std::int32_t* order, const Steps& rank,
                             const std::vector<std::int64_t>& outside) {
  std::iota(order, order + rank.size(), 0);
  std::stable_sort(order, order + rank.size(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(outside[a], rank[a]) < std::pair(outside[b], rank[b]);
  });
}
"""


def function(kernel: ir.KernelIR, layout: Layout, parameters: list[str], order: str) -> list[str]:
    """`parameters`: those that say what the grid is."""
    orders = [f"std::int32_t* {place.plural}_order" for place in kernel.places()]
    return [
        CODE,
        "// For each place its points as they follow each other: new number -> old.",
        f'extern "C" void {kernel.name}_order({", ".join([*parameters, *orders])}) {{',
        *(f"  {line}" for line in _finding(kernel, layout, LARGEST_BLOCKS[order])),
        "}",
        "",
    ]


def _finding(kernel: ir.KernelIR, layout: Layout, largest_block: int) -> list[str]:
    first, ways = seeds(kernel)
    lines, begin = ["Pairs table_pairs;"], "0"
    for place in kernel.places():
        lines.append(f"const std::int64_t begin_of_{place.name} = {begin};")
        begin = f"begin_of_{place.name} + {place.plural}"
    for table in kernel.neighbour_tables():
        pair = f"begin_of_{table.source.name} + i, begin_of_{table.target.name} + to"
        lines += _over(table, layout, f"table_pairs.emplace_back({pair});")
    lines += [
        f"const std::int64_t all_points = {begin};",
        "const auto near_points = near_of(table_pairs, all_points);",
        "",
        "// Each landmark is the point that is farthest from those before it.",
        "std::vector<Steps> steps_away;",
        f"Steps nearest_landmark({first.plural}, static_cast<std::int32_t>(all_points));",
        "std::int64_t landmark = 0;",
        f"for (int i = 0; i < {LANDMARKS} && {first.plural} > 0; ++i) {{",
        f"  const auto all_steps = steps_from(near_points, begin_of_{first.name} + landmark);",
        f"  const auto* own_steps = all_steps.data() + begin_of_{first.name};",
        f"  steps_away.emplace_back(own_steps, own_steps + {first.plural});",
        f"  for (std::int64_t j = 0; j < {first.plural}; ++j)",
        "    no_larger(nearest_landmark[j], own_steps[j]);",
        "  landmark = std::max_element(nearest_landmark.begin(), nearest_landmark.end()) -",
        "             nearest_landmark.begin();",
        "}",
        f"Steps along_curve({first.plural});",
        "std::iota(along_curve.begin(), along_curve.end(), 0);",
        "const Steps of_none(all_points, 0);",
        f"Order in{{near_points, steps_away, begin_of_{first.name},",
        f"         begin_of_{first.name} + {first.plural}, {largest_block}, of_none, of_none, 0}};",
        f"order_along_curve(in, along_curve.data(), along_curve.data() + {first.plural});",
        f"Steps rank_of_{first.name}({first.plural});",
        f"for (std::int64_t i = 0; i < {first.plural}; ++i)",
        f"  rank_of_{first.name}[along_curve[i]] = static_cast<std::int32_t>(i);",
        "",
        "// Other points follow the first of their neighbours.",
    ]
    known = [first]
    for table, is_forward in ways:
        place, other = (table.source, table.target)[:: 1 if is_forward else -1]
        known.append(place)
        lines.append(f"Steps rank_of_{place.name}({place.plural}, {first.plural});")
        own, theirs = ("i", "to") if is_forward else ("to", "i")
        body = f"no_larger(rank_of_{place.name}[{own}], rank_of_{other.name}[{theirs}]);"
        lines += _over(table, layout, body)
    for place in kernel.places():
        if place not in known:  # no table leads to it
            lines.append(f"Steps rank_of_{place.name}({place.plural});")
            lines.append(f"std::iota(rank_of_{place.name}.begin(), rank_of_{place.name}.end(), 0);")
        lines += ["", *_outside(kernel, place)]
        name = place.name
        lines.append(f"set_order({place.plural}_order, rank_of_{name}, outside_{name});")
    return lines


def _outside(kernel: ir.KernelIR, place: Place) -> list[str]:
    """Points of an argument stay together, so that few ranges name them."""
    lines = [f"std::vector<std::int64_t> outside_{place.name}({place.plural}, 0);"]
    arguments = kernel.arguments.items()
    ranges = [n for n, a in arguments if a.type.role == "points" and a.type.place is place]
    for bit, name in enumerate(ranges):
        lines += [
            f"for (auto& each : outside_{place.name}) each += {1 << bit}LL;",
            f"for (std::int64_t part = 0; part < {name}_parts; ++part) {{",
            f"  for (auto i = {name}[2 * part]; i < {name}[2 * part + 1]; ++i) "
            f"outside_{place.name}[i] -= {1 << bit}LL;",
            "}",
        ]
    return lines


def _over(table: Relation, layout: Layout, body: str) -> list[str]:
    """`body` for all points `i` of a place and all `to` that a table names there."""
    return [
        f"for (std::int64_t i = 0; i < {table.source.plural}; ++i) {{",
        f"  for (int n = 0; n < {table.length}; ++n) {{",
        f"    const std::int64_t to = {table.full_name}[{layout.table(table, 'i', 'n')}];",
        f"    if (to >= 0 && to < {table.target.plural}) {body}",
        "  }",
        "}",
    ]
