// SPDX-License-Identifier: Apache-2.0
// The room behind the end of a growing file, of which every writer takes what it needs.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "base/page_bytes.hpp"

namespace thalweg {

/// Knows where a file ends, and moves that end on, in whole pages: large writes may then go past
/// the page cache. Of one file at a time.
class FileRoom {
 public:
  virtual ~FileRoom() = default;
  /// Head, before anybody takes: the file ends before this byte.
  void begin_at(std::uint64_t end) { put_end(whole_pages(end)); }
  /// At least `bytes` at the end, for this rank alone; returns where they begin.
  std::uint64_t take(std::uint64_t bytes) { return move_end(whole_pages(bytes)); }

 private:
  virtual void put_end(std::uint64_t end) = 0;
  virtual std::uint64_t move_end(std::uint64_t bytes) = 0;  ///< returns where it was
};

/// Of a file that one rank extends.
class OwnRoom final : public FileRoom {
  void put_end(std::uint64_t end) override { end_ = end; }
  std::uint64_t move_end(std::uint64_t bytes) override { return std::exchange(end_, end_ + bytes); }

  std::uint64_t end_ = 0;
};

/// Of a file that a team extends: the end is a number in a window on the head (rank 0), which the
/// others move on without its help. Collective, so is its end; null on every rank if one cannot
/// have the window. take() throws Error(bug) if the head cannot be reached within [io] timeout.
std::unique_ptr<FileRoom> make_team_room(MPI_Comm team);

}  // namespace thalweg
