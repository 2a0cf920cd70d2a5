// SPDX-License-Identifier: Apache-2.0
// What this rank wrote into which file: checksums, taken while the bytes are in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace thalweg {

/// Consecutive bytes of a file and their CRC-32.
struct WrittenBlock {
  std::int64_t offset = 0, bytes = 0;
  std::uint32_t crc32 = 0;
};

/// The blocks of one file in the order in which they were begun.
class WrittenBlocks {
 public:
  /// Continues the newest block if it ends where these bytes begin.
  void add(std::int64_t offset, std::span<const std::byte> bytes);
  /// A block that somebody took the checksum of before.
  void add(const WrittenBlock& block) { blocks_.push_back(block); }
  const std::vector<WrittenBlock>& blocks() const { return blocks_; }
  /// Those begun since the last call; what follows begins another one.
  std::span<const WrittenBlock> take_new();

 private:
  std::vector<WrittenBlock> blocks_;
  std::size_t taken_ = 0;
};

/// Unless collect_checksums() was called (thalweg/checksums.hpp), nothing is noted.
/// `aside_path`: with ".part" at its end, or at the end of a folder of it.
void note_written(const std::string& aside_path, std::int64_t offset,
                  std::span<const std::byte> bytes);
void forget_written(const std::string& aside_path);  ///< the file begins anew
/// Blocks of this file, or of the files below this folder, that this rank has written since the
/// last call, by final path.
std::map<std::string, std::vector<WrittenBlock>> take_new_written(const std::string& final_path);
/// What another run wrote.
void note_blocks(const std::string& final_path, std::span<const WrittenBlock> blocks);
/// Of this rank so far, by final path; none is left.
std::map<std::string, WrittenBlocks> take_written();

/// In order of their offsets. Blocks that overlap are left out: who was last is not known.
std::vector<WrittenBlock> without_overlaps(std::vector<WrittenBlock> blocks);

}  // namespace thalweg
