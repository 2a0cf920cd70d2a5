// SPDX-License-Identifier: Apache-2.0
// Sizes first, then the texts, by collectives that do not block.
#include "output/team_texts.hpp"

#include <numeric>

#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

int size_of(MPI_Comm team) {
  int size = 1;
  MPI_Comm_size(team, &size);
  return size;
}

int rank_of(MPI_Comm team) {
  int rank = 0;
  MPI_Comm_rank(team, &rank);
  return rank;
}

void finish(MPI_Request& request) { wait_all({&request, 1}, "the other writers of a file"); }

std::vector<int> starts_of(const std::vector<int>& sizes) {
  std::vector<int> starts(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 0);
  return starts;
}

}  // namespace

std::string share_text(MPI_Comm team, const std::string& text) {
  if (size_of(team) == 1) return text;
  int size = static_cast<int>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_INT, 0, team, &request);
  finish(request);
  std::string shared = text;
  shared.resize(static_cast<std::size_t>(size));
  MPI_Ibcast(shared.data(), size, MPI_CHAR, 0, team, &request);
  finish(request);
  return shared;
}

std::vector<std::string> gather_texts(MPI_Comm team, const std::string& mine) {
  const int ranks = size_of(team);
  if (ranks == 1) return {mine};
  const bool head = rank_of(team) == 0;
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(head ? static_cast<std::size_t>(ranks) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, team, &request);
  finish(request);
  const auto starts = starts_of(sizes);
  std::string all(static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0)), '\0');
  MPI_Igatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), starts.data(), MPI_CHAR, 0,
               team, &request);
  finish(request);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(sizes[rank])));
  }
  return texts;
}

std::string deal_texts(MPI_Comm team, const std::vector<std::string>& texts) {
  if (size_of(team) == 1) return texts.front();
  std::vector<int> sizes;
  std::string all;
  for (const auto& text : texts) {
    sizes.push_back(static_cast<int>(text.size()));
    all += text;
  }
  const auto starts = starts_of(sizes);
  int size = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iscatter(sizes.data(), 1, MPI_INT, &size, 1, MPI_INT, 0, team, &request);
  finish(request);
  std::string mine(static_cast<std::size_t>(size), '\0');
  MPI_Iscatterv(all.data(), sizes.data(), starts.data(), MPI_CHAR, mine.data(), size, MPI_CHAR, 0,
                team, &request);
  finish(request);
  return mine;
}

bool all_of_team(MPI_Comm team, bool mine) {
  int all = mine ? 1 : 0;
  if (size_of(team) == 1) return mine;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, team, &request);
  finish(request);
  return all != 0;
}

}  // namespace thalweg
