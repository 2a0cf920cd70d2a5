// SPDX-License-Identifier: Apache-2.0
// checksums.jsonl, line by line: of a large one only the end is in memory. Its last line is about
// all others.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "file/aside_file.hpp"
#include "file/checksum_log.hpp"

namespace thalweg {

class ListWriter {
 public:
  explicit ListWriter(const std::string& path)
      : path_(path), file_(path, AsideFile::Open::create) {}

  void add(std::string_view text);
  void complete();

 private:
  void flush();

  std::string path_;
  AsideFile file_;
  std::string waiting_;
  std::int64_t written_ = 0;
  std::uint32_t sum_ = 0;
};

/// Nothing of a list that is damaged or not there.
class ListReader {
 public:
  explicit ListReader(const std::string& path);

  bool at_end() const { return line_.empty(); }
  std::string_view file() const { return name_; }  ///< below the directory of the list
  std::string_view line() const { return line_; }  ///< with its end
  void step();

 private:
  std::ifstream file_;
  std::string line_, name_;
};

/// act(name below files/, function that gives its blocks) for each file of the list that the run
/// before left; nothing of one that is damaged.
void for_each_listed(
    const std::string& directory,
    const std::function<void(std::string_view, const std::function<std::vector<WrittenBlock>()>&)>&
        act);

/// DIRECTORY/checksums.jsonl, and what is kept of it while the run goes on.
std::string list_path(const std::string& directory);
std::string old_list_path(const std::string& directory);

/// Rank 0 of a run that goes on, before its files are changed: what the list says of files that
/// stay as they are is kept aside. `changes`: of a name below files/. Throws Error(file_system).
void set_list_aside(const std::string& directory,
                    const std::function<bool(std::string_view name)>& changes);
/// When the new list is complete. Throws Error(file_system).
void remove_old_list(const std::string& directory);

}  // namespace thalweg
