// SPDX-License-Identifier: Apache-2.0
// Finds the newest restart set that is whole: all ranks check its blocks, a share each.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ranks/agreement.hpp"
#include "restart/set_directory.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

/// Blocks of a file of a set, checked one by one; the file stays open between them.
class BlockChecker {
 public:
  explicit BlockChecker(std::string set_path) : set_path_(std::move(set_path)) {}
  ~BlockChecker() { close_file(); }
  BlockChecker(const BlockChecker&) = delete;
  BlockChecker& operator=(const BlockChecker&) = delete;

  /// Throws Error(file_system) with one sentence about the set unless the block is as it should be.
  void check(const FileEntry& file, const PartEntry& part, std::size_t block) {
    if (name_ != file.name) open_file(file);
    const auto begin = static_cast<std::int64_t>(block) * block_bytes;
    auto left = std::min(block_bytes, part.bytes - begin);
    auto offset = part.offset + begin;
    std::uint32_t sum = 0;
    while (left > 0) {
      const auto wanted = std::min<std::int64_t>(left, slab_.size());
      const auto count = ::pread(file_, slab_.data(), wanted, offset);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) refuse(file, count < 0 ? std::strerror(errno) : "it ends early");
      sum = crc32(sum, std::span(slab_.data(), count));
      left -= count;
      offset += count;
    }
    if (sum == part.blocks[block]) return;
    refuse(file, fmt::format("the checksum of bytes {} to {} does not hold", part.offset + begin,
                             offset - 1));
  }

 private:
  void open_file(const FileEntry& file) {
    close_file();
    name_ = file.name;
    file_ = ::open((set_path_ + "/" + file.name).c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) refuse(file, std::strerror(errno));
    if (status.st_size == file.bytes) return;
    refuse(file, fmt::format("it has {} bytes instead of {}", status.st_size, file.bytes));
  }

  void close_file() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  [[noreturn]] void refuse(const FileEntry& file, const std::string& reason) const {
    throw Error(Blame::file_system, fmt::format("restart set '{}' is damaged: file '{}': {}",
                                                set_path_, file.name, reason));
  }

  std::string set_path_, name_;
  int file_ = -1;
  std::vector<std::byte> slab_ = std::vector<std::byte>(std::size_t{1} << 20);
};

/// This rank's share: consecutive blocks, so that it opens few files.
void check_share(const std::string& set_path, const Manifest& manifest, int rank, int ranks) {
  std::int64_t blocks = 0;
  for (const auto& file : manifest.files) {
    for (const auto& part : file.parts) blocks += static_cast<std::int64_t>(part.blocks.size());
  }
  const auto begin = blocks * rank / ranks, end = blocks * (rank + 1) / ranks;
  BlockChecker checker(set_path);
  std::int64_t next = 0;
  for (const auto& file : manifest.files) {
    for (const auto& part : file.parts) {
      for (std::size_t block = 0; block < part.blocks.size(); ++block, ++next) {
        if (next >= begin && next < end) checker.check(file, part, block);
      }
    }
  }
}

}  // namespace

RestartSet find_restart(MPI_Comm comm, const std::string& directory,
                        const std::function<std::string(ModelTime, const std::string&)>& unfit) {
  const ScopedTimer timer(Timer::restart_read);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::string dates;
  throw_together(comm, attempt(rank, [&] {
                   if (rank != 0) return;
                   for (const auto& date : list_sets(directory)) dates += date + "\n";
                 }));
  dates = broadcast_text(comm, 0, dates);
  RestartSet set;
  for (std::size_t begin = 0; begin < dates.size();) {
    const auto end = dates.find('\n', begin);
    const auto path = directory + "/" + dates.substr(begin, end - begin);
    begin = end + 1;
    try {
      std::string text;
      const auto unreadable = attempt(rank, [&] {
        if (rank != 0) return;
        const auto manifest = read_manifest(path);
        const auto reason = unfit ? unfit(manifest.time, manifest.run) : "";
        text = reason.empty() ? manifest.to_text() : fmt::format("-{}", reason);
      });
      throw_together(comm, unreadable);
      const auto told = broadcast_text(comm, 0, text);
      if (told.front() == '-') {
        set.unfit.push_back(fmt::format("'{}': {}", path, told.substr(1)));
        continue;
      }
      const auto manifest = Manifest::parse(told, path);
      std::optional<Error> damage;
      try {
        check_share(path, manifest, rank, ranks);
      } catch (const Error& error) {
        damage = error;
      }
      throw_together(comm, damage);
      set.path = path;
      set.time = manifest.time;
      set.scalars = manifest.scalars;
      return set;
    } catch (const Error& error) {
      if (error.blame() == Blame::bug) throw;
      set.damaged.emplace_back(error.what());
    }
  }
  return set;
}

}  // namespace thalweg
