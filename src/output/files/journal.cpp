// SPDX-License-Identifier: Apache-2.0
// JSON lines, each with a checksum that goes on from that of the line before, so that no line can
// be taken out, doubled or moved; the first names its file. A line is one write; it is in the page
// cache before the next step, and a kill of the process cannot take it back.
#include "output/files/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
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

/// `sum`: of the line before, 0 before the first; then of this one.
std::string sealed(const JournalJson& line, std::uint32_t& sum) {
  auto text = line.dump();
  text.pop_back();  // the brace
  sum = crc32(sum, std::as_bytes(std::span(text)));
  return fmt::format("{}{}{:08x}\"}}\n", text, sum_key, sum);
}

/// Nothing if the line is not one that was written after that with the checksum `sum`.
std::optional<JournalJson> opened(const std::string& text, std::uint32_t& sum) {
  const auto end = text.rfind(sum_key);
  if (end == std::string::npos) return std::nullopt;
  const auto now = crc32(sum, std::as_bytes(std::span(text).first(end)));
  if (text.substr(end) != fmt::format("{}{:08x}\"}}", sum_key, now)) return std::nullopt;
  sum = now;
  return JournalJson::parse(text);
}

/// As it stands at the end of a line; 0 if none does.
std::uint32_t sum_in(const std::string& text) {
  const auto end = text.rfind(sum_key);
  const auto digits = end == std::string::npos ? "" : text.substr(end + sum_key.size());
  return static_cast<std::uint32_t>(std::strtoul(digits.c_str(), nullptr, 16));
}

/// The file it is about.
std::string file_of(const std::string& path) { return fs::path(path).stem().string(); }

JournalJson head_of(const std::string& path, const JournalContent& content) {
  return {{"file", file_of(path)},     {"run", content.run},     {"settings", content.settings},
          {"bounds", content.bounds},  {"alone", content.alone}, {"more", content.more},
          {"history", content.history}};
}

void take_head(const JournalJson& json, JournalContent& content) {
  content.run = json.value("run", "");
  content.settings = json.value("settings", "");
  content.bounds = json.value("bounds", content.bounds);
  content.alone = json.value("alone", content.alone);
  content.more = json.value("more", content.more);
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

JournalLine whole(const KeptLine& line) {
  return {line.step, line.time, line.dropped, line.files()};
}

JournalJson closing(bool unmoved, std::optional<int> until) {
  JournalJson line{{"closed", true}, {"unmoved", unmoved}};
  if (until) line["until"] = *until;
  return line;
}

JournalLine line_of(const JournalJson& json) {
  return {json.at("step"), ModelTime::of_ms(json.at("time_ms")), json.value("dropped", false),
          json.value("files", JournalJson::object())};
}

[[noreturn]] void refuse_line(const std::string& path, const std::string& which) {
  throw Error(Blame::user,
              fmt::format("{} of '{}' is damaged, or not what was written there, so nobody knows "
                          "what the file holds; begin anew, or take the journal back from where it "
                          "was copied",
                          which, path));
}

[[noreturn]] void refuse_file(const std::string& path) {
  throw Error(Blame::user, fmt::format("'{}' is damaged: it does not begin as the journal of '{}'; "
                                       "begin anew, or put that one back from where it was copied",
                                       path, file_of(path)));
}

/// The run that wrote a journal, without reading more of it: its first line may have been cut
/// short.
std::string run_of(const std::string& path, const FileBytes& file) {
  auto expected = JournalJson{{"file", file_of(path)}}.dump();
  expected.pop_back();  // the brace
  expected.resize(std::min<std::size_t>(expected.size(), file.size()));
  auto begin = expected;
  file.read(std::as_writable_bytes(std::span(begin)), 0);
  if (begin != expected) refuse_file(path);
  constexpr std::string_view key = ",\"run\":\"";
  constexpr std::int64_t longest = 16 + 1;  // the name and its end
  const auto offset = static_cast<std::int64_t>(expected.size());
  const auto there = std::min<std::int64_t>(key.size() + longest, file.size() - offset);
  std::string text(there, '\0');
  file.read(std::as_writable_bytes(std::span(text)), offset);
  if (!text.starts_with(key)) return {};
  return text.substr(key.size(), text.find('"', key.size()) - key.size());
}

constexpr std::int64_t tail_bytes = 4096;  // some lines of a small file; more is read where needed

struct Tail {
  std::vector<std::string> lines;  ///< the last three, or all there are
  bool cut = false;                ///< the last one has no end
};

Tail tail_of(const FileBytes& file) {
  const auto size = file.size();
  for (std::int64_t bytes = std::min(size, tail_bytes);; bytes = std::min(size, 4 * bytes)) {
    std::string text(bytes, '\0');
    file.read(std::as_writable_bytes(std::span(text)), size - bytes);
    if (bytes < size)  // a line that begins further ahead
      text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    Tail tail;
    std::istringstream lines(std::move(text));
    for (std::string line; std::getline(lines, line); tail.cut = lines.eof())
      tail.lines.push_back(line);
    auto& last = tail.lines;
    if (last.size() > 3) last.erase(last.begin(), last.end() - 3);
    if (last.size() == 3 || bytes == size) return tail;
  }
}

}  // namespace

