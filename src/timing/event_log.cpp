// SPDX-License-Identifier: Apache-2.0
// Records of one size; at the end they are sorted where they lie.
#include "timing/event_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::size_t text_bytes = std::size_t{1} << 20;

}  // namespace

EventLog::EventLog(std::string directory) : directory_(std::move(directory)), file_(directory_) {
  if (const auto refused = refusal(); !refused.empty()) throw Error(Blame::file_system, refused);
}

std::string EventLog::refusal() {
  const int status = file_.status();
  if (status == 0) return "";
  return fmt::format("events cannot be kept in '{}' ({}); free room there or switch them off",
                     directory_, std::strerror(status));
}

std::int32_t EventLog::number_of(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

void EventLog::add(EventKind kind, double begin_s, double end_s, std::int64_t bytes,
                   std::string_view stream, std::string_view field, int step) {
  const Record record{
      begin_s,           end_s,           bytes, count_++, step, static_cast<std::int32_t>(kind),
      number_of(stream), number_of(field)};
  file_.append(std::as_bytes(std::span(&record, 1)));
}

std::string EventLog::line_of(int rank, const Record& record) const {
  return nlohmann::ordered_json{{"rank", rank},
                                {"kind", event_kinds[record.kind].name},
                                {"begin_s", record.begin_s},
                                {"end_s", record.end_s},
                                {"bytes", record.bytes},
                                {"stream", names_[record.stream]},
                                {"field", names_[record.field]},
                                {"step", record.step}}
             .dump() +
         '\n';
}

void EventLog::for_each_text(int rank, const std::function<void(std::string_view)>& take) {
  const auto bytes = file_.map();
  const std::span records(reinterpret_cast<Record*>(bytes.data()), bytes.size() / sizeof(Record));
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
    return std::pair(a.begin_s, a.number) < std::pair(b.begin_s, b.number);
  });
  std::string text;
  for (const Record& record : records) {
    text += line_of(rank, record);
    if (text.size() < text_bytes) continue;
    take(text);
    text.clear();
  }
  if (!text.empty()) take(text);
}

std::unique_ptr<EventLog>& event_log() {
  static std::unique_ptr<EventLog> log;
  return log;
}

void collect_events(const std::string& directory) {
  event_log() = std::make_unique<EventLog>(directory);
}

void record_event(EventKind kind, double begin_s, double end_s, std::int64_t bytes,
                  std::string_view stream, std::string_view field, int step) {
  if (auto& log = event_log()) log->add(kind, begin_s, end_s, bytes, stream, field, step);
}

}  // namespace thalweg
