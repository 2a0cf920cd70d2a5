// SPDX-License-Identifier: Apache-2.0
// Brings the timers and events of all ranks to rank 0, which writes timing.json and events.jsonl.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/timing_records.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

using Json = nlohmann::ordered_json;

constexpr int events_tag = 7301;  ///< used by no other message on the world communicator
constexpr std::size_t message_bytes =
    64 * 1024 * 1024;  ///< far below the 2^31 limit of an MPI count
constexpr const char* what = "the timers and events of another rank";

void wait_one(MPI_Request request) { wait_all({&request, 1}, what); }

/// gathered[rank] = value of that rank, on rank 0.
template <typename T>
std::vector<T> gather(MPI_Comm world, const T& value) {
  int ranks = 1;
  MPI_Comm_size(world, &ranks);
  std::vector<T> gathered(static_cast<std::size_t>(ranks));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&value, sizeof(T), MPI_BYTE, gathered.data(), sizeof(T), MPI_BYTE, 0, world,
              &request);
  wait_one(request);
  return gathered;
}

/// The events of this rank, one JSON object a line, by begin_s.
std::string event_lines(int rank) {
  std::vector<EventRecord>& events = timing_records().events;
  std::stable_sort(events.begin(), events.end(), [](const EventRecord& a, const EventRecord& b) {
    return a.begin_s < b.begin_s;
  });
  std::string lines;
  for (const EventRecord& event : events) {
    lines += Json{{"rank", rank},
                  {"kind", event_names[static_cast<std::size_t>(event.kind)]},
                  {"begin_s", event.begin_s},
                  {"end_s", event.end_s},
                  {"bytes", event.bytes},
                  {"stream", event.stream},
                  {"field", event.field},
                  {"step", event.step}}
                 .dump();
    lines += '\n';
  }
  return lines;
}

/// Writes aside, renames when complete; a failure is kept for later because other ranks still send.
class TimingFile {
 public:
  explicit TimingFile(std::string path)
      : path_(std::move(path)), stream_(path_ + ".part", std::ios::binary) {}
  void write(std::string_view text) {
    stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  /// "" or the sentence to throw.
  std::string finish() {
    stream_.close();
    std::error_code refusal;
    if (stream_) std::filesystem::rename(path_ + ".part", path_, refusal);
    if (stream_ && !refusal) return "";
    return fmt::format(
        "'{}' cannot be written ({}); check that its directory exists and has space left", path_,
        refusal ? refusal.message() : std::strerror(errno));
  }

 private:
  std::string path_;
  std::ofstream stream_;
};

using RankTimers = decltype(TimingRecords::timers);

std::string timing_text(const std::vector<std::string>& roles, const std::vector<RankTimers>& ranks,
                        const std::vector<std::int64_t>& high_water_bytes,
                        const std::vector<std::int64_t>& past_cache_bytes) {
  Json timers = Json::array();
  for (std::size_t timer = 0; timer < timer_list.size(); ++timer) {
    Json calls = Json::array(), total_s = Json::array(), min_s = Json::array(),
         max_s = Json::array();
    bool used = false;
    for (const RankTimers& records : ranks) {
      const TimerRecord& record = records[timer];
      used = used || record.calls > 0;
      calls.push_back(record.calls), total_s.push_back(record.total_s);
      min_s.push_back(record.min_s), max_s.push_back(record.max_s);
    }
    const TimerInfo& info = timer_list[timer];
    if (used) {
      timers.push_back({{"name", info.name},
                        {"parent", info.parent},
                        {"icon", info.icon},
                        {"meaning", info.meaning},
                        {"calls", calls},
                        {"total_s", total_s},
                        {"min_s", min_s},
                        {"max_s", max_s}});
    }
  }
  return Json{{"ranks", ranks.size()},
              {"roles", roles},
              {"buffered_high_water_bytes", high_water_bytes},
              {"past_page_cache_bytes", past_cache_bytes},
              {"timers", timers}}
             .dump(1) +
         '\n';
}

/// Rank 0: own lines, then those of every other rank in turn. `sizes[rank]` in bytes.
void receive_events(MPI_Comm world, const std::string& own, const std::vector<std::uint64_t>& sizes,
                    TimingFile& file) {
  file.write(own);
  std::string part;
  for (std::size_t rank = 1; rank < sizes.size(); ++rank) {
    for (std::size_t begin = 0; begin < sizes[rank]; begin += message_bytes) {
      part.resize(std::min(message_bytes, sizes[rank] - begin));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, static_cast<int>(rank),
                events_tag, world, &request);
      wait_one(request);
      file.write(part);
    }
  }
}

void send_events(MPI_Comm world, const std::string& lines) {
  for (std::size_t begin = 0; begin < lines.size(); begin += message_bytes) {
    const std::size_t size = std::min(message_bytes, lines.size() - begin);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(lines.data() + begin, static_cast<int>(size), MPI_BYTE, 0, events_tag, world,
              &request);
    wait_one(request);
  }
}

/// Rank 0's failure becomes everyone's.
void agree(MPI_Comm world, std::string sentence) {
  int size = static_cast<int>(sentence.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_INT, 0, world, &request);
  wait_one(request);
  if (size == 0) return;
  sentence.resize(static_cast<std::size_t>(size));
  MPI_Ibcast(sentence.data(), size, MPI_CHAR, 0, world, &request);
  wait_one(request);
  throw Error(Blame::file_system, sentence);
}

}  // namespace

void write_timing(MPI_Comm world, std::string_view role, const std::string& directory) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  std::array<char, 16> role_text{};
  role.copy(role_text.data(), role_text.size() - 1);
  const auto role_texts = gather(world, role_text);
  const auto timers = gather(world, timing_records().timers);
  const auto high_water_bytes = gather(world, timing_records().high_water_bytes);
  const auto past_cache_bytes = gather(world, timing_records().past_cache_bytes);
  const std::string lines = event_lines(rank);
  const auto sizes = gather(world, static_cast<std::uint64_t>(lines.size()));
  if (rank != 0) {
    send_events(world, lines);
    return agree(world, "");
  }
  TimingFile events(directory + "/events.jsonl");
  receive_events(world, lines, sizes, events);
  std::vector<std::string> roles;
  for (const auto& text : role_texts) roles.emplace_back(text.data());
  TimingFile timing(directory + "/timing.json");
  timing.write(timing_text(roles, timers, high_water_bytes, past_cache_bytes));
  const std::string sentence = events.finish();
  agree(world, sentence.empty() ? timing.finish() : sentence);
}

}  // namespace thalweg
