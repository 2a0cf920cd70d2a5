# SPDX-License-Identifier: Apache-2.0
"""What stands before a kernel on ranks: who owns which points, and who sends which to whom.

How values travel is in `ranks_mpi.py` and `ranks_onesided.py`; the rest is the same for both.
"""

from __future__ import annotations

from thalweg.dsl.targets import ranks_copies, ranks_mpi, ranks_onesided
from thalweg.dsl.targets.ranks_interface import INTERFACE
from thalweg.dsl.targets.ranks_parts import PARTS

HEAD = """#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX  // MPI's old C++ classes
#endif
#include <mpi.h>

// What ranks know of each other's points: the same in every kernel of a model.
#ifndef THALWEG_RANKS_@target@
#define THALWEG_RANKS_@target@
namespace thalweg_@target@ {

using Points = std::vector<std::int32_t>;
using Ranges = std::vector<std::int64_t>;  // pairs: first, one behind the last

@lists@
// Points [0, own) are this rank's; the last `alone` ones each rank has for itself.
struct Place {
  std::string name;
  std::int64_t total, own, alone = 0;
  Ranges mine() const {
    Ranges found{0, own};
    if (alone > 0) found.insert(found.end(), {total - alone, total});
    return found;
  }
  bool is_others(std::int64_t point) const { return point >= own && point < total - alone; }
};

// Values of a field that travel: value j of a point lies `together` behind value j - 1.
template <class Real>
struct Halo {
  int place;
  Real* values;
  std::int64_t size, count, together;  // size: of the array
  bool may_be_current = false;  // the kernel has not set it before
  bool travels = true;
  Real* at(std::int64_t point) const {
    return values + point / together * (count * together) + point % together;
  }
};

struct Partner {
  int rank;
  Lists send, receive;
  std::vector<std::byte> out, in;
};

template <class Real, std::size_t n>
std::size_t bytes_of(const Halo<Real> (&halos)[n], const Lists& points) {
  std::size_t values = 0;
  for (const auto& halo : halos) {
    if (halo.travels) values += points[halo.place].size() * halo.count;
  }
  return values * sizeof(Real);
}
@copies@
// What a message is about: neighbours that exchange other values do not take them for their own.
struct Label {
  std::uint64_t exchange = 0;  // of which kernel, which one, which fields of it travel
  std::int64_t number = 0;     // of this exchange, on these ranks
  bool operator==(const Label&) const = default;
  // Of a message with values of these points.
  template <class Real, std::size_t n>
  Label with(const Halo<Real> (&halos)[n], const Lists& points) const {
    Label found = *this;
    constexpr std::uint64_t prime = 1099511628211u;  // of FNV-1a
    for (const auto& halo : halos) {
      const bool is_there = halo.travels && !points[halo.place].empty();
      found.exchange = (found.exchange ^ (is_there ? 1 : 2)) * prime;
    }
    return found;
  }
};

// An array that is the same beyond own points as there. Another one may be a part of it.
struct Current {
  const std::byte* first;
  std::int64_t bytes, count;
  int place;
  bool is_like(const Current& other) const {
    return first == other.first && count == other.count && place == other.place;
  }
};

struct Told {  // seconds, and what left this rank
  double packing = 0.0, waiting = 0.0;
  std::int64_t exchanges = 0, messages = 0, bytes = 0;
};

class Wires;  // how values travel

struct Ranks {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  double limit_s = 60.0;
  bool overlaps = true;  // else values arrive before anything else is done
  std::vector<Place> places;
  std::vector<Partner> partners;
  std::vector<const void*> kept;  // fields
  std::vector<Current> current;
  Told told;
  Wires* wires = nullptr;

  int place(std::string_view name) const {
    for (std::size_t each = 0; each < places.size(); ++each) {
      if (places[each].name == name) return static_cast<int>(each);
    }
    return -1;
  }
  // Before an exchange.
  template <class Real, std::size_t n>
  void choose(Halo<Real> (&halos)[n]) const {
    for (auto& halo : halos) halo.travels = !halo.may_be_current || !is_current(of(halo));
  }
  template <class Real>
  static Current of(const Halo<Real>& halo) {
    const auto bytes = halo.size * static_cast<std::int64_t>(sizeof(Real));
    return {reinterpret_cast<const std::byte*>(halo.values), bytes, halo.count, halo.place};
  }
  bool is_current(const Current& field) const {
    return std::any_of(current.begin(), current.end(),
                       [&](const Current& each) { return each.is_like(field); });
  }
  void keep(const void* field) {
    if (std::find(kept.begin(), kept.end(), field) == kept.end()) kept.push_back(field);
  }
  // All arrays that have one of these bytes.
  void changed(const void* field, std::int64_t bytes = 1) {
    const auto* const first = static_cast<const std::byte*>(field);
    std::erase_if(current, [&](const Current& each) {
      return bytes > 0 && each.first < first + bytes && first < each.first + each.bytes;
    });
  }
  // Arrays of nothing may all be at one address: nobody asks for them.
  template <class Real>
  void arrived(const Halo<Real>& halo) {
    const bool is_kept = std::find(kept.begin(), kept.end(), halo.values) != kept.end();
    if (is_kept && halo.size > 0 && !is_current(of(halo))) current.push_back(of(halo));
  }

  [[noreturn]] void refuse(int from) const {
    give_up("got other values from rank " + std::to_string(from) +
            " than those that it needs: they call kernels differently, or changed() on some only");
  }
  [[noreturn]] void give_up(const std::string& sentence) const {
    std::fprintf(stderr, "thalweg: error: rank %d %s\\n", rank, sentence.c_str());
    std::fflush(stderr);
    MPI_Abort(comm, 1);
    std::abort();
  }
  // Until `is_done` says so. Cores may be shared with those that are waited for.
  template <class Question>
  void until(Question is_done, const char* what) {
    const double begin = MPI_Wtime();
    for (int looks = 0; !is_done(); ++looks) {
      if (looks > 50) std::this_thread::yield();
      if (MPI_Wtime() - begin > limit_s) {
        give_up("has waited for " + std::to_string(static_cast<int>(limit_s)) + " s for " + what);
      }
    }
  }
  // Values of neighbours, then what a device computes. Seconds in which it computed nothing.
  template <class Question>
  double waits_until(Question has_come) {
    double since = is_idle() ? MPI_Wtime() : 0.0;
    until(
        [&] {
          if (since == 0.0 && is_idle()) since = MPI_Wtime();
          return has_come();
        },
        "values of its neighbours");
    const double waited = since == 0.0 ? 0.0 : MPI_Wtime() - since;
    wait_for_device();
    return waited;
  }
  void wait(std::vector<MPI_Request>& requests, const char* what) {
    until(
        [&] {
          int done = 0;
          const int failed = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                                         MPI_STATUSES_IGNORE);
          if (failed != MPI_SUCCESS) give_up(std::string("has an error of MPI instead of ") + what);
          return done != 0;
        },
        what);
    requests.clear();
  }
  void wait(MPI_Request request, const char* what) {
    std::vector<MPI_Request> one{request};
    wait(one, what);
  }

  std::string said(const std::string& about, const std::string& sentence) const {
    return sentence.empty() ? "" : about + "rank " + std::to_string(rank) + " " + sentence;
  }
  // The sentence of the lowest rank that has one, on every rank.
  void agree(std::string& sentence) {
    int size = 0, first = 0;
    MPI_Comm_size(comm, &size);
    const int mine = sentence.empty() ? size : rank;
    MPI_Request request;
    MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm, &request);
    wait(request, "all ranks to agree");
    if (first == size) return;
    sentence.resize(400, '\\0');
    MPI_Ibcast(sentence.data(), 400, MPI_CHAR, first, comm, &request);
    wait(request, "all ranks to agree");
    sentence.resize(std::char_traits<char>::length(sentence.c_str()));
  }
};
"""

