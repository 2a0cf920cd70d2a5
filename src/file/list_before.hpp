// SPDX-License-Identifier: Apache-2.0
// The checksums that a run had before it went on: of files that nobody changed since.
#pragma once

#include <fstream>
#include <set>
#include <string>
#include <string_view>

namespace thalweg {

/// Entries of DIRECTORY/checksums.jsonl.old, line by line; none where the list is damaged or not
/// there. Files with a journal are passed over: that is newer. One without, that was moved away and
/// came back, has no other checksum than this.
class ListBefore {
 public:
  explicit ListBefore(const std::string& directory);

  /// Of a run that goes on, before its files are changed. Throws Error(file_system).
  static void set_aside(const std::string& directory);
  /// When the new list is complete. Throws Error(file_system).
  static void remove(const std::string& directory);

  bool at_end() const { return line_.empty(); }
  std::string_view path() const { return path_; }  ///< of the file, DIRECTORY before it
  std::string_view line() const { return line_; }  ///< with its end
  void step();

 private:
  bool has_a_journal() const;

  std::string directory_;
  std::set<std::string> journaled_;  // what names in journal/ have up to the time of their file
  std::ifstream file_;
  std::string line_, path_;
};

}  // namespace thalweg
