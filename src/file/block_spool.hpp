// SPDX-License-Identifier: Apache-2.0
// The checksums of all blocks that this rank wrote, on disk until the end of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/unnamed_file.hpp"

namespace thalweg {

/// Consecutive bytes of a file and their CRC-32.
struct WrittenBlock {
  std::int64_t offset = 0, bytes = 0;
  std::uint32_t crc32 = 0;
};

/// The order of paths component by component, which is that of a folder before its neighbours.
bool path_before(std::string_view one, std::string_view other);

/// Two files without names. Nothing throws: where the disk refuses them there are no blocks, and
/// who wants checksums reads the bytes.
class BlockSpool {
 public:
  /// `directory`: has room for 32 bytes a block, and for names.
  explicit BlockSpool(const std::string& directory) : records_(directory), names_(directory) {}

  void add(std::string_view path, std::span<const WrittenBlock> blocks);
  /// What was added for this file so far does not count.
  void forget(std::string_view path);
  /// By path, then by offset: at most so many blocks with their paths, as add_blocks() packs them;
  /// "" after the last. Nothing is added any more.
  std::string next_batch(std::size_t most_blocks);

 private:
  struct Record {
    std::int64_t offset, bytes;
    std::int64_t name_at;  // where the path begins in names_, which grows with time
    std::uint32_t crc32, unused;
  };
  void note(const WrittenBlock& block);
  void begin_name(std::string_view path);
  std::string_view name_of(const Record& record) const;
  void sort();

  UnnamedFile records_, names_;
  std::string name_;  // the last one
  std::int64_t name_at_ = 0;

  bool sorted_ = false;
  std::span<const std::byte> mapped_names_;
  std::span<Record> left_;        // in order
  std::int64_t counts_from_ = 0;  // of the path name_: records with smaller name_at are forgotten
};

/// Adds blocks of one file to a batch.
void add_blocks(std::string& batch, std::string_view path, std::span<const WrittenBlock> blocks);

}  // namespace thalweg
