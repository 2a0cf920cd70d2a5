// SPDX-License-Identifier: Apache-2.0
// The head creates and completes, the others join; what they agree on travels as short texts.
#include "output/files/team_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "file/checksum_log.hpp"
#include "ranks/agreement.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr const char* others = "the other writers of a file";

// Runs an act; what it threw is kept, so that a collective call can follow it on every rank.
template <class Act>
std::optional<Error> try_to(const Act& act) {
  try {
    act();
    return std::nullopt;
  } catch (const std::exception& error) {
    return error_of(error);
  }
}

// A text that says first how its sender fares.
std::string marked(char mark, const std::string& text) {
  std::string message(1, mark);
  message += text;
  return message;
}

}  // namespace

TeamFile::TeamFile(const ContainerInfo& kind, FileDescription description, MPI_Comm team,
                   FileRoom* room, bool well)
    : kind_(&kind),
      description_(std::move(description)),
      team_(team),
      times_(static_cast<int>(description_.kept.size())) {
  int rank = 0;
  MPI_Comm_rank(team_, &rank);
  head_ = rank == 0;
  const bool together = kind.way == Way::mpiio;
  std::optional<Error> failure;
  std::string message;  // '+' and the layout, or the blame as a digit and a sentence
  if (head_ || together) {
    failure = try_to([&] {
      if (!well) throw Error(Blame::file_system, "another writer failed before");
      container_ = head_ ? kind.create(description_, team_) : kind.join(description_, "", team_);
      if (room != nullptr) container_->share_room(*room);
    });
    message = failure ? marked(static_cast<char>('0' + static_cast<int>(failure->blame())),
                               failure->what())
                      : marked('+', container_->layout());
  }
  message = broadcast_text(team_, 0, message, others);
  if (message.front() != '+') {
    abandon();
    if (failure) throw *failure;
    throw Error(static_cast<Blame>(message.front() - '0'), message.substr(1));
  }
  if (!container_ && !failure && well) {
    failure = try_to([&] {
      container_ = kind.join(description_, message.substr(1), team_);
      if (room != nullptr) container_->share_room(*room);
    });
  }
  not_joined_ =
      failure;  // thrown by container(); the others learn of it at the next collective call
}

Container& TeamFile::container() {
  if (not_joined_) throw *not_joined_;
  if (!container_) {
    throw Error(Blame::bug, fmt::format("'{}' was given up already", description_.path));
  }
  return *container_;
}

void TeamFile::finish_time(bool well) {
  const int time_index = times_++;
  if (!kind_->settles(description_)) return;
  std::optional<Error> failure;
  std::string mine = "-";
  if (well && container_) {
    failure = try_to([&] { mine = marked('+', container_->request(time_index)); });
    if (failure) mine = marked('-', {});
  }
  auto requests = gather_texts(team_, mine, others);
  std::vector<std::string> answers(requests.size(), "-");
  bool all_well = true;
  for (const auto& request : requests) all_well = all_well && request.front() == '+';
  if (head_ && all_well) {
    for (auto& request : requests) request.erase(0, 1);
    failure = try_to([&] { answers = container_->grant(time_index, std::move(requests)); });
    for (auto& answer : answers) answer = marked(failure ? '-' : '+', answer);
  }
  const auto answer = deal_texts(team_, answers, others);
  if (failure) throw *failure;
  if (answer.front() != '+') give_up();
  container_->settle(time_index, answer.substr(1));
}

void TeamFile::begin_time(int step, ModelTime time) {
  const std::size_t index = times_;
  const auto set = [&](FileDescription& file) {
    file.steps.at(index) = step;
    file.times_s.at(index) = time.seconds();
  };
  set(description_);
  if (container_) set(container_->description());
}

void TeamFile::drop(int step, ModelTime time) {
  const auto line =
      fmt::format("\noutput {} at {:.15g} s dropped: buffers were full", step, time.seconds());
  description_.history += line;
  if (container_) container_->description().history += line;
}

std::string TeamFile::place_of(int time_index) {
  return head_ && container_ ? container_->place_of(time_index) : std::string();
}

void TeamFile::end_times() {
  const auto cut = [&](FileDescription& file) {
    file.steps.resize(times_);
    file.times_s.resize(times_);
  };
  cut(description_);
  if (container_) cut(container_->description());
}

void TeamFile::close(bool well) {
  if (times_ == 0) return discard();
  end_times();
  std::optional<Error> failure;
  if (well && container_ && !head_) failure = try_to([&] { container_->close(); });
  if (!all_true(team_, well && container_ && !failure, others)) {
    abandon();
    if (failure) throw *failure;
    if (well) give_up();
    return;
  }
  if (head_) {
    moves_at_close_ = container_->moves_at_close();
    container_->close();
  }
  container_.reset();
}

void TeamFile::give_up() {
  abandon();
  throw Error(
      Blame::file_system,
      fmt::format("'{}' is incomplete, because another writer of it failed", description_.path),
      true);
}

void TeamFile::discard() noexcept {
  abandon();
  forget_written(description_.path);
  std::error_code ignored;
  if (head_) std::filesystem::remove_all(description_.path + ".part", ignored);
}

void TeamFile::abandon() noexcept {
  if (container_) container_->abandon();
  container_.reset();
}

}  // namespace thalweg
