// SPDX-License-Identifier: Apache-2.0
// What every way of writing a restart set can do, seen from a compute rank; and who writes which
// part where.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "restart/manifest.hpp"
#include "restart/part.hpp"
#include "restart/retention.hpp"

namespace thalweg {

/// The ranks of a restart and what they were told at the start. Communicators are private copies.
struct RestartTeam {
  RestartSettings settings;
  MPI_Comm control = MPI_COMM_NULL;  ///< all ranks: small messages
  MPI_Comm data = MPI_COMM_NULL;     ///< all ranks: values
  MPI_Comm compute = MPI_COMM_NULL;  ///< compute ranks only; null on restart ranks
  int rank = 0, compute_ranks = 1, restart_ranks = 0;  ///< compute ranks come first
  bool is_compute() const { return rank < compute_ranks; }
  std::string name_of(int each) const {
    return (each < compute_ranks ? "compute rank " : "restart rank ") + std::to_string(each);
  }
};

/// Where the part of one compute rank goes and who writes it.
struct PartPlace {
  std::string file;
  std::int64_t file_bytes = 0;  ///< of the whole file
  std::int64_t offset = 0;
  int writer = 0;  ///< rank among the writers
};

/// Collective over the compute ranks.
class RestartMode {
 public:
  virtual ~RestartMode() = default;
  /// `head`: the manifest without its files, the same on all ranks. `kept`: compute rank 0 knows.
  /// All ranks throw the same Error.
  virtual void write(const Manifest& head, const KeptSets& kept, const Part& part) = 0;
  /// Looks for news without waiting. All ranks throw the same Error, at the same call.
  virtual void check() {}
  /// Waits for the set in flight. All ranks throw the same Error.
  virtual void complete() {}
  /// Waits for the set in flight and ends the restart ranks' work. All ranks throw the same Error.
  virtual void close() {}
};

/// A line of the table of modes.
struct RestartModeEntry {
  const char* name;
  const char* meaning;
  bool needs_restart_ranks;
  bool own_files;  ///< every rank that writes has a file of its own
  /// Places of all parts, part_bytes[compute rank], for a number of restart ranks.
  std::vector<PartPlace> (*place)(std::span<const std::int64_t> part_bytes, int restart_ranks);
  /// On compute ranks, at the first write.
  std::unique_ptr<RestartMode> (*make)(const RestartTeam&, const RestartModeEntry&);
};

/// Every mode, in modes.cpp.
std::span<const RestartModeEntry> restart_mode_table();
/// The mode of that name; throws Error(user) with the list and "did you mean".
const RestartModeEntry& find_restart_mode(const std::string& name);

std::vector<PartPlace> place_sync(std::span<const std::int64_t> part_bytes, int restart_ranks);
std::vector<PartPlace> place_async(std::span<const std::int64_t> part_bytes, int restart_ranks);
std::vector<PartPlace> place_joint(std::span<const std::int64_t> part_bytes, int restart_ranks);
std::vector<PartPlace> place_dedicated(std::span<const std::int64_t> part_bytes, int restart_ranks);
std::unique_ptr<RestartMode> make_sync(const RestartTeam&, const RestartModeEntry&);
std::unique_ptr<RestartMode> make_joint(const RestartTeam&, const RestartModeEntry&);
/// Of async and dedicated_multifile: both copy to staging memory and differ in their places.
std::unique_ptr<RestartMode> make_staged(const RestartTeam&, const RestartModeEntry&);

/// Index of the restart rank that takes a compute rank's part: shares are contiguous.
inline int taker_of(int compute_rank, int compute_ranks, int restart_ranks) {
  return static_cast<int>((static_cast<std::int64_t>(compute_rank) * restart_ranks) /
                          compute_ranks);
}

/// All parts in one file, one after the other.
std::vector<PartPlace> place_in_one_file(std::span<const std::int64_t> part_bytes);

/// The files of a set from what its writers wrote, in the order of compute ranks.
std::vector<FileEntry> files_of(std::span<const PartPlace> places, std::vector<PartEntry> parts);

/// What a writer tells about a part, as integers, and back (`next` moves on).
void append_words(const PartEntry& part, std::vector<std::int64_t>& words);
PartEntry entry_from_words(std::span<const std::int64_t> words, std::size_t& next);

}  // namespace thalweg
