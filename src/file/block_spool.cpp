// SPDX-License-Identifier: Apache-2.0
// Records of one size, each with the place of its path; at the end they are sorted where they lie.
#include "file/block_spool.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace thalweg {

namespace {

constexpr std::int64_t forgotten = -1;  // an offset: it stands before those of blocks

}  // namespace

bool path_before(std::string_view one, std::string_view other) {
  const auto [a, b] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (a == one.end() || b == other.end()) return a == one.end() && b != other.end();
  if (*a == '/' || *b == '/') return *a == '/';  // the component ends here
  return static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
}

void add_blocks(std::string& batch, std::string_view path, std::span<const WrittenBlock> blocks) {
  const std::int64_t head[] = {std::ssize(path), std::ssize(blocks)};
  batch.append(reinterpret_cast<const char*>(head), sizeof head);
  batch.append(path);
  batch.append(reinterpret_cast<const char*>(blocks.data()), blocks.size_bytes());
}

void BlockSpool::begin_name(std::string_view path) {
  name_ = path;
  name_at_ = names_.size();
  names_.append(std::as_bytes(std::span(name_.c_str(), name_.size() + 1)));
}

void BlockSpool::note(const WrittenBlock& block) {
  const Record record{block.offset, block.bytes, name_at_, block.crc32, 0};
  records_.append(std::as_bytes(std::span(&record, 1)));
}

void BlockSpool::add(std::string_view path, std::span<const WrittenBlock> blocks) {
  if (blocks.empty()) return;
  if (path != name_) begin_name(path);
  for (const auto& block : blocks) note(block);
}

void BlockSpool::forget(std::string_view path) {
  begin_name(path);
  note({forgotten, 0, 0});
}

std::string_view BlockSpool::name_of(const Record& record) const {
  return reinterpret_cast<const char*>(mapped_names_.data()) + record.name_at;
}

void BlockSpool::sort() {
  sorted_ = true;
  mapped_names_ = names_.map();
  const auto bytes = records_.map();
  if (mapped_names_.empty() || bytes.empty()) return;
  left_ = {reinterpret_cast<Record*>(bytes.data()), bytes.size() / sizeof(Record)};
  std::sort(left_.begin(), left_.end(), [this](const Record& one, const Record& other) {
    if (one.name_at != other.name_at) {
      const auto first = name_of(one), second = name_of(other);
      if (first != second) return path_before(first, second);
    }
    return one.offset < other.offset;
  });
}

std::string BlockSpool::next_batch(std::size_t most_blocks) {
  if (!sorted_) sort();
  std::string batch;
  while (!left_.empty() && most_blocks > 0) {
    const auto path = name_of(left_.front());
    if (path != name_) counts_from_ = 0;
    name_ = path;
    std::vector<WrittenBlock> blocks;
    for (auto last_at = left_.front().name_at; !left_.empty() && most_blocks > 0;
         left_ = left_.subspan(1)) {
      const auto& next = left_.front();
      if (next.name_at != last_at && name_of(next) != path) break;
      last_at = next.name_at;
      if (next.offset == forgotten) {
        counts_from_ = std::max(counts_from_, next.name_at);
      } else if (next.name_at >= counts_from_) {
        blocks.push_back({next.offset, next.bytes, next.crc32});
        --most_blocks;
      }
    }
    if (!blocks.empty()) add_blocks(batch, path, blocks);
  }
  return batch;
}

}  // namespace thalweg