EXCHANGE = """
template <class Real, std::size_t n>
void receive(Ranks& ranks, const Halo<Real> (&halos)[n]) {
  ranks.wires->receive(halos);
  for (const auto& halo : halos) ranks.arrived(halo);
}
// Values leave; those beyond own points are undefined until they arrive.
template <class Real, std::size_t n>
void leave(Ranks& ranks, Halo<Real> (&halos)[n], std::uint64_t exchange) {
  wait_for_device();
  const double since = MPI_Wtime();
  ranks.choose(halos);
  ranks.wires->send(halos, Label{exchange, ++ranks.told.exchanges});
  ranks.told.packing += MPI_Wtime() - since;
  if (!ranks.overlaps) receive(ranks, halos);
}
// Between what is computed meanwhile. What MPI does then is not hidden: it counts as waiting.
inline void move_on(Ranks& ranks) {
  const double since = MPI_Wtime();
  ranks.wires->move_on();
  ranks.told.waiting += MPI_Wtime() - since;
}
template <class Real, std::size_t n>
void arrive(Ranks& ranks, const Halo<Real> (&halos)[n]) {
  if (ranks.overlaps) receive(ranks, halos);
}
"""

MEETING = """
// As the owner of the last points: each rank has them for itself.
constexpr std::int32_t each_rank = -2;

// Why a rank's own lists make no sense; and how many points it has for itself.
inline std::string look_at_places(Ranks& ranks, const std::int32_t* const* owners,
                                  const std::int64_t* const* globals) {
  int size = 0;
  MPI_Comm_size(ranks.comm, &size);
  for (std::size_t place = 0; place < ranks.places.size(); ++place) {
    Place& here = ranks.places[place];
    if (ranks.place(here.name) != static_cast<int>(place)) {
      return "was told of the " + here.name + " twice";
    }
    if (here.own < 0 || here.own > here.total) {
      return "was told to own " + std::to_string(here.own) + " of " + std::to_string(here.total) +
             " " + here.name;
    }
    while (here.own + here.alone < here.total &&
           owners[place][here.total - 1 - here.alone] == each_rank) {
      ++here.alone;
    }
    for (std::int64_t i = 0; i < here.total - here.alone; ++i) {
      const int owner = owners[place][i];
      if (owner >= 0 && owner < size && (owner == ranks.rank) == (i < here.own)) continue;
      return "was given rank " + std::to_string(owner) + " as the owner of number " +
             std::to_string(i) + " of the " + here.name + ", of which the first " +
             std::to_string(here.own) + " are its own; there are " + std::to_string(size) +
             " ranks";
    }
    std::vector<std::int64_t> all(globals[place], globals[place] + here.total - here.alone);
    std::sort(all.begin(), all.end());
    const auto twice = std::adjacent_find(all.begin(), all.end());
    if (twice != all.end()) {
      return "has number " + std::to_string(*twice) + " of the " + here.name + " twice";
    }
  }
  return {};
}

// Both sides of every message, for good. owners, globals: [place][point], of own points, too.
inline std::string meet(Ranks& ranks, const std::int32_t* const* owners,
                        const std::int64_t* const* globals) {
  int size = 0;
  MPI_Comm_size(ranks.comm, &size);
  const std::size_t places = ranks.places.size();
  std::vector<std::vector<Points>> wanted(size, std::vector<Points>(places));
  std::size_t names = 0;
  for (std::size_t place = 0; place < places; ++place) {
    for (const char letter : ranks.places[place].name) names = names * 31 + letter;
    const Place& here = ranks.places[place];
    for (std::int64_t i = here.own; i < here.total - here.alone; ++i) {
      const int owner = owners[place][i];
      wanted[owner][place].push_back(static_cast<std::int32_t>(i));
    }
  }
  std::vector<std::vector<std::int64_t>> out(size), in(size);
  std::vector<int> out_size(size), in_size(size);
  for (int rank = 0; rank < size; ++rank) {
    const auto& none = [](const Points& points) { return points.empty(); };
    if (std::all_of(wanted[rank].begin(), wanted[rank].end(), none)) continue;
    out[rank] = {static_cast<std::int64_t>(names), static_cast<std::int64_t>(places)};
    for (const auto& list : wanted[rank]) out[rank].push_back(std::ssize(list));
    for (std::size_t place = 0; place < places; ++place) {
      for (const std::int64_t point : wanted[rank][place])
        out[rank].push_back(globals[place][point]);
    }
    out_size[rank] = static_cast<int>(out[rank].size());
  }
  MPI_Request request;
  MPI_Ialltoall(out_size.data(), 1, MPI_INT, in_size.data(), 1, MPI_INT, ranks.comm, &request);
  ranks.wait(request, "all ranks to say whose points they need");
  std::vector<MPI_Request> open;
  for (int rank = 0; rank < size; ++rank) {
    if (in_size[rank] > 0) {
      in[rank].resize(in_size[rank]);
      MPI_Irecv(in[rank].data(), in_size[rank], MPI_INT64_T, rank, 1, ranks.comm,
                &open.emplace_back());
    }
    if (out_size[rank] > 0) {
      MPI_Isend(out[rank].data(), out_size[rank], MPI_INT64_T, rank, 1, ranks.comm,
                &open.emplace_back());
    }
  }
  ranks.wait(open, "all ranks to say which points they need");
  std::vector<std::vector<std::pair<std::int64_t, std::int32_t>>> own(places);
  for (std::size_t place = 0; place < places; ++place) {
    for (std::int64_t i = 0; i < ranks.places[place].own; ++i) {
      own[place].emplace_back(globals[place][i], static_cast<std::int32_t>(i));
    }
    std::sort(own[place].begin(), own[place].end());
  }
  for (int rank = 0; rank < size; ++rank) {
    if (in_size[rank] == 0 && out_size[rank] == 0) continue;
    Lists send(std::vector<Points>{places}), receive(std::move(wanted[rank]));
    Partner partner{rank, std::move(send), std::move(receive), {}, {}};
    if (in_size[rank] > 0) {
      const auto& message = in[rank];
      if (message[0] != static_cast<std::int64_t>(names) ||
          message[1] != static_cast<std::int64_t>(places)) {
        return "and rank " + std::to_string(rank) + " name different places";
      }
      std::size_t next = 2 + places;
      for (std::size_t place = 0; place < places; ++place) {
        for (std::int64_t i = 0; i < message[2 + place]; ++i, ++next) {
          const auto found = std::lower_bound(
              own[place].begin(), own[place].end(),
              std::pair<std::int64_t, std::int32_t>{message[next], 0});
          if (found == own[place].end() || found->first != message[next]) {
            return "does not own number " + std::to_string(message[next]) + " of the " +
                   ranks.places[place].name + ", which rank " + std::to_string(rank) +
                   " takes for one of its points";
          }
          partner.send[place].push_back(found->second);
        }
      }
    }
    ranks.partners.push_back(std::move(partner));
  }
  return {};
}
"""

WIRES = {"mpi": ranks_mpi.CODE, "onesided": ranks_onesided.CODE}


def common(target: str, *, on_device: bool = False) -> str:
    """What is the same in the code of every kernel."""
    lists, copies = (
        (ranks_copies.LISTS_THERE, ranks_copies.COPIES_THERE)
        if on_device
        else (ranks_copies.LISTS, ranks_copies.COPIES)
    )
    text = HEAD + WIRES[target] + EXCHANGE + MEETING + PARTS
    text = text.replace("@lists@", lists).replace("@copies@", copies)
    pieces = "1" if on_device else "64"  # a GPU computes by itself, and a launch takes time
    return text.replace("@most_pieces@", pieces).replace("@target@", _namespace(target, on_device))


def _namespace(target: str, on_device: bool) -> str:
    return f"{target}_cuda" if on_device else target


def prelude(name: str, target: str, *, on_device: bool = False) -> str:
    interface = f"using namespace thalweg_{_namespace(target, on_device)};\n" + INTERFACE
    return common(target, on_device=on_device) + interface.replace("@name@", name)
