// SPDX-License-Identifier: Apache-2.0
// Bytes of a file that is there: read and written where they lie, without checksums; renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace thalweg {

/// An open file. Errors are Error(file_system) with path and reason.
class FileBytes {
 public:
  FileBytes(const std::string& path, int flags);  ///< O_RDONLY, O_WRONLY ...
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  void read(std::span<std::byte> into, std::int64_t offset) const;  ///< all of it must be there
  void write(std::span<const std::byte> bytes, std::int64_t offset) const;
  void append(std::span<const std::byte> bytes) const;  ///< with O_APPEND, in one call
  void cut(std::int64_t bytes) const;                   ///< to this length
  std::int64_t size() const;
  void close();  ///< tells what the system could not write later on; the destructor does not

 private:
  std::string path_;
  int descriptor_;
};

/// False if there is nothing of this name. Throws Error(file_system) if nobody can tell, or if it
/// is a directory: what cannot be read must not count as not there.
bool is_file(const std::string& path);
/// All of a small file; nothing if there is none. Throws as is_file does.
std::optional<std::string> text_of(const std::string& path);
/// A small file as a whole, which a kill at any moment leaves as it was or as it is to be.
void replace_file(const std::string& path, std::span<const std::byte> bytes);
/// Throws Error(user): the file was cut since a run wrote this byte of it.
[[noreturn]] void refuse_end(const std::string& path, std::int64_t byte);
/// The same if the file is shorter, or not there.
void require_size(const std::string& path, std::int64_t bytes);
/// One directory, unless it is there.
void make_directory(const std::string& path);
/// Takes the place of what has the name `to`.
void rename_file(const std::string& from, const std::string& to);
/// Throws Error(user) if there is neither `path` nor path + ".part", which a run wrote.
void require_file(const std::string& path);
/// Path + ".part" where that is there: it is newer than what has the final name, which this is
/// else.
std::string found_path(const std::string& path);
/// Path + ".part" from a file or directory that has its final name already, unless there is one.
/// Throws Error(user) if there is neither.
void take_back(const std::string& path);

}  // namespace thalweg
