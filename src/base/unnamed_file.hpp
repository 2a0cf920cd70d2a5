// SPDX-License-Identifier: Apache-2.0
// A file without a name: what a rank notes in it takes no memory, and nothing is left of it when
// the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thalweg {

class UnnamedFile {
 public:
  /// Nothing throws: the first refusal is kept in status(), and after it nothing is written.
  explicit UnnamedFile(const std::string& directory);
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  void append(std::span<const std::byte> bytes);
  /// Of all that was appended.
  std::int64_t size() const { return size_; }
  /// errno of the first refusal, or 0; what was appended so far is in the file.
  int status();
  /// The content, which may be changed where it lies; {} after a refusal. Nothing is appended any
  /// more.
  std::span<std::byte> map();

 private:
  void flush();

  int file_ = -1, status_ = 0;
  std::int64_t size_ = 0;
  std::vector<std::byte> waiting_;  // not yet in the file
  std::span<std::byte> mapped_;
};

}  // namespace thalweg
