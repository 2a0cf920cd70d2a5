// SPDX-License-Identifier: Apache-2.0
// One 64-bit number in a window: fetch-and-add by every rank of a team.
#include "file/file_room.hpp"

#include "base/call_limit.hpp"
#include "redist/staging_pages.hpp"
#include "redist/staging_ways.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

class TeamRoom final : public FileRoom {
 public:
  TeamRoom(MPI_Comm team, MPI_Win window) : team_(team), window_(window) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~TeamRoom() override {
    if (!all_came(team_, "the other writers of a file to leave it")) return;
    const CallLimit limit("the other writers of a file to leave it");
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  TeamRoom(const TeamRoom&) = delete;
  TeamRoom& operator=(const TeamRoom&) = delete;

 private:
  void put_end(std::uint64_t end) override { change(end, MPI_REPLACE); }
  std::uint64_t move_end(std::uint64_t bytes) override { return change(bytes, MPI_SUM); }

  // A call with a request can be waited for with a time limit; MPI_Fetch_and_op cannot.
  std::uint64_t change(std::uint64_t by, MPI_Op how) {
    by_ = by;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rget_accumulate(&by_, 1, MPI_UINT64_T, &before_, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T,
                        how, window_, &request);
    wait_all({&request, 1}, "room in a file that several ranks write");
    return before_;
  }

  std::uint64_t by_ = 0, before_ = 0;  // may be used by MPI after a wait that was given up
  MPI_Comm team_;
  MPI_Win window_;
};

}  // namespace

std::unique_ptr<FileRoom> make_team_room(MPI_Comm team) {
  constexpr MPI_Aint bytes = sizeof(std::uint64_t);
  if (!windows_fit(team, bytes)) return nullptr;
  const ErrorsReturned tolerant(team);
  void* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  int status = MPI_SUCCESS;
  {
    const CallLimit limit("all writers of a file to make room for its end");
    status = MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, team, &memory, &window);
  }
  if (!agreed(team, status == MPI_SUCCESS && window != MPI_WIN_NULL)) return nullptr;
  return std::make_unique<TeamRoom>(team, window);
}

}  // namespace thalweg
