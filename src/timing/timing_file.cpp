// SPDX-License-Identifier: Apache-2.0
// Brings the timers and events of all ranks to rank 0, which writes timing.json and events.jsonl.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/wait_companion.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"
#include "timing/event_log.hpp"
#include "timing/timing_records.hpp"

namespace thalweg {

namespace {

using Json = nlohmann::ordered_json;

constexpr int events_tag = 7301;            ///< used by no other message on the world communicator
constexpr int news_tag = 7302;              ///< likewise
constexpr std::size_t refusal_bytes = 512;  ///< of a sentence, the rest is cut
constexpr const char* what = "the timers and events of another rank";
constexpr double longest_nap_s = 0.0005;

int rank_in(MPI_Comm world) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  return rank;
}

/// Naps: rank 0 comes to one rank after another, and the last waits long.
void wait_one(MPI_Request request) {
  const auto is_done = [&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  wait_until(is_done, what, longest_nap_s);
}

/// Rank 0 takes the events of one rank after another: the others hear that it is at work.
class NewsOfRankZero final : public WaitCompanion {
 public:
  explicit NewsOfRankZero(MPI_Comm world) : world_(world), rank_(rank_in(world)) {}

  void listen() override {
    for (int there = rank_ != 0; there != 0;) {
      MPI_Iprobe(0, news_tag, world_, &there, MPI_STATUS_IGNORE);
      if (there == 0) return;
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, news_tag, world_, MPI_STATUS_IGNORE);
      note_progress();
    }
  }

  void say_working() override {
    if (rank_ != 0) return;
    int ranks = 1;
    MPI_Comm_size(world_, &ranks);
    for (int rank = 1; rank < ranks; ++rank) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(nullptr, 0, MPI_BYTE, rank, news_tag, world_, &request);
      MPI_Request_free(&request);
    }
  }

  void ask() override {}
  std::string silent() const override { return ""; }

 private:
  MPI_Comm world_;
  int rank_;
};

/// gathered[rank] = value of that rank, on rank 0.
template <typename T>
std::vector<T> gather(MPI_Comm world, const T& value) {
  int ranks = 1;
  MPI_Comm_size(world, &ranks);
  std::vector<T> gathered(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&value, sizeof(T), MPI_BYTE, gathered.data(), sizeof(T), MPI_BYTE, 0, world,
              &request);
  wait_one(request);
  return gathered;
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
    Json calls = Json::array(), total_s = Json::array(), own_s = Json::array(),
         min_s = Json::array(), max_s = Json::array();
    bool used = false;
    for (const RankTimers& records : ranks) {
      const TimerRecord& record = records[timer];
      used = used || record.calls > 0;
      calls.push_back(record.calls), total_s.push_back(record.total_s);
      own_s.push_back(record.own_s);
      min_s.push_back(record.min_s), max_s.push_back(record.max_s);
    }
    const TimerInfo& info = timer_list[timer];
    if (used) {
      timers.push_back({{"name", info.name},
                        {"parent", info.parent},
                        {"category", event_kinds[info.category].name},
                        {"icon", info.icon},
                        {"meaning", info.meaning},
                        {"calls", calls},
                        {"total_s", total_s},
                        {"own_s", own_s},
                        {"min_s", min_s},
                        {"max_s", max_s}});
    }
  }
  Json kinds = Json::array();
  for (const EventKindInfo& kind : event_kinds) {
    kinds.push_back({{"name", kind.name}, {"meaning", kind.meaning}});
  }
  return Json{{"ranks", ranks.size()},
              {"roles", roles},
              {"buffered_high_water_bytes", high_water_bytes},
              {"past_page_cache_bytes", past_cache_bytes},
              {"kinds", kinds},
              {"timers", timers}}
             .dump(1) +
         '\n';
}

/// Rank 0: own lines, then those of every other rank in turn.
void receive_events(MPI_Comm world, EventLog& own, int ranks, TimingFile& file) {
  own.for_each_text(0, [&](std::string_view text) {
    file.write(text);
    note_work();
  });
  std::string text;
  for (int rank = 1; rank < ranks; ++rank) {
    for (int size = 1; size > 0;) {
      MPI_Status status;
      wait_until(
          [&] {
            int there = 0;
            MPI_Iprobe(rank, events_tag, world, &there, &status);
            return there != 0;
          },
          what);
      MPI_Get_count(&status, MPI_BYTE, &size);
      text.resize(size);
      MPI_Recv(text.data(), size, MPI_BYTE, rank, events_tag, world, MPI_STATUS_IGNORE);
      file.write(text);
      note_work();
    }
  }
}

/// Ends with a message without bytes.
void send_events(MPI_Comm world, EventLog* log) {
  static std::string in_flight;  // outlives a wait that is given up: the program may yet end well
  const auto send = [&](std::string_view text) {
    in_flight = text;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(in_flight.data(), static_cast<int>(in_flight.size()), MPI_BYTE, 0, events_tag, world,
              &request);
    wait_one(request);
  };
  if (log != nullptr) log->for_each_text(rank_in(world), send);
  send({});
}

/// Rank 0's failure becomes everyone's.
void agree(MPI_Comm world, std::string sentence) {
  int size = static_cast<int>(sentence.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_INT, 0, world, &request);
  wait_one(request);
  if (size == 0) return;
  sentence.resize(size);
  MPI_Ibcast(sentence.data(), size, MPI_CHAR, 0, world, &request);
  wait_one(request);
  throw Error(Blame::file_system, sentence);
}

}  // namespace

void write_timing(MPI_Comm world, std::string_view role, const std::string& directory) {
  const int rank = rank_in(world);
  const NewsOfRankZero news(world);
  std::array<char, 16> role_text{};
  role.copy(role_text.data(), role_text.size() - 1);
  const auto role_texts = gather(world, role_text);
  const auto timers = gather(world, timing_records().timers);
  const auto high_water_bytes = gather(world, timing_records().high_water_bytes);
  const auto past_cache_bytes = gather(world, timing_records().past_cache_bytes);
  auto log = std::exchange(event_log(), nullptr);
  bool collected = log != nullptr;  // on rank 0, as everywhere
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&collected, 1, MPI_CXX_BOOL, 0, world, &request);
  wait_one(request);
  std::string refusal = log ? log->refusal() : "";
  refusal.resize(refusal_bytes);
  std::array<char, refusal_bytes> own_refusal{};
  refusal.copy(own_refusal.data(), refusal_bytes - 1);
  const auto refusals = gather(world, own_refusal);
  if (rank != 0) {
    if (collected) send_events(world, log.get());
    return agree(world, "");
  }
  std::string sentence;
  if (collected) {
    TimingFile events(directory + "/events.jsonl");
    receive_events(world, *log, static_cast<int>(refusals.size()), events);
    sentence = events.finish();
  }
  for (const auto& each : refusals) {
    if (sentence.empty()) sentence = each.data();
  }
  std::vector<std::string> roles;
  for (const auto& text : role_texts) roles.emplace_back(text.data());
  TimingFile timing(directory + "/timing.json");
  timing.write(timing_text(roles, timers, high_water_bytes, past_cache_bytes));
  agree(world, sentence.empty() ? timing.finish() : sentence);
}

}  // namespace thalweg
