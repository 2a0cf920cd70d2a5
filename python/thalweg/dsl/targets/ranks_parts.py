# SPDX-License-Identifier: Apache-2.0
"""Which points of a kernel on ranks need whose values: found once for the tables, in C++."""

from __future__ import annotations

PARTS = """
// A step from a point to the neighbours that a table has, from number `first` to before `end`.
struct Hop {
  const std::int32_t* table;
  int length, first, end, from, to;  // from, to: places
  bool by_points;        // [neighbour][point] instead of [point][neighbour]
};

enum class Reads { own, others, nothing, no_point };  // from bearable to not

// What one sweep goes over: all own points, or those given; without and with others' values.
struct Part {
  static constexpr std::int64_t most_pieces = @most_pieces@, least_points = 512;  // of a piece
  int place;
  std::vector<std::vector<Hop>> ways;    // to values that come meanwhile
  std::vector<std::vector<Hop>> others;  // to those that are there by then
  Ranges inner, outer, given, now_own, now_inner, now_outer;
  std::vector<std::int64_t> pieces;  // of now_inner: the first range of each, and behind the last
  Ranges lacking;         // points with a neighbour -1: at the end of a grid nobody sets them
  bool may_lack = false;  // only points that are given are set
  bool is_found = false;
  const Ranks* ranks = nullptr;
  const char* kernel = "";

  void find(const std::int64_t* ranges, std::int64_t parts, const Ranges& mine) {
    const std::span<const std::int64_t> wanted(ranges, static_cast<std::size_t>(2 * parts));
    if (is_found && std::equal(wanted.begin(), wanted.end(), given.begin(), given.end())) return;
    is_found = true;
    given.assign(wanted.begin(), wanted.end());
    if (const Ranges none = common(lacking, wanted); !none.empty()) {
      ranks->give_up(std::string("was to set, in kernel '") + kernel + "', number " +
                     std::to_string(none[0]) + ", which has a neighbour -1: its halo is not deep " +
                     "enough, or the grid ends there");
    }
    now_own = common(mine, wanted);
    now_inner = common(inner, wanted);
    now_outer = common(outer, wanted);
    cut();
  }
  // Between pieces values move on.
  void cut() {
    std::int64_t points = 0;
    for (std::size_t i = 0; i < now_inner.size(); i += 2) points += now_inner[i + 1] - now_inner[i];
    const std::int64_t each = std::max((points / most_pieces + 63) / 64 * 64, least_points);
    Ranges cut;
    pieces = {0};
    std::int64_t left = each;
    for (std::size_t i = 0; i < now_inner.size(); i += 2) {
      std::int64_t first = now_inner[i];
      const std::int64_t end = now_inner[i + 1];
      while (first < end) {
        const std::int64_t last = std::min(end, first + left);
        cut.insert(cut.end(), {first, last});
        left -= last - first;
        first = last;
        if (left > 0) continue;
        pieces.push_back(std::ssize(cut) / 2);
        left = each;
      }
    }
    if (pieces.back() < std::ssize(cut) / 2) pieces.push_back(std::ssize(cut) / 2);
    now_inner = std::move(cut);
  }
  void find(const Ranges& mine) { find(mine.data(), std::ssize(mine) / 2, mine); }
  static Ranges common(const Ranges& these, std::span<const std::int64_t> those) {
    Ranges found;
    for (std::size_t i = 0; i < those.size(); i += 2) {
      for (std::size_t j = 0; j < these.size(); j += 2) {
        const auto first = std::max(these[j], those[i]);
        const auto last = std::min(these[j + 1], those[i + 1]);
        if (first < last) found.insert(found.end(), {first, last});
      }
    }
    return found;
  }
};

struct Parts {
  Ranks* ranks;
  std::vector<int> places;  // of the ranks, in the order of the kernel; -1: unknown to them
  std::vector<Place> here;  // as the kernel is called with them
  std::vector<Ranges> mine;
  std::vector<Part> parts;  // [sweep]

  // Whether the kernel is called as these parts were made.
  void expect(const char* kernel, std::initializer_list<std::int64_t> totals) const {
    for (std::size_t place = 0; place < here.size(); ++place) {
      const std::int64_t total = totals.begin()[place];
      if (total == here[place].total) continue;
      ranks->give_up(std::string("calls kernel '") + kernel + "' with " + std::to_string(total) +
                     " " + here[place].name + ", and parts for " +
                     std::to_string(here[place].total));
    }
  }
  void expect_levels(const char* kernel, std::int64_t levels, std::int64_t least) const {
    if (levels >= least) return;
    ranks->give_up(std::string("calls kernel '") + kernel + "' with " + std::to_string(levels) +
                   " levels, and it needs " + std::to_string(least) + " at least");
  }
  // Of all that a point reads that way, the worst. `may_lack`: a neighbour -1 is none.
  Reads reads(const std::vector<Hop>& way, std::size_t hop, std::int64_t point, bool may_lack,
              std::string& refused) const {
    if (hop == way.size()) return Reads::own;
    const auto& [table, length, first, end, from, to, by_points] = way[hop];
    const Place& source = here[from];
    const Place& there = here[to];
    Reads found = Reads::own;
    for (int j = first; j < end; ++j) {
      const std::int64_t next =
          by_points ? table[j * source.total + point] : table[point * length + j];
      if (next == -1 && may_lack) {
        found = std::max(found, Reads::nothing);
        continue;
      }
      if (next < 0 || next >= there.total) {
        refused = next == -1 ? "has no halo that is deep enough" : "has a table that is wrong";
        refused += ": neighbour " + std::to_string(j) + " of number " + std::to_string(point) +
                   " of its " + source.name + " is " + std::to_string(next) + ", and it has " +
                   std::to_string(there.total) + " " + there.name + ", counted from 0";
        if (next == -1) refused += "; at the end of a grid 'with' and Points leave such ones out";
        return Reads::no_point;
      }
      if (there.is_others(next)) found = std::max(found, Reads::others);
      found = std::max(found, reads(way, hop + 1, next, may_lack, refused));
      if (found == Reads::no_point) return found;
    }
    return found;
  }
  std::string divide() {
    std::string refused;
    for (Part& part : parts) {
      if (part.ways.empty() && part.others.empty()) continue;
      const auto worst = [&](const std::vector<std::vector<Hop>>& ways, std::int64_t point) {
        Reads found = Reads::own;
        for (const auto& way : ways) {
          found = std::max(found, reads(way, 0, point, part.may_lack, refused));
        }
        return found;
      };
      const Ranges& all = mine[part.place];
      for (std::size_t range = 0; range < all.size(); range += 2) {
        for (std::int64_t point = all[range]; point < all[range + 1]; ++point) {
          const Reads coming = worst(part.ways, point);
          const Reads any = std::max(coming, worst(part.others, point));
          if (any == Reads::no_point) return refused;
          add(any == Reads::nothing      ? part.lacking
              : coming == Reads::others ? part.outer
                                        : part.inner,
              point);
        }
      }
    }
    return {};
  }
  static void add(Ranges& ranges, std::int64_t point) {
    if (!ranges.empty() && ranges.back() == point) {
      ++ranges.back();
    } else {
      ranges.insert(ranges.end(), {point, point + 1});
    }
  }
  // `reads`, `is_read`: whether neighbours of these points are read, or they as neighbours. Arrays
  // of points that are nobody's neighbours may end with own ones; a place that no rank was told of
  // is each rank's own, if it has no neighbours.
  std::string take(const std::string& name, std::int64_t total, bool reads, bool is_read) {
    const int known = ranks->place(name);
    Place found{name, total, total};
    if (known < 0) {
      if (reads || is_read) return "was told of no " + name + " at all";
    } else {
      const Place& all = ranks->places[known];
      const std::int64_t least = is_read ? all.total - all.alone : all.own;
      found = total == all.total ? all : Place{name, total, all.own};
      if (total != all.total && (total < least || total > all.total - all.alone)) {
        return "was told of " + std::to_string(all.total) + " " + name + ", and now of " +
               std::to_string(total) + "; it may be called with " +
               (least < all.total ? std::to_string(least) + " to " : std::string()) +
               std::to_string(all.total);
      }
    }
    places.push_back(known);
    here.push_back(found);
    mine.push_back(found.mine());
    return {};
  }
};

inline void say(const std::string& sentence, char* said, std::int64_t room) {
  if (room > 0) std::snprintf(said, static_cast<std::size_t>(room), "%s", sentence.c_str());
}
inline void free_ranks(Ranks* ranks) {
  if (ranks == nullptr) return;
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended) {
    delete ranks->wires;
    MPI_Comm_free(&ranks->comm);
  }
  delete ranks;
}
inline Ranks* make_ranks(int comm, std::int64_t places, const char* const* names,
                         const std::int64_t* totals, const std::int64_t* own,
                         const std::int32_t* const* owners, const std::int64_t* const* globals,
                         double limit_s, char* said, std::int64_t room) {
  auto* const ranks = new Ranks;
  ranks->limit_s = limit_s;
  MPI_Request request;
  MPI_Comm_rank(MPI_Comm_f2c(comm), &ranks->rank);
  MPI_Comm_idup(MPI_Comm_f2c(comm), &ranks->comm, &request);
  ranks->wait(request, "all ranks to meet");
  for (std::int64_t place = 0; place < places; ++place) {
    ranks->places.push_back({names[place], totals[place], own[place]});
  }
  MPI_Comm_set_errhandler(ranks->comm, MPI_ERRORS_RETURN);  // what goes wrong is told in a sentence
  // Together, before anything else is: else others would wait for who has refused.
  std::string refused = ranks->said("", look_at_places(*ranks, owners, globals));
  ranks->agree(refused);
  if (refused.empty()) {
    refused = ranks->said("", meet(*ranks, owners, globals));
    ranks->agree(refused);
  }
  if (refused.empty()) {
    ranks->wires = new Wires(*ranks);
    return ranks;
  }
  say(refused, said, room);
  free_ranks(ranks);
  return nullptr;
}
// Of neighbours: places by their number.
struct Table {
  int from, to;
  const std::int32_t* values;
  const char* name;
};
inline Parts* make_parts(Ranks* ranks, const char* kernel,
                         const std::vector<std::pair<const char*, std::int64_t>>& places,
                         const std::vector<Table>& tables, std::vector<Part> parts,
                         bool together, char* said, std::int64_t room) {
  auto* const made = new Parts{ranks, {}, {}, {}, std::move(parts)};
  std::string refused;
  for (int place = 0; place < std::ssize(places) && refused.empty(); ++place) {
    const auto has = [&](auto end) { return std::any_of(tables.begin(), tables.end(), end); };
    refused = made->take(places[place].first, places[place].second,
                         has([&](const auto& table) { return table.from == place; }),
                         has([&](const auto& table) { return table.to == place; }));
  }
  for (const Table& table : tables) {
    if (refused.empty() && table.values == nullptr && places[table.from].second > 0) {
      refused = std::string("was given no table '") + table.name + "'";
    }
  }
  for (Part& part : made->parts) part.ranks = ranks, part.kernel = kernel;
  if (refused.empty()) refused = made->divide();
  refused = ranks->said(std::string("kernel '") + kernel + "': ", refused);
  if (together) ranks->agree(refused);
  if (refused.empty()) return made;
  say(refused, said, room);
  delete made;
  return nullptr;
}

}  // namespace thalweg_@target@
#endif
"""
