// SPDX-License-Identifier: Apache-2.0
// In memory are only blocks that no journal has yet; slabs of a field follow each other, so the
// lists stay short.
#include "file/checksum_log.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/crc32.hpp"
#include "thalweg/checksums.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr std::size_t read_back_bytes = std::size_t{1} << 20;

struct Log {
  std::string directory;
  std::map<std::string, WrittenBlocks> fresh;  // [final path]
  std::unique_ptr<BlockSpool> spool;           // null until the first block leaves `fresh`

  BlockSpool& to_spool() {
    if (!spool) spool = std::make_unique<BlockSpool>(directory);
    return *spool;
  }
};

/// Null unless checksums are collected.
std::unique_ptr<Log>& log_of_rank() {
  static std::unique_ptr<Log> log;
  return log;
}

std::string final_path(const std::string& aside_path) {
  constexpr std::string_view suffix = ".part";
  if (aside_path.ends_with(suffix)) {
    return aside_path.substr(0, aside_path.size() - suffix.size());
  }
  const auto found = aside_path.rfind(".part/");
  return found == std::string::npos ? aside_path
                                    : std::string(aside_path).erase(found, suffix.size());
}

/// take(path, blocks) of this file, and of what has its path before one of `marks`.
template <class Take>
void move_to_spool(Log& log, const std::string& path, std::string_view marks, const Take& take) {
  auto& fresh = log.fresh;
  for (auto next = fresh.lower_bound(path); next != fresh.end() && next->first.starts_with(path);) {
    const auto& found = next->first;
    if (found.size() > path.size() && marks.find(found[path.size()]) == std::string_view::npos) {
      ++next;
      continue;
    }
    log.to_spool().add(found, next->second.blocks());
    take(found, next->second.blocks());
    next = fresh.erase(next);
  }
}

}  // namespace

void WrittenBlocks::add(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const bool follows = !blocks_.empty() && blocks_.back().offset + blocks_.back().bytes == offset;
  if (!follows) {
    blocks_.push_back({offset, 0, 0});
  }
  auto& block = blocks_.back();
  block.crc32 = crc32(block.crc32, bytes);
  block.bytes += static_cast<std::int64_t>(bytes.size());
}

WrittenBlock read_block(const FileBytes& file, std::int64_t begin, std::int64_t end) {
  WrittenBlocks read;
  std::vector<std::byte> slab(read_back_bytes);
  for (auto at = begin; at < end; at += std::ssize(slab)) {
    slab.resize(std::min<std::size_t>(slab.size(), end - at));
    file.read(slab, at);
    read.add(at, slab);
    note_work();
  }
  return read.blocks().front();
}

void collect_checksums(const std::string& directory) {
  log_of_rank() = std::make_unique<Log>();
  log_of_rank()->directory = directory;
}

bool collects_checksums() { return log_of_rank() != nullptr; }
std::string checksums_directory() { return log_of_rank() ? log_of_rank()->directory : ""; }

void note_written(const std::string& aside_path, std::int64_t offset,
                  std::span<const std::byte> bytes) {
  if (auto& log = log_of_rank()) log->fresh[final_path(aside_path)].add(offset, bytes);
}

std::map<std::string, std::vector<WrittenBlock>> take_new_written(const std::string& final_path) {
  std::map<std::string, std::vector<WrittenBlock>> taken;
  if (auto& log = log_of_rank())
    move_to_spool(*log, final_path, "/",
                  [&](const auto& path, const auto& blocks) { taken[path] = blocks; });
  return taken;
}

void end_written(const std::string& final_path) {
  if (auto& log = log_of_rank()) move_to_spool(*log, final_path, "/.", [](auto&&...) {});
}

void note_blocks(const std::string& final_path, std::span<const WrittenBlock> blocks) {
  if (auto& log = log_of_rank()) log->to_spool().add(final_path, blocks);
}

void forget_written(const std::string& aside_path) {
  auto& log = log_of_rank();
  if (!log) return;
  const auto path = final_path(aside_path);
  std::erase_if(log->fresh, [&](const auto& entry) {
    return entry.first == path || entry.first.starts_with(path + "/");
  });
  if (log->spool) log->spool->forget(path);
}

std::unique_ptr<BlockSpool> take_written() {
  const auto log = std::exchange(log_of_rank(), nullptr);
  if (!log) return nullptr;
  for (const auto& [path, written] : log->fresh) log->to_spool().add(path, written.blocks());
  return std::move(log->spool);
}

std::optional<WrittenBlock> BlocksWithoutOverlaps::add(const WrittenBlock& block) {
  const bool free = block.offset >= end_;
  const auto before = free ? alone_ : std::nullopt;
  alone_ = free ? std::optional(block) : std::nullopt;
  end_ = std::max(end_, block.offset + block.bytes);
  return before;
}

}  // namespace thalweg
