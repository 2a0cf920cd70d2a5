// SPDX-License-Identifier: Apache-2.0
// A file of known bytes: written whole, through the page cache or past it, and read back.
#pragma once

#include <cstdint>
#include <string>

#include "base/page_bytes.hpp"

namespace thalweg::bench {

/// Bytes of one call of pwrite or pread, as our own writers' slabs.
inline constexpr std::int64_t slab_bytes = 8 << 20;

/// How bytes get to the disk.
enum class Way {
  past_cache,  ///< O_DIRECT: never in the page cache
  flushed,     ///< through the page cache, and fsync at the end, within the time
  unflushed,   ///< into the page cache, as far as we wait
};
const char* name_of(Way way);

/// Bytes that no file system can shrink: noise, and at the beginning of each page a number that is
/// only there in this file, at this place, with this seed.
class KnownBytes {
 public:
  KnownBytes();
  /// So many bytes of the file, at most a slab, as they are to be. Valid until the next call.
  const std::byte* slab(std::uint64_t seed, std::int64_t offset, std::int64_t size_bytes);

 private:
  PageBytes bytes_;
};

/// An open file; closed at the end of its life. Every refusal is an Error(file_system).
class RawFile {
 public:
  enum class Open { make, overwrite, read };
  /// `make` refuses a file that is there.
  RawFile(const std::string& path, Open how, Way way);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  /// Writes `size_bytes`, whole slabs or less than one, beginning at 0. Returns the seconds that
  /// the file system took, for flushing too.
  double write(KnownBytes& bytes, std::uint64_t seed, std::int64_t size_bytes);
  /// Reads the file; throws Error(bug) if it is not what write() wrote with this seed.
  void check(KnownBytes& bytes, std::uint64_t seed, std::int64_t size_bytes);
  void close();

 private:
  std::string path_;
  Way way_;
  int file_ = -1;
};

/// Whether the file system of `directory` takes writes past the page cache: tried with a file of
/// `name`, which is removed.
bool takes_past_cache(const std::string& directory, const std::string& name);

}  // namespace thalweg::bench
