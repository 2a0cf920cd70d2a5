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
#include "base/crc32.hpp"
#include "file/aside_file.hpp"
#include "file/checksum_log.hpp"
#include "file/file_bytes.hpp"
#include "file/list_before.hpp"
#include "file/merged_blocks.hpp"
#include "ranks/agreement.hpp"
#include "ranks/pulse.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t text_bytes = std::size_t{1} << 20;  // of the list, in one write
constexpr int pulse_tag = 0, blocks_tag = 1;

std::string to_text(const WrittenBlock& block) {
  return fmt::format("[{},{},\"{:08x}\"]", block.offset, block.bytes, block.crc32);
}

std::string list_path(const std::string& directory) { return directory + "/checksums.jsonl"; }

/// Regular files under final names, in the order of their names.
std::vector<fs::path> final_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(directory);
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->path().extension() == ".part" || entry->path().extension() == ".old") {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.push_back(entry->path());
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& one, const auto& other) {
    return path_before(one.native(), other.native());
  });
  return files;
}

/// The list while it is written: of a large one only the end is in memory.
class ListFile {
 public:
  explicit ListFile(const std::string& path) : path_(path), file_(path, AsideFile::Open::create) {}

  void add(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= text_bytes) flush();
  }
  /// The last line is about all others.
  void complete() {
    flush();
    add(Json{{"crc32_of_lines_above", fmt::format("{:08x}", sum_)}}.dump() + "\n");
    flush();
    file_.close();
    rename_to_final(path_);
  }

 private:
  void flush() {
    sum_ = crc32(sum_, std::as_bytes(std::span(waiting_)));
    file_.write(waiting_.data(), waiting_.size(), written_);
    written_ += static_cast<std::int64_t>(waiting_.size());
    waiting_.clear();
  }

  std::string path_;
  AsideFile file_;
  std::string waiting_;
  std::int64_t written_ = 0;
  std::uint32_t sum_ = 0;
};

/// Adds blocks from the first to the last byte of a file.
class FileBlocks {
 public:
  FileBlocks(const std::string& path, std::int64_t size, ListFile& list)
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
  ListFile& list_;
};

/// `written` is at the first block of this file, if there are some.
void add_file(const std::string& path, std::int64_t size, const std::string& directory,
              MergedBlocks& written, ListFile& list) {
  list.add(fmt::format(R"({{"file":{},"blocks":[)",
                       Json(fs::path(path).lexically_relative(directory).string()).dump()));
  FileBlocks blocks(path, size, list);
  BlocksWithoutOverlaps alone;
  for (; !written.at_end() && written.path() == path; written.step())
    if (const auto block = alone.add(written.block())) blocks.add(*block);
  if (const auto block = alone.last()) blocks.add(*block);
  list.add(fmt::format("],\"bytes\":{}}}\n", blocks.end()));
}

/// All files that are there, were written, or had checksums before, in the order of their paths: a
/// file that was moved away keeps its checksums for who brings it back.
void write_list(const std::string& directory, MergedBlocks& written) {
  ListFile list(list_path(directory));
  ListBefore before(directory);
  const auto files = final_files(directory + "/files");
  auto file = files.begin();
  while (true) {
    while (!written.at_end() && !written.path().starts_with(directory + "/files/")) written.step();
    std::optional<std::string> next;
    const auto propose = [&next](std::string_view path) {
      if (!next || path_before(path, *next)) next = path;
    };
    if (file != files.end()) propose(file->native());
    if (!written.at_end()) propose(written.path());
    if (!before.at_end()) propose(before.path());
    if (!next) break;
    const bool there = file != files.end() && file->native() == *next;
    const bool changed = !written.at_end() && written.path() == *next;
    const bool listed = !before.at_end() && before.path() == *next;
    if (listed && !changed)
      list.add(before.line());
    else
      add_file(*next, there ? static_cast<std::int64_t>(fs::file_size(*file)) : 0, directory,
               written, list);
    if (there) ++file;
    if (listed) before.step();
  }
  list.complete();
  ListBefore::remove(directory);
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

void set_checksums_aside(const std::string& directory) { ListBefore::set_aside(directory); }

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
