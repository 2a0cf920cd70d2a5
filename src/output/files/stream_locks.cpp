// SPDX-License-Identifier: Apache-2.0
// One byte for each stream's name, in one file.
#include "output/files/stream_locks.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <span>

#include "base/crc32.hpp"
#include "file/file_lock.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t byte_of_all = std::int64_t{1} << 32U;  // behind those of streams

}  // namespace

StreamLocks::StreamLocks(const std::string& directory, const std::vector<std::string>& streams)
    : directory_(directory) {  // what cannot be made is told by the first journal
  locked_ = open_locked(path(), [&](int file) {
    for (const auto& stream : streams) {
      if (take_lock(file, crc32(0, std::as_bytes(std::span(stream))))) continue;
      throw Error(Blame::user,
                  fmt::format("[[output]] '{}': another output writes the files of a stream of "
                              "that name, with journals in '{}'; give each output a directory, "
                              "or its streams names, of their own",
                              stream, directory));
    }
  });
}

StreamLocks::~StreamLocks() {
  if (locked_.file < 0) return;
  if (!take_all_locks(locked_.file)) {  // somebody else has one
    close_locked(locked_.file);
    return;
  }
  remove_locked(locked_.file, path());
  if (locked_.made_directory) ::rmdir(directory_.c_str());  // if there are no journals
}

JournalLock::JournalLock(const std::string& directory) {
  file_ = ::open((directory + "/.lock").c_str(), O_RDWR | O_CLOEXEC);
  if (file_ >= 0) take_lock(file_, byte_of_all);
}

JournalLock::~JournalLock() {
  if (file_ >= 0) close_locked(file_);
}

std::string StreamLocks::path() const { return directory_ + "/.lock"; }

}  // namespace thalweg
