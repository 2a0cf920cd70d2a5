# SPDX-License-Identifier: Apache-2.0
"""What a C++ model on ranks finds in the header of its kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

HEAD = """#include <span>
#include <stdexcept>
#include <vector>

/// Points of a place that a rank holds, own ones first: whose each is, and its number in the whole
/// grid.
struct place_of_a_rank {
  const char* name;  // as the language has its plural
  std::int64_t own;
  std::vector<std::int32_t> owners;
  std::vector<std::int64_t> globals;
};
using kernel_ranks = std::shared_ptr<void>;
using kernel_parts = std::shared_ptr<void>;
using make_kernel_ranks = void*(int, std::int64_t, const char* const*, const std::int64_t*,
                                const std::int64_t*, const std::int32_t* const*,
                                const std::int64_t* const*, double, char*, std::int64_t);
inline constexpr std::size_t room_of_a_sentence = 400;

/// Collective. `comm`: as MPI_Comm_c2f has it. Throws a sentence, on all ranks, if one refuses.
inline kernel_ranks ranks_of(make_kernel_ranks* make, void (*free)(void*), int comm,
                             std::span<const place_of_a_rank> places, double limit_s) {
  std::vector<const char*> names;
  std::vector<std::int64_t> totals, own;
  std::vector<const std::int32_t*> owners;
  std::vector<const std::int64_t*> globals;
  for (const auto& each : places) {
    names.push_back(each.name);
    totals.push_back(static_cast<std::int64_t>(each.owners.size()));
    own.push_back(each.own);
    owners.push_back(each.owners.data());
    globals.push_back(each.globals.data());
  }
  char said[room_of_a_sentence] = "";
  void* const made = make(comm, static_cast<std::int64_t>(places.size()), names.data(),
                          totals.data(), own.data(), owners.data(), globals.data(), limit_s, said,
                          sizeof(said));
  if (made == nullptr) throw std::runtime_error(said);
  return {made, free};
}
"""


def calls_on_ranks(
    name: str,
    given: str,
    grid: Mapping[str, str],
    members: Mapping[str, str],
    travel: Sequence[str],
) -> list[str]:
    """`grid`, `members`: names and kinds; `travel`: those whose halo the kernel sets."""
    kinds = {
        each: kind.removeprefix("const ") if each in travel else kind
        for each, kind in members.items()
    }
    words = [
        f"const_cast<{kinds[each]}>(of.{each})" if each in travel else f"of.{each}"
        for each in members
    ]
    of_grid = ", ".join(f"of.{each}" for each in grid)
    set_ = f"/// Values beyond own points are set in: {', '.join(travel)}."
    return [
        f'extern "C" make_kernel_ranks {name}_ranks;',
        f'extern "C" void {name}_free_ranks(void*);',
        f'extern "C" void {name}_keeps(void* ranks, const void* field);',
        f'extern "C" void {name}_changed(void* ranks, const void* field);',
        f'extern "C" void {name}_overlaps(void* ranks, int on);',
        f'extern "C" void {name}_told(void* ranks, double* figures);',
        f'extern "C" void* {name}_parts(void*, {", ".join(grid.values())}, char*, std::int64_t);',
        f'extern "C" void {name}_free_parts(void*);',
        f'extern "C" void {name}({", ".join(["void*", *kinds.values()])});',
        "/// For all kernels of its target.",
        f"inline kernel_ranks {name}_ranks(int comm, std::span<const place_of_a_rank> places,",
        "                                  double limit_s = 60.0) {",
        f"  return ranks_of({name}_ranks, {name}_free_ranks, comm, places, limit_s);",
        "}",
        "/// Collective. Of the tables of some arguments, for as long as these stay as they are.",
        f"inline kernel_parts {name}_parts(const kernel_ranks& ranks, {given}) {{",
        '  char said[room_of_a_sentence] = "";',
        f"  void* const made = {name}_parts(ranks.get(), {of_grid}, said, sizeof(said));",
        "  if (made == nullptr) throw std::runtime_error(said);",
        f"  return {{made, {name}_free_parts}};",
        "}",
        "/// Collective.",
        *([set_] if travel else []),
        f"inline void {name}(const kernel_parts& parts, {given}) {{",
        f"  {name}({', '.join(['parts.get()', *words])});",
        "}",
        "",
    ]
