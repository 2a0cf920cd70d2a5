// SPDX-License-Identifier: Apache-2.0
// Rank 0 takes the blocks of all ranks file by file, and reads what lies between them.
#include "thalweg/checksums.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/call_limit.hpp"
#include "file/checksum_list.hpp"
#include "file/checksum_log.hpp"
#include "file/file_bytes.hpp"
#include "file/files_in_order.hpp"
#include "file/merged_blocks.hpp"
#include "ranks/agreement.hpp"
#include "ranks/pulse.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int pulse_tag = 0, blocks_tag = 1;

std::string to_text(const WrittenBlock& block) {
  return fmt::format("[{},{},\"{:08x}\"]", block.offset, block.bytes, block.crc32);
}

/// Adds blocks from the first to the last byte of a file.
class FileBlocks {
 public:
  FileBlocks(const std::string& path, std::int64_t size, ListWriter& list)
      : size_(size), list_(list) {
    if (size_ > 0) file_.emplace(path, O_RDONLY);
  }

  /// In the order of their offsets. A file that has been cut since has them all the same: the list
  /// says what was written.
  void add(const WrittenBlock& block) {
    note_work();
    read_to(block.offset);
    tell(block);
  }
  /// How many bytes the file must have.
  std::int64_t end() {
    read_to(size_);
    return std::max(end_, size_);
  }

 private:
  void read_to(std::int64_t next) {
    next = std::min(next, size_);
    if (next > end_) tell(read_block(*file_, end_, next));
  }
  void tell(const WrittenBlock& block) {
    list_.add((some_ ? "," : "") + to_text(block));
    end_ = block.offset + block.bytes;
    some_ = true;
  }

  std::optional<FileBytes> file_;  // nothing of one that is not there any more
  std::int64_t size_, end_ = 0;
  bool some_ = false;
  ListWriter& list_;
};

/// `written` is at the first block of this file, if there are some.
void add_file(const std::string& path, std::int64_t size, const std::string& directory,
              MergedBlocks& written, ListWriter& list) {
  list.add(fmt::format(R"({{"file":{},"blocks":[)",
                       Json(fs::path(path).lexically_relative(directory).string()).dump()));
  FileBlocks blocks(path, size, list);
  BlocksWithoutOverlaps alone;
  for (; !written.at_end() && written.path() == path; written.step())
    if (const auto block = alone.add(written.block())) blocks.add(*block);
  if (const auto block = alone.last()) blocks.add(*block);
  list.add(fmt::format("],\"bytes\":{}}}\n", blocks.end()));
}

/// All files that are there, were written, or had checksums before, in the order of their paths: of
/// a file that nobody changed the list before has the truth, also where it was moved away
/// meanwhile.
void write_list(const std::string& directory, MergedBlocks& written) {
  ListWriter list(list_path(directory));
  ListReader before(old_list_path(directory));
  FilesInOrder files(directory + "/files");
  for (;; note_work()) {
    while (!written.at_end() && !written.path().starts_with(directory + "/files/")) written.step();
    const auto listed = directory + "/" + std::string(before.file());
    std::optional<std::string> next;
    const auto propose = [&next](std::string_view path) {
      if (!next || path_before(path, *next)) next = path;
    };
    if (files.path()) propose(*files.path());
    if (!written.at_end()) propose(written.path());
    if (!before.at_end()) propose(listed);
    if (!next) break;
    const bool is_there = files.path() == next;
    if (!before.at_end() && listed == *next) {
      list.add(before.line());
      before.step();
      while (!written.at_end() && written.path() == *next) written.step();
    } else {
      add_file(*next, is_there ? static_cast<std::int64_t>(fs::file_size(*next)) : 0, directory,
               written, list);
    }
    if (is_there) files.step();
  }
  list.complete();
  remove_old_list(directory);
}

}  // namespace

namespace {

/// Ranks that wait for rank 0, which reads for long after a continuation, hear that it works.
class Heard {
 public:
  explicit Heard(MPI_Comm world) {
    come_together(world, "all ranks to bring their checksums");
    {
      const CallLimit limit("all ranks to bring their checksums");
      MPI_Comm_dup(world, &comm_);
    }
    pulse_.emplace(comm_, pulse_tag, [](int rank) { return fmt::format("rank {}", rank); });
  }
  ~Heard() {
    pulse_.reset();
    MPI_Comm_free(&comm_);
  }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::optional<Pulse> pulse_;
};

}  // namespace

void write_checksums(MPI_Comm world, const std::string& directory) {
  const auto own = take_written();
  const Heard heard(world);
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  std::string refusal;
  if (rank != 0) {
    send_blocks(heard.comm(), blocks_tag, own.get());
  } else {
    MergedBlocks written(receive_blocks(heard.comm(), blocks_tag, own.get()));
    try {
      write_list(directory, written);
    } catch (const std::exception& error) {  // also what the file system library throws
      refusal = error.what();
      std::error_code ignored;
      fs::remove(list_path(directory) + ".part", ignored);
    }
    written.skip_all();
  }
  refusal = broadcast_text(world, 0, refusal, "rank 0 to write the checksums");
  if (!refusal.empty()) throw Error(Blame::file_system, refusal);
}

}  // namespace thalweg
