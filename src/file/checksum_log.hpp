// SPDX-License-Identifier: Apache-2.0
// What this rank wrote into which file: checksums, taken while the bytes are in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "file/block_spool.hpp"
#include "file/file_bytes.hpp"

namespace thalweg {

/// The blocks of one file in the order in which they were begun.
class WrittenBlocks {
 public:
  /// Continues the newest block if it ends where these bytes begin.
  void add(std::int64_t offset, std::span<const std::byte> bytes);
  const std::vector<WrittenBlock>& blocks() const { return blocks_; }

 private:
  std::vector<WrittenBlock> blocks_;
};

/// Was collect_checksums() called?
bool collects_checksums();
/// With what; "" if not.
std::string checksums_directory();

/// Unless collect_checksums() was called (thalweg/checksums.hpp), nothing is noted.
/// `aside_path`: with ".part" at its end, or at the end of a folder of it.
void note_written(const std::string& aside_path, std::int64_t offset,
                  std::span<const std::byte> bytes);
void forget_written(
    const std::string& aside_path);  ///< it begins anew; a store, before any of it was taken
/// Blocks of this file, or of the files below this folder, that this rank has written since the
/// last call, by final path. They leave this rank's memory for its spool.
std::map<std::string, std::vector<WrittenBlock>> take_new_written(const std::string& final_path);
/// The file is closed: what it ended with, and what stands beside it, goes the same way.
void end_written(const std::string& final_path);
/// Bytes begin to before end, as they lie in the file now.
WrittenBlock read_block(const FileBytes& file, std::int64_t begin, std::int64_t end);
/// What another run wrote.
void note_blocks(const std::string& final_path, std::span<const WrittenBlock> blocks);
/// Of this rank so far; from now on nothing is noted. Null if nothing was.
std::unique_ptr<BlockSpool> take_written();

/// Blocks that overlap are left out: who was last is not known.
class BlocksWithoutOverlaps {
 public:
  /// In the order of their offsets. Gives an earlier one that no other overlaps.
  std::optional<WrittenBlock> add(const WrittenBlock& block);
  /// After the last.
  std::optional<WrittenBlock> last() const { return alone_; }

 private:
  std::optional<WrittenBlock> alone_;  // so far
  std::int64_t end_ = 0;               // of everything so far
};

}  // namespace thalweg
