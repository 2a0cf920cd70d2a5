// SPDX-License-Identifier: Apache-2.0
// Three words: "I work", "who is there?", "I am".
#include "ranks/pulse.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "ranks/rank_names.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

enum Word : int { working, asking, here };
constexpr std::array<int, 3> words{working, asking, here};  // outlive every send

constexpr std::size_t most_named = 4;

void send(int word, int destination, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&words[word], 1, MPI_INT, destination, tag, comm, &request);
  MPI_Request_free(&request);
}

}  // namespace

Pulse::Pulse(MPI_Comm comm, int tag, std::function<std::string(int)> name)
    : comm_(comm), tag_(tag), name_(std::move(name)) {
  int ranks = 1;
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks);
  heard_s_.assign(ranks, wait_clock_s());
}

void Pulse::say(int word) {
  for (int rank = 0; rank < static_cast<int>(heard_s_.size()); ++rank) {
    if (rank != rank_) send(word, rank, tag_, comm_);
  }
}

void Pulse::say_working() { say(working); }
void Pulse::ask() {
  asked_s_ = wait_clock_s();
  for (int rank = 0; rank < static_cast<int>(heard_s_.size()); ++rank) {
    if (rank != rank_ && is_asked(rank)) send(asking, rank, tag_, comm_);
  }
}

// All ranks may wait at a time, and each question is answered: of many ranks only the first asks
// everybody, the others their neighbours (I/O ranks come last in their communicator: so they are
// the first ranks' neighbours) and the first.
bool Pulse::is_asked(int rank) const {
  constexpr int few = 256, neighbours = 32;
  const int ranks = static_cast<int>(heard_s_.size());
  if (ranks <= few || rank_ == 0 || rank == 0) return true;
  const int apart = std::abs(rank - rank_);
  return std::min(apart, ranks - apart) <= neighbours;
}

bool Pulse::take(const MPI_Status& status) {
  if (status.MPI_TAG != tag_) return false;
  int word = working;
  MPI_Recv(&word, 1, MPI_INT, status.MPI_SOURCE, tag_, comm_, MPI_STATUS_IGNORE);
  heard_s_[status.MPI_SOURCE] = wait_clock_s();
  if (word == working) note_progress();
  if (word == asking) send(here, status.MPI_SOURCE, tag_, comm_);
  return true;
}

void Pulse::listen() {
  for (int there = 1; there != 0;) {
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &there, &status);
    if (there != 0) take(status);
  }
}

std::string Pulse::silent() const {
  std::vector<std::string> names;
  for (int rank = 0; rank < static_cast<int>(heard_s_.size()); ++rank) {
    if (rank == rank_ || !is_asked(rank)) continue;
    if (heard_s_[rank] >= asked_s_) continue;
    names.push_back(name_(rank));
  }
  return short_list(std::move(names), most_named);
}

}  // namespace thalweg
