// SPDX-License-Identifier: Apache-2.0
// JSON lines, each with a checksum of its own. A line is one write; it is in the page cache before
// the next step, and a kill of the process cannot take it back.
#include "output/files/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <sstream>

#include "base/crc32.hpp"
#include "file/file_bytes.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view sum_key = ",\"crc32\":\"";

std::string sealed(const JournalJson& line) {
  auto text = line.dump();
  text.pop_back();  // the brace
  const auto sum = crc32(0, std::as_bytes(std::span(text)));
  return fmt::format("{}{}{:08x}\"}}\n", text, sum_key, sum);
}

std::optional<JournalJson> opened(const std::string& text) {
  const auto end = text.rfind(sum_key);
  if (end == std::string::npos) return std::nullopt;
  const auto sum = crc32(0, std::as_bytes(std::span(text).first(end)));
  if (text.substr(end) != fmt::format("{}{:08x}\"}}", sum_key, sum)) return std::nullopt;
  return JournalJson::parse(text);
}

JournalJson head_of(const JournalContent& content) {
  return {{"settings", content.settings},
          {"bounds", content.bounds},
          {"alone", content.alone},
          {"history", content.history}};
}

void take_head(const JournalJson& json, JournalContent& content) {
  content.settings = json.value("settings", "");
  content.bounds = json.value("bounds", content.bounds);
  content.alone = json.value("alone", content.alone);
  content.history = json.value("history", "");
}

JournalJson to_json(const JournalLine& line) {
  JournalJson json{{"step", line.step}, {"time_ms", line.time.ms()}};
  if (line.dropped) {
    json["dropped"] = true;
  } else {
    json["files"] = line.files;
  }
  return json;
}

JournalLine line_of(const JournalJson& json) {
  return {json.at("step"), ModelTime::of_ms(json.at("time_ms")), json.value("dropped", false),
          json.value("files", JournalJson::object())};
}

[[noreturn]] void refuse_line(const std::string& path, const std::string& which) {
  throw Error(Blame::user,
              fmt::format("{} of '{}' is damaged, so nobody knows what the file holds; begin anew, "
                          "or take the journal back from where it was copied",
                          which, path));
}

constexpr std::int64_t tail_bytes = 4096;  // some lines of a small file; more is read where needed

}  // namespace

std::string to_text(const JournalContent& content) {
  auto lines = JournalJson::array();
  for (const auto& line : content.lines) lines.push_back(to_json(line));
  auto whole = head_of(content);
  whole["lines"] = lines;
  return whole.dump();
}

JournalContent content_of(const std::string& text) {
  const auto json = JournalJson::parse(text);
  JournalContent content;
  take_head(json, content);
  for (const auto& line : json.at("lines")) content.lines.push_back(line_of(line));
  return content;
}

void forget_blocks(JournalContent& content) {
  for (auto& line : content.lines)
    for (auto& part : line.files) part.erase("blocks");
}

JournalJson blocks_to_json(std::span<const WrittenBlock> blocks) {
  auto list = JournalJson::array();
  for (const auto& block : blocks)
    list.push_back({block.offset, block.bytes, fmt::format("{:08x}", block.crc32)});
  return list;
}

std::vector<WrittenBlock> blocks_from_json(const JournalJson& json) {
  std::vector<WrittenBlock> blocks;
  for (const auto& block : json) {
    const auto sum = std::stoul(block.at(2).get<std::string>(), nullptr, 16);
    blocks.push_back({block.at(0), block.at(1), static_cast<std::uint32_t>(sum)});
  }
  return blocks;
}

std::string journal_path(const std::string& directory, const std::string& file_path) {
  return directory + "/" + fs::path(file_path).filename().string() + ".jsonl";
}

std::optional<JournalContent> read_journal(const std::string& path) {
  auto all = text_of(path);
  if (!all) return std::nullopt;
  JournalContent content;
  std::istringstream lines(std::move(*all));
  int number = 0;
  for (std::string text; std::getline(lines, text); ++number) {
    const auto json = opened(text);
    if (!json && lines.peek() == std::istringstream::traits_type::eof()) break;  // cut short
    if (!json) refuse_line(path, fmt::format("line {}", number + 1));
    if (number == 0) {
      take_head(*json, content);
    } else if (json->contains("closed")) {
      content.closed = true;
      content.unmoved = json->value("unmoved", false);
    } else if (json->contains("changing")) {
      content.closed = content.unmoved = false;
    } else {
      content.lines.push_back(line_of(*json));
    }
    content.changing = json->contains("changing");
  }
  return content;
}

std::optional<JournalEnd> read_journal_end(const std::string& path) {
  if (!is_file(path)) return std::nullopt;
  const FileBytes file(path, O_RDONLY);
  const auto size = file.size();
  for (std::int64_t bytes = std::min(size, tail_bytes);; bytes = std::min(size, 4 * bytes)) {
    std::string text(bytes, '\0');
    file.read(std::as_writable_bytes(std::span(text)), size - bytes);
    int cut = 0;  // lines that a kill may have cut short: the last
    for (auto end = text.size(); end > 0;) {
      const auto newline = text.rfind('\n', end - 1);
      const bool terminated = newline == end - 1;
      const auto before =
          terminated ? (newline == 0 ? std::string::npos : text.rfind('\n', newline - 1)) : newline;
      const auto begin = before == std::string::npos ? 0 : before + 1;
      if (begin == 0 && bytes < size) break;  // the line begins further ahead
      const auto json = opened(text.substr(begin, end - begin - (terminated ? 1 : 0)));
      if (json) {
        const bool closed = json->contains("closed"), until = json->contains("until");
        return JournalEnd{json->value(until ? "until" : "step", -1), closed,
                          json->contains("changing"), closed && !until};
      }
      if (++cut > 1) refuse_line(path, "the last line but one");
      end = begin;
    }
    if (bytes == size) return JournalEnd{};
  }
}

Journal::Journal(std::string path, const JournalContent& content) : path_(std::move(path)) {
  make_directory(fs::path(path_).parent_path().string());
  auto text = sealed(head_of(content));
  for (const auto& line : content.lines) text += sealed(to_json(line));
  replace_file(path_, std::as_bytes(std::span(text)));
}

void Journal::append(const JournalJson& line) const {
  const auto text = sealed(line);
  FileBytes(path_, O_WRONLY | O_APPEND).append(std::as_bytes(std::span(text)));
}

void Journal::add(const JournalLine& line) const { append(to_json(line)); }
void Journal::close(bool unmoved, std::optional<int> until) const {
  JournalJson line{{"closed", true}, {"unmoved", unmoved}};
  if (until) line["until"] = *until;
  append(line);
}
void Journal::change() const { append({{"changing", true}}); }

}  // namespace thalweg
