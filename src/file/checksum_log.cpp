// SPDX-License-Identifier: Apache-2.0
// One list per file and rank; slabs of a field follow each other, so the lists stay short.
#include "file/checksum_log.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/crc32.hpp"
#include "thalweg/checksums.hpp"

namespace thalweg {

namespace {

std::map<std::string, WrittenBlocks>& all_written() {
  static std::map<std::string, WrittenBlocks> files;
  return files;
}

/// Files with blocks that nobody has taken.
std::set<std::string>& touched() {
  static std::set<std::string> paths;
  return paths;
}

bool collecting = false;

std::string final_path(const std::string& aside_path) {
  constexpr std::string_view suffix = ".part";
  if (aside_path.ends_with(suffix)) {
    return aside_path.substr(0, aside_path.size() - suffix.size());
  }
  const auto found = aside_path.rfind(".part/");
  return found == std::string::npos ? aside_path
                                    : std::string(aside_path).erase(found, suffix.size());
}

}  // namespace

void WrittenBlocks::add(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const bool follows =
      blocks_.size() > taken_ && blocks_.back().offset + blocks_.back().bytes == offset;
  if (!follows) {
    blocks_.push_back({offset, 0, 0});
  }
  auto& block = blocks_.back();
  block.crc32 = crc32(block.crc32, bytes);
  block.bytes += static_cast<std::int64_t>(bytes.size());
}

std::span<const WrittenBlock> WrittenBlocks::take_new() {
  const auto fresh = std::span<const WrittenBlock>(blocks_).subspan(taken_);
  taken_ = blocks_.size();
  return fresh;
}

void collect_checksums() { collecting = true; }

void note_written(const std::string& aside_path, std::int64_t offset,
                  std::span<const std::byte> bytes) {
  if (!collecting) return;
  const auto path = final_path(aside_path);
  all_written()[path].add(offset, bytes);
  touched().insert(path);
}

std::map<std::string, std::vector<WrittenBlock>> take_new_written(const std::string& final_path) {
  std::map<std::string, std::vector<WrittenBlock>> fresh;
  auto& paths = touched();
  for (auto path = paths.lower_bound(final_path);
       path != paths.end() && path->starts_with(final_path);) {
    if (path->size() > final_path.size() && (*path)[final_path.size()] != '/') {
      ++path;
      continue;
    }
    const auto blocks = all_written()[*path].take_new();
    fresh[*path].assign(blocks.begin(), blocks.end());
    path = paths.erase(path);
  }
  return fresh;
}

void note_blocks(const std::string& final_path, std::span<const WrittenBlock> blocks) {
  if (!collecting) return;
  auto& written = all_written()[final_path];
  for (const auto& block : blocks) written.add(block);
  written.take_new();
}

void forget_written(const std::string& aside_path) {
  if (collecting) all_written().erase(final_path(aside_path));
}

std::map<std::string, WrittenBlocks> take_written() { return std::exchange(all_written(), {}); }

std::vector<WrittenBlock> without_overlaps(std::vector<WrittenBlock> blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const auto& one, const auto& other) { return one.offset < other.offset; });
  std::vector<WrittenBlock> alone;
  std::int64_t end = 0;  // of everything so far
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto block_end = blocks[i].offset + blocks[i].bytes;
    const bool after_others = blocks[i].offset >= end;
    const bool before_next = i + 1 == blocks.size() || block_end <= blocks[i + 1].offset;
    if (after_others && before_next) alone.push_back(blocks[i]);
    end = std::max(end, block_end);
  }
  return alone;
}

}  // namespace thalweg
