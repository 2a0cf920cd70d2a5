// SPDX-License-Identifier: Apache-2.0
// Non-blocking collectives, waited for with a limit.
#include "restart/agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <numeric>

#include "thalweg/wait.hpp"

namespace thalweg {

namespace {
constexpr double longest_nap_s = 0.0005;  // small against the time of a slab on any disk in trouble
}

std::optional<Error> attempt(int rank, const std::function<void()>& act) {
  try {
    act();
    return std::nullopt;
  } catch (const Error& error) {
    if (error.blame() != Blame::file_system) return error;
    return Error(error.blame(), fmt::format("rank {}: {}", rank, error.what()));
  } catch (const std::exception& error) {
    return Error(Blame::bug, fmt::format("rank {}: restart: {}", rank, error.what()));
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

void throw_together(MPI_Comm comm, const std::optional<Error>& mine) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int own = mine ? rank : ranks, first = ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm, &request);
  wait_for(request, "all ranks to agree on a restart set");
  if (first == ranks) return;
  throw decode_error(broadcast_text(comm, first, rank == first ? encode_error(*mine) : ""));
}

std::string broadcast_text(MPI_Comm comm, int root, std::string text) {
  auto size = static_cast<int>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_INT, root, comm, &request);
  wait_for(request, "news about a restart set");
  text.resize(static_cast<std::size_t>(size));
  MPI_Ibcast(text.data(), size, MPI_CHAR, root, comm, &request);
  wait_for(request, "news about a restart set");
  return text;
}

std::vector<std::int64_t> gather_lists(MPI_Comm comm, std::span<const std::int64_t> mine) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks)), begins(counts.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm, &request);
  wait_for(request, "sizes of the other ranks' parts");
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(begins.back() + counts.back()));
  MPI_Iallgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), begins.data(),
                  MPI_INT64_T, comm, &request);
  wait_for(request, "the other ranks' parts");
  return all;
}

std::string encode_error(const Error& error) {
  return std::to_string(static_cast<int>(error.blame())) + error.what();
}

Error decode_error(const std::string& text) {
  return Error(static_cast<Blame>(text.front() - '0'), text.substr(1));
}

}  // namespace thalweg
