// SPDX-License-Identifier: Apache-2.0
// Where staging memory comes from: room for shared memory, pages, ordinary memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace thalweg {

/// True on every rank if `mine` is true on every rank.
bool agreed(MPI_Comm comm, bool mine);

/// Waits for every rank; false after [io] timeout. Windows are freed together: a rank that never
/// comes (it failed) must not hold the others for ever, who then leave theirs to the end of the
/// process. Collective.
bool all_came(MPI_Comm comm, std::string_view what);

/// Do windows of `bytes` on this rank (others: their own) fit into the shared memory of every node?
/// Collective. Open MPI keeps them in /dev/shm, and where they do not fit, it fails on one rank and
/// waits for ever on the others: so ask first.
bool windows_fit(MPI_Comm comm, std::int64_t bytes);

enum class Access { read, write };

/// Makes the pages of a stretch present, so that no first touch costs a page fault (measured:
/// filling fresh shared memory 1.7 GB/s, then 19 GB/s). False where the system has no page left,
/// which would kill the rank at the first touch.
bool have_pages(std::byte* begin, std::int64_t bytes, Access access);

/// Memory of this process alone, its pages present.
class OwnMemory {
 public:
  explicit OwnMemory(std::int64_t bytes);
  ~OwnMemory();
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  bool there() const { return there_; }        ///< false if the system refused
  std::byte* begin() const { return begin_; }  ///< null if there are no bytes

 private:
  std::size_t bytes_;
  std::byte* begin_ = nullptr;
  bool there_ = true;
};

/// A second mapping of shared pages. Who lets go of them last gives them back to the system, which
/// takes about 0.2 ms a MB. Where there can be no second mapping it holds nothing.
class PagesHeld {
 public:
  PagesHeld(std::byte* begin, std::int64_t bytes);
  PagesHeld(PagesHeld&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)), bytes_(other.bytes_) {}
  PagesHeld& operator=(PagesHeld&&) = delete;
  ~PagesHeld();

 private:
  void* mapping_ = nullptr;
  std::size_t bytes_;
};

}  // namespace thalweg
