// SPDX-License-Identifier: Apache-2.0
// Records of one size go to the file in blocks; at the end they are sorted where they lie.
#include "base/event_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "base/file_size_signal.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::size_t waiting_records = 1024;
constexpr std::size_t text_bytes = std::size_t{1} << 20;

}  // namespace

EventLog::EventLog(std::string directory) : directory_(std::move(directory)) {
  waiting_.reserve(waiting_records);
  std::string path = directory_ + "/.events.XXXXXX";
  file_ = mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) {
    status_ = errno;
    throw Error(Blame::file_system, refusal());
  }
  unlink(path.c_str());
}

EventLog::~EventLog() {
  if (file_ >= 0) ::close(file_);
}

std::string EventLog::refusal() {
  flush();
  if (status_ == 0) return "";
  return fmt::format("events cannot be kept in '{}' ({}); free room there or switch them off",
                     directory_, std::strerror(status_));
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
  if (status_ != 0) return;
  waiting_.push_back({begin_s, end_s, bytes, count_++, step, static_cast<std::int32_t>(kind),
                      number_of(stream), number_of(field)});
  if (waiting_.size() == waiting_records) flush();
}

void EventLog::flush() {
  const auto* next = reinterpret_cast<const char*>(waiting_.data());
  auto left = waiting_.size() * sizeof(Record);
  const FileSizeSignalBlocked blocked;
  while (left > 0 && status_ == 0) {
    const auto written = ::write(file_, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      status_ = written < 0 ? errno : ENOSPC;
      break;
    }
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  waiting_.clear();
}

std::string EventLog::line_of(int rank, const Record& record) const {
  return nlohmann::ordered_json{{"rank", rank},
                                {"kind", event_kinds[static_cast<std::size_t>(record.kind)].name},
                                {"begin_s", record.begin_s},
                                {"end_s", record.end_s},
                                {"bytes", record.bytes},
                                {"stream", names_[static_cast<std::size_t>(record.stream)]},
                                {"field", names_[static_cast<std::size_t>(record.field)]},
                                {"step", record.step}}
             .dump() +
         '\n';
}

void EventLog::for_each_text(int rank, const std::function<void(std::string_view)>& take) {
  flush();
  if (count_ == 0 || status_ != 0) return;
  const auto size = static_cast<std::size_t>(count_) * sizeof(Record);
  void* begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (begin == MAP_FAILED) {
    status_ = errno;
    return;
  }
  const std::span records(static_cast<Record*>(begin), static_cast<std::size_t>(count_));
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
  munmap(begin, size);
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
