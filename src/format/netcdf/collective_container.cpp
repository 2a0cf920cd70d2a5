// SPDX-License-Identifier: Apache-2.0
// Keeps values until the team writes together; what ranks tell each other before; dropped times.
#include "format/netcdf/collective_container.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "file/aside_file.hpp"
#include "file/checksum_log.hpp"
#include "file/file_bytes.hpp"
#include "file/refusal.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

/// Largest block handed to a library in one go: MPI counts elements in 31 bits, and PnetCDF 1.12
/// refuses requests of 2 GiB.
constexpr std::size_t most_block_bytes = std::size_t{1} << 30U;

/// Joins `next` to `block` where their values follow each other in memory and in the file.
bool join_blocks(StagedBlock& block, const StagedBlock& next, std::size_t value_size) {
  auto& piece = block.piece;
  const auto& more = next.piece;
  const auto bytes = [&](const Piece& of) { return of.points * of.levels * value_size; };
  if (piece.field != more.field || block.offset + bytes(piece) != next.offset ||
      bytes(piece) + bytes(more) > most_block_bytes) {
    return false;
  }
  const bool same_points = piece.first_point == more.first_point && piece.points == more.points;
  const bool same_level =
      piece.levels == 1 && more.levels == 1 && piece.first_level == more.first_level;
  if (same_points && more.first_level == piece.first_level + piece.levels) {
    piece.levels += more.levels;
  } else if (same_level && more.first_point == piece.first_point + piece.points) {
    piece.points += more.points;
  } else {
    return false;
  }
  return true;
}

std::vector<std::int64_t> numbers_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

/// Values of 4 or 8 bytes.
void swap_bytes(std::span<std::byte> bytes, std::int64_t size) {
  const auto each = [&](auto word, auto swapped) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(word)) {
      std::memcpy(&word, bytes.data() + i, sizeof(word));
      word = swapped(word);
      std::memcpy(bytes.data() + i, &word, sizeof(word));
    }
  };
  if (size == 4) each(std::uint32_t{}, [](std::uint32_t word) { return __builtin_bswap32(word); });
  if (size == 8) each(std::uint64_t{}, [](std::uint64_t word) { return __builtin_bswap64(word); });
}

constexpr std::int64_t block_bytes = 512;  // that stat(2) counts in

/// 0, or why this rank cannot open it for writing: MPI-IO needs two descriptors, and a rank that
/// has none leaves the others in the call.
int open_twice(const std::string& path) {
  const int first = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (first < 0) return errno;
  const int second = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const int reason = second < 0 ? errno : 0;
  if (second >= 0) ::close(second);
  ::close(first);
  return reason;
}

/// Open MPI keeps a lock file NAME-JOB-PROCESS.lock beside a file that is open; a kill leaves it.
void remove_locks_of(const std::string& path) {
  namespace fs = std::filesystem;
  const auto name = fs::path(path).filename().string() + "-";
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path(), ignored)) {
    const auto other = entry.path().filename().string();
    if (other.starts_with(name) && other.ends_with(".lock")) left.push_back(entry.path());
  }
  for (const auto& lock : left) fs::remove(lock, ignored);
}

}  // namespace

CollectiveContainer::CollectiveContainer(const char* name, const FileDescription& description,
                                         const FixedFormat* fixed, MPI_Comm team)
    : name_(name),
      file_(description),
      aside_(description.path + ".part"),
      fixed_(fixed),
      team_(team) {
  int rank = 0;
  MPI_Comm_rank(team_, &rank);
  head_ = rank == 0;
  if (head_) remove_locks_of(aside_);
  if (file_.kept.empty()) described_ = file_.history;
}

std::int64_t CollectiveContainer::points_of(int field) const {
  const auto place = file_.fields[field].place;
  return file_.sizes[place];
}

