// SPDX-License-Identifier: Apache-2.0
// thalweg_read_state: where a run of a C or Fortran program goes on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <span>

#include "base/warning.hpp"
#include "capi/handle.hpp"
#include "file/entries.hpp"
#include "ranks/agreement.hpp"
#include "ranks/one_caller.hpp"
#include "restart/part.hpp"

using namespace thalweg;
using namespace thalweg::capi;

namespace {

// No lock of the library: who asks waits for no call of another thread.
std::mutex handles_mutex;
std::vector<const thalweg_output*> handles;

}  // namespace

std::vector<const thalweg_output*> capi::open_handles() {
  const std::lock_guard alone(handles_mutex);
  return handles;
}

void capi::add_open(const thalweg_output* output) {
  const std::lock_guard alone(handles_mutex);
  handles.push_back(output);
}

bool capi::is_open(const thalweg_output* output) {
  const std::lock_guard alone(handles_mutex);
  return std::ranges::find(handles, output) != handles.end();
}

bool capi::remove_open(const thalweg_output* output) {
  const std::lock_guard alone(handles_mutex);
  return std::erase(handles, output) != 0;
}

namespace {

// "None" would be taken for a first run, which writes over what is there.
void require_none_unfit(const RestartSet& set, const std::string& directory) {
  if (set.unfit.empty()) return;
  throw Error(
      Blame::user,
      fmt::format("no checkpoint in '{}' can be continued ({}); remove them to begin at the "
                  "start again, or read one from another directory, where files of their "
                  "own begin",
                  directory, fmt::join(set.unfit, "; ")));
}

// A run that goes back further than its newest checkpoint says why.
void tell_of_passed_over(const RestartSet& set, MPI_Comm compute) {
  int rank = 0;
  MPI_Comm_rank(compute, &rank);
  if (rank != 0) return;
  const auto instead = fmt::format("the state of {} s is read instead", set.time.seconds());
  for (const auto& sentence : set.damaged) warn_once(fmt::format("{}; {}", sentence, instead));
  for (const auto& clause : set.unfit) {
    const auto end = clause.find("': ") + 1;  // of the path
    warn_once(fmt::format("checkpoint {} is passed over{}; {}", clause.substr(0, end),
                          clause.substr(end), instead));
  }
}

// One rank alone may be wrong, and all have to hear of it; also where there is no set to read yet.
void require_what_reads(const thalweg_output& handle, const char* directory,
                        std::span<const MutableFieldView> views, const double* time_s) {
  const auto compute = handle.output->compute_comm();
  int rank = 0;
  MPI_Comm_rank(compute, &rank);
  throw_together(compute, attempt(rank, [&] {
                   require(directory != nullptr && *directory != '\0',
                           "thalweg_read_state needs a directory of sets, not NULL");
                   require(time_s != nullptr,
                           "thalweg_read_state needs a place for the time, not NULL");
                   check_views(handle.state, views, rank_points(points_of(handle)), "read");
                 }));
}

/// Rank 0: of the run that these streams continue; nothing where they cannot.
std::string run_of(const OutputSettings& settings, std::span<const StreamSettings> streams) {
  try {
    const auto begun = find_begun_run(settings, streams);
    return begun ? begun->run : "";
  } catch (const Error&) {  // told to who reads for them
    return "";
  }
}

/// The other outputs of the program that go on with the same run in the same directory: a set has
/// to serve them all, so that all begin at one time.
std::vector<OutputBeside> outputs_beside(const thalweg_output& handle) {
  const auto alone = enter_alone();
  const auto own = whole_path(handle.settings.directory);
  auto run = run_of(handle.settings, handle.streams);
  std::vector<OutputBeside> beside;
  if (!handle.streams.empty() && run.empty()) return beside;
  for (const auto* other : open_handles()) {
    if (other == &handle || whole_path(other->settings.directory) != own) continue;
    const auto theirs = run_of(other->settings, other->streams);
    if (theirs.empty() || (!run.empty() && theirs != run)) continue;
    run = theirs;
    beside.push_back({other->settings, other->streams});
  }
  return beside;
}

}  // namespace

extern "C" {

int thalweg_read_state(thalweg_output* output, const char* directory, const thalweg_view* views,
                       int count, double* time_s) {
  return status_that_stays(output, [&] {
    require_working(*output);
    require(!output->sealed,
            "state must be read before end_definition and the first question about output times");
    auto& out = *output->output;
    const auto all = views_of<MutableFieldView>(*output, views, count);
    out.company().meet(Together::reading);
    require_what_reads(*output, directory, all, time_s);
    *time_s = -1.0;
    int rank = 0;
    MPI_Comm_rank(out.compute_comm(), &rank);
    const auto beside = rank == 0 ? outputs_beside(*output) : std::vector<OutputBeside>();
    auto& beginning = output->beginning.emplace(find_beginning(
        out.compute_comm(), text_of(directory), output->settings.directory + "/restart",
        output->settings, output->streams, beside));
    const auto& set = beginning.set;
    if (set.path.empty()) {
      require_none_unfit(set, text_of(directory));
      if (beginning.same_files) out.begin_again();
      return;
    }
    tell_of_passed_over(set, out.compute_comm());
    read_restart(out.compute_comm(), set, points_of(*output), output->state, all);
    *time_s = set.time.seconds();
    // Outputs up to that time are those of the run before.
    out.continue_after(set.time, beginning.same_files, set.path);
  });
}

}  // extern "C"
