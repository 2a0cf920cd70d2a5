// SPDX-License-Identifier: Apache-2.0
// Brings the blocks of all ranks to rank 0, which reads what lies between them.
#include "thalweg/checksums.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/crc32.hpp"
#include "file/aside_file.hpp"
#include "file/checksum_log.hpp"
#include "ranks/agreement.hpp"
#include "ranks/pulse.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using BlocksByFile = std::map<std::string, std::vector<WrittenBlock>>;

constexpr std::size_t read_back_bytes = std::size_t{1} << 20;

Json to_json(const WrittenBlock& block) {
  return {block.offset, block.bytes, fmt::format("{:08x}", block.crc32)};
}

WrittenBlock from_json(const Json& json) {
  const auto sum = std::stoul(json.at(2).get<std::string>(), nullptr, 16);
  return {json.at(0), json.at(1), static_cast<std::uint32_t>(sum)};
}

std::string own_blocks() {
  Json files = Json::object();
  for (const auto& [path, written] : take_written()) {
    auto& list = files[path] = Json::array();
    for (const auto& block : written.blocks()) list.push_back(to_json(block));
  }
  return files.dump();
}

BlocksByFile together(const std::vector<std::string>& texts) {
  BlocksByFile files;
  for (const auto& text : texts) {
    const Json own = Json::parse(text);
    for (const auto& [path, blocks] : own.items()) {
      auto& all = files[path];
      for (const auto& block : blocks) all.push_back(from_json(block));
    }
  }
  return files;
}

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
  std::sort(files.begin(), files.end());
  return files;
}

WrittenBlock read_block(const std::string& path, int file, std::int64_t begin, std::int64_t end) {
  WrittenBlocks read;
  std::vector<std::byte> slab(read_back_bytes);
  for (auto at = begin; at < end;) {
    const auto wanted = std::min(slab.size(), static_cast<std::size_t>(end - at));
    const auto count = ::pread(file, slab.data(), wanted, at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error(Blame::file_system,
                  fmt::format("'{}' cannot be read back for its checksum: {}", path,
                              count < 0 ? std::strerror(errno) : "it ends early"));
    }
    read.add(at, {slab.data(), static_cast<std::size_t>(count)});
    at += count;
    note_work();
  }
  return read.blocks().front();
}

/// Blocks from the first to the last byte of a file.
Json blocks_of(const std::string& path, std::int64_t size, std::vector<WrittenBlock> written) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto list = Json::array();
  std::int64_t end = 0;
  const auto read_to = [&](std::int64_t next) {
    if (next > end) list.push_back(to_json(read_block(path, file, end, next)));
  };
  try {
    for (const auto& block : without_overlaps(std::move(written))) {
      if (block.offset + block.bytes > size) break;  // cut after it was written
      note_work();
      read_to(block.offset);
      list.push_back(to_json(block));
      end = block.offset + block.bytes;
    }
    read_to(size);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
  return list;
}

void write_list(const std::string& directory, BlocksByFile written) {
  std::string text;
  for (const auto& path : final_files(directory + "/files")) {
    const auto size = static_cast<std::int64_t>(fs::file_size(path));
    const Json line{{"file", path.lexically_relative(directory).string()},
                    {"bytes", size},
                    {"blocks", blocks_of(path.string(), size, std::move(written[path.string()]))}};
    text += line.dump() + "\n";
  }
  const auto sum = crc32(0, std::as_bytes(std::span(text)));
  text += Json{{"crc32_of_lines_above", fmt::format("{:08x}", sum)}}.dump() + "\n";
  const auto path = directory + "/checksums.jsonl";
  AsideFile file(path, AsideFile::Open::create);
  file.write(text.data(), text.size(), 0);
  file.close();
  rename_to_final(path);
}

}  // namespace

namespace {

/// Ranks that wait for rank 0, which reads for long after a continuation, hear that it works.
class Heard {
 public:
  explicit Heard(MPI_Comm world) {
    come_together(world, "all ranks to bring their checksums");  // MPI_Comm_dup has no limit
    MPI_Comm_dup(world, &comm_);
    pulse_.emplace(comm_, 0, [](int rank) { return fmt::format("rank {}", rank); });
  }
  ~Heard() {
    pulse_.reset();
    MPI_Comm_free(&comm_);
  }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::optional<Pulse> pulse_;
};

}  // namespace

void write_checksums(MPI_Comm world, const std::string& directory) {
  const Heard heard(world);
  const auto texts = gather_texts(world, own_blocks(), "the checksums of other ranks");
  std::string refusal;
  if (!texts.empty()) {
    try {
      write_list(directory, together(texts));
    } catch (const std::exception& error) {  // also what the file system library throws
      refusal = error.what();
    }
  }
  refusal = broadcast_text(world, 0, refusal, "rank 0 to write the checksums");
  if (!refusal.empty()) throw Error(Blame::file_system, refusal);
}

}  // namespace thalweg
