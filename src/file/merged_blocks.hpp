// SPDX-License-Identifier: Apache-2.0
// Blocks of all ranks in the order of files and offsets, a batch of each rank in memory.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "file/block_spool.hpp"

namespace thalweg {

/// What BlockSpool::next_batch gives, block by block.
class BlockSource {
 public:
  /// `more` gives the next batch, "" after the last.
  explicit BlockSource(std::function<std::string()> more) : more_(std::move(more)) { fetch(); }

  bool at_end() const { return batch_.empty(); }
  std::string_view path() const { return path_; }
  const WrittenBlock& block() const { return block_; }
  void step();
  void skip_all();  ///< to the end: nobody wants the rest

 private:
  void fetch();
  void read(void* into, std::size_t bytes);

  std::function<std::string()> more_;
  std::string batch_;
  std::size_t at_ = 0;
  std::int64_t left_ = 0;  // blocks of path_ in this batch
  std::string path_;
  WrittenBlock block_;
};

/// The smallest of all sources, by path and offset.
class MergedBlocks {
 public:
  explicit MergedBlocks(std::vector<BlockSource> sources);

  bool at_end() const { return heap_.empty(); }
  std::string_view path() const { return sources_[heap_.front()].path(); }
  const WrittenBlock& block() const { return sources_[heap_.front()].block(); }
  void step();
  void skip_all();

 private:
  bool comes_later(std::size_t one, std::size_t other) const;

  std::vector<BlockSource> sources_;
  std::vector<std::size_t> heap_;  // sources that are not at their end, the smallest in front
};

/// Rank 0 of `comm`: a source for each rank, its own first. `own` may be null and lives longer.
std::vector<BlockSource> receive_blocks(MPI_Comm comm, int tag, BlockSpool* own);
/// Other ranks: returns when rank 0 has taken, or skipped, all blocks.
void send_blocks(MPI_Comm comm, int tag, BlockSpool* own);

}  // namespace thalweg