void CollectiveContainer::put(const Piece& piece, int time_index, const void* values) {
  if (piece.points == 0 || piece.levels == 0) return;
  auto [found, fresh] = staged_.try_emplace(time_index);
  auto& step = found->second;
  if (fresh) std::swap(step, spare_);
  // One request to a library must stay below its limit, whatever the caller puts at once.
  const auto row_bytes = piece.points * value_size(piece.field);
  const auto levels = static_cast<int>(std::max<std::size_t>(most_block_bytes / row_bytes, 1));
  const auto* bytes = static_cast<const std::byte*>(values);
  for (int level = 0; level < piece.levels; level += levels) {
    auto part = piece;
    part.first_level += level;
    part.levels = std::min(levels, piece.levels - level);
    const auto* begin = bytes + row_bytes * level;
    step.blocks.push_back({part, step.memory.size()});
    step.memory.insert(step.memory.end(), begin, begin + row_bytes * part.levels);
    // A level that came in parts is whole now: it may continue the block before it.
    while (step.blocks.size() > 1 && join_blocks(step.blocks[step.blocks.size() - 2],
                                                 step.blocks.back(), value_size(piece.field))) {
      step.blocks.pop_back();
    }
  }
  trace(piece, time_index, values);
}

std::string CollectiveContainer::request(int time_index) {
  const auto& step = staged_[time_index];
  if (const int reason = open_twice(aside_)) {
    return fmt::format("!cannot write '{}': {}", aside_, refusal_reason(aside_, reason));
  }
  return fmt::format("{} {}", step.memory.size(), fmt::join(calls_needed(step), " "));
}

std::vector<std::string> CollectiveContainer::grant(int, std::vector<std::string> requests) {
  std::string refusal;
  std::int64_t bytes = 0;
  std::vector<std::int64_t> calls;
  for (const auto& request : requests) {
    if (request.starts_with('!')) {
      refusal = request;
      break;
    }
    const auto numbers = numbers_of(request);
    bytes += numbers.front();
    calls.resize(numbers.size() - 1);
    for (std::size_t i = 0; i < calls.size(); ++i) calls[i] = std::max(calls[i], numbers[i + 1]);
  }
  if (refusal.empty()) refusal = room_refusal(bytes);
  return std::vector(requests.size(),
                     refusal.empty() ? fmt::format("{}", fmt::join(calls, " ")) : refusal);
}

/// "" or, behind a '!', why there is no room. What is found within the collective calls, ranks may
/// wait for without end.
std::string CollectiveContainer::room_refusal(std::int64_t bytes) const {
  struct stat now {};
  const bool has_blocks = fixed_ != nullptr && ::stat(aside_.c_str(), &now) == 0 &&
                          now.st_blocks * block_bytes >= now.st_size;
  if (has_blocks) return "";
  try {
    const AsideFile room(file_.path, AsideFile::Open::existing);
    if (fixed_ == nullptr && room.reserve_behind(growth())) return "";
  } catch (const Error& error) {
    return fmt::format("!{}", error.what());
  }
  if (!file_.compression.none()) return "";
  const auto lack = lack_of_room(aside_, std::max(bytes, growth()));
  return lack.empty() ? "" : fmt::format("!cannot write '{}': {}", aside_, lack);
}

void CollectiveContainer::settle(int time_index, const std::string& answer) {
  auto step = std::move(staged_[time_index]);
  staged_.erase(time_index);
  if (answer.starts_with('!')) throw Error(Blame::file_system, answer.substr(1));
  std::vector<int> calls;
  for (const auto number : numbers_of(answer)) calls.push_back(static_cast<int>(number));
  write_step(time_index, step, calls);
  step.memory.clear();
  step.blocks.clear();
  spare_ = std::move(step);
}

std::string CollectiveContainer::failure_anywhere(const std::string& failure) const {
  const int mine = failure.empty() ? 1 : 0;
  int all = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, team_, &request);
  wait_all({&request, 1}, fmt::format("the other writers of '{}'", aside_));
  return all == 1 || !failure.empty() ? failure : "another writer of it failed";
}

void CollectiveContainer::agree(const std::string& failure, const char* what) const {
  const auto found = failure_anywhere(failure);
  if (found.empty()) return;
  throw Error(Blame::file_system, fmt::format("cannot {} '{}': {}", what, aside_, found),
              failure.empty());
}

