// SPDX-License-Identifier: Apache-2.0
// Mode joint_multifile: every compute rank writes its own file, from the model's own memory.
#include <fmt/format.h>

#include "ranks/agreement.hpp"
#include "ranks/pulse.hpp"
#include "restart/mode.hpp"
#include "restart/set_directory.hpp"
#include "restart/tags.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

class JointMultifile final : public RestartMode {
 public:
  JointMultifile(const RestartTeam& team, const RestartModeEntry& entry)
      : team_(team),
        entry_(entry),
        pulse_(team.control, tag_restart_pulse, [&team](int rank) { return team.name_of(rank); }) {}

  void write(const Manifest& head, const KeptSets& kept, const Part& part) override {
    const auto& directory = team_.settings.directory;
    auto failure = attempt(team_.rank, [&] {
      if (team_.rank == 0) make_set_directory(directory, head.date);
    });
    throw_together(team_.compute, failure);

    const auto bytes = part.bytes();
    const auto places = entry_.place(gather_lists(team_.compute, {&bytes, 1}), 0);
    std::vector<std::int64_t> words;
    failure = attempt(team_.rank, [&] {
      const double begin_s = now_s();
      const auto& place = places[team_.rank];
      PartFile file(unfinished_path(directory, head.date) + "/" + place.file, place.file_bytes);
      file.begin_part(team_.rank, place.offset, part.index().index_bytes);
      part.for_each_slab([&](std::span<const std::byte> slab) { file.append(slab); });
      append_words(file.end_part(), words);
      file.close();
      add_time(Timer::restart_write, begin_s, now_s());
      record_event(EventKind::write, begin_s, now_s(), bytes, "restart");
    });
    const auto all = gather_lists(team_.compute, words);
    finish(head, kept, places, all, failure);
  }

 private:
  void finish(const Manifest& head, const KeptSets& kept, std::span<const PartPlace> places,
              std::span<const std::int64_t> words, std::optional<Error> failure) const {
    const auto& directory = team_.settings.directory;
    try {
      throw_together(team_.compute, failure);
      failure = attempt(team_.rank, [&] {
        if (team_.rank != 0) return;
        std::vector<PartEntry> parts;
        for (std::size_t next = 0; next < words.size();) {
          parts.push_back(entry_from_words(words, next));
        }
        auto manifest = head;
        manifest.files = files_of(places, std::move(parts));
        complete_set(directory, manifest, kept);
      });
      throw_together(team_.compute, failure);
    } catch (const Error&) {
      if (team_.rank == 0) give_up_set(directory, head.date);
      throw;
    }
  }

  const RestartTeam& team_;
  const RestartModeEntry& entry_;
  Pulse pulse_;
};

}  // namespace

std::vector<PartPlace> place_joint(std::span<const std::int64_t> part_bytes, int) {
  std::vector<PartPlace> places;
  for (std::size_t rank = 0; rank < part_bytes.size(); ++rank) {
    places.push_back(
        {fmt::format("part_{:06}.bin", rank), part_bytes[rank], 0, static_cast<int>(rank)});
  }
  return places;
}

std::unique_ptr<RestartMode> make_joint(const RestartTeam& team, const RestartModeEntry& entry) {
  return std::make_unique<JointMultifile>(team, entry);
}

}  // namespace thalweg