KeptLine::KeptLine(const JournalLine& line)
    : step(line.step), time(line.time), dropped(line.dropped), text(line.files.dump()) {}

std::string to_text(const JournalContent& content) {
  auto text = head_of("", content).dump();
  for (const auto& line : content.lines) text += '\n' + to_json(whole(line)).dump();
  return text;
}

JournalContent content_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  JournalContent content;
  take_head(JournalJson::parse(line), content);
  while (std::getline(lines, line)) content.lines.emplace_back(line_of(JournalJson::parse(line)));
  return content;
}

bool holds_values(const JournalContent& content) {
  return std::any_of(content.lines.begin(), content.lines.end(),
                     [](const KeptLine& line) { return !line.dropped; });
}

void forget_blocks(JournalContent& content) {
  for (auto& line : content.lines) {
    auto files = line.files();
    for (auto& part : files) part.erase("blocks");
    line.text = files.dump();
  }
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
  std::uint32_t sum = 0;
  for (std::string text; std::getline(lines, text); ++number) {
    const auto json = opened(text, sum);
    if (!json && lines.eof()) break;  // cut short
    const auto refuse = [&] { refuse_line(path, fmt::format("line {}", number + 1)); };
    if (!json) refuse();
    if (number == 0) {
      if (json->value("file", "") != file_of(path)) refuse_file(path);
      take_head(*json, content);
    } else if (json->contains("closed")) {
      content.closed = true;
      content.unmoved = json->value("unmoved", false);
      content.until.reset();
      if (json->contains("until")) content.until = json->at("until");
    } else if (json->contains("changing")) {
      content.closed = content.unmoved = false;
    } else {
      const auto line = line_of(*json);
      const auto* last = content.lines.empty() ? nullptr : &content.lines.back();
      if (last != nullptr && (line.step <= last->step || line.time <= last->time)) refuse();
      content.lines.emplace_back(line);
    }
    content.changing = json->contains("changing");
  }
  return content;
}

std::optional<JournalEnd> read_journal_end(const std::string& path) {
  if (!is_file(path)) return std::nullopt;
  const FileBytes file(path, O_RDONLY);
  const auto run = run_of(path, file);
  auto [lines, cut] = tail_of(file);
  for (; !lines.empty(); lines.pop_back(), cut = false) {
    auto sum = lines.size() > 1 ? sum_in(lines[lines.size() - 2]) : 0;
    const auto json = opened(lines.back(), sum);
    if (!json && cut) continue;
    if (!json) refuse_line(path, "the last line or that before it");
    const bool closed = json->contains("closed"), until = json->contains("until");
    return JournalEnd{json->value(until ? "until" : "step", -1), closed, json->contains("changing"),
                      closed && !until, run};
  }
  JournalEnd none;
  none.run = run;
  return none;
}

Journal::Journal(std::string path, const JournalContent& content) : path_(std::move(path)) {
  make_directory(fs::path(path_).parent_path().string());
  auto text = sealed(head_of(path_, content), sum_);
  for (const auto& line : content.lines) text += sealed(to_json(whole(line)), sum_);
  if (content.closed) text += sealed(closing(content.unmoved, content.until), sum_);
  replace_file(path_, std::as_bytes(std::span(text)));
}

void Journal::append(const JournalJson& line) {
  auto sum = sum_;
  const auto text = sealed(line, sum);
  FileBytes(path_, O_WRONLY | O_APPEND).append(std::as_bytes(std::span(text)));
  sum_ = sum;
}

void Journal::add(const JournalLine& line) { append(to_json(line)); }
void Journal::close(bool unmoved, std::optional<int> until) { append(closing(unmoved, until)); }
void Journal::change() { append({{"changing", true}}); }

}  // namespace thalweg
