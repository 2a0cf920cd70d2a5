// SPDX-License-Identifier: Apache-2.0
// A list is read twice: its last line tells whether the lines above may be believed.
#include "file/checksum_list.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/crc32.hpp"
#include "base/warning.hpp"
#include "file/entries.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t text_bytes = std::size_t{1} << 20;  // of the list, in one write
constexpr std::string_view file_key = R"({"file":)", below = "files/";

std::string last_line(std::uint32_t sum) {
  return fmt::format(R"({{"crc32_of_lines_above":"{:08x}"}})", sum);
}

std::uint32_t sum_after(std::uint32_t sum, std::string_view text) {
  return crc32(sum, std::as_bytes(std::span(text)));
}

bool is_whole(const std::string& path) {
  std::ifstream file(path);
  std::uint32_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    if (line == last_line(sum)) return true;
    sum = sum_after(sum, line += '\n');
  }
  return false;
}

/// "" of the last line.
std::string file_of(std::string_view line) {
  if (!line.starts_with(file_key)) return "";
  auto end = file_key.size() + 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return nlohmann::json::parse(line.substr(file_key.size(), end + 1 - file_key.size()));
}

void remove(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  if (!error) return;
  throw Error(Blame::file_system,
              fmt::format("cannot remove '{}', which no longer holds: {}", path, error.message()));
}

}  // namespace

std::string list_path(const std::string& directory) { return directory + "/checksums.jsonl"; }
std::string old_list_path(const std::string& directory) { return list_path(directory) + ".old"; }

void ListWriter::add(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= text_bytes) flush();
}

void ListWriter::complete() {
  flush();
  add(last_line(sum_) + "\n");
  flush();
  file_.close();
  rename_to_final(path_);
}

void ListWriter::flush() {
  sum_ = sum_after(sum_, waiting_);
  file_.write(waiting_.data(), waiting_.size(), written_);
  written_ += static_cast<std::int64_t>(waiting_.size());
  waiting_.clear();
}

ListReader::ListReader(const std::string& path) {
  if (!is_whole(path)) return;
  file_.open(path);
  step();
}

void ListReader::step() {
  if (!std::getline(file_, line_)) line_.clear();
  name_ = file_of(line_);
  line_ = name_.empty() ? "" : line_ + '\n';
}

void set_list_aside(const std::string& directory,
                    const std::function<bool(std::string_view name)>& changes) {
  const auto list = list_path(directory), old = old_list_path(directory);
  // Of one that was killed there may be the old list alone.
  const auto from = is_present(list) ? list : old;
  if (!is_present(from)) return;
  if (!is_whole(from)) {
    warn_once(
        fmt::format("'{}' is damaged: checksums of files that stay as they are are taken "
                    "from their journals and the disk",
                    from));
  }
  ListWriter kept(old);
  for (ListReader lines(from); !lines.at_end(); lines.step()) {
    const auto file = lines.file();
    if (file.starts_with(below) && !changes(file.substr(below.size()))) kept.add(lines.line());
  }
  kept.complete();
  remove(list);
}

void for_each_listed(
    const std::string& directory,
    const std::function<void(std::string_view, const std::function<std::vector<WrittenBlock>()>&)>&
        act) {
  const auto list = list_path(directory);
  for (ListReader lines(is_present(list) ? list : old_list_path(directory)); !lines.at_end();
       lines.step()) {
    if (!lines.file().starts_with(below)) continue;
    act(lines.file().substr(below.size()), [&] {
      std::vector<WrittenBlock> blocks;
      for (const auto& [offset, bytes, sum] :
           nlohmann::json::parse(lines.line())
               .at("blocks")
               .get<std::vector<std::tuple<std::int64_t, std::int64_t, std::string>>>())
        blocks.push_back({offset, bytes, static_cast<std::uint32_t>(std::stoul(sum, nullptr, 16))});
      return blocks;
    });
  }
}

void remove_old_list(const std::string& directory) { remove(old_list_path(directory)); }

}  // namespace thalweg
