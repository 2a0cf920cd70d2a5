// SPDX-License-Identifier: Apache-2.0
// A queue of byte blocks in a node-local file: where output waits when buffers are full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

namespace thalweg {

/// First in, first out. The file has no name from the moment it is open: nothing is left of it
/// after a kill. Room of popped blocks goes back to the file system.
class Spill {
 public:
  struct Block {
    std::int64_t key;  ///< the caller's own
    std::int64_t bytes;
  };

  /// `directory`: "" = $TMPDIR or /tmp. `name` begins the name that the file has for a moment.
  /// Throws Error(file_system) if it cannot be made there.
  Spill(const std::string& directory, const std::string& name);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  /// Throws Error(file_system) if the file system refuses; the queue is then as it was before.
  void push(std::span<const std::byte> bytes, std::int64_t key);
  bool empty() const { return blocks_.empty(); }
  const Block& front() const { return blocks_.front(); }  ///< the next one to be popped
  /// Moves the front block into into[0 ... front().bytes) and returns its key.
  std::int64_t pop(std::span<std::byte> into);

  std::int64_t bytes() const { return bytes_; }  ///< in the queue now

 private:
  [[noreturn]] void refuse(const char* act, std::int64_t bytes) const;

  std::string directory_;
  int file_ = -1;
  std::int64_t begin_ = 0, end_ = 0;  // of the queue in the file
  std::deque<Block> blocks_;
  std::int64_t bytes_ = 0;
};

}  // namespace thalweg
