// SPDX-License-Identifier: Apache-2.0
// Files that a team writes by collective MPI-IO calls: values are kept until all ranks of the team
// write them together.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "file/mpi_io.hpp"
#include "format/container.hpp"
#include "format/netcdf/netcdf_metadata.hpp"

namespace thalweg {

class FileBytes;

/// Some levels x points of one field, values[level][point] without gaps.
struct StagedBlock {
  Piece piece;
  std::size_t offset = 0;  ///< in StagedStep::memory, in bytes
};

/// What one rank writes of one time.
struct StagedStep {
  std::vector<std::byte> memory;
  std::vector<StagedBlock> blocks;
};

/// The head creates and describes the file alone, with the serial library. settle() opens it on all
/// ranks of the team, writes and closes it: in between nothing is open, so that close() and
/// abandon() wait for nobody, and a killed run leaves a readable file.
///
/// What can fail on one rank alone (memory, reaching the file, space on the disk) is found before
/// the collective calls and told to all by request and grant. Inside them MPI-IO decides: a rank
/// that cannot write goes on taking part and throws at the end, but if the MPI library itself
/// leaves a collective call on one rank, the others wait in it without a time limit.
class CollectiveContainer : public Container {
 public:
  void put(const Piece& piece, int time_index, const void* values) override;
  std::string request(int time_index) override;
  std::vector<std::string> grant(int time_index, std::vector<std::string> requests) override;
  void settle(int time_index, const std::string& answer) override;
  FileDescription& description() override { return file_; }
  bool moves_at_close() override;
  void close() override;
  void abandon() noexcept override { staged_.clear(); }

 protected:
  /// `fixed`: the format, unless the time axis grows.
  CollectiveContainer(const char* name, const FileDescription& description,
                      const FixedFormat* fixed, MPI_Comm team);

  /// How many collective calls this rank needs for its blocks, [kind of call]; ranks may differ.
  virtual std::vector<int> calls_needed(const StagedStep& step) const = 0;
  /// On all ranks with the same `calls`, the largest of all ranks. Opens, writes, closes.
  virtual void write_step(int time_index, StagedStep& step, std::span<const int> calls) = 0;
  /// Most bytes by which a time makes the file longer.
  virtual std::int64_t growth() const { return 0; }

  /// Collective: throws on all ranks if it is not well on one.
  void agree(const std::string& failure, const char* what) const;
  /// Collective: nothing if all is well on all ranks, else this rank's failure or that there is
  /// one.
  std::string failure_anywhere(const std::string& failure) const;
  /// Of a file with room for all times, once it is closed: nothing if this rank's values are in it.
  /// MPI-IO may tell nobody that a disk took only part of a write.
  std::string read_back(int time_index, const StagedStep& step);
  /// Head: what MPI said about the open file; close() records it.
  void keep_reported(IoHints reported) { reported_ = std::move(reported); }

  const FileDescription& file() const { return file_; }
  const std::string& aside() const { return aside_; }
  MPI_Comm team() const { return team_; }
  bool head() const { return head_; }
  std::size_t value_size(int field) const { return file_.value_bytes(file_.fields[field]); }
  std::int64_t points_of(int field) const;

 private:
  std::string room_refusal(std::int64_t bytes) const;
  bool is_there(const FileBytes& file, const StagedBlock& block, int time_index,
                std::span<const std::byte> memory) const;
  void write_history() const;
  void trace(const Piece& piece, int time_index, const void* values) const;

  const char* name_;
  FileDescription file_;
  std::string aside_;
  std::string described_;  // the history that the file was begun with
  const FixedFormat* fixed_;
  std::optional<FixedLayout> layout_;  // for read_back()
  MPI_Comm team_;                      // the caller's
  bool head_ = false;
  std::optional<IoHints> reported_;
  std::map<int, StagedStep> staged_;  // by time
  StagedStep spare_;                  // memory of the step before
};

}  // namespace thalweg
