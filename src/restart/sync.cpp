// SPDX-License-Identifier: Apache-2.0
// Mode sync: rank 0 receives the parts slab by slab, one rank after the other, and writes one file.
#include <array>

#include "ranks/agreement.hpp"
#include "ranks/pulse.hpp"
#include "restart/mode.hpp"
#include "restart/set_directory.hpp"
#include "restart/tags.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

class Sync final : public RestartMode {
 public:
  Sync(const RestartTeam& team, const RestartModeEntry& entry)
      : team_(team),
        entry_(entry),
        pulse_(team.control, tag_restart_pulse, [&team](int rank) { return team.name_of(rank); }) {}

  void write(const Manifest& head, const KeptSets& kept, const Part& part) override {
    const std::array<std::int64_t, 2> mine{part.bytes(), part.index().index_bytes};
    const auto all = gather_lists(team_.compute, mine);
    std::optional<Error> failure;
    if (team_.rank == 0) {
      failure = write_all(head, kept, part, all);
      if (failure) give_up_set(team_.settings.directory, head.date);
    } else {
      send(part);
    }
    throw_together(team_.compute, failure);
  }

 private:
  void send(const Part& part) const {
    const double begin_s = now_s();
    part.for_each_slab([&](std::span<const std::byte> slab) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(slab.data(), static_cast<int>(slab.size()), MPI_BYTE, 0, tag_restart_slab,
                team_.compute, &request);
      wait_for(request, "rank 0 to take this rank's part of a restart set");
    });
    record_event(EventKind::send, begin_s, now_s(), part.bytes(), "restart");
  }

  // all: {part bytes, index bytes} of every rank. A failed file does not stop the receiving: the
  // others wait to be rid of their parts.
  std::optional<Error> write_all(const Manifest& head, const KeptSets& kept, const Part& own,
                                 std::span<const std::int64_t> all) {
    const double begin_s = now_s();
    std::vector<std::int64_t> part_bytes;
    for (std::size_t rank = 0; rank < all.size() / 2; ++rank) part_bytes.push_back(all[2 * rank]);
    const auto places = entry_.place(part_bytes, 0);
    std::optional<Error> failure;
    const auto guarded = [&](const auto& act) {
      if (!failure) failure = attempt(0, act);
    };
    std::optional<PartFile> file;
    guarded([&] {
      make_set_directory(team_.settings.directory, head.date);
      file.emplace(unfinished_path(team_.settings.directory, head.date) + "/" + places[0].file,
                   places[0].file_bytes);
    });
    std::vector<PartEntry> parts;
    for (int rank = 0; rank < team_.compute_ranks; ++rank) {
      guarded([&] { file->begin_part(rank, places[rank].offset, all[2 * rank + 1]); });
      const auto take = [&](std::span<const std::byte> slab) {
        guarded([&] { file->append(slab); });
      };
      rank == 0 ? own.for_each_slab(take) : receive(rank, part_bytes[rank], take);
      guarded([&] { parts.push_back(file->end_part()); });
    }
    guarded([&] {
      file->close();
      auto manifest = head;
      manifest.files = files_of(places, std::move(parts));
      complete_set(team_.settings.directory, manifest, kept);
    });
    add_time(Timer::restart_write, begin_s, now_s());
    record_event(EventKind::write, begin_s, now_s(), places[0].file_bytes, "restart");
    return failure;
  }

  // The next slab travels while this one is written.
  template <class Take>
  void receive(int source, std::int64_t bytes, const Take& take) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const auto start = [&](std::size_t slot) {
      buffers_[slot].resize(part_slab_bytes);
      MPI_Irecv(buffers_[slot].data(), static_cast<int>(part_slab_bytes), MPI_BYTE, source,
                tag_restart_slab, team_.compute, &requests[slot]);
    };
    if (bytes > 0) start(0);
    for (std::size_t slot = 0; bytes > 0; slot = 1 - slot) {
      int size = 0;
      MPI_Status status;
      wait_until(
          [&] {
            int done = 0;
            MPI_Test(&requests[slot], &done, &status);
            return done != 0;
          },
          "a part of a restart set", 0.0005);
      MPI_Get_count(&status, MPI_BYTE, &size);
      bytes -= size;
      if (bytes > 0) start(1 - slot);
      take(std::span(buffers_[slot].data(), size));
    }
  }

  const RestartTeam& team_;
  const RestartModeEntry& entry_;
  Pulse pulse_;
  std::array<std::vector<std::byte>, 2> buffers_;
};

}  // namespace

std::vector<PartPlace> place_sync(std::span<const std::int64_t> part_bytes, int) {
  return place_in_one_file(part_bytes);
}

std::unique_ptr<RestartMode> make_sync(const RestartTeam& team, const RestartModeEntry& entry) {
  return std::make_unique<Sync>(team, entry);
}

}  // namespace thalweg
