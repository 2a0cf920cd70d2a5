// SPDX-License-Identifier: Apache-2.0
// Halo exchange between neighbours: one message each way, whatever the number of fields.
#include <algorithm>
#include <map>
#include <vector>

#include "base/call_limit.hpp"
#include "base/page_bytes.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {
namespace {

constexpr int setup_tag = 101, data_tag = 102;  // on a communicator of our own
constexpr std::size_t places = place_names.size();

using PointLists = PerPlace<std::vector<int>>;  // local indices, ascending in global

struct Neighbour {
  int rank;
  PointLists send, receive;
  // Pages of their own: a network card may keep hold of them, which memory that a model shares with
  // a GPU does not bear.
  using Buffer = std::vector<double, PageAllocator<double>>;
  Buffer send_buffer, receive_buffer;  // kept from exchange to exchange
};

/// Message of a setup: points of each place, then their global indices.
std::vector<std::int64_t> pack_wishes(const Mesh& mesh, const PointLists& receive) {
  std::vector<std::int64_t> message;
  for (const auto& list : receive) message.push_back(static_cast<std::int64_t>(list.size()));
  for (std::size_t place = 0; place < places; ++place)
    for (const int point : receive[place])
      message.push_back(mesh.part(static_cast<Place>(place)).global[point]);
  return message;
}

PointLists find_wished(const Mesh& mesh, const std::vector<std::int64_t>& message) {
  PointLists send;
  std::size_t next = places;
  for (std::size_t place = 0; place < places; ++place) {
    const PlacePart& part = mesh.part(static_cast<Place>(place));
    const auto end = part.global.begin() + part.owned;
    for (std::int64_t i = 0; i < message[place]; ++i, ++next) {
      const auto found = std::lower_bound(part.global.begin(), end, message[next]);
      if (found == end || *found != message[next])
        throw Error(Blame::bug,
                    std::string("halo exchange: another rank asked for ") + place_names[place] +
                        " '" + std::to_string(message[next]) +
                        "', which is not owned here; every rank must use one decomposition.");
      send[place].push_back(static_cast<int>(found - part.global.begin()));
    }
  }
  return send;
}

std::size_t values_of(const PointLists& lists, std::span<const HaloField> fields) {
  std::size_t values = 0;
  for (const HaloField& field : fields) values += lists[field.place].size() * field.levels;
  return values;
}

}  // namespace

struct HaloExchange::State {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<Neighbour> neighbours;  // ascending in rank
  bool under_way = false;             // between start and finish
  std::vector<HaloField> fields;      // of the exchange under way
  std::vector<MPI_Request> requests;  // of the exchange under way
  std::int64_t bytes_sent = 0;

  State(MPI_Comm parent, const Mesh& mesh) {
    {
      const CallLimit limit("all ranks to know their neighbours");
      MPI_Comm_dup(parent, &comm);
    }
    std::map<int, PointLists> wanted;  // [owner]
    for (std::size_t place = 0; place < places; ++place) {
      const PlacePart& part = mesh.part(static_cast<Place>(place));
      for (int i = part.owned; i < part.total(); ++i) wanted[part.owner[i]][place].push_back(i);
    }
    meet(mesh, wanted);
  }

  ~State() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&comm);
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Tells every owner what is wanted of it; both sides then agree on every message for good.
  void meet(const Mesh& mesh, std::map<int, PointLists>& wanted) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::map<int, std::vector<std::int64_t>> to_owner, from_user;
    std::vector<int> out_size(ranks), in_size(out_size);
    for (const auto& [rank, lists] : wanted) {
      to_owner[rank] = pack_wishes(mesh, lists);
      out_size[rank] = static_cast<int>(to_owner[rank].size());
    }
    MPI_Request sizes;
    MPI_Ialltoall(out_size.data(), 1, MPI_INT, in_size.data(), 1, MPI_INT, comm, &sizes);
    wait_all({&sizes, 1}, "the set-up of the halo exchange");

    std::vector<MPI_Request> open;
    for (int rank = 0; rank < ranks; ++rank) {
      const int size = in_size[rank];
      if (size == 0) continue;
      auto& message = from_user[rank];
      message.resize(size);
      MPI_Irecv(message.data(), size, MPI_INT64_T, rank, setup_tag, comm, &open.emplace_back());
    }
    for (const auto& [rank, message] : to_owner)
      MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_INT64_T, rank, setup_tag,
                comm, &open.emplace_back());
    wait_all(open, "the set-up of the halo exchange");

    std::map<int, Neighbour> met;
    for (auto& [rank, lists] : wanted) met[rank].receive = std::move(lists);
    for (const auto& [rank, message] : from_user) met[rank].send = find_wished(mesh, message);
    for (auto& [rank, neighbour] : met) {
      neighbour.rank = rank;
      neighbours.push_back(std::move(neighbour));
    }
  }
};

HaloExchange::HaloExchange(MPI_Comm comm, const Mesh& mesh)
    : state_(std::make_unique<State>(comm, mesh)) {}
HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange&&) noexcept = default;
HaloExchange& HaloExchange::operator=(HaloExchange&&) noexcept = default;

void HaloExchange::start(std::span<const HaloField> fields) {
  const ScopedTimer timer(Timer::halo_exchange);
  State& s = *state_;
  if (s.under_way)
    throw Error(Blame::bug,
                "halo exchange: 'start' was called twice without 'finish': finish first.");
  s.under_way = true;
  s.fields.assign(fields.begin(), fields.end());
  for (Neighbour& n : s.neighbours) {
    n.receive_buffer.resize(values_of(n.receive, fields));
    if (!n.receive_buffer.empty())
      MPI_Irecv(n.receive_buffer.data(), static_cast<int>(n.receive_buffer.size()), MPI_DOUBLE,
                n.rank, data_tag, s.comm, &s.requests.emplace_back());
  }
  for (Neighbour& n : s.neighbours) {
    n.send_buffer.resize(values_of(n.send, fields));
    double* next = n.send_buffer.data();
    for (const HaloField& field : fields)
      for (const int point : n.send[field.place])
        next = std::copy_n(field.values + std::ptrdiff_t{point} * field.levels, field.levels, next);
    if (!n.send_buffer.empty())
      MPI_Isend(n.send_buffer.data(), static_cast<int>(n.send_buffer.size()), MPI_DOUBLE, n.rank,
                data_tag, s.comm, &s.requests.emplace_back());
    s.bytes_sent += static_cast<std::int64_t>(n.send_buffer.size() * sizeof(double));
  }
}

void HaloExchange::finish() {
  const ScopedTimer timer(Timer::halo_exchange);
  State& s = *state_;
  if (!s.under_way)
    throw Error(Blame::bug, "halo exchange: 'finish' was called without 'start': start first.");
  wait_all(s.requests, "halo points from neighbours");
  s.requests.clear();
  s.under_way = false;
  for (const Neighbour& n : s.neighbours) {
    const double* next = n.receive_buffer.data();
    for (const HaloField& field : s.fields)
      for (const int point : n.receive[field.place]) {
        std::copy_n(next, field.levels, field.values + std::ptrdiff_t{point} * field.levels);
        next += field.levels;
      }
  }
}

int HaloExchange::neighbours() const { return static_cast<int>(state_->neighbours.size()); }
std::int64_t HaloExchange::bytes_sent() const { return state_->bytes_sent; }

}  // namespace thalweg