std::string CollectiveContainer::read_back(int time_index, const StagedStep& step) {
  if (fixed_ == nullptr || step.blocks.empty()) return "";
  try {
    if (!layout_) layout_ = fixed_->look(file_, aside_);
    const FileBytes file(aside_, O_RDONLY);
    const auto lost = std::find_if(step.blocks.begin(), step.blocks.end(), [&](const auto& block) {
      return !is_there(file, block, time_index, step.memory);
    });
    if (lost == step.blocks.end()) return "";
    return fmt::format(
        "values of '{}' are not in it, and MPI-IO told nobody: the disk took only "
        "part of a write",
        file_.fields[lost->piece.field].name);
  } catch (const Error& error) {
    return error.what();
  }
}

// OMPIO writes in cycles: what the disk did not take may lie anywhere.
bool CollectiveContainer::is_there(const FileBytes& file, const StagedBlock& block, int time_index,
                                   std::span<const std::byte> memory) const {
  const auto& piece = block.piece;
  const auto& place = layout_->fields[piece.field];
  const auto size = static_cast<std::int64_t>(value_size(piece.field));
  const auto row_bytes = piece.points * size;
  const bool is_swapped = fixed_->big_endian == (std::endian::native == std::endian::little);
  constexpr std::int64_t stretch = std::int64_t{1} << 18U;  // stays in the cache
  std::vector<std::byte> there(std::min(stretch, row_bytes));
  for (int level = 0; level < piece.levels; ++level) {
    const auto at = place.offset + time_index * place.time_stride +
                    (piece.first_level + level) * place.level_stride + piece.first_point * size;
    for (std::int64_t begin = 0; begin < row_bytes; begin += stretch) {
      const auto bytes = std::span(there).first(std::min(stretch, row_bytes - begin));
      file.read(bytes, at + begin);
      if (is_swapped) swap_bytes(bytes, size);
      const auto* ours = memory.data() + block.offset + level * row_bytes + begin;
      if (std::memcmp(bytes.data(), ours, bytes.size()) != 0) return false;
    }
  }
  return true;
}

// Of a growing axis: its length is that of the last write; only the history may have grown.
void CollectiveContainer::write_history() const {
  if (file_.history == described_) return;
  NetcdfFile file(aside_, NetcdfFile::Open::to_change);
  put_text(file.id(), NC_GLOBAL, "history", file_.history);
  file.close();
}

bool CollectiveContainer::moves_at_close() {
  return fixed_ != nullptr && fixed_->look(file_, aside_).times > file_.times_s.size();
}

void CollectiveContainer::close() {
  if (!head_) return;
  if (moves_at_close()) {
    forget_written(aside_);  // of direct writes, before
    fit_fixed_layout(*fixed_, file_, fixed_->look(file_, aside_));
  } else if (fixed_ == nullptr) {
    write_history();
    AsideFile(file_.path, AsideFile::Open::existing).give_back_behind();
  }
  complete_netcdf(file_);
  if (!reported_) return;
  int ranks = 1;
  MPI_Comm_size(team_, &ranks);
  record_io_hints({name_, ranks, mpi_io_layer(file_.path), file_.hints, *reported_});
}

void CollectiveContainer::trace(const Piece& piece, int time_index, const void* values) const {
  const auto& info = file_.fields[piece.field];
  if (!trace_watches(info.name, file_.steps[time_index])) return;
  const auto& target = trace_target();
  const auto found =
      std::find(file_.level_numbers.begin(), file_.level_numbers.end(), target.level);
  const auto first = file_.first_points[info.place];
  const auto level =
      (info.levels == 1 ? 0 : found - file_.level_numbers.begin()) - piece.first_level;
  const auto point = target.point - first - piece.first_point;
  if (level < 0 || level >= piece.levels || point < 0 || point >= piece.points) return;
  const double value = shown_value(values, level * piece.points + point, file_.type_of(info));
  trace_stop("container",
             (piece.first_level + level) * points_of(piece.field) + piece.first_point + point,
             value,
             fmt::format("{} variable '{}' of '{}', time index {}, by MPI-IO", name_, info.name,
                         std::filesystem::path(file_.path).filename().string(), time_index));
}

}  // namespace thalweg
