// SPDX-License-Identifier: Apache-2.0
// Files under their aside name PATH.part: large writes at given bytes, room, the final name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "file/page_cache.hpp"

namespace thalweg {

/// path + ".part", open for writing at any byte. Errors are Error(file_system) with path and
/// reason.
class AsideFile {
 public:
  enum class Open { create, existing };
  AsideFile(const std::string& path, Open how);
  ~AsideFile() { abandon(); }
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;

  /// All of it, in as many writes as the system needs. Large ones may go past the page cache
  /// (page_cache.hpp) if `data` and `offset` lie at the beginning of pages.
  void write(const void* data, std::size_t bytes, std::int64_t offset) const;
  /// Makes the file at least this long and, where the file system can, gives it its blocks at once:
  /// large writes are then faster (ext4: 7.8 GB/s instead of 5.1), and a full disk shows early.
  void reserve(std::int64_t bytes) const;
  /// Blocks behind the end of the file, which stays where it is, for who writes there next. False
  /// if the file system cannot.
  bool reserve_behind(std::int64_t bytes) const;
  void give_back_behind() const;  ///< what of them is left
  void close();
  void abandon() noexcept;  ///< closes; the file stays under its aside name
  const std::string& name() const { return aside_; }

 private:
  void write_one_way(const std::byte* data, std::size_t bytes, std::int64_t offset,
                     bool past_cache) const;
  std::size_t write_past_cache(const std::byte* data, std::size_t bytes, std::int64_t offset) const;
  void write_cached(const std::byte* data, std::size_t bytes, std::int64_t offset) const;

  std::string aside_;
  int descriptor_ = -1;
  mutable int past_cache_ = -1;  // the same file past the page cache, opened when it is needed
  WriteWays* ways_ = nullptr;
};

/// Gives path + ".part" its final name. Throws Error(file_system).
void rename_to_final(const std::string& path);

}  // namespace thalweg
