// SPDX-License-Identifier: Apache-2.0
// Collectives that do not block, waited for with a limit: sizes first, then texts.
#include "ranks/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>

#include "ranks/pending.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr double longest_nap_s = 0.0005;  // small against the time of a slab on any disk in trouble

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

constexpr std::int64_t most = std::numeric_limits<int>::max();  // that MPI counts in one call

int count_for_mpi(std::int64_t count) {
  if (count <= most) return static_cast<int>(count);
  throw Error(
      Blame::bug,
      fmt::format("{} values or bytes are to be told in one message, which holds {}", count, most));
}

// Throws if they are more than one call of MPI can move: no start wraps round.
std::vector<int> starts_of(const std::vector<int>& sizes) {
  count_for_mpi(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  std::vector<int> starts(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 0);
  return starts;
}

}  // namespace

Error error_of(const std::exception& error) {
  if (const auto* known = dynamic_cast<const Error*>(&error)) return *known;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return Error(Blame::user,
                 "memory ran out; use more nodes, more I/O ranks or a smaller [io] budget");
  }
  return Error(Blame::bug, fmt::format("unexpected: {}", error.what()));
}

std::optional<Error> attempt(int rank, const std::function<void()>& act) {
  try {
    act();
    return std::nullopt;
  } catch (const std::exception& thrown) {
    const auto* known = dynamic_cast<const Error*>(&thrown);
    if (known != nullptr && known->blame() != Blame::file_system) return *known;
    const auto error = error_of(thrown);
    return Error(error.blame(), fmt::format("rank {}: {}", rank, error.what()), error.follows());
  }
}

void wait_for(MPI_Request& request, std::string_view what) {
  wait_until(
      [&] {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      what, longest_nap_s);
}

void throw_together(MPI_Comm comm, const std::optional<Error>& mine, std::string_view what,
                    const WaitFor& wait) {
  struct Ranks {
    int own = 0, first = 0;
  };
  const int rank = rank_of(comm), ranks = size_of(comm);
  Pending<Ranks> failed;
  failed->own = mine ? rank + (mine->follows() ? ranks : 0) : 2 * ranks;
  MPI_Iallreduce(&failed->own, &failed->first, 1, MPI_INT, MPI_MIN, comm, &failed.request());
  wait(failed.request(), what);
  if (failed->first == 2 * ranks) return;
  const int first = failed->first % ranks;
  const auto text = rank == first ? encode_error(*mine) : "";
  throw decode_error(broadcast_text(comm, first, text, what, wait));
}

bool all_true(MPI_Comm comm, bool mine, std::string_view what) {
  if (size_of(comm) == 1) return mine;
  Pending<int> all;
  *all = mine ? 1 : 0;
  MPI_Iallreduce(MPI_IN_PLACE, &*all, 1, MPI_INT, MPI_MIN, comm, &all.request());
  wait_all({&all.request(), 1}, what);
  return *all != 0;
}

void come_together(MPI_Comm comm, std::string_view what) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  wait_for(request, what);
}

std::string broadcast_text(MPI_Comm comm, int root, std::string text, std::string_view what,
                           const WaitFor& wait) {
  if (size_of(comm) == 1) return text;
  struct Text {
    std::int64_t size = 0;
    std::string text;
  };
  Pending<Text> told;
  told->size = std::ssize(text);
  told->text = std::move(text);
  MPI_Ibcast(&told->size, 1, MPI_INT64_T, root, comm, &told.request());
  wait(told.request(), what);
  const auto size = told->size;
  told->text.resize(size);
  for (std::int64_t done = 0; done < size; done += most) {
    MPI_Ibcast(told->text.data() + done, static_cast<int>(std::min(size - done, most)), MPI_CHAR,
               root, comm, &told.request());
    wait(told.request(), what);
  }
  return std::move(told->text);
}

std::vector<std::int64_t> gather_lists(MPI_Comm comm, std::span<const std::int64_t> mine) {
  struct Lists {
    int count = 0;
    std::vector<int> counts, begins;
    std::vector<std::int64_t> mine, all;
  };
  Pending<Lists> lists;
  auto& [count, counts, begins, own, all] = *lists;
  own.assign(mine.begin(), mine.end());
  count = count_for_mpi(std::ssize(own));
  counts.resize(size_of(comm));
  MPI_Iallgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm, &lists.request());
  wait_for(lists.request(), "sizes of the other ranks' parts");
  begins = starts_of(counts);
  all.resize(begins.back() + counts.back());
  MPI_Iallgatherv(own.data(), count, MPI_INT64_T, all.data(), counts.data(), begins.data(),
                  MPI_INT64_T, comm, &lists.request());
  wait_for(lists.request(), "the other ranks' parts");
  return std::move(all);
}

namespace {

struct Texts {
  int size = 0;
  std::vector<int> sizes, starts;
  std::string mine, all;
};

}  // namespace

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine,
                                      std::string_view what) {
  const int ranks = size_of(comm);
  if (ranks == 1) return {mine};
  Pending<Texts> gathered;
  auto& [size, sizes, starts, own, all] = *gathered;
  own = mine;
  size = count_for_mpi(std::ssize(own));
  sizes.resize(rank_of(comm) == 0 ? ranks : 0);
  MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm, &gathered.request());
  wait_all({&gathered.request(), 1}, what);
  starts = starts_of(sizes);
  all.resize(std::accumulate(sizes.begin(), sizes.end(), 0));
  MPI_Igatherv(own.data(), size, MPI_CHAR, all.data(), sizes.data(), starts.data(), MPI_CHAR, 0,
               comm, &gathered.request());
  wait_all({&gathered.request(), 1}, what);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    texts.push_back(all.substr(starts[rank], sizes[rank]));
  }
  return texts;
}

std::string deal_texts(MPI_Comm comm, const std::vector<std::string>& texts,
                       std::string_view what) {
  if (size_of(comm) == 1) return texts.front();
  Pending<Texts> dealt;
  auto& [size, sizes, starts, mine, all] = *dealt;
  for (const auto& text : texts) {
    sizes.push_back(count_for_mpi(std::ssize(text)));
    all += text;
  }
  starts = starts_of(sizes);
  MPI_Iscatter(sizes.data(), 1, MPI_INT, &size, 1, MPI_INT, 0, comm, &dealt.request());
  wait_all({&dealt.request(), 1}, what);
  mine.resize(size);
  MPI_Iscatterv(all.data(), sizes.data(), starts.data(), MPI_CHAR, mine.data(), size, MPI_CHAR, 0,
                comm, &dealt.request());
  wait_all({&dealt.request(), 1}, what);
  return std::move(mine);
}

std::string encode_error(const Error& error) {
  return fmt::format("{}{}{}", static_cast<int>(error.blame()), error.follows() ? 1 : 0,
                     error.what());
}

Error decode_error(const std::string& text) {
  return Error(static_cast<Blame>(text[0] - '0'), text.substr(2), text[1] == '1');
}

}  // namespace thalweg
