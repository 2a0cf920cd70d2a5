// SPDX-License-Identifier: Apache-2.0
// A file of parts, seen from one of its writers: every slab goes through the checksum, then to the
// file, while it is in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/crc32.hpp"

namespace thalweg {

/// One checksum covers this much of a part, so that ranks can share the work of checking it.
inline constexpr std::int64_t block_bytes = std::int64_t{32} << 20;

/// A part as the manifest names it.
struct PartEntry {
  std::int64_t rank = 0;  ///< compute rank it came from
  std::int64_t offset = 0, bytes = 0, index_bytes = 0;
  std::vector<std::uint32_t> blocks;  ///< CRC-32 of every block_bytes, the last one shorter
};

/// Throws Error(file_system) with path and reason whenever the file system refuses.
class PartFile {
 public:
  /// Creates the file or joins it; its final size is known. Old content is written over.
  PartFile(std::string path, std::int64_t size_bytes);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void begin_part(std::int64_t rank, std::int64_t offset, std::int64_t index_bytes);
  void append(std::span<const std::byte> slab);
  PartEntry end_part();
  void close();  ///< some file systems tell only here that they are full

 private:
  void write_all(std::span<const std::byte> bytes, std::int64_t offset);

  std::string path_;
  int file_ = -1;
  PartEntry entry_;
  std::int64_t in_block_ = 0;  // bytes of the last block so far
};

/// Throws Error(file_system): "cannot WHAT 'PATH': REASON", with errno's reason.
[[noreturn]] void throw_file_error(const std::string& what, const std::string& path);

}  // namespace thalweg
