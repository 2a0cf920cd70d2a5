# SPDX-License-Identifier: Apache-2.0
"""What a C++ model on ranks finds in the header of its kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

HEAD = """#ifndef THALWEG_KERNELS_ON_RANKS
#define THALWEG_KERNELS_ON_RANKS
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Points of a place that a rank holds, own ones first: whose each is, and its number in the whole
/// grid. The last ones may belong to each_rank, which has them for itself.
inline constexpr std::int32_t each_rank = -2;
struct place_of_a_rank {
  const char* name;  // as the language has its plural
  std::int64_t own;
  std::vector<std::int32_t> owners;
  std::vector<std::int64_t> globals;
};
/// Given back with its last copy.
class made_by_kernels {
 public:
  made_by_kernels() = default;
  made_by_kernels(void* made, void (*free)(void*)) : made_(made, free) {}
  void* get() const { return made_.get(); }
  void reset() { made_.reset(); }
  explicit operator bool() const { return made_ != nullptr; }

 private:
  std::shared_ptr<void> made_;
};
struct kernel_ranks : made_by_kernels {
  using made_by_kernels::made_by_kernels;
};
struct kernel_parts : made_by_kernels {
  using made_by_kernels::made_by_kernels;
};
using make_kernel_ranks = void*(int, std::int64_t, const char* const*, const std::int64_t*,
                                const std::int64_t*, const std::int32_t* const*,
                                const std::int64_t* const*, double, char*, std::int64_t);
inline constexpr std::size_t room_of_a_sentence = 400;

/// Collective. `comm`: as MPI_Comm_c2f has it. Throws a sentence, on all ranks, if one refuses.
inline kernel_ranks ranks_of(make_kernel_ranks* make, void (*free)(void*), int comm,
                             std::span<const place_of_a_rank> places, double limit_s) {
  if (!(limit_s > 0.0)) throw std::invalid_argument("ranks need a limit of more than 0 s");
  std::vector<const char*> names;
  std::vector<std::int64_t> totals, own;
  std::vector<const std::int32_t*> owners;
  std::vector<const std::int64_t*> globals;
  for (const auto& each : places) {
    if (each.globals.size() != each.owners.size()) {
      throw std::invalid_argument(std::string("place '") + each.name + "': " +
                                  std::to_string(each.owners.size()) + " owners, but " +
                                  std::to_string(each.globals.size()) + " numbers");
    }
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

/// What calls of a target go on, where they name no parts: ranks, and the parts of each kernel,
/// found at its first call for some sizes and tables, which have to stay as they are. One thread.
class ranks_of_calls {
 public:
  explicit ranks_of_calls(kernel_ranks ranks) : ranks_(std::move(ranks)) {}
  void* ranks() const { return ranks_.get(); }
  template <class Make>
  const kernel_parts& parts(const char* kernel, std::vector<std::uintptr_t> grid, Make make) {
    kernel_parts& found = parts_[{kernel, std::move(grid)}];
    if (!found) found = make(ranks_);
    return found;
  }

 private:
  kernel_ranks ranks_;
  std::map<std::pair<std::string_view, std::vector<std::uintptr_t>>, kernel_parts> parts_;
};

/// Calls go on these ranks while it lives, then on those before.
class on_ranks {
 public:
  on_ranks(ranks_of_calls*& current, ranks_of_calls& these) : current_(current), before_(current) {
    current = &these;
  }
  ~on_ranks() { current_ = before_; }
  on_ranks(const on_ranks&) = delete;
  on_ranks& operator=(const on_ranks&) = delete;

 private:
  ranks_of_calls*& current_;
  ranks_of_calls* before_;
};

inline ranks_of_calls& ranks_to_call(ranks_of_calls* current, const char* kernel) {
  if (current != nullptr) return *current;
  throw std::logic_error(std::string("kernel '") + kernel +
                         "' was called on no ranks: make an on_ranks that lives until then");
}
#endif
"""


def head_of_target(target: str) -> list[str]:
    guard = f"THALWEG_CALLS_ON_{target.upper()}"
    return [
        f"#ifndef {guard}",
        f"#define {guard}",
        f"inline ranks_of_calls* calls_on_{target} = nullptr;",
        "#endif",
        "",
    ]


def calls_on_ranks(
    name: str,
    target: str,
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
    of_grid = ", ".join(["ranks.get()", *(f"of.{each}" for each in grid)])
    kinds_of_grid = ", ".join(["void*", *grid.values(), "int", "char*", "std::int64_t"])
    named = given if grid else given.removesuffix(" of")
    words_of_grid = ", ".join(
        f"reinterpret_cast<std::uintptr_t>(of.{each})"
        if kind.endswith("*")
        else f"static_cast<std::uintptr_t>(of.{each})"
        for each, kind in grid.items()
    )
    set_ = f"/// Values beyond own points are set in: {', '.join(travel)}."
    return [
        f'extern "C" make_kernel_ranks {name}_ranks;',
        f'extern "C" void {name}_free_ranks(void*);',
        f'extern "C" void {name}_keeps(void* ranks, const void* field);',
        f'extern "C" void {name}_changed(void* ranks, const void* field);',
        f'extern "C" void {name}_overlaps(void* ranks, int on);',
        f'extern "C" void {name}_told(void* ranks, double* figures);',
        f'extern "C" void* {name}_parts({kinds_of_grid});',
        f'extern "C" void {name}_free_parts(void*);',
        f'extern "C" void {name}({", ".join(["void*", *kinds.values()])});',
        "/// For all kernels of its target.",
        f"inline kernel_ranks {name}_ranks(int comm, std::span<const place_of_a_rank> places,",
        "                                  double limit_s = 60.0) {",
        f"  return ranks_of({name}_ranks, {name}_free_ranks, comm, places, limit_s);",
        "}",
        "/// Of the tables of some arguments, for as long as these stay as they are. Throws a",
        "/// sentence; together, which is collective, on all ranks if one refuses.",
        f"inline kernel_parts {name}_parts(const kernel_ranks& ranks, {named},",
        "                                  bool together = true) {",
        '  char said[room_of_a_sentence] = "";',
        f"  void* const made = {name}_parts({of_grid}, together, said, sizeof(said));",
        "  if (made == nullptr) throw std::runtime_error(said);",
        f"  return {{made, {name}_free_parts}};",
        "}",
        "/// Collective.",
        *([set_] if travel else []),
        f"inline void {name}(const kernel_parts& parts, {given}) {{",
        f"  {name}({', '.join(['parts.get()', *words])});",
        "}",
        f"/// The same, on the ranks of calls_on_{target}; what a rank refuses, it alone throws.",
        f"inline void {name}({given}) {{",
        f'  auto& ranks = ranks_to_call(calls_on_{target}, "{name}");',
        f'  {name}(ranks.parts("{name}", {{{words_of_grid}}},',
        f"    [&](const kernel_ranks& these) {{ return {name}_parts(these, of, false); }}), of);",
        "}",
        "",
    ]
