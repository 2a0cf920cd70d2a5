// SPDX-License-Identifier: Apache-2.0
// Times of files that the ranks of a team write at once, one each.
#pragma once

#include <cstdint>
#include <string>

#include "raw_file.hpp"
#include "team.hpp"

namespace thalweg::bench {

/// Writes large files: the rate of a team's writers. Files are gone when a trial has ended.
class WriteTimer {
 public:
  WriteTimer(const Team& team, std::string directory, Way way, KnownBytes& bytes);

  /// Both are collective over the world; contents have been found right before they return.
  struct Trial {
    Sample made;         ///< writing a new file
    Sample overwritten;  ///< writing the same file again
  };
  Trial time();
  /// The seconds of one new file of so many bytes on each writer, the slowest's.
  double try_out(std::int64_t size_bytes);

  void set_size(std::int64_t size_bytes) { size_bytes_ = size_bytes; }
  std::int64_t size_bytes() const { return size_bytes_; }
  const Team& team() const { return team_; }

 private:
  Sample write(RawFile::Open how);
  void remove();
  std::string path() const;

  const Team& team_;
  std::string directory_;
  Way way_;
  KnownBytes& bytes_;
  std::int64_t size_bytes_ = slab_bytes;
  std::uint64_t seed_ = 0;  ///< another one for each write of each rank
};

/// Makes small files, as our own writers make theirs: under another name, a page of bytes, closed,
/// renamed; so many one after the other. The time of one, each looked at before it is removed.
class FileTimer {
 public:
  FileTimer(const Team& team, std::string directory, KnownBytes& bytes);
  Sample time();
  const Team& team() const { return team_; }

 private:
  const Team& team_;
  std::string directory_;
  KnownBytes& bytes_;
  std::uint64_t seed_ = 1;
};

/// Bytes free for this user on the disk of a directory.
std::int64_t free_bytes(const std::string& directory);

}  // namespace thalweg::bench
